#include "model/retention.h"

#include <algorithm>

#include "base/broken_rule.h"
#include "base/checked.h"
#include "base/try.h"
#include "format/log_records.h"
#include "model/compaction_plan.h"

namespace lakestream::model {

namespace {

Status Bad(std::string_view sentence, std::string_view property, const std::string& value) {
  return InvalidArgument(sentence).With("property", property).With("value", value);
}

Result<std::optional<std::int64_t>> Limit(const std::map<std::string, std::string>& properties,
                                          std::string_view name, std::string_view sentence) {
  const auto found = properties.find(std::string(name));
  if (found == properties.end() || found->second == "-1") return std::optional<std::int64_t>();
  const std::optional<std::int64_t> value = ParseDecimal(found->second);
  if (value) return value;
  return Bad(sentence, name, found->second);
}

/// Whether entries are deleted at all. Errors: invalid_argument.
Result<bool> Deletes(const std::map<std::string, std::string>& properties) {
  const auto found = properties.find(std::string(kCleanupPolicyProperty));
  if (found == properties.end()) return true;
  bool deletes = false;
  std::string_view rest = found->second;
  while (true) {
    const std::size_t comma = rest.find(',');
    const std::string_view policy = rest.substr(0, comma);
    if (policy != "delete" && policy != "compact") {
      return Bad("a cleanup policy is delete, compact, or both with a comma", kCleanupPolicyProperty, found->second);
    }
    deletes |= policy == "delete";
    if (comma == std::string_view::npos) return deletes;
    rest.remove_prefix(comma + 1);
  }
}

}  // namespace

Result<RetentionRules> ParseRetentionRules(const std::map<std::string, std::string>& properties) {
  RetentionRules rules;
  LS_ASSIGN(rules.ms, Limit(properties, kRetentionMsProperty,
                            "retention is a number of milliseconds below 2^63, as 604800000 for seven days, or -1: without end"));
  LS_ASSIGN(rules.bytes, Limit(properties, kRetentionBytesProperty,
                               "retention is a number of bytes below 2^63, as 1073741824 for a GiB, or -1: without end"));
  LS_ASSIGN(rules.records, Limit(properties, kRetentionRecordsProperty,
                                 "retention is a number of records below 2^63, as 1000000 for a million, or -1: without end"));
  LS_ASSIGN(const bool deletes, Deletes(properties));
  return deletes ? rules : RetentionRules();
}

std::string_view RetentionReasonName(RetentionReason reason) {
  switch (reason) {
    case RetentionReason::kNone:
      return "none";
    case RetentionReason::kTime:
      return "time";
    case RetentionReason::kBytes:
      return "bytes";
    case RetentionReason::kRecords:
      return "records";
  }
  return "unknown";
}

RetentionCut::RetentionCut(const RetentionRules& rules, Offset from, Offset end, std::int64_t cumulative_size,
                           std::int64_t now_ms)
    : rules_(rules), end_(end), cumulative_size_(cumulative_size), keep_from_(from) {
  // Where the difference cannot be held, no entry can be so old.
  if (rules.ms) cutoff_ms_ = CheckedAdd(now_ms, -*rules.ms);
}

RetentionReason RetentionCut::Judge(Offset end, Sizes sizes, std::optional<std::int64_t> timestamp_ms) const {
  const std::int64_t reached = Broken(Rule::kRetentionKeepsTheBytes) ? sizes.before : sizes.after;
  if (rules_.bytes && cumulative_size_ - reached >= *rules_.bytes) return RetentionReason::kBytes;
  if (rules_.records && end_ - end >= *rules_.records) return RetentionReason::kRecords;
  if (cutoff_ms_ && timestamp_ms && *timestamp_ms < *cutoff_ms_) return RetentionReason::kTime;
  return RetentionReason::kNone;
}

bool RetentionCut::TakeIf(RetentionReason reason, Offset end, std::int64_t cumulative_size) {
  if (reason == RetentionReason::kNone) return false;
  keep_from_ = std::max(keep_from_, end);
  size_before_ = cumulative_size;
  reason_ = reason;
  return true;
}

bool RetentionCut::Take(const LogEntryHeader& entry) {
  const Sizes sizes{entry.cumulative_size - entry.entry_size, entry.cumulative_size};
  return TakeIf(Judge(entry.end(), sizes, entry.timestamp_ms), entry.end(), entry.cumulative_size);
}

bool RetentionCut::TakeRecord(const IndexSpan& span, std::optional<std::int64_t> timestamp_ms) {
  const Sizes sizes{span.cumulative_size - span.bytes, span.cumulative_size};
  return TakeIf(Judge(span.end, sizes, timestamp_ms), span.end, span.cumulative_size);
}

bool RetentionCut::MayEnter(const IndexSpan& span, std::optional<std::int64_t> timestamp_ms) const {
  if (cutoff_ms_ && !timestamp_ms) return true;
  // The first entry may have one record, and no bytes.
  const std::int64_t before = span.cumulative_size - span.bytes;
  const Offset first_end = std::max(span.start, keep_from_) + 1;
  return Judge(first_end, Sizes{before, before}, timestamp_ms) != RetentionReason::kNone;
}

bool StaysForItsWriter(std::int64_t created_ms, std::int64_t now_ms, Duration settle_time) {
  if (Broken(Rule::kYoungRecordsStay)) return false;
  const std::int64_t age_ms = now_ms - created_ms;
  return age_ms < ToMillis(settle_time) && age_ms > -ToMillis(kClocksDiffer);
}

}  // namespace lakestream::model
