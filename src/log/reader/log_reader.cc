#include "log/reader/log_reader.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <iterator>
#include <utility>

#include "base/broken_rule.h"
#include "base/invariant.h"
#include "base/try.h"
#include "log/reader/cache_budget.h"
#include "log/reader/compacted_part.h"
#include "log/reader/log_index.h"
#include "log/reader/missing_object.h"
#include "log/reader/raw_part.h"
#include "log/reader/time_seek.h"
#include "runtime/when_all.h"

namespace lakestream {

namespace {

/// Objects that one read fetches side by side.
constexpr std::size_t kObjectsAtOnce = 16;
/// Index records of one page.
constexpr std::int64_t kMinPage = 16;
constexpr std::int64_t kMaxPage = 1000;

using ReadPartPtr = std::unique_ptr<ReadPart>;

/// How many more index records like these the allowance takes.
int PageFor(const model::ReadAllowance& allowance, std::int64_t record_messages, std::int64_t record_bytes) {
  const std::int64_t by_records = allowance.records() / std::max<std::int64_t>(record_messages, 1);
  const std::int64_t by_bytes = allowance.bytes() / std::max<std::int64_t>(record_bytes, 1);
  return static_cast<int>(std::clamp(std::min(by_records, by_bytes), kMinPage, kMaxPage));
}

Status CheckArguments(LogId log, Offset from, const ReadBounds& bounds) {
  if (log.value() < 0) return InvalidArgument("a log id is not negative").With("log", log.value());
  if (from.value() < 0) return InvalidArgument("an offset is not negative").With("offset", from.value());
  if (bounds.max_records < 1) {
    return InvalidArgument("a read takes at least one record").With("max_records", bounds.max_records);
  }
  if (bounds.max_bytes < 1) {
    return InvalidArgument("a read takes at least one byte").With("max_bytes", bounds.max_bytes);
  }
  return OkStatus();
}

}  // namespace

struct LogReader::Parts {
  Parts(Runtime& r, MetadataStore& m, ObjectStore& wal, ObjectStore& compacted, LogHomes& homes,
        const ReaderOptions& o)
      : runtime(r),
        meta(m),
        options(o),
        budget(o.cache_bytes),
        index(r, m, o),
        objects(r, wal, o, budget),
        files(r, compacted, homes, budget) {}

  Runtime& runtime;
  MetadataStore& meta;
  const ReaderOptions options;
  CacheBudget budget;
  LogIndex index;
  WalObjectCache objects;
  CompactedFiles files;
  std::atomic<std::int64_t> reads{0};
  std::atomic<std::int64_t> failed{0};
  std::atomic<std::int64_t> entries{0};
  std::atomic<std::int64_t> bytes{0};

  void Count(const Result<LogRead>& read);
  ReadPartPtr NextPart(LogId log, Offset at, std::deque<IndexRecordPtr>* records);
  Task<Status> ScanInto(OpContext context, LogId log, Offset at, int limit, std::vector<IndexRecordPtr>* records);
  Task<Status> ReadParts(OpContext context, LogId log, Offset wanted, std::deque<IndexRecordPtr> records,
                         ReadBounds bounds, LogRead* read);
};

void LogReader::Parts::Count(const Result<LogRead>& read) {
  if (!read.ok()) {
    failed.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  reads.fetch_add(1, std::memory_order_relaxed);
  if (read->entries.empty()) return;
  std::int64_t sum = 0;
  for (const LogEntry& entry : read->entries) sum += entry.header.entry_size;
  entries.fetch_add(static_cast<std::int64_t>(read->entries.size()), std::memory_order_relaxed);
  bytes.fetch_add(sum, std::memory_order_relaxed);
}

/// The part that holds `at`, which the first record covers. A record whose last part it is goes.
ReadPartPtr LogReader::Parts::NextPart(LogId log, Offset at, std::deque<IndexRecordPtr>* records) {
  const IndexRecordPtr record = records->front();
  if (record->index.file_type == FileType::kRaw) {
    records->pop_front();
    return std::make_unique<RawPart>(objects, static_cast<std::uint64_t>(options.first_fetch_bytes), log, record);
  }
  const std::size_t i = record->files.ok() ? record->files->Find(at) : 0;
  if (!record->files.ok() || i + 1 == record->files->files.size()) records->pop_front();
  return std::make_unique<CompactedPart>(runtime, files, log, record, i, at);
}

Task<Status> LogReader::Parts::ScanInto(OpContext context, LogId log, Offset at, int limit,
                                        std::vector<IndexRecordPtr>* records) {
  Task<Result<std::vector<IndexRecordPtr>>> scan = index.Scan(std::move(context), log, at, limit);
  LS_CO_ASSIGN(*records, co_await scan);
  co_return OkStatus();
}

/// Reads entries from `wanted` on: out of the records given, the first of which holds it, and out of those
/// that follow, until a bound is met. On an error `read` holds the entries before it.
Task<Status> LogReader::Parts::ReadParts(OpContext context, LogId log, Offset wanted,
                                         std::deque<IndexRecordPtr> records, ReadBounds bounds, LogRead* read) {
  model::ReadAllowance allowance(bounds.max_records, bounds.max_bytes);
  std::vector<IndexRecordPtr> scanned;
  bool at_end = false;
  while (!allowance.full()) {
    if (records.empty()) {
      // They told of more than there was for this read.
      if (at_end) break;
      const int page = static_cast<int>(kMinPage);
      Task<Status> scan = ScanInto(context, log, wanted, page, &scanned);
      LS_CO_TRY(co_await scan);
      at_end = scanned.empty();
      records.assign(scanned.begin(), scanned.end());
      continue;
    }
    // What the records say of their sizes tells which parts this read will want.
    std::vector<ReadPartPtr> parts;
    std::int64_t records_ahead = 0;
    std::int64_t bytes_ahead = 0;
    Offset ahead = wanted;
    const auto wants_more = [&] { return records_ahead < allowance.records() && bytes_ahead < allowance.bytes(); };
    while (wants_more() && parts.size() < kObjectsAtOnce && !records.empty()) {
      parts.push_back(NextPart(log, ahead, &records));
      records_ahead += parts.back()->records();
      bytes_ahead += parts.back()->bytes();
      ahead = parts.back()->end();
    }

    std::vector<Task<Status>> steps;
    for (const ReadPartPtr& part : parts) steps.push_back(part->Open(context));
    const bool scan = records.empty() && !at_end && wants_more();
    scanned.clear();
    if (scan) {
      const auto count = static_cast<std::int64_t>(parts.size());
      const int page = PageFor(allowance, records_ahead / count, bytes_ahead / count);
      steps.push_back(ScanInto(context, log, ahead, page, &scanned));
    }
    std::vector<Status> opened = co_await WhenAll(runtime, std::move(steps));
    if (scan) {
      at_end = scanned.empty();
      records.assign(scanned.begin(), scanned.end());
    }

    std::vector<Task<Status>> fetches;
    for (std::size_t i = 0; i < parts.size() && !allowance.full(); ++i) {
      if (opened[i].ok()) opened[i] = parts[i]->Plan(wanted, allowance);
      if (!opened[i].ok()) break;
      fetches.push_back(parts[i]->Fetch(context));
      wanted = parts[i]->end();
    }
    const std::vector<Status> fetched = co_await WhenAll(runtime, std::move(fetches));
    for (std::size_t i = 0; i < fetched.size(); ++i) {
      LS_CO_TRY(fetched[i]);
      LS_CO_TRY(parts[i]->AppendTo(read));
    }
    if (fetched.size() < parts.size() && !allowance.full()) co_return opened[fetched.size()];
    if (scan && !allowance.full()) LS_CO_TRY(opened.back());
  }
  co_return OkStatus();
}

const EntryPlace& LogRead::PlaceOf(const LogEntry& entry) const {
  const auto after = std::upper_bound(places.begin(), places.end(), entry.header.offset,
                                      [](Offset offset, const EntryPlace& place) { return offset < place.first; });
  LS_INVARIANT(after != places.begin(), "an entry has a place");
  return *std::prev(after);
}

LogReader::LogReader(Runtime& runtime, MetadataStore& meta, ObjectStore& wal, ObjectStore& compacted, LogHomes& homes,
                     ReaderOptions options)
    : parts_(std::make_unique<Parts>(runtime, meta, wal, compacted, homes, options)) {}
LogReader::~LogReader() = default;

Task<Result<LogRead>> LogReader::Read(OpContext context, LogId log, Offset from, ReadBounds bounds) {
  Task<Result<LogRead>> reading = ReadUncounted(std::move(context), log, from, bounds);
  Result<LogRead> read = co_await reading;
  parts_->Count(read);
  co_return read;
}

Task<Result<LogRead>> LogReader::ReadUncounted(OpContext context, LogId log, Offset from, ReadBounds bounds) {
  LS_CO_TRY(CheckArguments(log, from, bounds));
  MissingTwice missing;
  while (missing.looks() < MissingTwice::kMostLooks) {
    Task<Result<FoundRecord>> find = parts_->index.Find(context, log, from, missing.looks() > 0);
    LS_CO_ASSIGN(const FoundRecord found, co_await find);
    LogRead read;
    read.next = found.wanted;
    if (found.record == nullptr) co_return read;

    std::deque<IndexRecordPtr> records(1, found.record);
    for (IndexRecordPtr& next : parts_->index.Kept(log, found.record->span.end, bounds)) {
      records.push_back(std::move(next));
    }
    Task<Status> reading = parts_->ReadParts(context, log, found.wanted, std::move(records), bounds, &read);
    const Status status = co_await reading;
    if (status.code() == StatusCode::kNotFound) parts_->index.Forget(log, read.next);
    if (status.ok() || !read.entries.empty()) co_return read;
    LS_CO_TRY(missing.Judge(status, *found.record, log, found.wanted));
  }
  co_return Unavailable("index records change faster than they can be followed").With("log", log.value());
}

Task<Result<LogRead>> LogReader::ReadOrAwait(OpContext context, LogId log, Offset from, ReadBounds bounds) {
  const Partition partition = Partition::OfLog(log);
  LogRead seen;
  bool looked = false;
  while (true) {
    // The hint is taken before the look, so that no change falls between the two.
    std::uint64_t hint = parts_->meta.ChangeHint(partition);
    Task<Result<LogRead>> reading = Read(context, log, from, bounds);
    Result<LogRead> read = co_await reading;
    const bool timed_out = read.status().code() == StatusCode::kDeadlineExceeded && looked;
    if (timed_out) co_return seen;
    if (!read.ok() || !read->entries.empty()) co_return read;
    seen = *std::move(read);
    looked = true;
    const MonotonicTime now = parts_->runtime.Now();
    if (now >= context.deadline) co_return seen;
    if (Broken(Rule::kTailLooksAfterItsHint)) hint = parts_->meta.ChangeHint(partition);
    const OpContext wait = context.WithDeadline(now + parts_->options.tail_poll);
    LS_CO_TRY(co_await parts_->meta.AwaitChange(wait, partition, hint));
  }
}

ReaderStats LogReader::stats() const {
  ReaderStats stats;
  stats.reads = parts_->reads.load(std::memory_order_relaxed);
  stats.failed = parts_->failed.load(std::memory_order_relaxed);
  stats.entries = parts_->entries.load(std::memory_order_relaxed);
  stats.bytes = parts_->bytes.load(std::memory_order_relaxed);
  stats.cache_hits = parts_->budget.hits();
  stats.cache_bytes = parts_->budget.bytes();
  return stats;
}

Task<Result<Offset>> LogReader::FindTime(OpContext context, LogId log, std::int64_t timestamp_ms) {
  if (log.value() < 0) co_return InvalidArgument("a log id is not negative").With("log", log.value());
  TimeSeek seek(parts_->index, parts_->files, log, timestamp_ms);
  Task<Result<Offset>> finding = seek.Find(std::move(context));
  co_return co_await finding;
}

Task<Result<LogExtent>> LogReader::Extent(OpContext context, LogId log) {
  if (log.value() < 0) co_return InvalidArgument("a log id is not negative").With("log", log.value());
  Task<Result<LogExtent>> extent = parts_->index.Extent(std::move(context), log);
  co_return co_await extent;
}

}  // namespace lakestream
