#include "log/retention/entry_source.h"

#include <limits>
#include <memory>
#include <utility>

#include "base/try.h"
#include "log/engine_options.h"
#include "model/read_plan.h"

namespace lakestream {

namespace {

/// Only directories are wanted, however small the object.
ReaderOptions DirectoriesOnly() {
  ReaderOptions options;
  options.whole_object_bytes = 0;
  return options;
}

}  // namespace

EntrySource::EntrySource(Runtime& runtime, ObjectStore& wal, ObjectStore& compacted, LogHomes& homes,
                         std::int64_t cache_bytes)
    : budget_(cache_bytes),
      objects_(runtime, wal, DirectoriesOnly(), budget_),
      files_(runtime, compacted, homes, budget_) {}

Task<Result<std::vector<LogEntryHeader>>> EntrySource::OfRaw(OpContext context, LogId log, IndexRecordPtr record) {
  using Opened = Result<std::shared_ptr<const FetchedObject>>;
  const EntryIndex& index = record->index;
  Task<Opened> opening =
      objects_.Open(std::move(context), index.location, static_cast<std::uint64_t>(index.file_size));
  LS_CO_ASSIGN(const std::shared_ptr<const FetchedObject> object, co_await opening);
  const WalSection* const section = object->header.index.Find(log);
  if (section == nullptr) {
    co_return Corrupt("a wal object has no section of the log whose index record names it")
        .With("object", index.location)
        .With("log", log.value());
  }
  LS_CO_TRY(model::CheckSection(index, *section, object->header.payload_size));
  constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();
  model::ReadAllowance all(kAll, kAll);
  std::vector<LogEntryHeader> headers;
  for (const model::PlannedEntry& entry : model::PlanEntries(record->span, *section, record->span.start, all)) {
    headers.push_back(LogEntryHeader{entry.offset, entry.records, record->created_ms, entry.payload_size,
                                     entry.cumulative_size});
  }
  co_return headers;
}

Task<Result<CompanionPtr>> EntrySource::RowsOf(OpContext context, LogId log, IndexRecordPtr record, std::size_t i) {
  Task<Result<CompactedPlace>> find = files_.Find(context, log, record, i);
  LS_CO_ASSIGN(const CompactedPlace place, co_await find);
  Task<Result<CompanionPtr>> rows = files_.Rows(std::move(context), record, i, place.path);
  co_return co_await rows;
}

}  // namespace lakestream
