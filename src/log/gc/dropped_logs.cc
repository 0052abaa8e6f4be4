#include "log/gc/dropped_logs.h"

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/try.h"
#include "format/catalog_records.h"
#include "format/collection_records.h"
#include "format/compaction_record.h"
#include "format/log_records.h"
#include "log/catalog/log_deletion.h"
#include "model/collection.h"

namespace lakestream {

namespace {

constexpr int kRecordsPerPage = 1000;

struct Work {
  LogId log;
  CompactionRecord record;
  std::int64_t version = 0;
};

/// Those of a page that are not `dropped` yet.
std::vector<Work> WorkOf(const std::vector<MetadataRecord>& records) {
  std::vector<Work> all;
  for (const MetadataRecord& record : records) {
    const std::optional<LogId> log = LogOfCompactionRecordKey(record.key);
    if (!log) continue;
    Result<CompactionRecord> decoded = DecodeCompactionRecord(record.value.text(), *log);
    if (!decoded.ok() || std::holds_alternative<CompactionDropped>(decoded->state)) continue;
    all.push_back(Work{*log, *std::move(decoded), record.version});
  }
  return all;
}

class DroppedLogs {
 public:
  DroppedLogs(Runtime& runtime, MetadataStore& meta, OpContext context)
      : access_(runtime, meta), meta_(meta), context_(std::move(context)) {}

  Task<Result<std::int64_t>> Run() {
    const KeyBounds bounds = CompactionRecordKeys();
    KeyRange range;
    range.from = bounds.first;
    range.to = bounds.end;
    std::optional<std::string> cursor = "";
    while (cursor) {
      LS_CO_ASSIGN(ScanPage page, co_await meta_.Scan(context_, range, *cursor, kRecordsPerPage));
      cursor = std::move(page.next);
      Task<Status> take = Take(WorkOf(page.records));
      LS_CO_TRY(co_await take);
    }
    co_return marked_;
  }

 private:
  Task<Status> Take(std::vector<Work> all) {
    std::vector<ReadRequest> requests;
    for (const Work& work : all) {
      requests.push_back(ReadRequest{Partition::OfLog(work.log), WriteFenceKey(work.log), KeyComparison::kEqual});
    }
    if (requests.empty()) co_return OkStatus();
    LS_CO_ASSIGN(const std::vector<ReadAnswer> fences, co_await meta_.Read(context_, std::move(requests)));
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!fences[i]) continue;
      Task<Status> mark = Mark(std::move(all[i]));
      LS_CO_TRY(co_await mark);
    }
    co_return OkStatus();
  }

  Task<Status> Mark(Work work) {
    model::DroppedFacts facts;
    facts.fenced = true;
    const std::string registration = LogRegistrationKey(work.log);
    LS_CO_ASSIGN(const ReadAnswer registered, co_await meta_.Get(context_, Partition::OfKey(registration), registration));
    facts.registered = registered.has_value();
    LogDeletion deletion(access_, work.log);
    // Leases first: whoever has none any more writes no index record.
    Task<Result<bool>> leased = deletion.Leased(context_);
    LS_CO_ASSIGN(facts.leased, co_await leased);
    Task<Result<bool>> indexed = deletion.Indexed(context_);
    LS_CO_ASSIGN(facts.indexed, co_await indexed);
    if (!model::MayMarkDropped(facts)) co_return OkStatus();
    work.record.state = CompactionDropped{};
    LS_CO_ASSIGN(std::string value, EncodeCompactionRecord(work.record, work.log));
    const std::string key = CompactionRecordKey(work.log);
    Task<Result<SwapOutcome>> swap =
        access_.Swap(context_, Partition::OfLog(work.log), key, std::move(value), work.version);
    LS_CO_ASSIGN(const SwapOutcome swapped, co_await swap);
    if (swapped == SwapOutcome::kDone) ++marked_;
    co_return OkStatus();
  }

  CatalogAccess access_;
  MetadataStore& meta_;
  const OpContext context_;
  std::int64_t marked_ = 0;
};

}  // namespace

Task<Result<std::int64_t>> MarkDroppedLogs(Runtime& runtime, MetadataStore& meta, OpContext context) {
  DroppedLogs logs(runtime, meta, std::move(context));
  Task<Result<std::int64_t>> run = logs.Run();
  co_return co_await run;
}

}  // namespace lakestream
