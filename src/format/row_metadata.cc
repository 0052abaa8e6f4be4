#include "format/row_metadata.h"

#include <array>
#include <utility>

#include "base/checked.h"
#include "base/invariant.h"
#include "base/try.h"
#include "codec/byte_reader.h"
#include "codec/proto_wire.h"

namespace lakestream {

namespace {

constexpr std::uint32_t kEntryHeader = 2;
constexpr std::uint32_t kSchemaVersion = 4;

// Fields of EntryHeader by number.
constexpr std::array<std::string_view, 6> kNames = {"entryHeader",      "offset",    "numberOfMessages",
                                                    "writtenTimestamp", "entrySize", "cumulativeSize"};
using HeaderNumbers = std::array<std::int64_t, kNames.size()>;

Status Twice(const ByteReader& reader, const WireField& field, std::string_view name) {
  return reader.Fail("field is set twice", name, field.offset);
}

Status OtherType(const ByteReader& reader, const WireField& field, std::string_view name) {
  return reader.Fail("field has another wire type", name, field.offset);
}

Result<LogEntryHeader> MakeHeader(const HeaderNumbers& numbers, const ByteReader& reader, std::uint64_t begin) {
  for (const std::size_t i : {2, 4}) {
    if (!std::in_range<std::int32_t>(numbers[i])) {
      return reader.Fail("field is out of range", kNames[i], begin).With("value", numbers[i]);
    }
  }
  LogEntryHeader header;
  header.offset = Offset(numbers[1]);
  header.number_of_records = static_cast<std::int32_t>(numbers[2]);
  header.timestamp_ms = numbers[3];
  header.entry_size = static_cast<std::int32_t>(numbers[4]);
  header.cumulative_size = numbers[5];
  return header;
}

/// The numbers of a header just as EncodeRowMetadata and Ursa write it, all five in order: a companion is full of them.
/// Any other form is left to ReadHeader.
bool ReadPlainHeader(ByteSpan bytes, HeaderNumbers* numbers) {
  std::size_t at = 0;
  for (std::size_t i = 1; i < numbers->size(); ++i) {
    if (at == bytes.size() || bytes[at] != i << 3) return false;
    ++at;
    std::uint64_t number = 0;
    const std::size_t used = DecodeVarint64(bytes.subspan(at), &number);
    if (used == 0) return false;
    at += used;
    (*numbers)[i] = static_cast<std::int64_t>(number);
  }
  return at == bytes.size();
}

Result<LogEntryHeader> ReadHeader(ByteReader reader) {
  const std::uint64_t begin = reader.offset();
  HeaderNumbers numbers{};
  std::array<bool, kNames.size()> seen{};
  while (!reader.done()) {
    LS_ASSIGN(const WireField field, ReadWireField(reader));
    if (field.number >= kNames.size()) continue;
    const std::string_view name = kNames[field.number];
    if (field.type != WireType::kVarint) return OtherType(reader, field, name);
    if (seen[field.number]) return Twice(reader, field, name);
    seen[field.number] = true;
    numbers[field.number] = static_cast<std::int64_t>(field.varint);
  }
  return MakeHeader(numbers, reader, begin);
}

}  // namespace

Status CheckEntryHeader(const LogEntryHeader& header) {
  const HeaderNumbers numbers = {0,
                                 header.offset.value(),
                                 header.number_of_records,
                                 header.timestamp_ms,
                                 header.entry_size,
                                 header.cumulative_size};
  for (std::size_t i = 1; i < numbers.size(); ++i) {
    if (numbers[i] < 0) {
      return InvalidArgument("a number of an entry is negative").With("field", kNames[i]).With("value", numbers[i]);
    }
  }
  if (header.number_of_records == 0) return InvalidArgument("an entry has no records").With("field", kNames[2]);
  if (!CheckedAdd<std::int64_t>(header.offset.value(), header.number_of_records)) {
    return InvalidArgument("an entry ends beyond the last offset")
        .With("field", kNames[2])
        .With("start", header.offset.value())
        .With("records", header.number_of_records);
  }
  if (header.cumulative_size < header.entry_size) {
    return InvalidArgument("an entry is larger than its log up to it")
        .With("field", kNames[5])
        .With("value", header.cumulative_size)
        .With("entry_size", header.entry_size);
  }
  return OkStatus();
}

std::string EncodeRowMetadata(const RowMetadata& metadata) {
  const LogEntryHeader& h = metadata.header;
  LS_INVARIANT(CheckEntryHeader(h).ok(), "only what can be read is written");
  std::string header;
  AppendVarintField(header, 1, h.offset.value());
  AppendVarintField(header, 2, h.number_of_records);
  AppendVarintField(header, 3, h.timestamp_ms);
  AppendVarintField(header, 4, h.entry_size);
  AppendVarintField(header, 5, h.cumulative_size);
  std::string out;
  AppendBytesField(out, kEntryHeader, header);
  if (metadata.schema_version) AppendVarintField(out, kSchemaVersion, *metadata.schema_version);
  return out;
}

Result<RowMetadata> DecodeRowMetadata(ByteSpan bytes, std::string_view object) {
  ByteReader reader(bytes, object);
  RowMetadata metadata;
  std::optional<std::uint64_t> header_at;
  while (!reader.done()) {
    LS_ASSIGN(const WireField field, ReadWireField(reader));
    if (field.number == kEntryHeader) {
      if (field.type != WireType::kBytes) return OtherType(reader, field, kNames[0]);
      if (header_at) return Twice(reader, field, kNames[0]);
      header_at = field.bytes_at;
      const ByteReader inner(field.bytes, object, field.bytes_at);
      HeaderNumbers numbers{};
      const bool plain = ReadPlainHeader(field.bytes, &numbers);
      LS_ASSIGN(metadata.header, plain ? MakeHeader(numbers, inner, field.bytes_at) : ReadHeader(inner));
    } else if (field.number == kSchemaVersion) {
      if (field.type != WireType::kVarint) return OtherType(reader, field, "schemaVersion");
      if (metadata.schema_version) return Twice(reader, field, "schemaVersion");
      metadata.schema_version = static_cast<std::int64_t>(field.varint);
    }
  }
  if (!header_at) return reader.Fail("row has no entry header", kNames[0]);
  const Status checked = CheckEntryHeader(metadata.header);
  if (!checked.ok()) return checked.As(StatusCode::kCorrupt).With("object", object).With("offset", *header_at);
  return metadata;
}

}  // namespace lakestream
