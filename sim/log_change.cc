#include "sim/log_change.h"

#include <utility>

#include "format/entry_index.h"
#include "format/index_key.h"
#include "format/log_records.h"

namespace lakestream::sim {
namespace {

using Kind = LogChange::Kind;

Kind KindOfRecordKey(const std::string& key, LogId log) {
  if (key == TrimMarkerKey(log)) return Kind::kMarker;
  if (key == WriteFenceKey(log)) return Kind::kFence;
  return key == CompactionCursorKey(log) ? Kind::kCursor : Kind::kLease;
}

std::optional<IndexRecord> DecodeIndexRecord(const MetadataRecord& record) {
  const Result<IndexKey> key = IndexKey::Decode(record.key);
  const Result<EntryIndex> value = DecodeEntryIndex(record.value.span(), record.key);
  if (!key.ok() || !value.ok()) return std::nullopt;
  IndexRecord read;
  read.start = key->end - value->message_count;
  read.end = key->end;
  read.cumulative_size = key->cumulative_size;
  read.size = value->entry_size_bytes;
  read.created_ms = record.created_ms;
  read.parquet = value->file_type == FileType::kParquet;
  if (!read.parquet) {
    read.object = value->location;
    return read;
  }
  Result<FileIndex> files = FileIndexOf(*value, record.key);
  if (files.ok()) read.files = std::move(files->files);
  return read;
}

}  // namespace

LogChange LogChange::OfKey(const std::string& key) {
  LogChange named;
  if (!key.starts_with('/')) {
    const Result<IndexKey> index = IndexKey::Decode(key);
    if (!index.ok()) return named;
    named.kind = Kind::kIndex;
    named.log = index->log;
  } else if (const std::optional<LogId> log = LogOfRecordKey(key)) {
    named.kind = KindOfRecordKey(key, *log);
    named.log = *log;
  } else if (const std::optional<LogId> compacted = LogOfCompactionRecordKey(key)) {
    named.kind = Kind::kCompaction;
    named.log = *compacted;
  } else if (const std::optional<LogId> claimed = LogOfCompactionClaimKey(key)) {
    named.kind = Kind::kClaim;
    named.log = *claimed;
  }
  return named;
}

const std::string* OwnerOf(const CompactionRecord& record) {
  if (const auto* working = std::get_if<CompactionWorking>(&record.state)) return &working->owner;
  if (const auto* installing = std::get_if<CompactionInstalling>(&record.state)) return &installing->owner;
  return nullptr;
}

LogChange LogChange::Of(const MetadataChange& change) {
  const MetadataRecord& record = change.record;
  LogChange read = OfKey(record.key);
  if (read.kind == Kind::kIndex) read.index = DecodeIndexRecord(record);
  if (change.removed) return read;
  if (read.kind == Kind::kMarker) {
    const Result<Offset> marker = DecodeTrimMarker(record.value.text(), record.key);
    if (marker.ok()) read.marker = *marker;
  }
  if (read.kind == Kind::kCompaction) {
    Result<CompactionRecord> compaction = DecodeCompactionRecord(record.value.text(), read.log);
    if (compaction.ok()) read.compaction = *std::move(compaction);
  }
  return read;
}

}  // namespace lakestream::sim
