#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "format/json.h"

namespace lakestream {

/// What fsck finds. docs/fsck.md says of each what it means and what to do.
enum class FindingKind : std::uint8_t {
  // Damage.
  kMetadataStore,
  kMalformedKey,
  kMisplacedRecord,
  kUnreadableRecord,
  kLastingRecordInSession,
  kLeaseWithoutSession,
  kClaimWithoutSession,
  kIndexGap,
  kIndexOverlap,
  kCumulativeSize,
  kMissingObject,
  kSectionMismatch,
  kSectionNamedTwice,
  kUnreadableObject,
  kDamagedObject,
  kTrimMarker,
  kUnregisteredLog,
  kFencedLogOfActiveStream,
  kStreamLacksPartition,
  kPartitionWithoutStream,
  kStreamWithoutNamespace,
  kLogIdsDisagree,
  kLogIdNotGivenOut,
  // Notes.
  kGapBelowTrimMarker,
  kUnfinishedCompaction,
  kDroppedLogHasRecords,
  kTrimmedRecordLacksObject,
  kObjectInNoIndex,
  kYoungObjectInNoIndex,
  kForeignObject,
  kForeignRecord,
  kUnfinishedCreation,
  kUncheckedObject,
};
inline constexpr int kFindingKinds = static_cast<int>(FindingKind::kUncheckedObject) + 1;

/// Damage breaks a rule of the format: something cannot be read, or what is written next would be wrong. A note is
/// legal.
bool IsDamage(FindingKind kind);
/// For example "index_gap".
std::string_view FindingName(FindingKind kind);
/// A fixed lower-case sentence.
std::string_view FindingSentence(FindingKind kind);

struct Finding {
  explicit Finding(FindingKind k) : kind(k) {}

  /// Adds to the pairs that say where; returns this.
  Finding& With(std::string_view name, std::string_view value);
  Finding& With(std::string_view name, std::int64_t value);

  FindingKind kind;
  JsonValue where = JsonValue::Object();  ///< strings and integers
};

/// "index records leave a gap log=7 ...": the sentence and its pairs, in one line.
std::string FindingText(const Finding& finding);
/// One object: kind, severity ("damage" or "note"), message, and the pairs.
JsonValue FindingJson(const Finding& finding);

/// Takes the findings one by one, from one thread at a time.
using FindingSink = std::function<void(const Finding&)>;

}  // namespace lakestream
