#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/try.h"
#include "format/collection_records.h"
#include "log/fsck/fsck.h"
#include "log/fsck/name_table.h"
#include "log/fsck/section_table.h"
#include "log/reader/cache_budget.h"
#include "log/reader/compacted_files.h"

namespace lakestream {

/// What the parts of one check share. They run one after another.
struct FsckJob {
  FsckJob(Runtime& r, const FsckStores& stores, OpContext c, FsckOptions o, FindingSink s)
      : runtime(r),
        meta(stores.meta),
        wal(stores.wal),
        compacted(stores.compacted),
        homes(stores.homes),
        context(std::move(c)),
        options(std::move(o)),
        sink(std::move(s)),
        compacted_files(r, stores.compacted, stores.homes, nothing_kept) {}

  void Report(const Finding& finding) {
    ++(IsDamage(finding.kind) ? totals.damage : totals.notes);
    sink(finding);
  }

  void ShowProgress() const {
    if (options.progress) options.progress(totals);
  }

  /// Remembers a log id that is in use, and where it was seen first.
  void SeeLogId(LogId log, const std::string& object) {
    if (greatest_log && *greatest_log >= log) return;
    greatest_log = log;
    greatest_log_seen_in = object;
  }

  /// One page of records; `cursor` is set to the next one, or to nothing.
  Task<Result<std::vector<MetadataRecord>>> NextPage(KeyRange range, std::optional<std::string>* cursor) {
    constexpr int kRecordsPerPage = 1000;
    LS_CO_ASSIGN(ScanPage page, co_await meta.Scan(context, std::move(range), **cursor, kRecordsPerPage));
    *cursor = std::move(page.next);
    ShowProgress();
    co_return std::move(page.records);
  }

  /// One page of a store's objects; `after` is set to where the next one begins, or to nothing.
  Task<Result<std::vector<ObjectInfo>>> NextObjects(ObjectStore& store, std::optional<std::string>* after) {
    constexpr int kObjectsPerPage = 10'000;
    LS_CO_ASSIGN(ListPage page, co_await store.List(context, "", **after, kObjectsPerPage));
    *after = std::move(page.next);
    // A collector asks the store for its time with these.
    std::erase_if(page.objects, [](const ObjectInfo& info) { return IsCollectionProbeName(info.key); });
    co_return std::move(page.objects);
  }

  Task<Result<ReadAnswer>> Get(Partition partition, std::string key) {
    Task<Result<ReadAnswer>> get = meta.Get(context, std::move(partition), std::move(key));
    co_return co_await get;
  }

  /// Whether the record is still there as it was read. One that is not in its own partition counts as gone.
  Task<Result<bool>> StillStands(Partition partition, std::string key, std::int64_t version) {
    Task<Result<ReadAnswer>> get = meta.Get(context, std::move(partition), std::move(key));
    LS_CO_ASSIGN(const ReadAnswer answer, co_await get);
    co_return answer && answer->version == version;
  }

  Runtime& runtime;
  MetadataStore& meta;
  ObjectStore& wal;
  ObjectStore& compacted;
  LogHomes& homes;
  const OpContext context;
  const FsckOptions options;
  const FindingSink sink;
  FsckTotals totals;
  SectionTable table;
  NameTable compacted_names;
  CacheBudget nothing_kept{0};
  CompactedFiles compacted_files;
  std::optional<LogId> greatest_log;
  std::string greatest_log_seen_in;
};

/// Compares objects and index, and fills the job's tables: what comes first in every check.
Task<Status> CompareObjects(FsckJob& job);

}  // namespace lakestream
