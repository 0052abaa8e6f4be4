#include "format/wal_object.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "base/try.h"
#include "codec/byte_reader.h"
#include "codec/byte_writer.h"

namespace lakestream {

namespace {

constexpr std::size_t kLengthBytes = 4;   // index_length
constexpr std::size_t kVersionBytes = 4;  // index_version
constexpr std::size_t kMinEntryBytes = 3;

std::vector<std::uint32_t> OrderByLog(const std::vector<WalSection>& sections) {
  std::vector<std::uint32_t> order(sections.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(sections[a].log, a) < std::pair(sections[b].log, b);
  });
  return order;
}

Result<WalEntry> ReadEntry(ByteReader& reader, std::uint64_t payload_size) {
  WalEntry entry;
  const std::uint64_t at = reader.offset();
  LS_TRY(reader.ReadVarint32("payload_offset", &entry.payload_offset));
  LS_TRY(reader.ReadVarint32("payload_size", &entry.payload_size));
  if (static_cast<std::uint64_t>(entry.payload_offset) + static_cast<std::uint64_t>(entry.payload_size) >
      payload_size) {
    return reader.Fail("payload lies outside the payload region", "payload_offset", at)
        .With("payload_offset", entry.payload_offset)
        .With("payload_size", entry.payload_size)
        .With("region", payload_size);
  }
  const std::uint64_t count_at = reader.offset();
  LS_TRY(reader.ReadVarint32("record_count", &entry.record_count));
  if (entry.record_count == 0) return reader.Fail("entry holds no records", "record_count", count_at);
  return entry;
}

/// Appends the section; after an error it holds the entries before the damage.
Status ReadSection(ByteReader& reader, std::uint64_t payload_size, std::vector<WalSection>& sections) {
  const std::uint64_t at = reader.offset();
  LS_ASSIGN(const std::int64_t log, reader.ReadInt64("log_id"));
  if (log < 0) return reader.Fail("log id is negative", "log_id", at).With("log", log);
  WalSection& section = sections.emplace_back();
  section.log = LogId(log);
  const std::uint64_t count_at = reader.offset();
  std::int32_t count = 0;
  LS_TRY(reader.ReadVarint32("entry_count", &count));
  if (count == 0) return reader.Fail("log section lists no entries", "entry_count", count_at).With("log", log);
  if (static_cast<std::size_t>(count) > reader.remaining() / kMinEntryBytes) {
    return reader.Fail("log section lists more entries than its bytes can hold", "entry_count", count_at)
        .With("log", log)
        .With("entry_count", count);
  }
  section.entries.reserve(static_cast<std::size_t>(count));
  for (std::int32_t i = 0; i < count; ++i) {
    LS_ASSIGN(const WalEntry entry, ReadEntry(reader, payload_size));
    section.entries.push_back(entry);
  }
  return OkStatus();
}

/// Fills the header as far as the bytes are right.
Status ReadWalHeader(ByteSpan prefix, std::uint64_t object_size, std::string_view object_name, WalHeader* header) {
  LS_ASSIGN(header->header_size, WalHeaderSize(prefix, object_size, object_name));
  header->payload_size = object_size - header->header_size;
  if (prefix.size() < header->header_size) {
    return CorruptAt("index region is truncated", object_name, "index_region", prefix.size())
        .With("header_size", header->header_size);
  }
  ByteReader reader(prefix.subspan(kLengthBytes, header->header_size - kLengthBytes), object_name, kLengthBytes);
  LS_ASSIGN(const std::int32_t version, reader.ReadInt32("index_version"));
  if (version != kWalIndexVersion) {
    return reader.Fail("wal object has another index version", "index_version", kLengthBytes)
        .With("version", version)
        .With("supported", kWalIndexVersion);
  }
  std::vector<WalSection>& sections = header->index.sections;
  std::vector<std::uint64_t> offsets;
  while (!reader.done()) {
    offsets.push_back(reader.offset());
    LS_TRY(ReadSection(reader, header->payload_size, sections));
  }
  header->index.by_log = OrderByLog(sections);
  for (std::size_t i = 1; i < sections.size(); ++i) {
    const std::uint32_t second = header->index.by_log[i];
    if (sections[second].log == sections[header->index.by_log[i - 1]].log) {
      return reader.Fail("log has more than one section", "log_id", offsets[second])
          .With("log", sections[second].log.value());
    }
  }
  return OkStatus();
}

JsonValue Describe(const WalSection& section) {
  JsonValue entries = JsonValue::Array();
  for (const WalEntry& entry : section.entries) {
    JsonValue item = JsonValue::Object();
    item.Add("payload_offset", JsonValue::Int(entry.payload_offset))
        .Add("payload_size", JsonValue::Int(entry.payload_size))
        .Add("record_count", JsonValue::Int(entry.record_count));
    entries.Append(std::move(item));
  }
  // The sums have the names that they have in the section's index record.
  JsonValue json = JsonValue::Object();
  json.Add("log_id", JsonValue::Int(section.log.value()))
      .Add("entry_count", JsonValue::Int(static_cast<std::int64_t>(section.entries.size())))
      .Add("message_count", JsonValue::Int(section.RecordCount()))
      .Add("entry_size_bytes", JsonValue::Int(section.PayloadBytes()))
      .Add("entries", std::move(entries));
  return json;
}

}  // namespace

std::int64_t WalSection::RecordCount() const {
  std::int64_t sum = 0;
  for (const WalEntry& entry : entries) sum += entry.record_count;
  return sum;
}

std::int64_t WalSection::PayloadBytes() const {
  std::int64_t sum = 0;
  for (const WalEntry& entry : entries) sum += entry.payload_size;
  return sum;
}

const WalSection* WalIndex::Find(LogId log) const {
  if (by_log.size() != sections.size()) {
    const auto it =
        std::find_if(sections.begin(), sections.end(), [&](const WalSection& s) { return s.log == log; });
    return it == sections.end() ? nullptr : &*it;
  }
  const auto it = std::lower_bound(by_log.begin(), by_log.end(), log,
                                   [&](std::uint32_t i, LogId wanted) { return sections[i].log < wanted; });
  return it == by_log.end() || sections[*it].log != log ? nullptr : &sections[*it];
}

Status CheckWalSection(const WalSection& section) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int32_t>::max();
  const auto fail = [&](std::string_view sentence) {
    return InvalidArgument(sentence).With("log", section.log.value());
  };
  if (section.log.value() < 0) return fail("log id is negative");
  if (section.entries.empty()) return fail("log section lists no entries");
  for (const WalEntry& entry : section.entries) {
    if (entry.record_count < 1) return fail("entry holds no records").With("record_count", entry.record_count);
    if (entry.payload_offset < 0 || entry.payload_size < 0 ||
        entry.payload_size > kMax - entry.payload_offset) {
      return fail("payload lies outside 0 to 2147483647")
          .With("payload_offset", entry.payload_offset)
          .With("payload_size", entry.payload_size);
    }
  }
  const std::int64_t records = section.RecordCount();
  const std::int64_t bytes = section.PayloadBytes();
  if (records > kMax) return fail("log section holds too many records").With("records", records);
  if (bytes > kMax) return fail("log section holds too many bytes").With("bytes", bytes);
  return OkStatus();
}

Result<Buffer> EncodeWalHeader(const std::vector<WalSection>& sections) {
  if (sections.empty()) return InvalidArgument("wal object would hold no log section");
  std::size_t entries = 0;
  for (const WalSection& section : sections) {
    LS_TRY(CheckWalSection(section));
    entries += section.entries.size();
  }
  const std::vector<std::uint32_t> order = OrderByLog(sections);
  for (std::size_t i = 1; i < order.size(); ++i) {
    const LogId log = sections[order[i]].log;
    if (log == sections[order[i - 1]].log) {
      return InvalidArgument("log has more than one section").With("log", log.value());
    }
  }
  std::string out;
  out.reserve(kLengthBytes + kVersionBytes + sections.size() * (8 + kMaxVarint32Bytes) + entries * 12);
  AppendInt32(out, 0);
  AppendInt32(out, kWalIndexVersion);
  for (const WalSection& section : sections) {
    AppendInt64(out, section.log.value());
    AppendVarint(out, section.entries.size());
    for (const WalEntry& entry : section.entries) {
      AppendVarint(out, static_cast<std::uint32_t>(entry.payload_offset));
      AppendVarint(out, static_cast<std::uint32_t>(entry.payload_size));
      AppendVarint(out, static_cast<std::uint32_t>(entry.record_count));
    }
  }
  const std::size_t index_length = out.size() - kLengthBytes;
  if (!std::in_range<std::int32_t>(index_length)) {
    return InvalidArgument("index region is too long").With("bytes", index_length);
  }
  std::string length;
  AppendInt32(length, static_cast<std::int32_t>(index_length));
  out.replace(0, kLengthBytes, length);
  return Buffer(std::move(out));
}

Result<std::uint64_t> WalHeaderSize(ByteSpan first_bytes, std::uint64_t object_size,
                                    std::string_view object_name) {
  ByteReader reader(first_bytes, object_name);
  LS_ASSIGN(const std::int32_t index_length, reader.ReadInt32("index_length"));
  if (index_length < static_cast<std::int32_t>(kVersionBytes)) {
    return reader.Fail("index region is shorter than its version", "index_length", 0)
        .With("index_length", index_length);
  }
  const std::uint64_t header_size = kLengthBytes + static_cast<std::uint64_t>(index_length);
  if (header_size > object_size) {
    return reader.Fail("index region ends beyond the object", "index_length", 0)
        .With("index_length", index_length)
        .With("object_size", object_size);
  }
  return header_size;
}

Result<WalHeader> DecodeWalHeader(ByteSpan prefix, std::uint64_t object_size, std::string_view object_name) {
  WalHeader header;
  LS_TRY(ReadWalHeader(prefix, object_size, object_name, &header));
  return header;
}

Description DescribeWalObject(ByteSpan prefix, std::uint64_t object_size, std::string_view object_name) {
  WalHeader header;
  Description description;
  description.damage = ReadWalHeader(prefix, object_size, object_name, &header);
  JsonValue& fields = description.fields;
  fields.Add("object_size", JsonValue::Int(static_cast<std::int64_t>(object_size)));
  // As they stand there, right or wrong.
  ByteReader reader(prefix, object_name);
  const Result<std::int32_t> index_length = reader.ReadInt32("index_length");
  if (index_length.ok()) fields.Add("index_length", JsonValue::Int(*index_length));
  const Result<std::int32_t> index_version = reader.ReadInt32("index_version");
  if (index_version.ok()) fields.Add("index_version", JsonValue::Int(*index_version));
  if (header.header_size > 0) {
    fields.Add("payload_region_offset", JsonValue::Int(static_cast<std::int64_t>(header.header_size)))
        .Add("payload_region_size", JsonValue::Int(static_cast<std::int64_t>(header.payload_size)));
  }
  JsonValue sections = JsonValue::Array();
  for (const WalSection& section : header.index.sections) sections.Append(Describe(section));
  fields.Add("sections", std::move(sections));
  return description;
}

}  // namespace lakestream
