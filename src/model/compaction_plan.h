#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/time.h"
#include "format/compaction_record.h"
#include "format/entry_index.h"
#include "format/index_key.h"
#include "lakestream/status.h"
#include "lakestream/types.h"
#include "model/compaction_state.h"
#include "model/file_split.h"

// Which range of a log to compact next, if any (specification, "Compaction", C1). docs/compaction.md tells why.

namespace lakestream::model {

/// What one index record more costs beside the bytes of its object, in bytes of object storage: some 150 bytes of key
/// and value, kept three times in half empty pages, on disks whose bytes cost four to five times as much.
inline constexpr std::int64_t kIndexRecordPin = 4096;

/// What a small range costs for ever, in byte-seconds of object storage: about ten PUTs (two files, the steps of the
/// compaction record, what its readers ask for more) at 5 USD a million, against 0.023 USD for a GiB and month, which
/// is 8.1e-18 USD for a byte and second. As much as 66 MiB cost in a day.
inline constexpr std::int64_t kSmallRangeCost = 6'000'000'000'000;
/// The same where objects are files on a disk of one's own: a file costs two fsyncs and no money, and the disk has an
/// end.
inline constexpr std::int64_t kSmallRangeCostOnDisk = kSmallRangeCost / 100;

/// A record that was created so much later than now says that one of the clocks is wrong, and nothing of its age.
inline constexpr Duration kClocksDiffer = std::chrono::hours(1);

/// A log is idle after so many of its mean gaps, and after so many of its longest one.
inline constexpr std::int64_t kIdleMeanGaps = 10;
inline constexpr std::int64_t kIdleLongestGaps = 2;

struct CompactionOptions {
  std::int64_t target_bytes = std::int64_t{256} << 20;  ///< payload of a range; it closes when it has reached them
  std::int64_t decent_bytes = std::int64_t{16} << 20;   ///< enough for a range that is old
  Duration old_after = std::chrono::minutes(10);        ///< since its first record was created
  std::int64_t max_index_records = 4096;                ///< what C4 removes in one step
  std::int64_t max_files = 64;                          ///< what the compaction record has to name
  FileLimits files;
  /// A record may be the answer that a writer looks for after a lost one (WriterOptions::settle_time): until then it
  /// stays.
  Duration settle_time = std::chrono::seconds(60);
  Duration idle_close = std::chrono::hours(1);  ///< a log is idle after this at the earliest
  std::int64_t small_range_cost = kSmallRangeCost;  ///< what a range pins may cost so much, in byte-seconds; 0: close any at once
};

struct CompactionSituation {
  CompactionState state = CompactionState::kAbsent;  ///< of the compaction record
  Offset next;                                       ///< idle: what ends at or below it has been passed over
  std::span<const QuarantinedRange> quarantined;     ///< those of the compaction record; must outlive the plan
  Offset trim_marker;                                ///< B, read once, before the records
  /// By the clock of the metadata store, which creates the records: the creation time of a record that was just
  /// written.
  std::int64_t now_ms = 0;
};

/// What the planner needs to know of an index record.
struct PlanRecord {
  Offset start;
  Offset end;                          ///< exclusive
  std::int64_t cumulative_before = 0;  ///< payload bytes of the log up to `start`
  std::int64_t cumulative_after = 0;   ///< up to `end`: what its key holds
  std::int64_t entries = 1;            ///< of a RAW record; of a PARQUET record nothing is asked
  std::int64_t created_ms = 0;
  FileType kind = FileType::kRaw;
  std::string object;                  ///< RAW: name of its WAL object
  std::int64_t region_bytes = 0;       ///< RAW: that object's payload region
};

/// `created_ms`: the record's creation time. Errors: corrupt, as SpanOf.
Result<PlanRecord> PlanRecordOf(const IndexKey& key, const EntryIndex& index, std::int64_t created_ms);

enum class PlanReason : std::uint8_t {
  // To compact.
  kTargetSize,
  kLimit,        ///< one record more would pass a limit
  kOldEnough,    ///< and large enough
  kPinsMore,     ///< what it keeps from being deleted costs more than a small range; also of the last record by itself
  kAtOnce,       ///< the same, where a small range costs nothing: whatever it keeps
  kCannotGrow,   ///< a PARQUET record, a quarantined one or a gap follows
  kIdle,         ///< the log gets no more appends; everything before its last record
  kIdleLast,     ///< the same; its last record, by itself
  // To trim first.
  kBelowMarker,  ///< RAW records end at or below the trim marker: a hard trim removes them, and what they pin
  // To do nothing.
  kNotIdle,      ///< another compaction stands in the record, or the log was dropped
  kNoRecords,
  kNothingRaw,   ///< everything is compacted, or passed over
  kOnlyLast,     ///< only the log's last record is left, and neither is the log idle nor does it pin much
  kTooYoung,     ///< records younger than settle_time come first
  kTooSmall,     ///< none of the reasons to compact holds yet
};

struct CompactionDecision {
  enum class Kind : std::uint8_t { kCompact, kTrimFirst, kNothing };
  Kind kind = Kind::kNothing;
  PlanReason reason = PlanReason::kNoRecords;

  /// The range to compact, or the one that is still open; with no records where there is none.
  CompactionRange range;
  std::int64_t cumulative_before = 0;  ///< c_s
  std::int64_t cumulative_after = 0;   ///< c_e; the range's last record has the key K(L, end, c_e)
  std::int64_t entries = 0;
  std::int64_t index_records = 0;
  std::int64_t most_files = 0;     ///< no split of it into files needs more
  std::int64_t pinned_bytes = 0;   ///< of others, that this range keeps from being deleted, and its index records
  std::string oldest_object;       ///< the WAL object of its first record

  Offset trim_to;  ///< kTrimFirst: hard trim to this offset, at or below B; the files of PARQUET records come first

  /// kNothing: when time alone will change this; nothing where it takes an append, or another change.
  std::optional<std::int64_t> look_again_ms;

  std::int64_t quarantined = 0;    ///< records met that are quarantined
  std::int64_t flaws = 0;          ///< gaps above the marker, overlaps, and sizes that do not add up: see fsck
  Offset first_flaw;

  std::int64_t records() const { return range.end - range.start; }               ///< the PARQUET record's message_count
  std::int64_t bytes() const { return cumulative_after - cumulative_before; }    ///< and its entry_size_bytes
};

/// Plans the next range of one log. Give it the log's index records, ascending, from the one that ends at `next` on
/// (for its time), and stop when it has enough: that is after one range. Memory: one record, whatever their number.
/// Thread safety: none.
class CompactionPlan {
 public:
  CompactionPlan(const CompactionOptions& options, const CompactionSituation& situation);

  bool wants_more() const { return !decided_; }
  /// Requires: does not end below the record before it.
  void Add(PlanRecord record);
  /// The log has no more records, unless the plan wanted none. Call it once.
  CompactionDecision Finish();

 private:
  bool open() const { return decision_.index_records > 0; }
  void Take(const PlanRecord& record);
  void TakeLast(const PlanRecord& last);
  bool Passed(const PlanRecord& record);
  bool Fits(const PlanRecord& record);
  void Grow(const PlanRecord& record);
  void NoteTime(const PlanRecord& record);
  void NoteFlaw(Offset at);
  void JudgeOpen(std::optional<std::int64_t> last_created_ms, std::optional<std::int64_t> settled_ms);
  void Decide(CompactionDecision::Kind kind, PlanReason reason);
  Duration AgeOf(std::int64_t created_ms) const;
  bool Settled(const PlanRecord& record) const;
  std::int64_t SettledAtMs(const PlanRecord& record) const;
  bool Quarantined(const PlanRecord& record) const;
  bool PinsMore() const;
  PlanReason WhyItPinsMore() const { return options_.small_range_cost == 0 ? PlanReason::kAtOnce : PlanReason::kPinsMore; }
  std::int64_t PinsMoreAtMs() const;
  std::int64_t IdleAtMs(std::int64_t last_created_ms) const;
  void ConsiderTime(std::int64_t ms);

  CompactionOptions options_;
  CompactionSituation situation_;
  CompactionDecision decision_;
  bool decided_ = false;
  std::optional<PlanRecord> held_;  ///< the newest one: the log's last record, until another comes
  Offset reached_;                  ///< the greatest end taken
  std::optional<Offset> trim_to_;

  // The open range, which is `decision_.range` as long as it has index records.
  std::int64_t first_created_ms_ = 0;
  std::int64_t pinned_byte_seconds_ = 0;

  std::optional<std::int64_t> previous_created_ms_;
  std::int64_t gaps_ = 0;
  std::int64_t gaps_ms_ = 0;
  std::int64_t longest_gap_ms_ = 0;
};

/// Whether C1 still holds of a range that was planned before its files were written. Give it the log's index records
/// that end above `start` and at or below `end`, ascending. Thread safety: none.
class RangeCheck {
 public:
  enum class Answer : std::uint8_t {
    kHolds,
    kGone,     ///< hard-trimmed, or deleted with its log: abandon it
    kChanged,  ///< not what was planned: abandon it, and report it
  };
  /// `trim_marker`: read again.
  RangeCheck(CompactionRange range, std::int64_t cumulative_after, Offset trim_marker)
      : range_(range), cumulative_after_(cumulative_after), trim_marker_(trim_marker) {}
  void Add(const PlanRecord& record);
  Answer Finish() const;

 private:
  CompactionRange range_;
  std::int64_t cumulative_after_;
  Offset trim_marker_;
  std::optional<Offset> reached_;
  std::int64_t cumulative_ = 0;
  bool changed_ = false;
};

/// "target size", "too small", ...
std::string_view PlanReasonName(PlanReason reason);
/// One line for people: what is to be done or not, and why, then key=value pairs.
std::string Explain(const CompactionDecision& decision);

}  // namespace lakestream::model
