#include "cli/commands/read.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <limits>
#include <stop_token>
#include <vector>

#include "base/try.h"
#include "bindings/entry_binding.h"
#include "cli/exit_code.h"
#include "cli/progress.h"
#include "cli/stop_signals.h"
#include "cli/wake_queue.h"
#include "runtime/gate.h"
#include "runtime/wait.h"

namespace lakestream {
namespace {

constexpr std::int64_t kMaxReadBytes = std::int64_t{8} << 20;
constexpr std::int64_t kMinReadBytes = std::int64_t{64} << 10;
constexpr std::int64_t kAllReadsBytes = std::int64_t{64} << 20;  // what reads side by side may hold together
constexpr Duration kAwaitSlice = std::chrono::seconds(10);       // a wait without end, in pieces

/// Where the reading of one partition stands.
struct Cursor {
  int partition = 0;
  LogId log;
  Offset next;
  Offset end;  // where the log ended when the command began
};

struct Landed {
  Cursor* cursor;
  Result<LogRead> read;
};

Task<void> ReadInto(LogReader& reader, OpContext context, Cursor* cursor, ReadBounds bounds, bool await,
                    WakeQueue<Landed>* landed) {
  Task<Result<LogRead>> reading = await ? reader.ReadOrAwait(std::move(context), cursor->log, cursor->next, bounds)
                                        : reader.Read(std::move(context), cursor->log, cursor->next, bounds);
  Result<LogRead> read = co_await reading;
  Landed item{cursor, std::move(read)};
  landed->Push(std::move(item));
}

/// One run of the command. The next read of a partition is under way while the last one is written out.
class ReadRun {
 public:
  ReadRun(Environment& environment, Deployment& deployment, Binding binding, const ReadOptions& options)
      : environment_(environment),
        reader_(deployment.reader()),
        binding_(binding),
        entries_(EntryBindingFor(binding)),
        options_(options),
        left_(options.max.value_or(std::numeric_limits<std::int64_t>::max())),
        progress_(environment, true),
        gate_(environment.runtime()) {}

  Result<int> Run(const StreamMetadata& stream) {
    LS_TRY(FindStarts(stream));
    const Status status = ReadAll();
    stop_.request_stop();
    ::lakestream::Wait(gate_.Close());
    environment_.out().Flush();
    LS_TRY(status);
    if (environment_.out().reader_gone()) return kExitOk;
    return signals_.received() == 0 ? kExitOk : kExitSignalBase + signals_.received();
  }

 private:
  Status FindStarts(const StreamMetadata& stream) {
    const int count = static_cast<int>(stream.logs.size());
    for (int partition = 0; partition < count; ++partition) {
      if (options_.partition && partition != *options_.partition) continue;
      Cursor cursor;
      cursor.partition = partition;
      cursor.log = stream.logs[static_cast<std::size_t>(partition)];
      LS_ASSIGN(const LogExtent extent, ::lakestream::Wait(reader_.Extent(OpContext(), cursor.log)));
      cursor.end = extent.end;
      if (options_.since) {
        LS_TRY(StartAt(*options_.since, &cursor));
        cursors_.push_back(cursor);
        continue;
      }
      cursor.next = options_.from.kind == ReadFrom::Kind::kEnd ? extent.end : extent.first;
      if (options_.from.kind == ReadFrom::Kind::kOffset) {
        const Offset wanted(options_.from.offset);
        cursor.next = std::max(wanted, extent.first);
        if (wanted < extent.first) Note("the offset is trimmed; reading starts at the first one kept", wanted, cursor);
        if (wanted > extent.end) Note("the log ends before the offset", wanted, cursor);
      }
      cursors_.push_back(cursor);
    }
    const auto readers = static_cast<std::int64_t>(options_.follow ? cursors_.size() : 1);
    read_bytes_ = std::clamp(kAllReadsBytes / readers, kMinReadBytes, kMaxReadBytes);
    return OkStatus();
  }

  Status StartAt(const TimeArgument& since, Cursor* cursor) {
    const std::int64_t ms = since.At(environment_.runtime().clock.Wall());
    LS_ASSIGN(cursor->next, ::lakestream::Wait(reader_.FindTime(OpContext(), cursor->log, ms)));
    if (cursor->next >= cursor->end && !environment_.quiet()) {
      PrintNote(fmt::format("no entry is that young; the log ends here partition={} end={}", cursor->partition,
                            cursor->end.value()));
    }
    return OkStatus();
  }

  void Note(std::string_view sentence, Offset wanted, const Cursor& cursor) {
    if (environment_.quiet()) return;
    PrintNote(fmt::format("{} offset={} partition={} first={} end={}", sentence, wanted.value(), cursor.partition,
                          cursor.next.value(), cursor.end.value()));
  }

  Status ReadAll() {
    if (options_.follow) {
      for (Cursor& cursor : cursors_) StartRead(cursor);
      return Loop([](Cursor&) { return true; });
    }
    for (Cursor& cursor : cursors_) {
      if (cursor.next >= cursor.end || !Wanted()) continue;
      StartRead(cursor);
      LS_TRY(Loop([](Cursor& c) { return c.next < c.end; }));
    }
    return OkStatus();
  }

  void StartRead(Cursor& cursor) {
    ReadBounds bounds;
    bounds.max_bytes = read_bytes_;
    bounds.max_records = std::clamp<std::int64_t>(left_, 1, bounds.max_records);
    OpContext context = OpContext().WithCancel(stop_.get_token());
    if (options_.follow) context = context.WithDeadline(environment_.runtime().Now() + kAwaitSlice);
    gate_.Spawn(ReadInto(reader_, std::move(context), &cursor, bounds, options_.follow, &landed_));
  }

  /// Writes what lands, and reads on while `more` says so, until nothing is under way.
  template <class More>
  Status Loop(More more) {
    std::vector<Landed> taken;
    while (Wanted()) {
      taken.clear();
      landed_.TakeAll(&taken);
      if (taken.empty()) {
        environment_.out().Flush();
        if (!Wanted()) break;
        Wait();
        continue;
      }
      bool reading = options_.follow;
      for (Landed& landed : taken) {
        LS_TRY(landed.read.status());
        Cursor& cursor = *landed.cursor;
        const LogRead read = *std::move(landed.read);
        const Offset from = cursor.next;
        cursor.next = std::max(from, read.next);
        const std::int64_t count = Claim(cursor, from, read.entries);
        // An empty answer before the end: what was there has been trimmed meanwhile.
        if (left_ > 0 && more(cursor) && (options_.follow || !read.entries.empty())) {
          StartRead(cursor);
          reading = true;
        }
        LS_TRY(WriteOut(cursor, from, read, count));
      }
      if (!reading) break;
    }
    return environment_.out().status();
  }

  bool Wanted() const { return left_ > 0 && !environment_.out().closed() && signals_.received() == 0; }

  /// Until something has landed, a signal came, or the reader of the output has gone.
  void Wait() {
    std::array<pollfd, 3> fds{pollfd{landed_.fd(), POLLIN, 0}, pollfd{signals_.fd(), POLLIN, 0},
                              pollfd{environment_.out().fd(), 0, 0}};
    poll(fds.data(), fds.size(), -1);
    if ((fds[2].revents & POLLERR) != 0) environment_.out().NoteReaderGone();
  }

  /// How many items of the entries are to be written; they are taken off what is left.
  std::int64_t Claim(const Cursor& cursor, Offset from, const std::vector<LogEntry>& entries) {
    std::int64_t count = 0;
    for (const LogEntry& entry : entries) {
      if (left_ == 0 || (!options_.follow && entry.header.offset >= cursor.end)) break;
      const std::int64_t items = std::min(left_, entries_.CountItems(entry.header, from));
      count += items;
      left_ -= items;
    }
    return count;
  }

  /// The first `count` items of the entries.
  Status WriteOut(const Cursor& cursor, Offset from, const LogRead& read, std::int64_t count) {
    if (count > 0 && read.entries.front().header.offset > from && !environment_.quiet()) {
      PrintNote(fmt::format("entries were trimmed before they could be read partition={} offset={} to={}",
                            cursor.partition, from.value(), read.entries.front().header.offset.value()));
    }
    for (const LogEntry& entry : read.entries) {
      if (count == 0) break;
      const Status walked = entries_.Walk(entry, from, [&](const EntryItem& item) {
        WriteItem(cursor, entry, item);
        ++written_;
        written_bytes_ += static_cast<std::int64_t>(item.value.value_or("").size());
        return --count > 0;
      });
      if (!walked.ok()) {
        const EntryPlace& place = read.PlaceOf(entry);
        const bool raw = place.file_type == FileType::kRaw;
        return walked.With("partition", cursor.partition).With(raw ? "wal_object" : "compacted_object", *place.object);
      }
    }
    progress_.Show(written_, written_bytes_);
    return OkStatus();
  }

  void WriteItem(const Cursor& cursor, const LogEntry& entry, const EntryItem& item) {
    Output& out = environment_.out();
    const std::string_view value = item.value.value_or("");
    switch (options_.format) {
      case EntryFormat::kText:
        if (options_.no_final_lf && written_ > 0) out.Write("\n");
        out.Write(value);
        if (!options_.no_final_lf) out.Write("\n");
        return;
      case EntryFormat::kRaw:
        out.Write(value);
        return;
      case EntryFormat::kFull:
        out.Write(RecordLine(item));
        break;
      case EntryFormat::kJson:
        out.Write(binding_ == Binding::kRaw ? EntryJson(cursor.partition, entry) : RecordJson(cursor.partition, item));
        break;
      case EntryFormat::kHex:
        out.Write(HexText(AsBytes(value)));
        break;
    }
    out.Write("\n");
  }

  Environment& environment_;
  LogReader& reader_;
  const Binding binding_;
  const EntryBinding& entries_;
  const ReadOptions& options_;
  std::vector<Cursor> cursors_;
  std::int64_t left_;  // items still to write
  std::int64_t read_bytes_ = kMaxReadBytes;
  std::int64_t written_ = 0;
  std::int64_t written_bytes_ = 0;
  Progress progress_;
  const StopSignals signals_;
  std::stop_source stop_;
  WakeQueue<Landed> landed_;
  Gate gate_;
};

Result<int> Read(Environment& environment, const ReadOptions& options) {
  LS_ASSIGN(Deployment * deployment, environment.Open(false));
  LS_TRY(environment.ServeMetrics(*deployment));
  LS_ASSIGN(const StreamMetadata stream, environment.LoadStream(*deployment, options.stream));
  if (options.partition) LS_TRY(CheckPartition(stream, *options.partition));
  LS_ASSIGN(const Binding binding, options.binding ? ParseBinding(*options.binding) : BindingOf(stream));
  ReadRun run(environment, *deployment, binding, options);
  return run.Run(stream);
}

}  // namespace

int RunRead(Environment& environment, const ReadOptions& options) {
  const Result<int> code = Read(environment, options);
  if (code.ok()) return *code;
  PrintError(code.status());
  return ExitCodeFor(code.status().code());
}

}  // namespace lakestream
