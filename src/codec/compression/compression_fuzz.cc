#include "codec/compression/compression.h"

#include <string>

#include "fuzz/fuzz_target.h"

// Input: a byte that names the codec, and what is decompressed.

namespace lakestream {
namespace {

constexpr std::uint64_t kLimit = std::uint64_t{64} << 10;

void CheckLimits(Compression compression, ByteSpan input, const Buffer& output) {
  LS_INVARIANT(output.size() <= kLimit, "the limit holds");
  if (compression == Compression::kLz4 || output.empty()) return;
  const Result<Buffer> exact = Decompress(compression, input, output.size());
  LS_INVARIANT(exact.ok() && *exact == output, "a limit of exactly that is enough");
  const Result<Buffer> less = Decompress(compression, input, output.size() - 1);
  LS_INVARIANT(less.status().code() == StatusCode::kResourceExhausted, "and one less is not");
}

void CheckRoundTrip(Compression compression, const Buffer& bytes) {
  std::string small;
  LS_INVARIANT(Compress(compression, bytes.span(), &small).ok(), "everything can be compressed");
  const Result<Buffer> back = Decompress(compression, AsBytes(small), kLimit);
  LS_INVARIANT(back.ok() && *back == bytes, "and comes back");
}

}  // namespace

void FuzzOne(ByteSpan input) {
  if (input.empty()) return;
  const auto compression = static_cast<Compression>(1 + input[0] % (kCompressions - 1));
  const ByteSpan bytes = input.subspan(1);
  const Result<Buffer> output = Decompress(compression, bytes, kLimit);
  const std::string codec = "codec=" + std::string(CompressionName(compression));
  if (!FuzzAnswer(CompressionName(compression).data(), output.status(),
                  {StatusCode::kCorrupt, StatusCode::kResourceExhausted}, {codec})) {
    return;
  }
  CheckLimits(compression, bytes, *output);
  if (output->size() <= 4096) CheckRoundTrip(compression, *output);
}

}  // namespace lakestream
