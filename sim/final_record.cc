#include "sim/final_record.h"

#include "base/try.h"
#include "format/entry_index.h"
#include "sim/compacted_key.h"
#include "sim/object_entries.h"

namespace lakestream::sim {
namespace {

Status ReadRaw(FinalRecord& final, const EntryIndex& index, LogId log, const FetchObject& fetch) {
  LS_ASSIGN(const Buffer object, fetch(index.location));
  const ObjectEntries read = ReadWalObject(index.location, object);
  if (!read.trouble.empty()) return Corrupt(read.trouble);
  const auto section = read.entries.find(log);
  if (section == read.entries.end()) {
    return Corrupt("the object has no section of the log").With("object", index.location);
  }
  std::int64_t sum = final.cumulative_size - index.entry_size_bytes;
  for (SeenEntry entry : section->second) {
    sum += entry.size;
    entry.offset = final.start + entry.offset.value();
    entry.cumulative_size = sum;
    entry.timestamp_ms = final.created_ms;
    final.entries.push_back(entry);
  }
  return OkStatus();
}

Status ReadParquet(FinalRecord& final, const FileIndex& files, LogId log, const FetchObject& fetch) {
  for (const CompactedFile& file : files.files) {
    LS_ASSIGN(const Buffer parquet, fetch(CompactedKey(log, file.name)));
    LS_ASSIGN(const Buffer companion, fetch(CompactedKey(log, CompanionNameOf(file.name))));
    const ObjectEntries read = ReadCompactedFile(log, file.name, parquet, companion);
    if (!read.trouble.empty()) return Corrupt(read.trouble);
    const std::vector<SeenEntry>& rows = read.entries.at(log);
    final.entries.insert(final.entries.end(), rows.begin(), rows.end());
  }
  return OkStatus();
}

}  // namespace

FinalRecord ReadFinalRecord(const MetadataRecord& record, const IndexKey& key, const FetchObject& fetch_wal,
                            const FetchObject& fetch_compacted) {
  FinalRecord final;
  final.end = key.end;
  final.cumulative_size = key.cumulative_size;
  final.created_ms = record.created_ms;
  const auto read = [&]() -> Status {
    LS_ASSIGN(const EntryIndex index, DecodeEntryIndex(record.value.span(), record.key));
    final.start = final.end - index.message_count;
    final.compacted = index.file_type == FileType::kParquet;
    if (!final.compacted) return ReadRaw(final, index, key.log, fetch_wal);
    LS_ASSIGN(const FileIndex files, FileIndexOf(index, record.key));
    return ReadParquet(final, files, key.log, fetch_compacted);
  };
  const Status status = read();
  if (!status.ok()) final.trouble = status.ToString();
  return final;
}

}  // namespace lakestream::sim
