#include "codec/proto_wire.h"

#include <vector>

#include "base/try.h"

namespace lakestream {

namespace {

constexpr std::size_t kMaxGroupDepth = 100;

Result<WireField> ReadOne(ByteReader& reader) {
  WireField field;
  field.offset = reader.offset();
  LS_ASSIGN(const std::uint64_t tag, reader.ReadVarint64("tag"));
  const std::uint64_t number = tag >> 3;
  if (number == 0 || number > (1u << 29) - 1)
    return reader.Fail("field number is out of range", "tag", field.offset);
  field.number = static_cast<std::uint32_t>(number);
  field.type = static_cast<WireType>(tag & 7);
  switch (field.type) {
    case WireType::kVarint: {
      LS_ASSIGN(field.varint, reader.ReadVarint64("value"));
      return field;
    }
    case WireType::kBytes: {
      LS_ASSIGN(const std::uint64_t length, reader.ReadVarint64("length"));
      field.bytes_at = reader.offset();
      LS_ASSIGN(field.bytes, reader.ReadBytes(length, "bytes"));
      return field;
    }
    case WireType::kFixed64: LS_TRY(reader.ReadBytes(8, "fixed64").status()); return field;
    case WireType::kFixed32: LS_TRY(reader.ReadBytes(4, "fixed32").status()); return field;
    case WireType::kGroup:
    case WireType::kEndGroup: return field;
  }
  return reader.Fail("wire type is unknown", "tag", field.offset);
}

}  // namespace

Result<WireField> ReadWireField(ByteReader& reader) {
  LS_ASSIGN(WireField field, ReadOne(reader));
  if (field.type == WireType::kEndGroup) return reader.Fail("group ends that never began", "tag", field.offset);
  if (field.type != WireType::kGroup) return field;
  std::vector<std::uint32_t> open = {field.number};
  while (!open.empty()) {
    LS_ASSIGN(const WireField inner, ReadOne(reader));
    if (inner.type == WireType::kGroup) {
      if (open.size() == kMaxGroupDepth)
        return reader.Fail("groups are nested too deeply", "tag", inner.offset);
      open.push_back(inner.number);
    } else if (inner.type == WireType::kEndGroup) {
      if (inner.number != open.back())
        return reader.Fail("group ends with another number", "tag", inner.offset);
      open.pop_back();
    }
  }
  return field;
}

}  // namespace lakestream
