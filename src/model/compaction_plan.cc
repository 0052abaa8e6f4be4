#include "model/compaction_plan.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/broken_rule.h"
#include "base/checked.h"
#include "base/invariant.h"
#include "base/try.h"
#include "model/read_plan.h"

namespace lakestream::model {
namespace {

using Kind = CompactionDecision::Kind;

// message_count is an int32, and readers hold an entry's size in one (specification, "Offset index values").
constexpr std::int64_t kMaxInt32 = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kMaxInt64 = std::numeric_limits<std::int64_t>::max();

std::int64_t AddUpTo(std::int64_t a, std::int64_t b) { return CheckedAdd(a, b).value_or(kMaxInt64); }
std::int64_t MulUpTo(std::int64_t a, std::int64_t b) { return CheckedMul(a, b).value_or(kMaxInt64); }

/// What a record keeps from being deleted, its own payload apart: that is kept anyway.
std::int64_t PinnedBy(const PlanRecord& record) {
  const std::int64_t own = record.cumulative_after - record.cumulative_before;
  return AddUpTo(kIndexRecordPin, std::max<std::int64_t>(0, record.region_bytes - own));
}

}  // namespace

Result<PlanRecord> PlanRecordOf(const IndexKey& key, const EntryIndex& index, std::int64_t created_ms) {
  LS_ASSIGN(const IndexSpan span, SpanOf(key, index));
  PlanRecord record;
  record.start = span.start;
  record.end = span.end;
  record.cumulative_before = span.cumulative_size - span.bytes;
  record.cumulative_after = span.cumulative_size;
  record.entries = index.entry_count;
  record.created_ms = created_ms;
  record.kind = index.file_type;
  if (index.file_type == FileType::kRaw) {
    record.object = index.location;
    record.region_bytes = index.file_size;
  }
  return record;
}

CompactionPlan::CompactionPlan(const CompactionOptions& options, const CompactionSituation& situation)
    : options_(options), situation_(situation), reached_(situation.next) {
  const CompactionState state = situation.state;
  const bool idle = state == CompactionState::kAbsent || state == CompactionState::kIdle;
  if (!idle) Decide(Kind::kNothing, PlanReason::kNotIdle);
}

void CompactionPlan::Add(PlanRecord record) {
  LS_INVARIANT(record.start < record.end, "an index record holds records");
  LS_INVARIANT(!held_ || record.end >= held_->end, "index records come in the order of their keys");
  if (held_ && !decided_) Take(*held_);
  held_ = std::move(record);
}

CompactionDecision CompactionPlan::Finish() {
  if (!decided_) {
    if (held_) {
      TakeLast(*held_);
    } else {
      Decide(Kind::kNothing, PlanReason::kNoRecords);
    }
  }
  decision_.most_files = MostFiles(options_.files, decision_.entries, decision_.bytes());
  return std::move(decision_);
}

// A record that is not the log's last one.
void CompactionPlan::Take(const PlanRecord& record) {
  if (Passed(record)) return;
  if (!Settled(record)) {
    if (trim_to_) return Decide(Kind::kTrimFirst, PlanReason::kBelowMarker);
    return JudgeOpen(std::nullopt, SettledAtMs(record));
  }
  if (record.end > situation_.trim_marker) {
    if (trim_to_) return Decide(Kind::kTrimFirst, PlanReason::kBelowMarker);
    if (open() && !Fits(record)) return Decide(Kind::kCompact, PlanReason::kLimit);
  }
  NoteTime(record);
  if (record.end <= situation_.trim_marker) {
    trim_to_ = record.end;
    reached_ = record.end;
    return;
  }
  Grow(record);
  if (decision_.bytes() >= options_.target_bytes) return Decide(Kind::kCompact, PlanReason::kTargetSize);
  if (decision_.index_records >= options_.max_index_records) return Decide(Kind::kCompact, PlanReason::kLimit);
}

void CompactionPlan::TakeLast(const PlanRecord& last) {
  const bool passed = Passed(last);
  if (decided_) return;
  if (trim_to_) return Decide(Kind::kTrimFirst, PlanReason::kBelowMarker);
  if (passed) return Decide(Kind::kNothing, PlanReason::kNothingRaw);
  NoteTime(last);
  if (open()) return JudgeOpen(last.created_ms, std::nullopt);
  if (last.end <= situation_.trim_marker) {
    // A trim never passes the last record; a range that nobody reads is not compacted.
    NoteFlaw(last.start);
    return Decide(Kind::kNothing, PlanReason::kOnlyLast);
  }
  Grow(last);
  const std::int64_t idle_ms = IdleAtMs(last.created_ms);
  const bool settled = Settled(last);
  if (settled && PinsMore()) return Decide(Kind::kCompact, WhyItPinsMore());
  if (settled && situation_.now_ms >= idle_ms) return Decide(Kind::kCompact, PlanReason::kIdleLast);
  const std::int64_t due_ms = std::min(PinsMoreAtMs(), idle_ms);
  ConsiderTime(settled ? due_ms : std::max(due_ms, SettledAtMs(last)));
  Decide(Kind::kNothing, PlanReason::kOnlyLast);
}

// Takes what can be part of no range; the open one cannot grow over it, and waiting would not make it larger.
bool CompactionPlan::Passed(const PlanRecord& record) {
  if (record.end <= situation_.next) {
    NoteTime(record);
    return true;
  }
  if (record.start < reached_) {
    // What stands twice is left alone: one of the two is wrong, or another compaction is not finished.
    NoteFlaw(record.start);
    decision_.range = CompactionRange{};
    decision_.cumulative_before = decision_.cumulative_after = 0;
    decision_.index_records = decision_.entries = decision_.pinned_bytes = 0;
    reached_ = record.end;
    previous_created_ms_.reset();
    return true;
  }
  const bool gap = record.start > reached_ && record.start > situation_.trim_marker;
  const bool sizes_differ = open() && record.cumulative_before != decision_.cumulative_after;
  if (gap || sizes_differ) NoteFlaw(reached_);
  const bool quarantined = record.kind == FileType::kRaw && Quarantined(record);
  if (open() && (record.start != reached_ || sizes_differ || quarantined || record.kind != FileType::kRaw)) {
    Decide(Kind::kCompact, PlanReason::kCannotGrow);
    return true;
  }
  const bool trimmed = record.end <= situation_.trim_marker;
  if (record.kind == FileType::kRaw && (!quarantined || trimmed)) return false;
  decision_.quarantined += quarantined ? 1 : 0;
  reached_ = record.end;
  // A PARQUET record keeps the time of the last one that it replaced; the gaps before that are not known any more.
  previous_created_ms_ = record.created_ms;
  return true;
}

bool CompactionPlan::Fits(const PlanRecord& record) {
  const std::int64_t bytes = record.cumulative_after - decision_.cumulative_before;
  return record.end - decision_.range.start < kMaxInt32 && bytes < kMaxInt32 &&
         MostFiles(options_.files, decision_.entries + record.entries, bytes) <= options_.max_files;
}

void CompactionPlan::Grow(const PlanRecord& record) {
  CompactionDecision& d = decision_;
  if (d.index_records == 0) {
    d.range.start = record.start;
    d.cumulative_before = record.cumulative_before;
    d.oldest_object = record.object;
    first_created_ms_ = record.created_ms;
    pinned_byte_seconds_ = 0;
  }
  d.range.end = record.end;
  d.cumulative_after = record.cumulative_after;
  d.entries += record.entries;
  ++d.index_records;
  const std::int64_t pinned = PinnedBy(record);
  d.pinned_bytes = AddUpTo(d.pinned_bytes, pinned);
  const std::int64_t seconds = AgeOf(record.created_ms) / std::chrono::seconds(1);
  pinned_byte_seconds_ = AddUpTo(pinned_byte_seconds_, MulUpTo(pinned, seconds));
  reached_ = record.end;
}

void CompactionPlan::NoteTime(const PlanRecord& record) {
  if (previous_created_ms_) {
    const std::int64_t gap = std::max<std::int64_t>(0, record.created_ms - *previous_created_ms_);
    ++gaps_;
    gaps_ms_ = AddUpTo(gaps_ms_, gap);
    longest_gap_ms_ = std::max(longest_gap_ms_, gap);
  }
  previous_created_ms_ = record.created_ms;
}

void CompactionPlan::NoteFlaw(Offset at) {
  if (decision_.flaws++ == 0) decision_.first_flaw = at;
}

// An open range, before the log's last record or before one that is too young, which is settled at `settled_ms`.
void CompactionPlan::JudgeOpen(std::optional<std::int64_t> last_created_ms, std::optional<std::int64_t> settled_ms) {
  if (settled_ms) ConsiderTime(*settled_ms);
  if (!open()) return Decide(Kind::kNothing, PlanReason::kTooYoung);
  const bool decent = decision_.bytes() >= options_.decent_bytes;
  if (decent && AgeOf(first_created_ms_) >= options_.old_after) return Decide(Kind::kCompact, PlanReason::kOldEnough);
  if (PinsMore()) return Decide(Kind::kCompact, WhyItPinsMore());
  if (last_created_ms && situation_.now_ms >= IdleAtMs(*last_created_ms)) {
    return Decide(Kind::kCompact, PlanReason::kIdle);
  }
  if (decent) ConsiderTime(first_created_ms_ + ToMillis(options_.old_after));
  ConsiderTime(PinsMoreAtMs());
  if (last_created_ms) ConsiderTime(IdleAtMs(*last_created_ms));
  Decide(Kind::kNothing, PlanReason::kTooSmall);
}

bool CompactionPlan::PinsMore() const {
  return pinned_byte_seconds_ >= options_.small_range_cost && !Broken(Rule::kRangeClosesForWhatItPins);
}

std::int64_t CompactionPlan::PinsMoreAtMs() const {
  const std::int64_t seconds = (options_.small_range_cost - pinned_byte_seconds_) / decision_.pinned_bytes + 1;
  return AddUpTo(situation_.now_ms, MulUpTo(seconds, 1000));
}

void CompactionPlan::Decide(Kind kind, PlanReason reason) {
  decided_ = true;
  decision_.kind = kind;
  decision_.reason = reason;
  if (kind == Kind::kTrimFirst) decision_.trim_to = *trim_to_;
  if (kind != Kind::kNothing) decision_.look_again_ms.reset();
}

Duration CompactionPlan::AgeOf(std::int64_t created_ms) const {
  return std::chrono::milliseconds(std::max<std::int64_t>(0, situation_.now_ms - created_ms));
}

bool CompactionPlan::Settled(const PlanRecord& record) const {
  return AgeOf(record.created_ms) >= options_.settle_time ||
         record.created_ms - situation_.now_ms > ToMillis(kClocksDiffer);
}

std::int64_t CompactionPlan::SettledAtMs(const PlanRecord& record) const {
  return record.created_ms + ToMillis(options_.settle_time);
}

bool CompactionPlan::Quarantined(const PlanRecord& record) const {
  const auto& ranges = situation_.quarantined;
  const auto at = std::lower_bound(ranges.begin(), ranges.end(), record.end,
                                   [](const QuarantinedRange& one, Offset end) { return one.range.end < end; });
  return at != ranges.end() && at->range.start < record.end;
}

// Appends in bursts have a short mean gap, so the longest one counts, too.
std::int64_t CompactionPlan::IdleAtMs(std::int64_t last_created_ms) const {
  const std::int64_t mean_ms = gaps_ == 0 ? 0 : gaps_ms_ / gaps_;
  const std::int64_t wait_ms = std::max({ToMillis(options_.idle_close), MulUpTo(kIdleMeanGaps, mean_ms),
                                         MulUpTo(kIdleLongestGaps, longest_gap_ms_)});
  return AddUpTo(last_created_ms, wait_ms);
}

void CompactionPlan::ConsiderTime(std::int64_t ms) {
  const std::int64_t later = std::max(ms, situation_.now_ms + 1);
  decision_.look_again_ms = std::min(later, decision_.look_again_ms.value_or(later));
}

void RangeCheck::Add(const PlanRecord& record) {
  // What comes before the first record that is left has been trimmed, or was lost.
  const Offset from = reached_ ? *reached_ : std::max(range_.start, std::min(record.start, trim_marker_));
  if (record.kind != FileType::kRaw || record.start != from) changed_ = true;
  if (reached_ && record.cumulative_before != cumulative_) changed_ = true;
  reached_ = record.end;
  cumulative_ = record.cumulative_after;
}

RangeCheck::Answer RangeCheck::Finish() const {
  if (!reached_) return Answer::kGone;
  const bool whole = reached_ == range_.end && cumulative_ == cumulative_after_;
  return whole && !changed_ ? Answer::kHolds : Answer::kChanged;
}

std::string_view PlanReasonName(PlanReason reason) {
  constexpr std::array<std::string_view, 15> kNames = {
      "target size", "limit",        "old enough", "pins more",  "at once",     "cannot grow", "idle",
      "idle last",   "below marker", "not idle",   "no records", "nothing raw", "only last",   "too young",
      "too small"};
  return kNames[static_cast<std::size_t>(reason)];
}

namespace {

std::string_view SentenceOf(PlanReason reason) {
  constexpr std::array<std::string_view, 15> kSentences = {
      "compact: the range has reached its target size",
      "compact: one index record more would pass a limit",
      "compact: the range is old, and large enough for a decent file",
      "compact: what the range keeps from being deleted costs more than a small file",
      "compact: a small range costs nothing, so it is not waited for a larger one",
      "compact: the range cannot grow, for what follows is compacted, quarantined or missing",
      "compact: the log is idle",
      "compact: the log is idle, and only its last record is left",
      "trim first: index records end at or below the trim marker",
      "nothing: another compaction of this log is under way, or the log was dropped",
      "nothing: the log has no index records",
      "nothing: everything is compacted or passed over",
      "nothing: only the log's last record is left, and the log is not idle",
      "nothing: the records are younger than settle_time",
      "nothing: the range is still small, and costs little"};
  return kSentences[static_cast<std::size_t>(reason)];
}

void Append(std::string& text, std::string_view key, std::int64_t value) {
  text.append(" ").append(key).append("=").append(std::to_string(value));
}

}  // namespace

std::string Explain(const CompactionDecision& decision) {
  std::string text(SentenceOf(decision.reason));
  if (decision.kind == Kind::kTrimFirst) {
    Append(text, "trim_to", decision.trim_to.value());
  } else if (decision.index_records > 0) {
    Append(text, "start", decision.range.start.value());
    Append(text, "end", decision.range.end.value());
    Append(text, "cumulative_size", decision.cumulative_after);
    Append(text, "entries", decision.entries);
    Append(text, "bytes", decision.bytes());
    Append(text, "index_records", decision.index_records);
    Append(text, "most_files", decision.most_files);
    Append(text, "pinned_bytes", decision.pinned_bytes);
    text.append(" oldest_object=").append(decision.oldest_object);
  }
  if (decision.look_again_ms) Append(text, "look_again_ms", *decision.look_again_ms);
  if (decision.quarantined > 0) Append(text, "quarantined", decision.quarantined);
  if (decision.flaws > 0) {
    Append(text, "flaws", decision.flaws);
    Append(text, "first_flaw", decision.first_flaw.value());
  }
  return text;
}

}  // namespace lakestream::model
