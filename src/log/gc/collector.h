#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "lakestream/status.h"
#include "lakestream/task.h"
#include "log/catalog/stream_catalog.h"
#include "meta/metadata_store.h"
#include "model/collection.h"
#include "objstore/object_store.h"
#include "runtime/runtime.h"

namespace lakestream {

struct CollectorOptions {
  Duration grace = std::chrono::hours(24);  ///< the deployment's own; greater than 0
  /// Names the boot whose time Clock::Boot tells, for a deployment whose processes all run in one; else empty. Waiting is
  /// told by the smaller of the two clocks then.
  std::string boot_id;
  int deletes_per_second = 200;  ///< at least 1
  int deletes_at_once = 100;     ///< in one call; 1 to 1000
};

/// What a collector works on. All of it outlives the collector.
struct CollectorParts {
  Runtime& runtime;
  MetadataStore& meta;
  ObjectStore& wal;
  ObjectStore& compacted;
  StreamCatalog& catalog;
};

/// What a pass found below one root.
struct CollectedRoot {
  struct Count {
    std::int64_t objects = 0;
    std::int64_t bytes = 0;
  };
  Count all;
  Count foreign;    ///< left alone for ever
  Count named;
  Count young;      ///< younger than the grace, and named or not
  Count waiting;    ///< nothing names them; candidates that have not waited for the grace
  Count garbage;    ///< those that have
  Count deleted;    ///< garbage that this pass deleted
  Count leftovers;  ///< what uploads had left that nobody completed, and this pass removed; none of the others
};

struct CollectionReport {
  std::int64_t pass = 0;  ///< its number; 0: a dry run
  WallTime started{};     ///< by the metadata store
  CollectedRoot wal;
  CollectedRoot compacted;
  std::int64_t index_records = 0;
  std::int64_t compaction_records = 0;
  std::int64_t dropped_logs = 0;  ///< whose compaction records name no files any more, from this pass on
  SweepReport sweep;              ///< what drops had left
  Status sweep_status;            ///< of the sweep, whose failure stops nothing else
  std::vector<std::string> holds; ///< while there is one nothing is deleted
  bool overtaken = false;         ///< another collector ended a pass meanwhile: nothing was deleted here
  bool waiting_anew = false;      ///< the candidates of the pass before could not be read
  std::optional<WallTime> next;   ///< when the first object that waits now will have waited long enough
};

enum class CollectedOutcome {
  kWouldBeDeleted,  ///< in a dry run
  kDeleting,        ///< the store is about to be asked
  kDeleted,         ///< after kDeleting: it is gone
  kUnknown,         ///< after kDeleting: the call failed, and may have deleted it; where it did not, a later pass does
};
/// In lower case, for people: "deleted".
std::string_view CollectedOutcomeName(CollectedOutcome outcome);

/// An object that a pass deletes, or, in a dry run, would.
struct CollectedObject {
  CollectedOutcome outcome = CollectedOutcome::kWouldBeDeleted;
  std::string object;  ///< wal/ or compacted/, and its key there
  std::int64_t bytes = 0;
  WallTime since{};    ///< nothing has named it since then
};
/// Called for each object before the call that deletes it and after that has ended, one call at a time. A process that dies
/// between the two has deleted it or not.
using CollectionObserver = std::function<void(const CollectedObject&)>;

/// What holds an object, or why nothing does.
struct ObjectOutlook {
  std::string object;
  bool exists = false;
  std::int64_t bytes = 0;
  WallTime modified{};    ///< by the object store
  model::ObjectVerdict verdict = model::ObjectVerdict::kForeign;
  std::string named_by;   ///< kNamed: the key of the first record found that does
  std::optional<WallTime> since;   ///< of a candidate
  std::optional<WallTime> not_before;  ///< of what is young or waits: it cannot be deleted earlier
  std::vector<std::string> holds;
};

/// Deletes objects that nothing names any more, and nothing can name again (specification, "Reclaiming WAL objects";
/// docs/gc.md). Any number of collectors in any number of processes may be at it; each object takes two passes. Holds 8
/// bytes and two bits for each object, twice that while it lists, and a page of records. Thread safety: any thread; passes
/// of one collector run one after the other.
class Collector {
 public:
  Collector(CollectorParts parts, CollectorOptions options) : parts_(parts), options_(std::move(options)) {}

  /// One pass. Any error before its end means that it made no candidates and deleted nothing; one after that, that some of
  /// the garbage is not deleted yet: a later pass does it. Errors: invalid_argument (options);
  /// corrupt (a record that may name anything); unavailable (a scan or a listing was cut short, clocks that do not agree);
  /// as the stores'.
  Task<Result<CollectionReport>> Pass(OpContext context, CollectionObserver observer);
  /// What a pass would do now, by this process's clock. Writes nothing.
  Task<Result<CollectionReport>> DryRun(OpContext context, CollectionObserver observer);
  /// One object: "wal/" or "compacted/" and its key there. Writes nothing. Errors: invalid_argument (another form).
  Task<Result<ObjectOutlook>> Explain(OpContext context, std::string object);

 private:
  CollectorParts parts_;
  CollectorOptions options_;
};

}  // namespace lakestream
