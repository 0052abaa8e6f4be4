#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codec/compression/compression.h"
#include "format/compaction_record.h"
#include "lakestream/status.h"
#include "lakestream/task.h"
#include "log/lease/lease_keeper.h"
#include "log/log_homes.h"
#include "meta/metadata_store.h"
#include "model/compaction_plan.h"
#include "model/compaction_state.h"
#include "objstore/object_store.h"
#include "runtime/runtime.h"
#include "runtime/scratch.h"

namespace lakestream {

struct CompactorOptions {
  model::CompactionOptions plan;

  /// Fetched payloads of all logs of a pass together, in bytes. What is over it goes into the files that are open, or
  /// into a scratch file. Besides, each open file holds up to `part_bytes` and a page or two.
  std::int64_t memory_bytes = std::int64_t{192} << 20;
  int open_files = 4;       ///< compacted files written side by side while objects are fetched
  int objects_ahead = 4;    ///< WAL objects fetched side by side
  /// A larger compacted file is uploaded in parts of at least this size; S3 takes none below 5 MiB.
  std::int64_t part_bytes = std::int64_t{8} << 20;
  /// Logs of a pass are worked on in groups of about so much payload, and so many index records, together: that is how
  /// large a scratch file becomes at most. A WAL object is read once or twice for each group.
  std::int64_t group_bytes = std::int64_t{4} << 30;
  std::int64_t group_records = 100'000;
  Compression compression = Compression::kZstd;  ///< of the Parquet files
  int zstd_level = 1;

  /// After this without any change the work of another one that lives is given up (CompactionStand::kWorkingLate).
  /// More than writing the files of the largest range takes.
  Duration work_deadline = std::chrono::hours(1);
  Duration session_timeout = std::chrono::seconds(15);
  Duration retry_first = std::chrono::seconds(10);  ///< a log that failed is left alone for so long, and twice as
  Duration retry_most = std::chrono::minutes(10);   ///< long each time, up to this
};

/// What a compactor works on. All of it outlives the compactor.
struct CompactorParts {
  Runtime& runtime;
  MetadataStore& meta;
  MetadataStore& sessions;  ///< where its session is opened; of a deployment its EpochGuard, else `meta`
  ObjectStore& wal;
  ObjectStore& compacted;   ///< with retries that find out what became of a lost answer (RetryObjectStore)
  LeaseKeeper& leases;
  LogHomes& homes;
  ScratchSpace& scratch;
};

/// What a compactor makes of a log, without doing it.
struct CompactionOutlook {
  CompactionRecord record;  ///< idle{0} where there is none
  model::CompactionDecision decision;
  bool fenced = false;      ///< the log is being deleted: nothing will be done
};

/// What a pass did for one log.
struct CompactionOutcome {
  enum class Kind : std::uint8_t {
    kCompacted,  ///< `range` is one PARQUET record now. There may be more to do at once
    kTrimmed,    ///< what ends at or below the trim marker was hard-trimmed. There may be more to do at once
    kNothing,    ///< see `decision`; or the log is being deleted, or was dropped
    kWaiting,    ///< `owner`, which lives, is at it
    kStuck,      ///< `status` says why; tried again in a pass at or after `retry_at`
  };
  LogId log;
  Kind kind = Kind::kNothing;
  /// kCompacted: what was planned; without a plan, of a range that another one's work was installed for, only the range.
  model::CompactionDecision decision;
  CompactionRange range;              ///< kCompacted
  std::int64_t entries = 0;           ///< kCompacted: rows written; 0 where another one wrote them
  std::vector<std::string> files;     ///< kCompacted: names of its Parquet files
  std::int64_t file_bytes = 0;        ///< kCompacted: of the files and companions written
  Offset trimmed_to;                  ///< kTrimmed: every record that ends at or below it is gone
  std::vector<QuarantinedRange> quarantined;  ///< those of the log, found in this pass or before
  std::string owner;                  ///< kWaiting: its session
  Status status;                      ///< kStuck
  std::int64_t pinned_bytes = 0;      ///< kStuck, kWaiting: what the range keeps from being deleted, as far as known
  MonotonicTime retry_at{};           ///< kStuck
};

std::string_view CompactionOutcomeName(CompactionOutcome::Kind kind);

/// What a pass did, all logs together.
struct CompactionTotals {
  std::int64_t compacted = 0;
  std::int64_t trimmed = 0;
  std::int64_t nothing = 0;
  std::int64_t waiting = 0;
  std::int64_t stuck = 0;
  std::int64_t left_alone = 0;  ///< stuck before, and not tried in this pass
  std::int64_t payload_bytes = 0;
  std::int64_t file_bytes = 0;
  std::int64_t objects_read = 0;
  std::int64_t gets = 0;            ///< of WAL objects
  std::int64_t scratch_bytes = 0;   ///< that did not fit into memory
  std::int64_t most_held = 0;       ///< payload bytes in memory, at most
};

/// How often each cell of the tables in model/compaction_state.h was taken.
struct CompactionCells {
  std::int64_t next[model::kCompactionStands][model::kCompactionViews] = {};
  std::int64_t install[model::kInstallSteps][model::kInstallEvents] = {};
};

/// Called once for each log that a pass took, as soon as it is done with it, one call at a time.
using CompactionObserver = std::function<void(const CompactionOutcome&)>;

/// Turns RAW records into PARQUET records (specification, "Compaction"). docs/compaction.md has the rules, model/ the
/// decisions; any number of compactors in any number of processes may be at the same logs. Its session is opened by the
/// first pass, and again when it was lost. Thread safety: any thread; passes run one after the other.
class Compactor {
 public:
  Compactor(CompactorParts parts, CompactorOptions options);
  /// Stop comes first.
  ~Compactor();

  /// What the next pass would do with a log, and why; changes nothing. Ages are told by this process's clock, those of a
  /// pass by the store's. Errors: invalid_argument (a negative log), corrupt, unavailable.
  Task<Result<CompactionOutlook>> Plan(OpContext context, LogId log);

  /// One range at most of each log: finishes or gives up what ended compactors left, plans, writes the files of all
  /// ranges, so that a WAL object is read once or twice for all logs of the pass, and installs them. What fails of one
  /// log stops none of the others. While a log comes out as kCompacted or kTrimmed another pass has work for it.
  /// Errors: invalid_argument (a negative log, or one twice); cancelled or deadline_exceeded, also after Stop, with
  /// outcomes for the logs that were done; unavailable or fenced (no session). A log without an outcome is as it was,
  /// or in the hands of this compactor's session: its next pass, or another compactor after Stop, goes on with it.
  Task<Result<CompactionTotals>> Pass(OpContext context, std::vector<LogId> logs, CompactionObserver observer);

  /// Ends the pass under way at its next step, waits for it, and closes the session: others take over at once what it
  /// left. Where the store cannot close it now, it is asked again until the context ends. Errors: of closing the session,
  /// which then ends in the store's own time. May be repeated.
  Task<Status> Stop(OpContext context);

  /// Since it was made.
  CompactionCells cells() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace lakestream
