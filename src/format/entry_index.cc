#include "format/entry_index.h"

#include <array>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>

#include "base/try.h"
#include "codec/base64.h"
#include "codec/byte_reader.h"
#include "codec/byte_writer.h"
#include "codec/fastpfor.h"
#include "codec/proto_wire.h"

namespace lakestream {

namespace {

constexpr std::int64_t kMaxInt32 = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kMaxInt64 = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kRawOffsetInFile = -1;

// Field numbers of EntryIndex.
enum Field : std::uint32_t {
  kVersion = 1,
  kLocation = 2,
  kFileType = 3,
  kIndexType = 4,
  kMessageCount = 5,
  kEntrySizeBytes = 6,
  kFileSize = 7,
  kOffsetInFile = 8,
  kEntryCount = 9,
  kEntryOffsets = 10,
  kExtraData = 11,
};
constexpr std::array<std::string_view, 12> kNames = {"",
                                                     "version",
                                                     "location",
                                                     "file_type",
                                                     "index_type",
                                                     "message_count",
                                                     "entry_size_bytes",
                                                     "file_size",
                                                     "offset_in_file",
                                                     "entry_count",
                                                     "entry_offsets",
                                                     "extraData"};

// A record's fields as they come; keeps where each stood, for what is checked at the end.
struct Seen {
  explicit Seen(std::uint32_t known) : known(known) {}
  std::uint32_t known;  ///< the greatest field number that is not skipped
  std::array<bool, 12> set{};
  std::array<std::uint64_t, 12> at{};
};

// The next known field, or nothing at the end. Repeats are refused unless `repeats` is that field.
Result<std::optional<WireField>> NextField(ByteReader& reader, Seen& seen,
                                           std::span<const std::string_view> names, std::uint32_t repeats) {
  while (!reader.done()) {
    LS_ASSIGN(const WireField field, ReadWireField(reader));
    if (field.number > seen.known) continue;
    if (seen.set[field.number] && field.number != repeats) {
      return reader.Fail("field is set twice", names[field.number], field.offset);
    }
    seen.set[field.number] = true;
    seen.at[field.number] = field.offset;
    return std::optional<WireField>(field);
  }
  return std::optional<WireField>();
}

Status TakeNumber(const ByteReader& reader, const WireField& field, std::string_view name, std::int64_t min,
                  std::int64_t max, std::int64_t* value) {
  if (field.type != WireType::kVarint) return reader.Fail("field has another wire type", name, field.offset);
  *value = static_cast<std::int64_t>(field.varint);
  if (*value < min || *value > max) {
    return reader.Fail("field is out of range", name, field.offset).With("value", *value);
  }
  return OkStatus();
}

Status TakeText(const ByteReader& reader, const WireField& field, std::string_view name, std::string* value) {
  if (field.type != WireType::kBytes) return reader.Fail("field has another wire type", name, field.offset);
  *value = AsText(field.bytes);
  return OkStatus();
}

// The message in a field, as a reader of its own.
Result<ByteReader> Enter(const ByteReader& reader, const WireField& field, std::string_view name) {
  if (field.type != WireType::kBytes) return reader.Fail("field has another wire type", name, field.offset);
  return ByteReader(field.bytes, reader.object(), field.bytes_at);
}

Result<EntryOffsets> ReadEntryOffsets(ByteReader reader) {
  constexpr std::array<std::string_view, 4> kParts = {"entry_offsets", "entry_offsets.compression_type",
                                                      "entry_offsets.uncompressed_size",
                                                      "entry_offsets.compressed_payload"};
  const std::uint64_t begin = reader.offset();
  EntryOffsets offsets;
  Seen seen(3);
  for (;;) {
    LS_ASSIGN(const std::optional<WireField> field, NextField(reader, seen, kParts, 0));
    if (!field) break;
    std::int64_t number = 0;
    switch (field->number) {
      case 1:
        LS_TRY(TakeNumber(reader, *field, kParts[1], 0, 2, &number));
        offsets.compression_type = static_cast<CompressionType>(number);
        break;
      case 2:
        LS_TRY(TakeNumber(reader, *field, kParts[2], 0, kMaxInt32, &number));
        offsets.uncompressed_size = static_cast<std::int32_t>(number);
        break;
      case 3: LS_TRY(TakeText(reader, *field, kParts[3], &offsets.compressed_payload)); break;
    }
  }
  for (std::uint32_t i = 1; i <= 3; ++i) {
    if (!seen.set[i]) return reader.Fail("field is missing", kParts[i], begin);
  }
  if (offsets.compression_type != CompressionType::kFastPfor) {
    return reader.Fail("entry offsets have another compression than FastPFOR", kParts[1], seen.at[1]);
  }
  if (offsets.compressed_payload.size() % 4 != 0) {
    return reader.Fail("entry offsets are not whole words", kParts[3], seen.at[3]);
  }
  return offsets;
}

Result<ExtraData> ReadExtraData(ByteReader reader) {
  constexpr std::array<std::string_view, 3> kParts = {"extraData", "extraData.key", "extraData.value"};
  const std::uint64_t begin = reader.offset();
  ExtraData extra;
  Seen seen(2);
  for (;;) {
    LS_ASSIGN(const std::optional<WireField> field, NextField(reader, seen, kParts, 0));
    if (!field) break;
    LS_TRY(TakeText(reader, *field, kParts[field->number], field->number == 1 ? &extra.key : &extra.value));
  }
  for (std::uint32_t i = 1; i <= 2; ++i) {
    if (!seen.set[i]) return reader.Fail("field is missing", kParts[i], begin);
  }
  return extra;
}

Status ReadField(ByteReader& reader, const WireField& field, EntryIndex& index) {
  const std::string_view name = kNames[field.number];
  const auto number = [&](std::int64_t min, std::int64_t max, auto* target) {
    std::int64_t value = 0;
    const Status status = TakeNumber(reader, field, name, min, max, &value);
    if (status.ok()) *target = static_cast<std::remove_pointer_t<decltype(target)>>(value);
    return status;
  };
  switch (field.number) {
    case kVersion: {
      std::int64_t version = 0;
      LS_TRY(TakeNumber(reader, field, name, std::numeric_limits<std::int64_t>::min(), kMaxInt64, &version));
      if (version != kEntryIndexVersion) {
        return reader.Fail("index record has another version", name, field.offset)
            .With("version", version)
            .With("supported", kEntryIndexVersion);
      }
      return OkStatus();
    }
    case kLocation: return TakeText(reader, field, name, &index.location);
    case kFileType: return number(0, 1, &index.file_type);
    case kIndexType: return number(0, 1, &index.index_type);
    case kMessageCount: return number(1, kMaxInt32, &index.message_count);
    case kEntrySizeBytes: return number(0, kMaxInt64, &index.entry_size_bytes);
    case kFileSize: return number(0, kMaxInt64, &index.file_size);
    case kOffsetInFile: return number(kRawOffsetInFile, kMaxInt64, &index.offset_in_file);
    case kEntryCount: return number(1, kMaxInt32, &index.entry_count);
    case kEntryOffsets: {
      LS_ASSIGN(const ByteReader inner, Enter(reader, field, name));
      LS_ASSIGN(index.entry_offsets, ReadEntryOffsets(inner));
      return OkStatus();
    }
    case kExtraData: {
      LS_ASSIGN(const ByteReader inner, Enter(reader, field, name));
      LS_ASSIGN(ExtraData extra, ReadExtraData(inner));
      if (index.FindExtraData(extra.key) != nullptr) {
        return reader.Fail("extra data has a key twice", "extraData.key", field.offset).With("key", extra.key);
      }
      index.extra_data.push_back(std::move(extra));
      return OkStatus();
    }
  }
  return OkStatus();
}

// What holds between fields.
Status CheckWhole(const ByteReader& reader, const EntryIndex& index, const Seen& seen) {
  for (std::uint32_t i = kVersion; i <= kEntryCount; ++i) {
    if (!seen.set[i]) return reader.Fail("field is missing", kNames[i]);
  }
  if (index.location.empty()) return reader.Fail("field is empty", "location", seen.at[kLocation]);
  if (index.entry_count > index.message_count) {
    return reader.Fail("record has more entries than records", "entry_count", seen.at[kEntryCount])
        .With("entry_count", index.entry_count)
        .With("message_count", index.message_count);
  }
  const bool wants_offsets = index.file_type == FileType::kRaw && index.entry_count > 1;
  if (wants_offsets && !index.entry_offsets) {
    return reader.Fail("field is missing", "entry_offsets").With("entry_count", index.entry_count);
  }
  if (!wants_offsets && index.entry_offsets) {
    return reader.Fail("record may not have this field", "entry_offsets", seen.at[kEntryOffsets])
        .With("entry_count", index.entry_count);
  }
  if (wants_offsets && index.entry_offsets->uncompressed_size != std::int64_t{4} * index.entry_count) {
    return reader
        .Fail("field is not 4 bytes an entry", "entry_offsets.uncompressed_size", seen.at[kEntryOffsets])
        .With("value", index.entry_offsets->uncompressed_size)
        .With("entry_count", index.entry_count);
  }
  return OkStatus();
}

/// Fills the record as far as the bytes are right; `seen` says how far that was.
Status ReadEntryIndex(ByteReader reader, EntryIndex& index, Seen& seen) {
  for (;;) {
    LS_ASSIGN(const std::optional<WireField> field, NextField(reader, seen, kNames, kExtraData));
    if (!field) break;
    const Status read = ReadField(reader, *field, index);
    if (read.ok()) continue;
    if (field->number != kExtraData) seen.set[field->number] = false;
    return read;
  }
  return CheckWhole(reader, index, seen);
}

EntryOffsets PackEntryOffsets(const WalSection& section) {
  std::vector<std::int32_t> ends;
  ends.reserve(section.entries.size());
  std::int32_t sum = 0;
  for (const WalEntry& entry : section.entries) ends.push_back(sum += entry.record_count);
  EntryOffsets offsets;
  offsets.uncompressed_size = static_cast<std::int32_t>(4 * ends.size());
  const std::vector<std::uint32_t> words = FastPforEncode(ends);
  offsets.compressed_payload.reserve(4 * words.size());
  for (const std::uint32_t word : words) AppendBigEndian(offsets.compressed_payload, word, 4);
  return offsets;
}

void DescribeEntryOffsets(const EntryIndex& index, std::string_view object, Description& description) {
  JsonValue offsets = JsonValue::Object();
  offsets.Add("compression_type", JsonValue::String("FastPFOR"))
      .Add("uncompressed_size", JsonValue::Int(index.entry_offsets->uncompressed_size));
  std::vector<std::int32_t> ends;
  if (description.damage.ok()) {
    Result<std::vector<std::int32_t>> decoded = DecodeEntryOffsets(index, object);
    description.damage = decoded.status();
    if (decoded.ok()) ends = *std::move(decoded);
  }
  if (description.damage.ok()) {
    JsonValue items = JsonValue::Array();
    for (const std::int32_t end : ends) items.Append(JsonValue::Int(end));
    offsets.Add("compressed_payload_size",
                JsonValue::Int(static_cast<std::int64_t>(index.entry_offsets->compressed_payload.size())))
        .Add("entry_ends", std::move(items));
  } else {
    offsets.Add("compressed_payload_base64",
                JsonValue::String(Base64Encode(AsBytes(index.entry_offsets->compressed_payload))));
  }
  description.fields.Add(kNames[kEntryOffsets], std::move(offsets));
}

void DescribeExtraData(const EntryIndex& index, std::string_view object, Description& description) {
  JsonValue pairs = JsonValue::Array();
  for (const ExtraData& extra : index.extra_data) {
    JsonValue pair = JsonValue::Object();
    pair.AddBytes("key", extra.key).AddBytes("value", extra.value);
    if (extra.key == kFileIndexKey) {
      const Result<FileIndex> files = DecodeFileIndex(extra.value, object);
      if (files.ok()) pair.Add("files", Describe(*files));
      if (!files.ok() && description.damage.ok()) description.damage = files.status();
    }
    pairs.Append(std::move(pair));
  }
  description.fields.Add(kNames[kExtraData], std::move(pairs));
}

}  // namespace

const std::string* EntryIndex::FindExtraData(std::string_view key) const {
  for (const ExtraData& extra : extra_data) {
    if (extra.key == key) return &extra.value;
  }
  return nullptr;
}

std::string EncodeEntryIndex(const EntryIndex& index) {
  std::string out;
  AppendVarintField(out, kVersion, index.version);
  AppendBytesField(out, kLocation, index.location);
  AppendVarintField(out, kFileType, static_cast<std::int64_t>(index.file_type));
  AppendVarintField(out, kIndexType, static_cast<std::int64_t>(index.index_type));
  AppendVarintField(out, kMessageCount, index.message_count);
  AppendVarintField(out, kEntrySizeBytes, index.entry_size_bytes);
  AppendVarintField(out, kFileSize, index.file_size);
  AppendVarintField(out, kOffsetInFile, index.offset_in_file);
  AppendVarintField(out, kEntryCount, index.entry_count);
  if (index.entry_offsets) {
    std::string inner;
    AppendVarintField(inner, 1, static_cast<std::int64_t>(index.entry_offsets->compression_type));
    AppendVarintField(inner, 2, index.entry_offsets->uncompressed_size);
    AppendBytesField(inner, 3, index.entry_offsets->compressed_payload);
    AppendBytesField(out, kEntryOffsets, inner);
  }
  for (const ExtraData& extra : index.extra_data) {
    std::string inner;
    AppendBytesField(inner, 1, extra.key);
    AppendBytesField(inner, 2, extra.value);
    AppendBytesField(out, kExtraData, inner);
  }
  return out;
}

Result<EntryIndex> DecodeEntryIndex(ByteSpan value, std::string_view object) {
  EntryIndex index;
  Seen seen(kExtraData);
  LS_TRY(ReadEntryIndex(ByteReader(value, object), index, seen));
  return index;
}

Result<EntryIndex> MakeRawEntryIndex(const WalSection& section, std::string location,
                                     std::int64_t payload_region_size, bool only_section) {
  LS_TRY(CheckWalSection(section));
  if (location.empty()) return InvalidArgument("wal object has no name").With("log", section.log.value());
  for (const WalEntry& entry : section.entries) {
    if (std::int64_t{entry.payload_offset} + entry.payload_size > payload_region_size) {
      return InvalidArgument("payload lies outside the payload region")
          .With("log", section.log.value())
          .With("region", payload_region_size);
    }
  }
  if (section.entries.size() > kMaxInt32 / 4) {
    return InvalidArgument("log section lists too many entries").With("log", section.log.value());
  }
  EntryIndex index;
  index.location = std::move(location);
  index.file_type = FileType::kRaw;
  index.index_type = only_section ? IndexType::kCompact : IndexType::kNormal;
  index.message_count = static_cast<std::int32_t>(section.RecordCount());
  index.entry_size_bytes = section.PayloadBytes();
  index.file_size = payload_region_size;
  index.offset_in_file = kRawOffsetInFile;
  index.entry_count = static_cast<std::int32_t>(section.entries.size());
  if (section.entries.size() > 1) index.entry_offsets = PackEntryOffsets(section);
  return index;
}

Result<EntryIndex> MakeParquetEntryIndex(const FileIndex& files, std::int64_t records, std::int64_t bytes) {
  LS_ASSIGN(std::string packed, EncodeFileIndex(files));
  if (records < 1 || records > kMaxInt32)
    return InvalidArgument("record count is out of range").With("records", records);
  if (bytes < 0) return InvalidArgument("size is negative").With("bytes", bytes);
  EntryIndex index;
  index.location = files.files.front().name;
  index.file_type = FileType::kParquet;
  index.index_type = IndexType::kCompact;
  index.message_count = static_cast<std::int32_t>(records);
  index.entry_size_bytes = bytes;
  index.file_size = bytes;
  index.offset_in_file = 0;
  index.entry_count = 1;
  index.extra_data.push_back(ExtraData{std::string(kFileIndexKey), std::move(packed)});
  return index;
}

Result<std::vector<std::int32_t>> DecodeEntryOffsets(const EntryIndex& index, std::string_view object) {
  if (!index.entry_offsets) return std::vector<std::int32_t>{index.message_count};
  const auto fail = [&](std::string_view sentence) {
    return CorruptAt(sentence, object, "entry_offsets.compressed_payload", 0);
  };
  const ByteSpan payload = AsBytes(index.entry_offsets->compressed_payload);
  if (payload.size() % 4 != 0) return fail("entry offsets are not whole words");
  std::vector<std::uint32_t> words;
  words.reserve(payload.size() / 4);
  for (std::size_t i = 0; i < payload.size(); i += 4) {
    words.push_back(std::uint32_t{payload[i]} << 24 | std::uint32_t{payload[i + 1]} << 16 |
                    std::uint32_t{payload[i + 2]} << 8 | payload[i + 3]);
  }
  Result<std::vector<std::int32_t>> ends = FastPforDecode(words, static_cast<std::size_t>(index.entry_count));
  if (!ends.ok()) return fail(ends.status().message());
  if (ends->size() != static_cast<std::size_t>(index.entry_count)) {
    return fail("entry offsets disagree with entry_count")
        .With("count", ends->size())
        .With("entry_count", index.entry_count);
  }
  std::int32_t previous = 0;
  for (std::size_t i = 0; i < ends->size(); ++i) {
    if ((*ends)[i] <= previous) return fail("entry offsets do not increase").With("entry", i);
    previous = (*ends)[i];
  }
  if (previous != index.message_count) {
    return fail("entry offsets disagree with message_count")
        .With("last", previous)
        .With("message_count", index.message_count);
  }
  return ends;
}

Result<FileIndex> FileIndexOf(const EntryIndex& index, std::string_view object) {
  const std::string* packed = index.FindExtraData(kFileIndexKey);
  if (packed == nullptr) {
    return Corrupt("parquet record has no file index").With("object", object).With("field", kFileIndexKey);
  }
  return DecodeFileIndex(*packed, object);
}

Description DescribeEntryIndex(ByteSpan value, std::string_view object) {
  EntryIndex index;
  Seen seen(kExtraData);
  Description description;
  description.damage = ReadEntryIndex(ByteReader(value, object), index, seen);
  JsonValue& fields = description.fields;
  const auto number = [&](Field field, std::int64_t n) {
    if (seen.set[field]) fields.Add(kNames[field], JsonValue::Int(n));
  };
  const auto word = [&](Field field, std::string_view text) {
    if (seen.set[field]) fields.Add(kNames[field], JsonValue::String(text));
  };
  number(kVersion, index.version);
  if (seen.set[kLocation]) fields.AddBytes(kNames[kLocation], index.location);
  word(kFileType, index.file_type == FileType::kRaw ? "RAW" : "PARQUET");
  word(kIndexType, index.index_type == IndexType::kNormal ? "NORMAL" : "COMPACT");
  number(kMessageCount, index.message_count);
  number(kEntrySizeBytes, index.entry_size_bytes);
  number(kFileSize, index.file_size);
  number(kOffsetInFile, index.offset_in_file);
  number(kEntryCount, index.entry_count);
  // What hangs on a record is looked at only where the record itself is whole.
  if (index.entry_offsets) DescribeEntryOffsets(index, object, description);
  if (!index.extra_data.empty()) DescribeExtraData(index, object, description);
  if (description.damage.ok() && index.file_type == FileType::kParquet) {
    description.damage = FileIndexOf(index, object).status();
  }
  return description;
}

}  // namespace lakestream
