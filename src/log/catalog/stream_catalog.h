#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lakestream/status.h"
#include "lakestream/task.h"
#include "lakestream/types.h"
#include "meta/metadata_store.h"
#include "runtime/runtime.h"

namespace lakestream {

class CatalogAccess;
class StreamLister;
enum class ProvisioningState : std::uint8_t;
struct StreamConfigRecord;

/// The identity of a stream. Text form: "name" (namespace "default") or "namespace/name".
struct StreamIdentifier {
  std::string ns = "default";
  std::string name;

  /// Errors: invalid_argument, by the naming rules.
  static Result<StreamIdentifier> Parse(std::string_view text);
  std::string ToString() const;
  friend auto operator<=>(const StreamIdentifier&, const StreamIdentifier&) = default;
};

enum class LifecycleState { kCreating, kActive, kDeleting };

struct StreamMetadata {
  StreamIdentifier id;
  LifecycleState state = LifecycleState::kActive;
  std::vector<LogId> logs;  ///< the index is the partition
  std::map<std::string, std::string> properties;
  std::optional<std::int64_t> revision;  ///< of a stream that was loaded: see PropertyChange
};

struct StreamListing {
  StreamIdentifier id;
  std::string logical_name;  ///< what commands and clients call it: of a topic its name without the id
  LifecycleState state = LifecycleState::kActive;
  int partitions = 0;
};

/// A change of a stream's properties. What must not change: the binding, and what says which topic it is.
struct PropertyChange {
  std::map<std::string, std::string> set;
  std::vector<std::string> remove;
  bool replace = false;  ///< `set` is all there is afterwards, but for what must not change
  /// Only where the stream still has this StreamMetadata::revision.
  std::optional<std::int64_t> revision;
  /// The revision of the source that a stream mirrors: one that is not above the last changes nothing.
  std::optional<std::int64_t> source_revision;
};

struct StreamProperties {
  std::map<std::string, std::string> properties;
  std::int64_t revision = 0;
  bool changed = false;
};

struct StreamDropped {
  bool found = false;  ///< there was something to drop; else only the name is used up now
  int partitions = 0;
};

/// What a sweep found and did.
struct SweepReport {
  std::int64_t dropped_streams = 0;  ///< that were looked at
  std::int64_t finished_drops = 0;   ///< drops that had been cut short
  std::int64_t partitions = 0;       ///< of which something had been left
  std::int64_t late_logs = 0;        ///< with index records written after their deletion
  std::int64_t held = 0;             ///< partitions and streams left as they are: a writer still has a lease
};

/// How a stored config counts. kDeleting: its name is used up.
LifecycleState LifecycleOf(ProvisioningState state);

struct CatalogOptions {
  Duration drain_timeout = std::chrono::seconds(30);  ///< how long a drop waits for the writers of a log
};

/// ok where the config is one that a stream can be used with. Null: there is none. Errors: not_found, unavailable.
Status CheckActive(const StreamConfigRecord* config, const StreamIdentifier& id);

/// Streams and their logs, in the keys and JSON records that Ursa uses (specification, "Catalog semantics";
/// docs/format). A stream is named by its own name, or, of binding kafka, by the topic's. Thread safety: any thread, any
/// number of processes.
///
/// Changes of several steps go on where they were cut short when the same call is made again, by anybody: so each of
/// them, once one step may have been done, fails as indeterminate, with what failed as `cause`. Creations and growths
/// that failed are not seen by readers.
class StreamCatalog {
 public:
  StreamCatalog(Runtime& runtime, MetadataStore& meta, CatalogOptions options = CatalogOptions());

  /// Creates the stream and a log for each of 1 to 10000 partitions. Resumes a creation of the same
  /// definition that was cut short. With binding kafka the stream is a new incarnation of the topic `id`, under a name
  /// of its own. Errors: already_exists, invalid_argument, fenced (the name was dropped for ever), unavailable,
  /// indeterminate.
  Task<Result<StreamMetadata>> CreateStream(OpContext context, StreamIdentifier id, int partitions,
                                            std::map<std::string, std::string> properties);
  /// Errors: not_found, unavailable (it is still being created), corrupt.
  Task<Result<StreamMetadata>> LoadStream(OpContext context, StreamIdentifier id);
  /// A stream in whatever state it is; nothing where there is none.
  Task<Result<std::optional<StreamListing>>> FindStream(OpContext context, StreamIdentifier id);
  /// All streams of a namespace, or of every one, page by page; those that are being made or dropped, too.
  StreamLister ListStreams(std::optional<std::string> ns = std::nullopt);

  /// Adds partitions up to `partitions`; readers see all of them or none. Where there are as many already, nothing.
  /// The number there is then. Errors: not_found, invalid_argument, unimplemented (another program made the stream and
  /// gave it no owner), unavailable, indeterminate.
  Task<Result<int>> GrowStream(OpContext context, StreamIdentifier id, int partitions);

  /// Errors: not_found, precondition_failed (another revision), invalid_argument, indeterminate.
  Task<Result<StreamProperties>> SetProperties(OpContext context, StreamIdentifier id, PropertyChange change);

  /// Drops the stream for ever, with all its logs; a name that no stream has is used up, too. Idempotent. A topic can
  /// be created again, as another stream. Errors: indeterminate where something is left to do, for example while a
  /// writer keeps a lease: call it again, or Sweep.
  Task<Result<StreamDropped>> DropStream(OpContext context, StreamIdentifier id);
  /// Finishes drops that were cut short, and removes what came late into dropped logs, of one name or of all
  /// namespaces. Waits for nobody. Errors: indeterminate where it ended half-way.
  Task<Result<SweepReport>> Sweep(OpContext context, std::optional<StreamIdentifier> id = std::nullopt);

  /// Namespaces also come with their first stream. Errors: already_exists, invalid_argument.
  Task<Status> CreateNamespace(OpContext context, std::string ns, std::map<std::string, std::string> properties);
  /// Errors: not_found.
  Task<Result<std::map<std::string, std::string>>> LoadNamespace(OpContext context, std::string ns);
  /// By name.
  Task<Result<std::vector<std::string>>> ListNamespaces(OpContext context);
  /// False where there is none. Errors: precondition_failed (it has streams), indeterminate.
  Task<Result<bool>> DropNamespace(OpContext context, std::string ns);

 private:
  CatalogAccess Access() const;
  Task<Result<StreamIdentifier>> Resolve(OpContext context, StreamIdentifier id);

  Runtime& runtime_;
  MetadataStore& meta_;
  const CatalogOptions options_;
};

}  // namespace lakestream
