#include "codec/compression/lz4_block.h"

#include <lz4.h>

#include <memory>
#include <new>
#include <utility>

#include "codec/compression/codecs.h"

namespace lakestream {

namespace {

constexpr Compression kCodec = Compression::kLz4;
/// Each byte of a block stands for at most so many, and the last one begins a copy of a few more.
constexpr std::uint64_t kMostGrowth = 255;

}  // namespace

Result<Buffer> DecompressLz4Block(ByteSpan bytes, std::uint64_t size) {
  if (!std::in_range<int>(bytes.size()) || !std::in_range<int>(size) || size > kMostGrowth * bytes.size()) {
    return internal::BadCompression(kCodec, "the block cannot have this size");
  }
  const std::shared_ptr<std::uint8_t[]> out(new (std::nothrow) std::uint8_t[size + 1]);
  if (out == nullptr) return internal::NoCodecMemory(kCodec);
  const int made = LZ4_decompress_safe(reinterpret_cast<const char*>(bytes.data()), reinterpret_cast<char*>(out.get()),
                                       static_cast<int>(bytes.size()), static_cast<int>(size));
  if (made < 0 || std::cmp_not_equal(made, size)) return internal::BadCompression(kCodec, "the block has another size");
  return Buffer::Share(out, ByteSpan(out.get(), size));
}

}  // namespace lakestream
