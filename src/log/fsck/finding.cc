#include "log/fsck/finding.h"

#include <array>

#include "lakestream/status.h"

namespace lakestream {

namespace {

struct Kind {
  FindingKind kind;
  std::string_view name;
  std::string_view sentence;
};

constexpr std::array<Kind, kFindingKinds> kKinds = {{
    {FindingKind::kMetadataStore, "metadata_store", "the metadata store does not hold what was written"},
    {FindingKind::kMalformedKey, "malformed_key", "a key has the form of no record"},
    {FindingKind::kMisplacedRecord, "misplaced_record", "a record is in another partition than it belongs to"},
    {FindingKind::kUnreadableRecord, "unreadable_record", "a record cannot be read"},
    {FindingKind::kLastingRecordInSession, "lasting_record_in_session", "a record would go with a session"},
    {FindingKind::kLeaseWithoutSession, "lease_without_session", "a write lease is held by no session"},
    {FindingKind::kClaimWithoutSession, "claim_without_session", "a compaction claim is held by no session"},
    {FindingKind::kIndexGap, "index_gap", "index records leave a gap"},
    {FindingKind::kIndexOverlap, "index_overlap", "index records overlap"},
    {FindingKind::kCumulativeSize, "cumulative_size", "the sizes of index records do not add up"},
    {FindingKind::kMissingObject, "missing_object", "an index record names an object that is not there"},
    {FindingKind::kSectionMismatch, "section_mismatch", "an index record does not fit its object"},
    {FindingKind::kSectionNamedTwice, "section_named_twice", "two index records name the same entries"},
    {FindingKind::kUnreadableObject, "unreadable_object", "an object cannot be read"},
    {FindingKind::kDamagedObject, "damaged_object", "an object's bytes are not those that were written"},
    {FindingKind::kTrimMarker, "trim_marker", "a trim marker lies above its log's last record"},
    {FindingKind::kUnregisteredLog, "unregistered_log", "a log has index records and is not registered"},
    {FindingKind::kFencedLogOfActiveStream, "fenced_log_of_active_stream", "a log of an active stream is fenced"},
    {FindingKind::kStreamLacksPartition, "stream_lacks_partition", "an active stream lacks the log of a partition"},
    {FindingKind::kPartitionWithoutStream, "partition_without_stream", "a partition belongs to no stream"},
    {FindingKind::kStreamWithoutNamespace, "stream_without_namespace", "a stream's namespace is not there"},
    {FindingKind::kLogIdsDisagree, "log_ids_disagree", "the records of a log id disagree"},
    {FindingKind::kLogIdNotGivenOut, "log_id_not_given_out", "a log id is above all that were given out"},
    {FindingKind::kGapBelowTrimMarker, "gap_below_trim_marker", "trimmed index records leave a gap"},
    {FindingKind::kUnfinishedCompaction, "unfinished_compaction",
     "a compacted range and the records that it replaces are both there"},
    {FindingKind::kDroppedLogHasRecords, "dropped_log_has_records", "a log that is being deleted has index records"},
    {FindingKind::kTrimmedRecordLacksObject, "trimmed_record_lacks_object",
     "a trimmed index record names an object that is not there"},
    {FindingKind::kObjectInNoIndex, "object_in_no_index", "no index record names an object"},
    {FindingKind::kYoungObjectInNoIndex, "young_object_in_no_index", "no index record names a young object"},
    {FindingKind::kForeignObject, "foreign_object", "a file among the objects has another name than theirs"},
    {FindingKind::kForeignRecord, "foreign_record", "a record is not one of this format"},
    {FindingKind::kUnfinishedCreation, "unfinished_creation", "the creation of a stream was not finished"},
    {FindingKind::kUncheckedObject, "unchecked_object", "an object has no checksum to compare with"},
}};

const Kind& KindOf(FindingKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

constexpr bool InOrder() {
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    if (static_cast<std::size_t>(kKinds[i].kind) != i) return false;
  }
  return true;
}
static_assert(InOrder(), "the table has a line for each kind, in their order");

}  // namespace

bool IsDamage(FindingKind kind) { return kind < FindingKind::kGapBelowTrimMarker; }
std::string_view FindingName(FindingKind kind) { return KindOf(kind).name; }
std::string_view FindingSentence(FindingKind kind) { return KindOf(kind).sentence; }

Finding& Finding::With(std::string_view name, std::string_view value) {
  where.AddBytes(name, value);
  return *this;
}

Finding& Finding::With(std::string_view name, std::int64_t value) {
  where.Add(name, JsonValue::Int(value));
  return *this;
}

std::string FindingText(const Finding& finding) {
  Status line = Corrupt(FindingSentence(finding.kind));
  for (const JsonMember& pair : finding.where.members) {
    line = pair.value.kind == JsonValue::Kind::kInt ? line.With(pair.name, pair.value.integer)
                                                    : line.With(pair.name, pair.value.text);
  }
  return std::string(line.message());
}

JsonValue FindingJson(const Finding& finding) {
  JsonValue json = JsonValue::Object();
  json.Add("kind", JsonValue::String(FindingName(finding.kind)))
      .Add("severity", JsonValue::String(IsDamage(finding.kind) ? "damage" : "note"))
      .Add("message", JsonValue::String(FindingText(finding)));
  for (const JsonMember& pair : finding.where.members) json.Add(pair.name, pair.value);
  return json;
}

}  // namespace lakestream
