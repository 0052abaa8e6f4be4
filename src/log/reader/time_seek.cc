#include "log/reader/time_seek.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/broken_rule.h"
#include "base/try.h"
#include "log/reader/missing_object.h"

namespace lakestream {

namespace {

constexpr int kPage = 1000;

/// The first row from `from` on that has the time or a later one; rows() where there is none.
std::size_t FindRow(const Companion& rows, std::size_t from, std::int64_t timestamp_ms) {
  if (Broken(Rule::kTimeSearchByTheGreatestSoFar)) {
    std::size_t low = from;
    for (std::size_t high = rows.rows(); low < high;) {
      const std::size_t middle = low + (high - low) / 2;
      (rows.HeaderOf(middle).timestamp_ms < timestamp_ms ? low : high) =
          rows.HeaderOf(middle).timestamp_ms < timestamp_ms ? middle + 1 : middle;
    }
    return low;
  }
  std::size_t row = rows.FindTime(timestamp_ms);
  if (row >= from) return row;
  // A row that is trimmed has it, so the greatest time so far says nothing of those behind it.
  for (row = from; row < rows.rows() && rows.HeaderOf(row).timestamp_ms < timestamp_ms;) ++row;
  return row;
}

}  // namespace

Task<Result<Offset>> TimeSeek::Find(OpContext context) {
  MissingTwice missing;
  Offset from(0);
  while (missing.looks() < MissingTwice::kMostLooks) {
    Task<Result<FoundRecord>> look = index_.Find(context, log_, from, true);
    LS_CO_ASSIGN(const FoundRecord found, co_await look);
    if (found.record == nullptr) co_return found.wanted;
    FoundRecord reached = found;
    Task<Found> walk = WalkFrom(context, &reached);
    const Found hit = co_await walk;
    if (!hit.ok()) {
      LS_CO_TRY(missing.Judge(hit.status(), *reached.record, log_, reached.wanted));
      continue;
    }
    if (*hit) co_return **hit;
    // What has been appended meanwhile, a gap, or the end: the next look tells.
    from = reached.wanted;
  }
  co_return Unavailable("index records change faster than they can be followed").With("log", log_.value());
}

Task<TimeSeek::Found> TimeSeek::WalkFrom(OpContext context, FoundRecord* reached) {
  std::vector<IndexRecordPtr> records(1, reached->record);
  while (!records.empty()) {
    for (const IndexRecordPtr& record : records) {
      reached->record = record;
      Task<Found> search = FindInRecord(context, record, reached->wanted);
      LS_CO_ASSIGN(const std::optional<Offset> hit, co_await search);
      if (hit) co_return hit;
      reached->wanted = record->span.end;
    }
    Task<Result<std::vector<IndexRecordPtr>>> scan = index_.Scan(context, log_, reached->wanted, kPage);
    LS_CO_ASSIGN(records, co_await scan);
  }
  co_return std::optional<Offset>();
}

Task<TimeSeek::Found> TimeSeek::FindInRecord(OpContext context, IndexRecordPtr record, Offset at) {
  if (record->created_ms < timestamp_ms_) co_return std::optional<Offset>();
  if (record->index.file_type == FileType::kRaw) {
    // The first entry that ends above `at` holds it, or is the record's first.
    co_return std::optional<Offset>(std::max(record->span.start, at));
  }
  if (!record->files.ok()) co_return record->files.status();
  const std::size_t count = record->files->files.size();
  std::size_t low = record->files->Find(at);
  for (std::size_t high = count - 1; low < high;) {
    const std::size_t middle = low + (high - low) / 2;
    Task<Result<CompanionPtr>> open = RowsOf(context, record, middle);
    LS_CO_ASSIGN(const CompanionPtr rows, co_await open);
    const bool reaches = rows->FindTime(timestamp_ms_) < rows->rows();
    low = reaches ? low : middle + 1;
    high = reaches ? middle : high;
  }
  for (std::size_t i = low; i < count; ++i) {
    Task<Found> search = FindInFile(context, record, i, at);
    LS_CO_ASSIGN(const std::optional<Offset> hit, co_await search);
    if (hit) co_return hit;
  }
  co_return std::optional<Offset>();
}

Task<TimeSeek::Found> TimeSeek::FindInFile(OpContext context, IndexRecordPtr record, std::size_t i, Offset at) {
  Task<Result<CompanionPtr>> open = RowsOf(std::move(context), record, i);
  LS_CO_ASSIGN(const CompanionPtr rows, co_await open);
  const std::optional<std::size_t> from = rows->FindOffset(at);
  const std::size_t row = FindRow(*rows, from.value_or(0), timestamp_ms_);
  if (row == rows->rows()) co_return std::optional<Offset>();
  co_return std::optional<Offset>(std::max(rows->OffsetOf(row), at));
}

Task<Result<CompanionPtr>> TimeSeek::RowsOf(OpContext context, IndexRecordPtr record, std::size_t i) {
  Task<Result<CompactedPlace>> find = files_.Find(context, log_, record, i);
  LS_CO_ASSIGN(const CompactedPlace place, co_await find);
  Task<Result<CompanionPtr>> open = files_.Rows(std::move(context), record, i, place.path);
  co_return co_await open;
}

}  // namespace lakestream
