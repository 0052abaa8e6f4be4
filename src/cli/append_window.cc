#include "cli/append_window.h"

#include <utility>

#include "base/invariant.h"

namespace lakestream {
namespace {

// Any number but 0: what follows a failed entry on its log then fails too, so no gap comes into a partition.
constexpr CallerId kCaller = 1;

}  // namespace

AppendWindow::AppendWindow(Runtime& runtime, LogWriter& writer, std::vector<LogId> logs)
    : runtime_(runtime), writer_(writer), logs_(std::move(logs)), slots_(logs_.size()) {}

AppendWindow::~AppendWindow() { LS_INVARIANT(idle(), "every append has ended and was collected"); }

internal::Root AppendWindow::AppendInto(AppendRequest request, Slot* slot) {
  Task<Result<LogEntryHeader>> append = writer_.Append(OpContext(), std::move(request));
  slot->result.emplace(co_await append);
  slot->ended = runtime_.Now();
}

void AppendWindow::Start(AppendPiece piece) {
  const auto at = static_cast<std::size_t>(piece.partition);
  Slot& slot = slots_[at].emplace_back();
  slot.partition = piece.partition;
  slot.line = piece.line;
  slot.records = piece.records;
  slot.bytes = piece.bytes;
  slot.payload_bytes = static_cast<std::int64_t>(piece.payload.size());
  ++entries_;
  bytes_ += slot.payload_bytes;
  AppendRequest request;
  request.log = logs_[at];
  request.records = piece.records;
  request.payload = std::move(piece.payload);
  request.caller = kCaller;
  slot.started = runtime_.Now();
  slot.root.emplace(AppendInto(std::move(request), &slot));
  slot.root->Start([this, place = &slot] { landed_.Push(place); });
}

void AppendWindow::Collect(const std::function<void(const EndedAppend&)>& on_ended) {
  taken_.clear();
  landed_.TakeAll(&taken_);
  // Partitions first: a slot may be gone once its queue has been served.
  touched_.clear();
  for (Slot* slot : taken_) {
    slot->landed = true;
    touched_.push_back(static_cast<std::size_t>(slot->partition));
  }
  for (const std::size_t partition : touched_) {
    std::deque<Slot>& queue = slots_[partition];
    while (!queue.empty() && queue.front().landed) {
      Slot& front = queue.front();
      const EndedAppend ended{front.partition, front.line,
                              front.records,   front.bytes,
                              front.ended - front.started, *std::move(front.result)};
      --entries_;
      bytes_ -= front.payload_bytes;
      queue.pop_front();
      on_ended(ended);
    }
  }
}

}  // namespace lakestream
