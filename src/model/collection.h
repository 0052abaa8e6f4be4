#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/time.h"

// What the garbage collector may make of an object (specification, "Reclaiming WAL objects"). The specification says that
// an object stays while an index record names it and for a grace period after; these decisions are what keeps that true
// although writers, compactors and collectors stand still anywhere. docs/gc.md tells why each rule is as it is, and
// tests/models runs them in every order of events. Every wait is longer than the grace, never just as long.

namespace lakestream::model {

/// What a pass knows of an object.
struct ObjectFacts {
  bool ours = false;   ///< its name has the form of one of this project's
  bool named = false;  ///< an index record or a compaction record names it
  /// How old it was when the pass started, by the object store's own clock.
  Duration age{};
  /// From the end of the first of the complete passes in a row that found it unnamed, to the start of this one. None
  /// where it is no candidate yet.
  std::optional<Duration> waited;
};

enum class ObjectVerdict : std::uint8_t {
  kForeign,    ///< left alone for ever
  kNamed,      ///< stays, and is no candidate any more
  kYoung,      ///< may still get its first name
  kCandidate,  ///< nothing named it: waits
  kGarbage,    ///< may be deleted by this pass, where that was complete
};
inline constexpr int kObjectVerdicts = 5;

/// Requires: grace > 0.
ObjectVerdict JudgeObject(const ObjectFacts& facts, Duration grace);
std::string_view ObjectVerdictName(ObjectVerdict verdict);

/// Whether an object is old enough to be a candidate of a pass that started at such an age.
bool IsOldEnough(Duration age, Duration grace);

/// What must hold of a pass before it may make candidates, or delete anything.
struct PassFacts {
  bool listed = false;        ///< all objects, and twice the same
  bool work_read = false;     ///< the compaction records of every shard, with the pass's marks among them
  bool index_scanned = false; ///< the same of the index records
  bool clocks_agree = false;
  friend bool operator==(const PassFacts&, const PassFacts&) = default;
};
bool IsComplete(const PassFacts& facts);

/// How far the clocks of the two stores may lie apart: a tenth of the grace, at most an hour.
Duration ClockTolerance(Duration grace);
/// Whether the metadata store and an object store tell the same time, each asked about the same moment.
bool ClocksAgree(WallTime metadata_store, WallTime object_store, Duration grace);

/// The end of one pass or the start of another.
struct PassMoment {
  WallTime by_store{};  ///< the creation time of its record
  std::optional<BootTime> boot;  ///< none where it cannot be compared: another boot, or another machine
};

/// How much more time went by from one pass to the next by the metadata store's clock than by the clock of the boot; 0
/// where it was less, or where there is only the one. Whatever waits has waited so much less.
Duration RanAhead(const PassMoment& before, const PassMoment& after);

/// From the end of the pass since which it is a candidate, to the start of this one.
Duration Waited(WallTime since, WallTime started);

/// What is left of a log: before its compaction record may say that it was dropped.
struct DroppedFacts {
  bool fenced = false;      ///< no new lease can be had
  bool registered = false;  ///< the drop removes the registration once the index records are deleted
  bool leased = false;
  bool indexed = false;     ///< index records are there: late ones, or not deleted yet
};
/// Whether the files that the compaction record of such a log names are garbage.
bool MayMarkDropped(const DroppedFacts& facts);

}  // namespace lakestream::model
