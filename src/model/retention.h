#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "format/log_entry_header.h"
#include "lakestream/status.h"
#include "lakestream/types.h"
#include "model/read_plan.h"

// What retention takes away from a log's beginning. docs/retention.md has the rules.

namespace lakestream::model {

inline constexpr std::string_view kRetentionMsProperty = "retention.ms";
inline constexpr std::string_view kRetentionBytesProperty = "retention.bytes";
inline constexpr std::string_view kRetentionRecordsProperty = "lakestream.retention.records";
inline constexpr std::string_view kCleanupPolicyProperty = "cleanup.policy";

/// What a stream asks to keep of each of its logs. None, each: without end.
struct RetentionRules {
  std::optional<std::int64_t> ms;       ///< entries of this age, 0 or more
  std::optional<std::int64_t> bytes;    ///< so many payload bytes, 0 or more
  std::optional<std::int64_t> records;  ///< so many records, 0 or more
  bool any() const { return ms || bytes || records; }
  friend bool operator==(const RetentionRules&, const RetentionRules&) = default;
};

/// Of a stream's properties: -1, or no property, is no rule. A cleanup.policy without "delete" is none at all, as in
/// Kafka. Errors: invalid_argument, with property= and value=, for anything but -1, a decimal number below 2^63, and
/// policies of "delete" and "compact".
Result<RetentionRules> ParseRetentionRules(const std::map<std::string, std::string>& properties);

/// Why entries may go.
enum class RetentionReason : std::uint8_t {
  kNone,     ///< they may not
  kTime,     ///< they are older than asked
  kBytes,    ///< what stays behind them has the bytes asked for
  kRecords,  ///< what stays behind them has the records asked for
};
std::string_view RetentionReasonName(RetentionReason reason);

/// Finds the first entry of a log that has to stay, given its entries from the trim marker on, ascending, one by one or
/// as whole index records. An entry goes when all before it go, and at least what was asked stays behind it or it is
/// older than asked itself. So an old entry behind a young one stays, as if it had the greatest time so far: times may
/// go back. Thread safety: none.
class RetentionCut {
 public:
  /// `from`: the trim marker. `end`, `cumulative_size`: of the log, or what they were some time ago: then more stays.
  /// `now_ms`: by the clock of the metadata store, which gave the entries their times.
  RetentionCut(const RetentionRules& rules, Offset from, Offset end, std::int64_t cumulative_size, std::int64_t now_ms);

  /// The next entry. False when it has to stay: then nothing more may be given.
  bool Take(const LogEntryHeader& entry);
  /// The next record, whose entries all have this time, as a whole; without a time: one whose entries would have to be
  /// asked. False when some of it has to stay, or when that cannot be told without its entries; then MayEnter tells.
  bool TakeRecord(const IndexSpan& span, std::optional<std::int64_t> timestamp_ms);
  /// Whether the first of the record's entries may go, so that it is worth asking for them one by one.
  /// Requires: TakeRecord gave false for it.
  bool MayEnter(const IndexSpan& span, std::optional<std::int64_t> timestamp_ms) const;

  /// The first offset that stays: at the start of an entry, or where the cut began.
  Offset keep_from() const { return keep_from_; }
  /// Payload bytes of the log before keep_from(); nothing while no entry was taken.
  std::optional<std::int64_t> size_before() const { return size_before_; }
  /// Of the last entry that goes.
  RetentionReason reason() const { return reason_; }

 private:
  /// Payload bytes before and up to the end of what is judged.
  struct Sizes {
    std::int64_t before = 0;
    std::int64_t after = 0;
  };
  RetentionReason Judge(Offset end, Sizes sizes, std::optional<std::int64_t> timestamp_ms) const;
  bool TakeIf(RetentionReason reason, Offset end, std::int64_t cumulative_size);

  const RetentionRules rules_;
  const Offset end_;
  const std::int64_t cumulative_size_;
  std::optional<std::int64_t> cutoff_ms_;  ///< what is older may go
  Offset keep_from_;
  std::optional<std::int64_t> size_before_;
  RetentionReason reason_ = RetentionReason::kNone;
};

/// Whether a RAW record below the trim marker has to stay for now: a writer whose answer was lost may look for it
/// (WriterOptions::settle_time). A record that was created kClocksDiffer or more after now tells nothing of its age, and
/// need not stay. Requires: no time is negative.
bool StaysForItsWriter(std::int64_t created_ms, std::int64_t now_ms, Duration settle_time);

}  // namespace lakestream::model
