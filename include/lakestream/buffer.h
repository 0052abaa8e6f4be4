#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lakestream {

using ByteSpan = std::span<const std::uint8_t>;

inline ByteSpan AsBytes(std::string_view text) {
  return ByteSpan(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
}
inline std::string_view AsText(ByteSpan bytes) {
  return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

/// An immutable slice of bytes that keeps its memory alive. Copying shares, it does not copy bytes.
/// Thread safety: as a value; the bytes never change.
class Buffer {
 public:
  Buffer() = default;
  /// Takes the string's memory.
  explicit Buffer(std::string&& bytes);
  /// Copies the bytes.
  static Buffer CopyOf(ByteSpan bytes);
  static Buffer CopyOf(std::string_view text) { return CopyOf(AsBytes(text)); }
  /// Shares memory that `owner` keeps alive and nobody changes.
  static Buffer Share(std::shared_ptr<const void> owner, ByteSpan bytes);

  const std::uint8_t* data() const { return bytes_.data(); }
  std::size_t size() const { return bytes_.size(); }
  bool empty() const { return bytes_.empty(); }
  ByteSpan span() const { return bytes_; }
  std::string_view text() const { return AsText(bytes_); }
  /// Requires: offset + length <= size().
  Buffer Slice(std::size_t offset, std::size_t length) const;

  friend bool operator==(const Buffer& a, const Buffer& b) { return a.text() == b.text(); }

 private:
  std::shared_ptr<const void> owner_;
  ByteSpan bytes_;
};

/// Buffers that are one object or one message in a row, without being copied together.
class BufferChain {
 public:
  BufferChain() = default;
  explicit BufferChain(Buffer single) { Append(std::move(single)); }
  void Append(Buffer part) {
    size_ += part.size();
    if (!part.empty()) parts_.push_back(std::move(part));
  }
  std::size_t size() const { return size_; }
  /// None of the parts is empty.
  const std::vector<Buffer>& parts() const { return parts_; }
  /// One buffer with all the bytes; shares memory where there is only one part.
  Buffer Flatten() const;

 private:
  std::vector<Buffer> parts_;
  std::size_t size_ = 0;
};

}  // namespace lakestream
