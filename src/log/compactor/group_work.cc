#include "log/compactor/group_work.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/try.h"
#include "runtime/when_all.h"

namespace lakestream {

namespace {

/// Of the memory: a window of fetched objects, unless one alone is larger; there are two of them.
constexpr std::int64_t kWindowPart = 8;
/// Of the memory: all batches on their way into files; and what one is at most.
constexpr std::int64_t kBatchesPart = 16;
constexpr std::int64_t kMostBatchBytes = std::int64_t{2} << 20;
/// A log with so much of the memory is worth an open file; where memory is short, one with less.
constexpr std::int64_t kFilePart = 8;
constexpr std::int64_t kShortFilePart = 32;

CompactedFileWriter::Options FileOptions(const CompactorOptions& options) {
  CompactedFileWriter::Options file;
  file.part_bytes = options.part_bytes;
  file.compression = options.compression;
  file.zstd_level = options.zstd_level;
  return file;
}

}  // namespace

GroupWork::GroupWork(const CompactorParts& parts, const CompactorOptions& options, std::vector<RangeWork> work)
    : runtime_(parts.runtime),
      scratch_space_(parts.scratch),
      options_(options),
      gauge_(std::make_shared<MemoryGauge>()),
      reader_(parts.wal, gauge_) {
  const std::int64_t batch_bytes = std::min(kMostBatchBytes, options.memory_bytes / kBatchesPart / options.open_files);
  for (RangeWork& range : work) {
    spools_.push_back(std::make_unique<RangeSpool>(parts.runtime, parts.compacted, options.plan.files,
                                                   FileOptions(options), batch_bytes, gauge_, std::move(range)));
  }
}

/// Objects in about the order in which their records came: what a log needs next comes soon.
void GroupWork::FindObjects() {
  std::map<std::string, Object> by_name;
  for (std::size_t range = 0; range < spools_.size(); ++range) {
    const std::vector<RangeRecord>& records = spools_[range]->work().records;
    for (std::size_t i = 0; i < records.size(); ++i) {
      Object& object = by_name[records[i].index.location];
      if (object.places.empty() || records[i].created_ms < object.created_ms) {
        object.created_ms = records[i].created_ms;
      }
      object.bytes = std::max(object.bytes, records[i].index.file_size);
      object.places.push_back(Place{range, i});
    }
  }
  for (auto& [name, object] : by_name) {
    object.name = name;
    objects_.push_back(std::move(object));
  }
  std::stable_sort(objects_.begin(), objects_.end(),
                   [](const Object& a, const Object& b) { return a.created_ms < b.created_ms; });
}

GroupWork::Window GroupWork::NextWindow(std::size_t from) const {
  std::size_t to = from;
  std::int64_t bytes = 0;
  while (to < objects_.size() && to - from < static_cast<std::size_t>(options_.objects_ahead)) {
    bytes += objects_[to].bytes;
    if (to > from && bytes > options_.memory_bytes / kWindowPart) break;
    ++to;
  }
  return Window(from, to);
}

/// Looks at the spools before it waits for the first time, and never after: what runs beside it changes them.
Task<Status> GroupWork::FetchObject(OpContext context, std::size_t number, Fetch* fetch) {
  const Object& object = objects_[number];
  std::vector<WantedSection> wanted;
  for (const Place& place : object.places) {
    const RangeSpool& spool = *spools_[place.range];
    if (spool.failed()) continue;
    wanted.push_back(WantedSection{spool.work().log, &spool.work().records[place.record].index});
    fetch->places.push_back(place);
  }
  if (wanted.empty()) co_return OkStatus();
  Task<SectionReader::Answer> read = reader_.Read(std::move(context), object.name, std::move(wanted));
  fetch->answer = co_await read;
  co_return OkStatus();
}

Task<Status> GroupWork::FetchWindow(OpContext context, Window window, std::vector<Fetch>* fetched) {
  fetched->resize(window.second - window.first);
  std::vector<Task<Status>> fetches;
  for (std::size_t i = window.first; i < window.second; ++i) {
    fetches.push_back(FetchObject(context, i, &(*fetched)[i - window.first]));
  }
  const std::vector<Status> done = co_await WhenAll(runtime_, std::move(fetches));
  for (const Status& status : done) LS_CO_TRY(status);
  co_return OkStatus();
}

void GroupWork::TakeWindow(std::vector<Fetch> fetched) {
  for (Fetch& fetch : fetched) {
    if (fetch.places.empty()) continue;
    ++cost_.objects;
    cost_.gets += fetch.answer.gets;
    for (std::size_t i = 0; i < fetch.places.size(); ++i) {
      RangeSpool& spool = *spools_[fetch.places[i].range];
      Result<SectionPiece>& piece = fetch.answer.pieces[i];
      if (piece.ok()) {
        spool.Take(fetch.places[i].record, *std::move(piece));
        continue;
      }
      const StatusCode code = piece.status().code();
      const bool damaged = code == StatusCode::kNotFound || code == StatusCode::kCorrupt;
      spool.Fail(piece.status(), damaged ? std::optional<std::size_t>(fetch.places[i].record) : std::nullopt);
    }
    in_memory_.push_back(std::move(fetch.places));
  }
}

/// The log with the most to write for which a file is open, or can be opened.
RangeSpool* GroupWork::Fullest() {
  const auto open = std::count_if(spools_.begin(), spools_.end(), [](const auto& s) { return s->file_open(); });
  RangeSpool* fullest = nullptr;
  for (const auto& spool : spools_) {
    if (spool->failed() || (!spool->file_open() && open >= options_.open_files)) continue;
    if (fullest == nullptr || spool->ready_bytes() > fullest->ready_bytes()) fullest = spool.get();
  }
  return fullest;
}

Task<Status> GroupWork::SpillOldest() {
  if (scratch_ == nullptr) {
    Task<Result<std::unique_ptr<ScratchFile>>> open = scratch_space_.Open();
    LS_CO_ASSIGN(scratch_, co_await open);
  }
  const std::vector<Place> places = std::move(in_memory_.front());
  in_memory_.pop_front();
  for (const Place& place : places) {
    RangeSpool& spool = *spools_[place.range];
    if (spool.failed() || !spool.InMemory(place.record)) continue;
    Task<Result<std::int64_t>> spill = spool.Spill(place.record, *scratch_);
    const Result<std::int64_t> spilled = co_await spill;
    if (spilled.ok()) {
      cost_.scratch_bytes += *spilled;
    } else {
      spool.Fail(spilled.status(), std::nullopt);
    }
  }
  co_return OkStatus();
}

Task<Status> GroupWork::Relieve(OpContext context) {
  const std::int64_t limit =
      options_.memory_bytes - 2 * (options_.memory_bytes / kWindowPart) - options_.memory_bytes / kBatchesPart;
  while (true) {
    LS_CO_TRY(context.Check(runtime_.Now()));
    const bool is_short = gauge_->held() > limit;
    RangeSpool* fullest = Fullest();
    // At least something: what has nothing ready is not drained, and again, without an end.
    const std::int64_t enough =
        std::max<std::int64_t>(1, options_.memory_bytes / (is_short ? kShortFilePart : kFilePart));
    if (fullest != nullptr && fullest->ready_bytes() >= enough) {
      Task<void> drain = fullest->Drain(context);
      co_await drain;
      continue;
    }
    if (!is_short || in_memory_.empty()) co_return OkStatus();
    Task<Status> spill = SpillOldest();
    const Status spilled = co_await spill;
    if (spilled.ok()) continue;
    // Without a scratch file the others get on by giving up the largest.
    if (fullest == nullptr) co_return spilled;
    fullest->Fail(spilled, std::nullopt);
  }
}

Task<std::vector<RangeFiles>> GroupWork::FinishAll(OpContext context) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < spools_.size(); ++i) order.push_back(i);
  // Those with an open file first: so never more than these are open.
  std::stable_sort(order.begin(), order.end(),
                   [this](std::size_t a, std::size_t b) { return spools_[a]->file_open() > spools_[b]->file_open(); });
  std::vector<RangeFiles> results(spools_.size());
  const auto at_once = static_cast<std::size_t>(options_.open_files);
  for (std::size_t from = 0; from < order.size(); from += at_once) {
    std::vector<Task<RangeFiles>> tasks;
    const std::size_t to = std::min(order.size(), from + at_once);
    for (std::size_t i = from; i < to; ++i) tasks.push_back(spools_[order[i]]->Finish(context));
    std::vector<RangeFiles> done = co_await WhenAll(runtime_, std::move(tasks));
    for (std::size_t i = from; i < to; ++i) results[order[i]] = std::move(done[i - from]);
  }
  co_return results;
}

Task<std::vector<RangeFiles>> GroupWork::Run(OpContext context) {
  FindObjects();
  Window window = NextWindow(0);
  std::vector<Fetch> fetched;
  Task<Status> first = FetchWindow(context, window, &fetched);
  Status status = co_await first;
  while (status.ok() && window.first < window.second) {
    TakeWindow(std::exchange(fetched, std::vector<Fetch>()));
    window = NextWindow(window.second);
    // In this order: the fetches have seen which ranges have failed before anything more fails.
    std::vector<Task<Status>> steps;
    steps.push_back(FetchWindow(context, window, &fetched));
    steps.push_back(Relieve(context));
    const std::vector<Status> done = co_await WhenAll(runtime_, std::move(steps));
    for (const Status& one : done) {
      if (status.ok()) status = one;
    }
  }
  fetched.clear();
  if (!status.ok()) {
    for (const auto& spool : spools_) spool->Fail(status, std::nullopt);
  }
  Task<std::vector<RangeFiles>> finish = FinishAll(std::move(context));
  std::vector<RangeFiles> results = co_await finish;
  cost_.most_held = gauge_->most_held();
  co_return results;
}

}  // namespace lakestream
