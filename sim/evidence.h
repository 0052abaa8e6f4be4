#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lakestream/types.h"
#include "log/compactor/compactor.h"
#include "log/gc/collector.h"
#include "log/writer/log_writer.h"
#include "meta/memory/memory_metadata_backend.h"
#include "meta/wrap/metadata_fault_plan.h"
#include "model/retention.h"
#include "objstore/wrap/fault_plan.h"
#include "sim/catalog_call.h"
#include "sim/catalog_change.h"
#include "sim/history.h"
#include "sim/log_change.h"

namespace lakestream::sim {

/// A change of the metadata store, in the order in which they took effect.
struct StoreEvent {
  Place place = 0;
  MonotonicTime at;
  MetadataChange change;
  LogChange of_log;       ///< what it is to the log whose record it is
  CatalogChange catalog;  ///< what it is to the catalog
  /// Of an ephemeral record that was removed: its session goes on, so that somebody deleted it. Of a compaction record
  /// that was written: that of the owner before goes on.
  bool session_alive = false;
};

/// A PUT of an object that a writer asked for, whatever became of it.
struct PutEvent {
  Place place = 0;
  MonotonicTime at;
  std::string process;
  std::string name;
};

/// A PUT that took effect when its process had given up on it.
struct LatePut {
  Place place = 0;
  std::string process;
  std::string name;
  std::vector<LogId> logs;  ///< that have a section in it
};

/// What happened to a compacted file, or to a companion.
struct CompactedEvent {
  enum class Kind { kAsked, kWritten, kRemoved };
  Place place = 0;
  Kind kind = Kind::kAsked;  ///< asked: a process began to upload it, whatever became of that; written: it is whole
  std::string key;           ///< below the compacted root
};

/// An object of either root was written, or removed, by whomever.
struct ObjectEvent {
  Place place = 0;
  MonotonicTime at;
  std::string object;  ///< "wal/" or "compacted/", and its key there
  bool removed = false;
  std::int64_t bytes = 0;  ///< unless it was removed
};

/// A collector is about to have an object deleted.
struct CollectedEvent {
  Place place = 0;
  MonotonicTime at;
  std::string process;
  std::string object;    ///< as in ObjectEvent
  std::string pass_key;  ///< of the record that its process made last
};

/// One pass of a collector.
struct Collection {
  std::string process;
  Place began = 0;
  std::optional<Place> ended;
  Status status;            ///< once ended
  CollectionReport report;  ///< where it is ok
};

/// How often something happened that only the stores' doors see.
struct Met {
  std::array<std::int64_t, kFaultKinds> objects{};  ///< by FaultKind: calls that met it
  std::array<std::int64_t, kMetadataFaultKinds> metadata{};
  std::int64_t torn_scans = 0;       ///< something in its range changed between two pages of one scan
  std::int64_t mixed_batches = 0;    ///< sequenced puts of which some were done and others were not
  std::int64_t flipped_headers = 0;  ///< Gets with a bit flipped in a header or index region
  std::int64_t lock_waits = 0;       ///< writes that found the lock with a stopped process
};

/// No trouble of a process lasts for longer; a machine that sleeps is the longest.
inline constexpr Duration kLongestTrouble = std::chrono::minutes(5);

/// Trouble that a process had.
struct Happening {
  enum class Kind { kKilled, kFrozen, kSuspended, kClockMoved, kCutOff, kSessionsLost, kLockHeld, kRestarted };
  Kind kind = Kind::kKilled;
  Place place = 0;
  MonotonicTime at;
  std::string process;
};

inline const char* HappeningName(Happening::Kind kind) {
  switch (kind) {
    case Happening::Kind::kKilled: return "killed";
    case Happening::Kind::kFrozen: return "frozen";
    case Happening::Kind::kSuspended: return "suspended";
    case Happening::Kind::kClockMoved: return "clock moved";
    case Happening::Kind::kCutOff: return "cut off";
    case Happening::Kind::kSessionsLost: return "sessions lost";
    case Happening::Kind::kLockHeld: return "stopped with the lock";
    case Happening::Kind::kRestarted: return "restarted";
  }
  return "?";
}

/// A log that was deleted, by a scenario or the catalog: fence, wait for the leases to go, delete the index records.
struct Deletion {
  LogId log;
  Place fenced = 0;   ///< the fence stands
  Place drained = 0;  ///< no lease is left
  Place deleted = 0;  ///< the index records are gone; 0: never got that far
  MonotonicTime fenced_at;
};

/// What one fsck of a process said.
struct Checked {
  std::string process;
  Place began = 0;
  std::optional<Place> ended;
  Status status;                    ///< once ended
  std::vector<std::string> damage;  ///< as it was told; nothing is damaged in truth
};

/// An index record that is there at the end, with what its section says.
struct FinalRecord {
  Offset start;
  Offset end;
  std::int64_t cumulative_size = 0;
  std::int64_t created_ms = 0;
  std::vector<SeenEntry> entries;  ///< empty where it could not be read
  std::string trouble;             ///< why it could not
  bool compacted = false;          ///< a PARQUET record: each entry has a time of its own, and trimmed ones may lack
};

struct FinalLog {
  std::vector<FinalRecord> records;  ///< by end offset
  Offset marker;
  std::vector<std::string> leases;
  std::optional<CompactionRecord> compaction;
};

/// A WAL object or a compacted file, by the format's decoders and past the engine.
struct ObjectEntries {
  std::map<LogId, std::vector<SeenEntry>> entries;  ///< of a WAL object: offsets count from 0, without sums and times
  std::string trouble;                              ///< why it could not be read
};

/// One pass of a compactor.
struct CompactionPass {
  std::string process;
  Place began = 0;
  std::optional<Place> ended;
  Status status;                            ///< once ended
  CompactionTotals totals;                  ///< where it is ok
  std::vector<CompactionOutcome> outcomes;  ///< of its logs, as they came
};

/// The part of a run in which entries were appended, let go, compacted and collected for long enough that the space they
/// take must have converged.
struct Day {
  MonotonicTime begin;
  MonotonicTime end;
};

/// All that is known about a run when it is judged.
struct Evidence {
  /// Of real processes: nobody wrote down what the stores did, so `store`, `puts` and what follows from them are empty,
  /// and some properties cannot be judged (Property::needs).
  bool real = false;
  /// Processes whose clients call from several threads: nobody knows the order of their calls under way at once.
  std::set<std::string> many_threads;
  std::vector<Operation> operations;  ///< by `began`
  std::vector<CatalogCall> catalog;  ///< by `began`
  std::vector<StoreEvent> store;
  std::vector<PutEvent> puts;
  std::vector<Deletion> deletions;
  std::vector<LatePut> late_puts;
  // Where something is compacted.
  std::vector<CompactedEvent> compacted;
  std::vector<CompactionPass> passes;
  CompactionCells compaction_cells;
  std::map<std::string, std::string> compactor_sessions;  ///< and whose they are
  std::map<std::string, ObjectEntries> wal_entries;   ///< by object
  std::map<std::string, ObjectEntries> file_entries;  ///< by the key of a compacted file, with its companion
  /// Everything below is compacted at the end, of each log that nobody deletes.
  std::map<LogId, Offset> compactable;
  Duration settle_time{};  ///< younger records stay as they are; 0: where clocks do not agree, an age says nothing
  // Where something is collected.
  std::vector<ObjectEvent> objects;
  std::vector<CollectedEvent> collected;
  std::vector<Collection> collections;
  std::set<std::string> foreign;        ///< objects that were there before, and are none of this project's
  std::set<std::string> final_objects;  ///< everything below both roots
  /// At the end passes ran until everything must have gone.
  bool all_collected = false;
  std::optional<Day> day;               ///< where the run was one, to its end
  model::RetentionRules retention;      ///< what the retainers keep to
  std::vector<Checked> checks;            ///< while others wrote
  std::vector<std::string> final_damage;  ///< that an fsck of the whole deployment finds at the end
  std::vector<Happening> happenings;
  Met met;
  /// How often the writers of all processes took each cell of model::NextSection: [state][event].
  decltype(WriterStats::cells) cells{};
  std::map<LogId, FinalLog> final;
  /// Whether a write under a lease fails once its session has ended. Where it does not, a put that was sent before may
  /// land after a deletion; it is never acknowledged.
  bool guarded_writes = true;
  DeploymentTimes times;
  /// The object store gives short bodies, which look like damage.
  bool short_bodies = false;
  /// After so long a writer without trouble of its own has seen a fence, and a tail an entry, whatever faults the
  /// stores have.
  Duration fence_seen_within{};
  Duration tail_wakes_within{};
  Duration isolation_seen_within{};  ///< likewise; an object that was begun before may still be tried again
  /// Which process made a lease record.
  std::map<std::string, std::string> lease_owners;
  /// Registrations and mappings that were taken away.
  std::set<std::string> lost_records;
  /// What the sweep at the very end found.
  std::int64_t last_sweep_late = 0;
  std::int64_t last_sweep_rest = 0;
  /// Set once faults have ended and everything was to come to rest; says what did not.
  std::vector<std::string> stuck;
};

}  // namespace lakestream::sim
