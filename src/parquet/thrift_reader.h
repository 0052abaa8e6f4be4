#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "base/try.h"
#include "codec/byte_reader.h"
#include "lakestream/buffer.h"
#include "lakestream/status.h"

namespace lakestream {

// Thrift's compact protocol, as far as Parquet files are written in it: footer, offset index, page headers.

enum class ThriftType : std::uint8_t {
  kStop = 0,
  kTrue = 1,
  kFalse = 2,
  kByte = 3,
  kInt16 = 4,
  kInt32 = 5,
  kInt64 = 6,
  kDouble = 7,
  kBinary = 8,
  kList = 9,
  kSet = 10,
  kMap = 11,
  kStruct = 12,
  kUuid = 13,
};

struct ThriftField {
  std::int32_t id = 0;
  ThriftType type = ThriftType::kStop;
};

/// A bounds-checked cursor. Each failure is corrupt and names the object, the field and its byte offset. Nothing is
/// allocated, and nesting is bounded. Thread safety: one thread. The bytes and the object's name must outlive it.
class ThriftReader {
 public:
  /// `base` is the offset of the first byte in the object, for messages.
  ThriftReader(ByteSpan bytes, std::string_view object, std::uint64_t base) : reader_(bytes, object, base) {}

  /// Of the next byte, in the object.
  std::uint64_t offset() const { return reader_.offset(); }
  bool done() const { return reader_.done(); }
  std::string_view object() const { return reader_.object(); }

  /// Calls `visit(ThriftField)` for each field of the struct that begins here. It reads the field's value, or skips it.
  template <class Visit>
  Status ReadStruct(std::string_view name, Visit&& visit) {
    std::int32_t last = 0;
    while (true) {
      LS_ASSIGN(const ThriftField field, ReadField(name, last));
      if (field.type == ThriftType::kStop) return OkStatus();
      LS_TRY(visit(field));
      last = field.id;
    }
  }

  /// Calls `visit()` for each element of the field's list; it reads one value of that type.
  template <class Visit>
  Status ReadList(ThriftField field, std::string_view name, ThriftType element, Visit&& visit) {
    LS_TRY(Expect(field, ThriftType::kList, name));
    LS_ASSIGN(const ListHeader list, ReadListHeader(name));
    if (list.size > 0) LS_TRY(Expect(ThriftField(0, list.element), element, name));
    for (std::uint64_t i = 0; i < list.size; ++i) LS_TRY(visit());
    return OkStatus();
  }

  Status ReadBool(ThriftField field, std::string_view name, bool* value);
  Status ReadInt32(ThriftField field, std::string_view name, std::int32_t* value);
  Status ReadInt64(ThriftField field, std::string_view name, std::int64_t* value);
  /// The bytes are those of the input.
  Status ReadBinary(ThriftField field, std::string_view name, std::string_view* value);
  Status Skip(ThriftField field, std::string_view name) { return Skip(field.type, name, kMostNesting); }

  /// corrupt at the next byte.
  Status Fail(std::string_view sentence, std::string_view name) const { return reader_.Fail(sentence, name); }

 private:
  struct ListHeader {
    ThriftType element = ThriftType::kStop;
    std::uint64_t size = 0;  ///< each element has a byte or more
  };
  static constexpr int kMostNesting = 16;

  Result<ThriftField> ReadField(std::string_view name, std::int32_t last);
  Result<ListHeader> ReadListHeader(std::string_view name);
  Result<std::int64_t> ReadZigZag(std::string_view name);
  Result<std::uint8_t> ReadByte(std::string_view name);
  Status Expect(ThriftField field, ThriftType type, std::string_view name) const;
  Status Skip(ThriftType type, std::string_view name, int nesting);
  Status SkipElements(std::uint64_t size, ThriftType type, std::string_view name, int nesting);

  ByteReader reader_;
};

}  // namespace lakestream
