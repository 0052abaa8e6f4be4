#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "codec/varint.h"
#include "lakestream/buffer.h"
#include "lakestream/status.h"

namespace lakestream {

/// kCorrupt with object=, field= and offset= (a byte offset in the object) after the sentence.
Status CorruptAt(std::string_view sentence, std::string_view object, std::string_view field,
                 std::uint64_t offset);

/// A bounds-checked cursor over the bytes of an object or a record. Each failure is kCorrupt and names the
/// object, the field and the byte offset where the field begins; the cursor then stays where it was.
/// Thread safety: one thread. The bytes and the object's name must outlive the reader.
class ByteReader {
 public:
  /// `base` is the offset of the first byte in the object, for messages.
  ByteReader(ByteSpan bytes, std::string_view object, std::uint64_t base = 0)
      : bytes_(bytes), object_(object), base_(base) {}

  std::size_t remaining() const { return bytes_.size() - at_; }
  bool done() const { return remaining() == 0; }
  /// Of the next byte, in the object.
  std::uint64_t offset() const { return base_ + at_; }
  std::string_view object() const { return object_; }

  Result<std::int32_t> ReadInt32(std::string_view field);  ///< big-endian
  Result<std::int64_t> ReadInt64(std::string_view field);  ///< big-endian
  Result<ByteSpan> ReadBytes(std::uint64_t count, std::string_view field);
  Result<std::uint64_t> ReadVarint64(std::string_view field);

  /// A varint32 of the specification: at most 5 bytes, 0 to 2^31 - 1.
  Status ReadVarint32(std::string_view field, std::int32_t* value) {
    const std::size_t used = DecodeVarint32(bytes_.subspan(at_), value);
    if (used == 0) [[unlikely]]
      return BadVarint32(field);
    at_ += used;
    return OkStatus();
  }

  /// kCorrupt at the next byte, or at an offset of the object.
  Status Fail(std::string_view sentence, std::string_view field) const {
    return Fail(sentence, field, offset());
  }
  Status Fail(std::string_view sentence, std::string_view field, std::uint64_t offset) const {
    return CorruptAt(sentence, object_, field, offset);
  }

 private:
  Status BadVarint32(std::string_view field) const;
  Status Short(std::string_view field) const;

  ByteSpan bytes_;
  std::string_view object_;
  std::uint64_t base_;
  std::size_t at_ = 0;
};

}  // namespace lakestream
