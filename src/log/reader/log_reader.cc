#include "log/reader/log_reader.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <utility>

#include "base/broken_rule.h"
#include "base/invariant.h"
#include "base/try.h"
#include "log/reader/log_index.h"
#include "log/reader/wal_object_cache.h"
#include "runtime/when_all.h"

namespace lakestream {

namespace {

/// Objects that one read fetches side by side.
constexpr std::size_t kObjectsAtOnce = 16;
/// Index records of one page.
constexpr std::int64_t kMinPage = 16;
constexpr std::int64_t kMaxPage = 1000;
/// How often a read looks again after an object was missing.
constexpr int kMaxMissing = 8;

using ObjectPtr = std::shared_ptr<const FetchedObject>;

/// One index record on its way to entries.
struct Part {
  IndexRecordPtr record;
  ObjectPtr object;
  std::vector<model::PlannedEntry> entries;
  std::vector<model::PayloadRange> ranges;
  std::vector<Buffer> payloads;  ///< one for each range
};

Buffer PayloadOf(const Part& part, const model::PlannedEntry& entry) {
  if (entry.payload_size == 0) return Buffer();
  const auto begin = static_cast<std::uint64_t>(entry.payload_offset);
  // The last range that begins at or before the payload holds it: ranges do not overlap.
  auto range = std::upper_bound(part.ranges.begin(), part.ranges.end(), begin,
                                [](std::uint64_t b, const model::PayloadRange& r) { return b < r.begin; });
  LS_INVARIANT(range != part.ranges.begin(), "a planned payload lies in a planned range");
  --range;
  const Buffer& bytes = part.payloads[static_cast<std::size_t>(range - part.ranges.begin())];
  return bytes.Slice(begin - range->begin, static_cast<std::size_t>(entry.payload_size));
}

void AppendEntries(const Part& part, LogRead* read) {
  if (part.entries.empty()) return;
  const std::string* const object = &part.record->index.location;
  read->places.push_back(EntryPlace{part.entries.front().offset, {part.record, object}});
  for (const model::PlannedEntry& entry : part.entries) {
    LogEntryHeader header;
    header.offset = entry.offset;
    header.number_of_records = entry.records;
    header.timestamp_ms = part.record->created_ms;
    header.entry_size = entry.payload_size;
    header.cumulative_size = entry.cumulative_size;
    read->next = header.end();
    read->entries.push_back(LogEntry{header, PayloadOf(part, entry)});
  }
}

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
  Parts(Runtime& r, MetadataStore& m, ObjectStore& wal, const ReaderOptions& o)
      : runtime(r), meta(m), options(o), index(r, m, o), objects(r, wal, o) {}

  Runtime& runtime;
  MetadataStore& meta;
  const ReaderOptions options;
  LogIndex index;
  WalObjectCache objects;

  Task<Status> Open(OpContext context, Part* part);
  Status Plan(LogId log, Offset wanted, model::ReadAllowance& allowance, Part* part);
  Task<Status> Fetch(OpContext context, LogId log, Part* part);
  Task<Status> ScanInto(OpContext context, LogId log, Offset at, int limit, std::vector<IndexRecordPtr>* records);
  Task<Status> ReadParts(OpContext context, LogId log, Offset wanted, std::deque<IndexRecordPtr> records,
                         ReadBounds bounds, LogRead* read);
};

/// Brings the record's object, checked as far as the record tells of it.
Task<Status> LogReader::Parts::Open(OpContext context, Part* part) {
  const EntryIndex& record = part->record->index;
  const auto region_bytes = static_cast<std::uint64_t>(record.file_size);
  Task<Result<ObjectPtr>> open = objects.Open(context, record.location, region_bytes);
  LS_CO_ASSIGN(part->object, co_await open);
  if (!part->object->whole && part->object->header.payload_size != region_bytes) {
    // Another record told another size, and one of them is wrong: only the object itself can say which.
    Task<Result<ObjectPtr>> whole = objects.OpenWhole(std::move(context), record.location);
    LS_CO_ASSIGN(part->object, co_await whole);
  }
  co_return OkStatus();
}

Status LogReader::Parts::Plan(LogId log, Offset wanted, model::ReadAllowance& allowance, Part* part) {
  const WalHeader& header = part->object->header;
  const WalSection* section = header.index.Find(log);
  if (section == nullptr) {
    return Corrupt("a wal object has no section of the log whose index record names it")
        .With("object", part->record->index.location)
        .With("log", log.value())
        .With("offset", part->record->span.start.value());
  }
  LS_TRY(model::CheckSection(part->record->index, *section, header.payload_size));
  part->entries = model::PlanEntries(part->record->span, *section, wanted, allowance);
  part->ranges = model::PlanRanges(part->entries, static_cast<std::uint64_t>(options.first_fetch_bytes));
  return OkStatus();
}

Task<Status> LogReader::Parts::Fetch(OpContext context, LogId log, Part* part) {
  if (part->ranges.empty()) co_return OkStatus();
  Task<Result<std::vector<Buffer>>> fetch =
      objects.Payloads(std::move(context), part->record->index.location, part->object, log, part->ranges);
  LS_CO_ASSIGN(part->payloads, co_await fetch);
  co_return OkStatus();
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
  bool at_end = false;
  while (!records.empty() && !allowance.full()) {
    // What the records say of their sizes tells which of them this read will want.
    std::vector<Part> parts;
    std::int64_t records_ahead = 0;
    std::int64_t bytes_ahead = 0;
    while (!records.empty() && records_ahead < allowance.records() && bytes_ahead < allowance.bytes() &&
           parts.size() < kObjectsAtOnce && records.front()->index.file_type == FileType::kRaw) {
      Part part;
      part.record = std::move(records.front());
      records.pop_front();
      records_ahead += part.record->index.message_count;
      bytes_ahead += part.record->index.entry_size_bytes;
      parts.push_back(std::move(part));
    }
    if (parts.empty()) {
      co_return Unimplemented("reading compacted entries").With("log", log.value()).With("offset", wanted.value());
    }

    std::vector<Task<Status>> steps;
    for (Part& part : parts) steps.push_back(Open(context, &part));
    std::vector<IndexRecordPtr> scanned;
    const bool scan =
        records.empty() && !at_end && records_ahead < allowance.records() && bytes_ahead < allowance.bytes();
    if (scan) {
      const auto ahead = static_cast<std::int64_t>(parts.size());
      const int page = PageFor(allowance, records_ahead / ahead, bytes_ahead / ahead);
      steps.push_back(ScanInto(context, log, parts.back().record->span.end, page, &scanned));
    }
    std::vector<Status> opened = co_await WhenAll(runtime, std::move(steps));
    if (scan) {
      at_end = scanned.empty();
      records.insert(records.end(), scanned.begin(), scanned.end());
    }

    std::vector<Task<Status>> fetches;
    for (std::size_t i = 0; i < parts.size() && !allowance.full(); ++i) {
      if (opened[i].ok()) opened[i] = Plan(log, wanted, allowance, &parts[i]);
      if (!opened[i].ok()) break;
      fetches.push_back(Fetch(context, log, &parts[i]));
      wanted = parts[i].record->span.end;
    }
    const std::vector<Status> fetched = co_await WhenAll(runtime, std::move(fetches));
    for (std::size_t i = 0; i < fetched.size(); ++i) {
      LS_CO_TRY(fetched[i]);
      AppendEntries(parts[i], read);
    }
    if (fetched.size() < parts.size() && !allowance.full()) co_return opened[fetched.size()];
    if (scan && !allowance.full()) LS_CO_TRY(opened.back());
  }
  co_return OkStatus();
}

std::string_view LogRead::ObjectOf(const LogEntry& entry) const {
  const auto after = std::upper_bound(places.begin(), places.end(), entry.header.offset,
                                      [](Offset offset, const EntryPlace& place) { return offset < place.first; });
  LS_INVARIANT(after != places.begin(), "an entry has a place");
  return *std::prev(after)->object;
}

LogReader::LogReader(Runtime& runtime, MetadataStore& meta, ObjectStore& wal, ReaderOptions options)
    : parts_(std::make_unique<Parts>(runtime, meta, wal, options)) {}
LogReader::~LogReader() = default;

Task<Result<LogRead>> LogReader::Read(OpContext context, LogId log, Offset from, ReadBounds bounds) {
  LS_CO_TRY(CheckArguments(log, from, bounds));
  std::string missing;  // the record whose object was not there, as "key location"
  for (int look = 0; look < kMaxMissing; ++look) {
    Task<Result<FoundRecord>> find = parts_->index.Find(context, log, from, !missing.empty());
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
    // A record whose object is gone has been replaced or trimmed, unless the store still names it.
    if (status.code() == StatusCode::kNotFound) parts_->index.Forget(log, read.next);
    if (status.ok() || !read.entries.empty()) co_return read;
    if (status.code() != StatusCode::kNotFound) co_return status;

    const std::string now_missing = found.record->key + " " + found.record->index.location;
    if (now_missing == missing) {
      co_return Corrupt("an index record names an object that does not exist")
          .With("object", found.record->index.location)
          .With("log", log.value())
          .With("offset", found.wanted.value());
    }
    missing = now_missing;
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

Task<Result<LogExtent>> LogReader::Extent(OpContext context, LogId log) {
  if (log.value() < 0) co_return InvalidArgument("a log id is not negative").With("log", log.value());
  Task<Result<LogExtent>> extent = parts_->index.Extent(std::move(context), log);
  co_return co_await extent;
}

}  // namespace lakestream
