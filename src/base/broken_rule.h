#pragma once

#include <atomic>
#include <cstdint>

namespace lakestream {

/// Rules of the protocol that the simulator breaks, one at a time, to see that its properties notice. Each stands for
/// the rule that holds; the mutants in sim/mutants say what is done instead.
enum class Rule : std::uint8_t {
  kNone,
  // Checks.
  kFsckAsksForTheObject,
  // Leases and fences.
  kLeaseBeforeWrite,
  kFenceReadForLease,
  kFenceReadAfterLease,
  kUnreadFenceIsAFence,
  kLeaseOutlivesItsChanges,
  kLeaseKeptForUnknownChange,
  kIsolatedStandAlone,
  kLeaseReleaseIsRepeated,
  kHeldLeasesLookForFences,
  // Objects.
  kNewNameForEachPut,
  kObjectIsDurableBeforeItsPut,
  kAgeCountsFromBeforeThePut,
  // Index puts.
  kRightPartition,
  kBytesCount,
  kSessionGuard,
  kAgeRule,
  kAgeRuleAtTheLastCheck,
  kAcknowledgedAfterTheCommit,
  kLateAnswerIsNotAcknowledged,
  kFenceReadWhenSuspect,
  kDeletionIsNoticed,
  // Lost answers.
  kLostAnswerIsNotSuccess,
  kLostAnswerIsNotFailure,
  kLostAnswerIsNotRetried,
  kUnknownSectionsStay,
  kSettledByOwnObject,
  kGivenUpIsIndeterminate,
  // Order, answers and the queue.
  kOrderInALog,
  kUnknownSectionParksItsLog,
  kParkedLogGoesOn,
  kFailureTakesWhatIsBehind,
  kOffsetsCountRecords,
  kSizesAddUp,
  kOnlyTheQueuedAreWithdrawn,
  kMemoryIsGivenBack,
  // Reads.
  kOwnRecordsOnly,
  kMarkerHides,
  kMarkerIsReadEachTime,
  kReadBeginsAtItsOffset,
  kTailLooksAfterItsHint,
  // Trims.
  kLastRecordStays,
  kMarkerIsSwapped,
  kTrimIsGuarded,
  kTrimReportsWhatHappened,
  kLostTrimIsNotSuccess,
  // The catalog.
  kTombstoneBeforeConfig,
  kTombstoneReadAfterConfig,
  kDropLeavesATombstone,
  kListingReadsAllPages,
  kDroppedBeforeLogsGo,
  kConfigGoesLast,
  kConfigWaitsForItsLogs,
  kFenceBeforeDrain,
  kDrainBeforeDelete,
  kFenceStaysWhenNotDrained,
  kDropTakesAGrowthAlong,
  kSweepAsksForLeases,
  kActivationIsSwapped,
  kGrowthShownAfterItsLogs,
  kGrowthIsSwapped,
  kIdIsAVersion,
  kIdIsBoundOnce,
  kLogsAreRegistered,
  kPropertiesAreSwapped,
  kUnknownFieldsAreKept,
  kTopicIdIsSwapped,
  // Hard trims and compaction.
  kHardTrimStopsAtMarker,
  kFilesGoBeforeTheirRecords,
  kCompactionRecordIsSwapped,
  kWorkingComesBeforeUploads,
  kUploadsAreNamed,
  kYoungRecordsStay,
  kInstalledBeforeRetired,
  kInstalledOnItsVersion,
  kClaimStaysWithItsOwner,
  kTakenOverFromTheEndedAlone,
  kFenceLeavesInstalling,
  kTrimmedEntriesAreLeftOut,
  kEntriesKeepTheirTimes,
  kEntriesKeepTheirSizes,
  kLastOffsetsAreInclusive,
  // Reads of compacted objects.
  kTimestampFromTheRow,
  kMarkerHidesWithinARange,
  kMissingFileIsLookedUpAgain,
  kRowHoldsItsOffset,
  // Retention.
  kRetentionKeepsTheBytes,
  // Garbage collection.
  kCandidateIsOld,
  kAgeIsByTheStoresClock,
  kDeletedByALaterPass,
  kDeletedAfterGrace,
  kGraceEndsBeforeThePass,
  kIncompletePassesCountNothing,
  kWorkNamesItsFiles,
  kIndexIsScannedNotTheRegistry,
  kEveryShardIsScanned,
  kScansGiveTheirMarks,
  kForeignObjectsStay,
  kHoldsStopDeletions,
  kDroppedOnlyAfterItsIndex,
  // Space.
  kTrimmedIsReclaimed,
  kCandidateKeepsItsTime,
  kRangeClosesForWhatItPins,
  // The simulator does not break these; docs/testing.md says of each why its runs do not tell. Unit tests and models do.
  kRetentionAsksForEachTime,
  kRetentionGoesByTheStoresClock,
  kRangeIsCheckedAgain,
  kParquetIsNotReplaced,
  kFinishedOnItsVersion,
  kSerdeTypeIsChecked,
  kTimeSearchByTheGreatestSoFar,
  kClocksAgree,
  kWaitIsByTheSmallerClock,
  kNamedIsNoCandidate,
  kWorkIsReadBeforeTheIndex,
  kListingsAreWhole,
};
/// The last one that a mutant of the simulator stands for.
inline constexpr Rule kLastRule = Rule::kRangeClosesForWhatItPins;

/// Which rule is broken. Only sim/mutants/rule_breaker.h can change it, and tests/house sees to it that no code of a
/// product includes that.
class BrokenRule {
 private:
  friend class RuleBreaker;
  friend bool Broken(Rule rule);
  static inline std::atomic<Rule> now_{Rule::kNone};
};

/// Always false outside of the simulator's mutants. Thread safety: any thread.
inline bool Broken(Rule rule) { return BrokenRule::now_.load(std::memory_order_relaxed) == rule; }

}  // namespace lakestream
