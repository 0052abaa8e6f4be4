#include <snappy-c.h>

#include <array>
#include <vector>

#include "base/try.h"
#include "codec/byte_reader.h"
#include "codec/compression/codecs.h"

namespace lakestream::internal {
namespace {

constexpr Compression kCodec = Compression::kSnappy;
constexpr std::string_view kJavaMagic("\x82SNAPPY\0", 8);
constexpr std::size_t kJavaHeader = 16;  // the magic and two version numbers

/// The length that a block claims. Three bytes of input make at most 64 of output, so more than 22 times the input is
/// a lie, and nothing is allocated for it.
Result<std::size_t> ClaimedSize(ByteSpan block) {
  std::size_t size = 0;
  if (snappy_uncompressed_length(AsText(block).data(), block.size(), &size) != SNAPPY_OK) {
    return BadCompression(kCodec, "a block has no length");
  }
  if (size > 22 * block.size()) return BadCompression(kCodec, "a block claims more than it can hold");
  return size;
}

/// What lies between the lengths of snappy-java's chunks.
Result<std::vector<ByteSpan>> JavaBlocks(ByteSpan bytes) {
  std::vector<ByteSpan> blocks;
  ByteReader reader(bytes.subspan(kJavaHeader), "snappy");
  while (!reader.done()) {
    const Result<std::int32_t> length = reader.ReadInt32("length");
    const Result<ByteSpan> block = !length.ok() || *length < 0
                                       ? Result<ByteSpan>(Corrupt("no length"))
                                       : reader.ReadBytes(static_cast<std::uint64_t>(*length), "block");
    if (!block.ok()) return BadCompression(kCodec, "a block does not end within the input");
    blocks.push_back(*block);
  }
  return blocks;
}

Result<Buffer> Join(std::span<const ByteSpan> blocks, std::uint64_t limit) {
  std::size_t total = 0;
  for (const ByteSpan block : blocks) {
    LS_ASSIGN(const std::size_t size, ClaimedSize(block));
    total += size;
    if (total > limit) return TooMuchOutput(kCodec, limit);
  }
  auto bytes = std::make_shared_for_overwrite<std::uint8_t[]>(total);
  std::size_t at = 0;
  for (const ByteSpan block : blocks) {
    std::size_t size = total - at;
    if (snappy_uncompress(AsText(block).data(), block.size(), reinterpret_cast<char*>(bytes.get() + at), &size) !=
        SNAPPY_OK) {
      return BadCompression(kCodec, "a block is damaged");
    }
    at += size;
  }
  const ByteSpan whole(bytes.get(), total);
  return Buffer::Share(std::move(bytes), whole);
}

}  // namespace

Status CompressSnappy(ByteSpan bytes, std::string* out) {
  if (bytes.size() > 0xffffffff) return TooMuchOutput(kCodec, 0xffffffff);
  const std::size_t before = out->size();
  std::size_t made = snappy_max_compressed_length(bytes.size());
  out->resize(before + made);
  if (snappy_compress(AsText(bytes).data(), bytes.size(), out->data() + before, &made) != SNAPPY_OK) {
    return Internal("snappy did not take its own bound");
  }
  out->resize(before + made);
  return OkStatus();
}

Result<Buffer> DecompressSnappy(ByteSpan bytes, std::uint64_t limit) {
  if (bytes.size() >= kJavaHeader && AsText(bytes).starts_with(kJavaMagic)) {
    LS_ASSIGN(const std::vector<ByteSpan> blocks, JavaBlocks(bytes));
    return Join(blocks, limit);
  }
  const std::array<ByteSpan, 1> whole = {bytes};
  return Join(whole, limit);
}

}  // namespace lakestream::internal
