#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "codec/compression/compression.h"
#include "lakestream/buffer.h"
#include "lakestream/status.h"

// What the files of this folder share; compression.h is for everyone else. Each codec has its library to itself.

namespace lakestream::internal {

Status CompressGzip(ByteSpan bytes, std::string* out);
Status CompressSnappy(ByteSpan bytes, std::string* out);
Status CompressLz4(ByteSpan bytes, std::string* out);
Status CompressZstd(ByteSpan bytes, std::string* out);

Result<Buffer> DecompressGzip(ByteSpan bytes, std::uint64_t limit);
Result<Buffer> DecompressSnappy(ByteSpan bytes, std::uint64_t limit);
Result<Buffer> DecompressLz4(ByteSpan bytes, std::uint64_t limit);
Result<Buffer> DecompressZstd(ByteSpan bytes, std::uint64_t limit);

Status BadCompression(Compression compression, std::string_view reason);
Status TooMuchOutput(Compression compression, std::uint64_t limit);
Status NoCodecMemory(Compression compression);

/// Output whose length shows only while it is made. Grows by doubling, to one byte beyond the limit at most: that byte
/// tells "too much" from "just enough".
class GrowingOutput {
 public:
  GrowingOutput(std::uint64_t limit, std::size_t first_guess);

  /// Free room, never empty while size() <= limit; valid until the next call.
  std::span<std::uint8_t> Space();
  /// `count` bytes were put there.
  void Filled(std::size_t count) { size_ += count; }
  std::size_t size() const { return size_; }
  bool beyond_limit() const { return size_ > limit_; }
  Buffer Take() &&;

 private:
  const std::size_t limit_;
  std::shared_ptr<std::uint8_t[]> bytes_;
  std::size_t capacity_ = 0;
  std::size_t size_ = 0;
};

}  // namespace lakestream::internal
