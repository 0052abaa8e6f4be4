#include "bench/append_load.h"

#include <optional>
#include <utility>

namespace lakestream::bench {
namespace {

// What a log has behind a failed entry fails with it, so that numbers and offsets stay the same.
constexpr CallerId kCaller = 1;

/// An append that is under way; it takes itself away when it has ended.
struct Slot {
  std::optional<internal::Root> root;
};

}  // namespace

AppendLoad::AppendLoad(LogWriter& writer, std::vector<LogId> logs, std::size_t payload_bytes, std::int64_t under_way)
    : writer_(writer),
      logs_(std::move(logs)),
      payload_bytes_(payload_bytes),
      most_under_way_(under_way),
      source_(payload_bytes),
      numbers_(logs_.size()) {}

internal::Root AppendLoad::One(AppendRequest request, std::int64_t number) {
  const LogId log = request.log;
  Task<Result<LogEntryHeader>> append = writer_.Append(OpContext(), std::move(request));
  const Result<LogEntryHeader> answer = co_await append;
  Judge(answer, log, number);
}

void AppendLoad::Judge(const Result<LogEntryHeader>& answer, LogId log, std::int64_t number) {
  const bool right = answer.ok() && answer->offset == Offset(number) && answer->number_of_records == 1 &&
                     answer->entry_size == static_cast<std::int32_t>(payload_bytes_);
  if (right) return;
  const std::lock_guard lock(mutex_);
  if (!failed_.ok()) return;
  failed_ = answer.ok() ? Corrupt("an append was acknowledged at the wrong offset")
                              .With("log", log.value())
                              .With("number", number)
                              .With("offset", answer->offset.value())
                        : answer.status();
}

void AppendLoad::Ended() {
  const std::lock_guard lock(mutex_);
  if (--under_way_ == wanted_) room_.notify_one();
}

void AppendLoad::Start() {
  AppendRequest request;
  request.log = logs_[next_log_];
  request.caller = kCaller;
  const std::int64_t number = numbers_[next_log_]++;
  request.payload = source_.Make(request.log, number);
  next_log_ = next_log_ + 1 == logs_.size() ? 0 : next_log_ + 1;
  ++total_;
  Slot* const slot = new Slot;
  slot->root.emplace(One(std::move(request), number));
  slot->root->Start([this, slot] {
    delete slot;
    Ended();
  });
}

Status AppendLoad::RunWhile(const std::function<bool()>& more) {
  while (more()) {
    {
      std::unique_lock lock(mutex_);
      if (!failed_.ok()) break;
      if (under_way_ >= most_under_way_) {
        wanted_ = most_under_way_ * 3 / 4;
        room_.wait(lock, [this] { return under_way_ <= wanted_; });
      }
      ++under_way_;
    }
    Start();
  }
  std::unique_lock lock(mutex_);
  wanted_ = 0;
  room_.wait(lock, [this] { return under_way_ == 0; });
  return failed_;
}

Status AppendLoad::Run(std::int64_t entries) {
  return RunWhile([&entries] { return entries-- > 0; });
}

std::vector<LogId> LogRange(std::int64_t first, std::int64_t count) {
  std::vector<LogId> logs;
  for (std::int64_t i = 0; i < count; ++i) logs.push_back(LogId(first + i));
  return logs;
}

}  // namespace lakestream::bench
