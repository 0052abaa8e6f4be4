#include "parquet/thrift_reader.h"

#include <limits>

namespace lakestream {

namespace {

constexpr std::uint8_t kLastType = 13;
constexpr std::uint8_t kLongList = 15;

}  // namespace

Result<std::uint8_t> ThriftReader::ReadByte(std::string_view name) {
  LS_ASSIGN(const ByteSpan bytes, reader_.ReadBytes(1, name));
  return bytes[0];
}

Result<std::int64_t> ThriftReader::ReadZigZag(std::string_view name) {
  LS_ASSIGN(const std::uint64_t value, reader_.ReadVarint64(name));
  return static_cast<std::int64_t>(value >> 1 ^ (0 - (value & 1)));
}

Result<ThriftField> ThriftReader::ReadField(std::string_view name, std::int32_t last) {
  const std::uint64_t at = reader_.offset();
  LS_ASSIGN(const std::uint8_t byte, ReadByte(name));
  ThriftField field;
  if ((byte & 15) > kLastType) return reader_.Fail("thrift type is unknown", name, at).With("type", byte & 15);
  field.type = static_cast<ThriftType>(byte & 15);
  if (field.type == ThriftType::kStop) return field;
  std::int64_t id = last + (byte >> 4);
  if (byte >> 4 == 0) {
    LS_ASSIGN(id, ReadZigZag(name));
  }
  if (id < 1 || id > std::numeric_limits<std::int16_t>::max()) {
    return reader_.Fail("thrift field number is out of range", name, at).With("id", id);
  }
  field.id = static_cast<std::int32_t>(id);
  return field;
}

Result<ThriftReader::ListHeader> ThriftReader::ReadListHeader(std::string_view name) {
  const std::uint64_t at = reader_.offset();
  LS_ASSIGN(const std::uint8_t byte, ReadByte(name));
  ListHeader list;
  if ((byte & 15) > kLastType) return reader_.Fail("thrift type is unknown", name, at).With("type", byte & 15);
  list.element = static_cast<ThriftType>(byte & 15);
  list.size = byte >> 4;
  if (list.size == kLongList) {
    LS_ASSIGN(list.size, reader_.ReadVarint64(name));
  }
  if (list.size > reader_.remaining()) {
    return reader_.Fail("thrift list is longer than its bytes can be", name, at).With("size", list.size);
  }
  return list;
}

Status ThriftReader::Expect(ThriftField field, ThriftType type, std::string_view name) const {
  if (field.type == type) return OkStatus();
  return reader_.Fail("thrift value has another type", name)
      .With("type", static_cast<int>(field.type))
      .With("expected", static_cast<int>(type));
}

Status ThriftReader::ReadBool(ThriftField field, std::string_view name, bool* value) {
  *value = field.type == ThriftType::kTrue;
  return *value ? OkStatus() : Expect(field, ThriftType::kFalse, name);
}

Status ThriftReader::ReadInt32(ThriftField field, std::string_view name, std::int32_t* value) {
  LS_TRY(Expect(field, ThriftType::kInt32, name));
  const std::uint64_t at = reader_.offset();
  LS_ASSIGN(const std::int64_t wide, ReadZigZag(name));
  if (!std::in_range<std::int32_t>(wide)) return reader_.Fail("thrift number is out of range", name, at);
  *value = static_cast<std::int32_t>(wide);
  return OkStatus();
}

Status ThriftReader::ReadInt64(ThriftField field, std::string_view name, std::int64_t* value) {
  LS_TRY(Expect(field, ThriftType::kInt64, name));
  LS_ASSIGN(*value, ReadZigZag(name));
  return OkStatus();
}

Status ThriftReader::ReadBinary(ThriftField field, std::string_view name, std::string_view* value) {
  LS_TRY(Expect(field, ThriftType::kBinary, name));
  LS_ASSIGN(const std::uint64_t size, reader_.ReadVarint64(name));
  LS_ASSIGN(const ByteSpan bytes, reader_.ReadBytes(size, name));
  *value = AsText(bytes);
  return OkStatus();
}

Status ThriftReader::SkipElements(std::uint64_t size, ThriftType type, std::string_view name, int nesting) {
  // A bool is one byte here, and lies in its field's header elsewhere.
  if (type == ThriftType::kTrue || type == ThriftType::kFalse) return reader_.ReadBytes(size, name).status();
  for (std::uint64_t i = 0; i < size; ++i) LS_TRY(Skip(type, name, nesting));
  return OkStatus();
}

Status ThriftReader::Skip(ThriftType type, std::string_view name, int nesting) {
  if (nesting == 0) return reader_.Fail("thrift value is nested too deeply", name);
  switch (type) {
    case ThriftType::kTrue:
    case ThriftType::kFalse:
      return OkStatus();
    case ThriftType::kByte:
      return reader_.ReadBytes(1, name).status();
    case ThriftType::kInt16:
    case ThriftType::kInt32:
    case ThriftType::kInt64:
      return reader_.ReadVarint64(name).status();
    case ThriftType::kDouble:
      return reader_.ReadBytes(8, name).status();
    case ThriftType::kUuid:
      return reader_.ReadBytes(16, name).status();
    case ThriftType::kBinary: {
      std::string_view ignored;
      return ReadBinary(ThriftField(0, type), name, &ignored);
    }
    case ThriftType::kList:
    case ThriftType::kSet: {
      LS_ASSIGN(const ListHeader list, ReadListHeader(name));
      return SkipElements(list.size, list.element, name, nesting - 1);
    }
    case ThriftType::kStruct:
      return ReadStruct(name, [&](ThriftField field) { return Skip(field.type, name, nesting - 1); });
    case ThriftType::kMap:  // no record of Parquet has one
    case ThriftType::kStop:
      break;
  }
  return reader_.Fail("thrift type is unknown", name).With("type", static_cast<int>(type));
}

}  // namespace lakestream
