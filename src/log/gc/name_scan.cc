#include "log/gc/name_scan.h"

#include <algorithm>
#include <optional>

#include "base/broken_rule.h"
#include "base/try.h"
#include "format/catalog_records.h"
#include "format/collection_records.h"
#include "format/compaction_record.h"
#include "format/entry_index.h"
#include "format/index_key.h"
#include "log/gc/object_names.h"

namespace lakestream {

namespace {

constexpr int kRecordsPerPage = 1000;
constexpr std::size_t kLogDigits = 20;

/// What was an index key once, perhaps, before a byte of it changed.
bool LooksLikeIndexKey(std::string_view key) {
  if (key.size() <= kLogDigits || key[kLogDigits] != '-') return false;
  return std::all_of(key.begin(), key.begin() + kLogDigits, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

Task<Status> NameScan::Mark(std::int64_t pass) {
  std::vector<Marks> marks;
  for (const Partition& shard : shards_) {
    Marks written;
    Task<Result<std::int64_t>> put_work = PutMark(shard, std::string(kCompactionMarkKey), pass);
    LS_CO_ASSIGN(written.work, co_await put_work);
    Task<Result<std::int64_t>> put_index = PutMark(shard, std::string(kIndexMarkKey), pass);
    LS_CO_ASSIGN(written.index, co_await put_index);
    marks.push_back(written);
  }
  marks_ = std::move(marks);
  co_return OkStatus();
}

Task<Result<std::int64_t>> NameScan::PutMark(Partition shard, std::string key, std::int64_t pass) {
  const Buffer value(EncodeCollectionMark(pass));
  Task<Result<WriteAnswer>> put = meta_.Put(context_, std::move(shard), std::move(key), value, WriteGuard());
  LS_CO_ASSIGN(const WriteAnswer answer, co_await put);
  co_return answer.version;
}

Task<Status> NameScan::ReadWork() {
  return ScanShards(MarkedCompactionKeys(), std::string(kCompactionMarkKey), &Marks::work, &NameScan::TakeWork);
}

Task<Status> NameScan::ScanIndex() {
  return ScanShards(MarkedIndexKeys(), std::string(kIndexMarkKey), &Marks::index, &NameScan::TakeIndex);
}

Task<Status> NameScan::ScanShards(KeyBounds bounds, std::string mark_key, std::int64_t Marks::*mark, Taker take) {
  for (std::size_t i = 0; i < shards_.size(); ++i) {
    if (i > 0 && Broken(Rule::kEveryShardIsScanned)) break;
    const std::int64_t version = marks_.empty() ? -1 : marks_[i].*mark;
    Task<Status> scan = ScanShard(shards_[i], bounds, mark_key, version, take);
    LS_CO_TRY(co_await scan);
  }
  co_return OkStatus();
}

Task<Status> NameScan::ScanShard(Partition shard, KeyBounds bounds, std::string mark_key, std::int64_t version,
                                 Taker take) {
  KeyRange range;
  range.partition = shard;
  range.from = std::move(bounds.first);
  range.to = std::move(bounds.end);
  bool marked = false;
  std::optional<std::string> cursor = "";
  while (cursor) {
    LS_CO_ASSIGN(ScanPage page, co_await meta_.Scan(context_, range, *cursor, kRecordsPerPage));
    for (const MetadataRecord& record : page.records) {
      if (record.key == mark_key) {
        // Another collector may have written it since: what it shows is as new.
        marked = record.version >= version;
        continue;
      }
      if (Broken(Rule::kIndexIsScannedNotTheRegistry) && take == &NameScan::TakeIndex) {
        Task<Result<bool>> look = IsRegistered(record.key);
        LS_CO_ASSIGN(const bool registered, co_await look);
        if (!registered) continue;
      }
      LS_CO_TRY((this->*take)(record));
    }
    cursor = std::move(page.next);
  }
  if (marked || version < 0 || Broken(Rule::kScansGiveTheirMarks)) co_return OkStatus();
  co_return Unavailable("a scan did not come to the mark of its pass").With("shard", shard.name()).With("mark", mark_key);
}

Task<Result<bool>> NameScan::IsRegistered(std::string index_key) {
  const Result<IndexKey> key = IndexKey::Decode(index_key);
  if (!key.ok()) co_return false;
  const std::string registration = LogRegistrationKey(key->log);
  Task<Result<ReadAnswer>> get = meta_.Get(context_, Partition::OfKey(registration), registration);
  LS_CO_ASSIGN(const ReadAnswer answer, co_await get);
  co_return answer.has_value();
}

Status NameScan::TakeWork(const MetadataRecord& record) {
  const std::optional<LogId> log = LogOfCompactionRecordKey(record.key);
  if (!log) return Corrupt("a key has the form of no record").With("object", record.key);
  LS_ASSIGN(const CompactionRecord work, DecodeCompactionRecord(record.value.text(), *log));
  ++work_records_;
  if (Broken(Rule::kWorkNamesItsFiles)) return OkStatus();
  for (const std::string& file : FilesOf(work)) sink_(ReferenceOfFile(file), record.key);
  return OkStatus();
}

Status NameScan::TakeIndex(const MetadataRecord& record) {
  // Another program's, or a later release's.
  if (!LooksLikeIndexKey(record.key)) return OkStatus();
  LS_ASSIGN(const EntryIndex index, DecodeEntryIndex(record.value.span(), record.key));
  ++index_records_;
  if (index.file_type == FileType::kRaw) {
    sink_(ReferenceOfLocation(index.location), record.key);
    return OkStatus();
  }
  LS_ASSIGN(const FileIndex files, FileIndexOf(index, record.key));
  for (const CompactedFile& file : files.files) sink_(ReferenceOfFile(file.name), record.key);
  return OkStatus();
}

}  // namespace lakestream
