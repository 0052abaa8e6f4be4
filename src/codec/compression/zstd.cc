#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <memory>

#include "codec/compression/codecs.h"

namespace lakestream::internal {
namespace {

constexpr Compression kCodec = Compression::kZstd;

struct FreeContext {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

/// What the first output buffer holds. The frame's own claim is taken up to 64 times the input: whoever compresses
/// better pays with a second try.
std::size_t FirstGuess(ByteSpan bytes) {
  const std::size_t most = 64 * bytes.size();
  const unsigned long long claim = ZSTD_getFrameContentSize(bytes.data(), bytes.size());
  if (claim == ZSTD_CONTENTSIZE_UNKNOWN || claim == ZSTD_CONTENTSIZE_ERROR) return std::min(most, 8 * bytes.size());
  return static_cast<std::size_t>(std::min<unsigned long long>(claim, most));
}

}  // namespace

Status CompressZstd(ByteSpan bytes, std::string* out) {
  const std::size_t before = out->size();
  out->resize(before + ZSTD_compressBound(bytes.size()));
  const std::size_t made =
      ZSTD_compress(out->data() + before, out->size() - before, bytes.data(), bytes.size(), ZSTD_CLEVEL_DEFAULT);
  out->resize(before + (ZSTD_isError(made) ? 0 : made));
  return ZSTD_isError(made) ? NoCodecMemory(kCodec) : OkStatus();
}

// In one piece, into a buffer that is made larger until it fits: the streaming interface would allocate the window that
// a frame claims, up to 128 MiB, before it has read anything.
Result<Buffer> DecompressZstd(ByteSpan bytes, std::uint64_t limit) {
  // No bytes are no frame.
  if (bytes.empty()) return BadCompression(kCodec, "there are no bytes");
  const std::unique_ptr<ZSTD_DCtx, FreeContext> context(ZSTD_createDCtx());
  if (context == nullptr) return NoCodecMemory(kCodec);
  constexpr std::size_t kSmallest = 1024;
  std::uint64_t capacity = std::max(FirstGuess(bytes), kSmallest);
  while (true) {
    const auto size = static_cast<std::size_t>(std::min(capacity, limit));
    auto output = std::make_shared_for_overwrite<std::uint8_t[]>(size);
    const std::size_t made = ZSTD_decompressDCtx(context.get(), output.get(), size, bytes.data(), bytes.size());
    if (!ZSTD_isError(made)) {
      const ByteSpan filled(output.get(), made);
      return Buffer::Share(std::move(output), filled);
    }
    const ZSTD_ErrorCode code = ZSTD_getErrorCode(made);
    if (code == ZSTD_error_memory_allocation) return NoCodecMemory(kCodec);
    if (code != ZSTD_error_dstSize_tooSmall) return BadCompression(kCodec, ZSTD_getErrorName(made));
    if (capacity >= limit) return TooMuchOutput(kCodec, limit);
    capacity *= 4;
  }
}

}  // namespace lakestream::internal
