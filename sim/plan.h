#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "log/catalog/stream_catalog.h"
#include "log/compactor/compactor.h"
#include "log/engine_options.h"
#include "log/gc/collector.h"
#include "meta/wrap/metadata_fault_plan.h"
#include "model/retention.h"
#include "objstore/wrap/fault_plan.h"
#include "runtime/random.h"

namespace lakestream::sim {

/// Classes of trouble, so that a failing seed can be narrowed down.
enum Trouble : unsigned {
  kKills = 1u << 0,     ///< processes die and come back
  kFreezes = 1u << 1,   ///< SIGSTOP for longer than any lease
  kSuspends = 1u << 2,  ///< the machine sleeps: boottime goes on, the monotonic clock does not
  kClocks = 1u << 3,    ///< wall clocks jump and drift
  kCuts = 1u << 4,      ///< a process reaches one of the stores no more
  kSessions = 1u << 5,  ///< sessions are lost
  kObjects = 1u << 6,   ///< faults of the object store
  kMetadata = 1u << 7,  ///< faults of the metadata store
  kNasty = 1u << 8,     ///< options from the nasty ends of their ranges
  kLocks = 1u << 9,     ///< a process stops that holds the write lock of the metadata store
  kRestarts = 1u << 10, ///< writers and readers are stopped and started in a process that goes on
};
inline constexpr unsigned kAllTrouble = (1u << 11) - 1;

/// How often things happen to a process, per minute of virtual time.
struct ChaosRates {
  double kills = 0;
  double freezes = 0;
  double suspends = 0;
  double clocks = 0;
  double cuts = 0;
  double sessions = 0;
  double locks = 0;  ///< guarded stores only
  double restarts = 0;
};

/// How often a cataloger makes each call, one against the other.
struct CatalogRates {
  int create = 4;
  int load = 4;
  int list = 1;
  int grow = 2;
  int set = 2;
  int drop = 1;
  int sweep = 1;
};

/// What a run is made of.
struct Plan {
  int processes = 2;
  int logs = 3;
  int appenders = 2;  ///< of each process, and so on
  int readers = 1;
  int tailers = 1;
  int trimmers = 0;
  int compactors = 0;    ///< run passes over some of the logs
  bool hard_trims = false;  ///< trimmers go on with a hard trim, which asks no record for its age
  bool collects = false; ///< each process has a client that runs passes of the garbage collector
  int retainers = 0;     ///< let go what `retention` need not keep
  int holders = 0;       ///< hold collections up for a while
  int checkers = 0;      ///< run fsck again and again
  int deleted_logs = 0;  ///< of the logs: fenced, drained and deleted while they are written to
  int isolated_logs = 0;  ///< of the logs: isolated, some of them for a while, as they are written to
  /// One of the logs, which have the ids from 1 on: no file of it can be written in the troubled phase, so that it is not
  /// compacted; retainers keep all of it; and after `isolated_after` it is isolated.
  std::optional<LogId> stuck_log;
  Duration isolated_after{};
  bool uneven = false;   ///< payloads of each log are a quarter as large as those of the one before it
  bool is_day = false;   ///< at the end of the troubled phase space must have converged (Evidence::day)
  int catalogers = 0;    ///< where there are some, appends go to the catalog's logs too
  int names = 4;         ///< of streams that catalogers fight for
  bool topics = false;   ///< half of the names are topics, which come back
  bool stranger = false; ///< another program writes fields into configs that the catalog does not know
  bool lost_registrations = false;  ///< mappings and registrations get lost
  CatalogRates catalog;
  CatalogOptions catalog_options;
  int window = 4;        ///< appends of one client under way at once
  int operations = 300;  ///< of all clients together
  Duration pause{std::chrono::milliseconds(50)};  ///< between the calls of one client, at most
  Duration time{std::chrono::minutes(5)};         ///< the troubled phase ends after this
  /// After the faults: longer than everything that an append may wait for, one after the other, with the options as they
  /// are by default; and where something is compacted, longer than any log is quiet before it counts as idle.
  Duration rest{std::chrono::minutes(20)};
  Duration trouble_step{std::chrono::milliseconds(250)};  ///< how often it is drawn whether any of `chaos` happens
  bool nasty = true;  ///< options may come from the nasty ends of their ranges
  std::int64_t max_payload = 200;
  int max_records = 3;
  int shards = 4;
  /// true: as LMDB, a session ends with its process and writes hold it. false: as Oxia, a session ends when it was
  /// silent for too long, and a put that is on its way is not stopped by that.
  bool guarded = true;
  WriterOptions writer;
  ReaderOptions reader;
  CompactorOptions compactor;  ///< its settle_time is the writer's
  Duration compaction_pause{std::chrono::seconds(2)};  ///< between the passes of one compactor, at most
  CollectorOptions collector;  ///< its grace is the writer's
  Duration collection_pause{std::chrono::seconds(20)};  ///< between the passes of one collector, at most
  model::RetentionRules retention;
  ChaosRates chaos;
  /// flip_byte: only what the format can notice; see DamagedReads.
  FaultRates objects;
  MetadataFaultRates metadata;
  FaultRates compacted;  ///< of the compacted store
};

/// A kind of run. One file each; a static ScenarioRegistration adds it to the list.
struct Scenario {
  const char* name;
  const char* says;
  /// Fills in the plan; may draw from the seed.
  void (*fill)(Plan& plan, Random& random);
  bool by_name = false;  ///< a run takes seconds: it is made where the scenario is named, and not among all of them
};

/// By name.
const std::vector<Scenario>& AllScenarios();
const Scenario* FindScenario(std::string_view name);

struct ScenarioRegistration {
  explicit ScenarioRegistration(Scenario scenario);
};

/// For scenarios that compact: small files of few entries, from small ranges, with little memory, so that everything
/// happens often.
void DrawCompaction(Plan& plan, Random& random);

/// For scenarios that collect: deadlines and a grace that are short enough for many graces in one run, and long enough for
/// what a store may hold back where it asks for no session when it applies a write. Such a record names an object that is
/// gone, and no answer tells of it (docs/gc.md).
void DrawCollection(Plan& plan, Random& random);

/// For scenarios that go on for a day of virtual time, in which entries are appended, let go after ten hours, compacted
/// and collected, with few faults. The times of compaction and the writer's deadlines are those of a deployment by default,
/// and the grace is half an hour. Bytes are a 256th, and a small range may pin a 256th of what it may on a disk, so that
/// ranges close when they would close there. docs/gc.md has the figures.
void DrawDay(Plan& plan, Random& random);

/// The plan of a seed: the scenario's, with a random subset of troubles and rates of their own (swarm), nasty options
/// now and then, and without the troubles that are masked off.
Plan MakePlan(const Scenario& scenario, Random& random, unsigned troubles);

}  // namespace lakestream::sim
