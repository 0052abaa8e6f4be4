#pragma once

#include <map>
#include <string>
#include <vector>

#include "lakestream/status.h"
#include "lakestream/task.h"
#include "lakestream/types.h"
#include "meta/metadata_store.h"
#include "runtime/runtime.h"

namespace lakestream {

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
};

struct StreamListing {
  StreamIdentifier id;
  LifecycleState state = LifecycleState::kActive;
  int partitions = 0;
};

/// Streams and their logs, in the keys and JSON records that Ursa uses (specification, "Catalog semantics";
/// docs/format). Thread safety: any thread, any number of processes.
class StreamCatalog {
 public:
  StreamCatalog(Runtime& runtime, MetadataStore& meta);

  /// Creates the stream and a log for each of 1 to 10000 partitions. Resumes a creation of the same
  /// definition that was cut short. Errors: already_exists, invalid_argument, fenced (the name was dropped
  /// for ever), unavailable, indeterminate.
  Task<Result<StreamMetadata>> CreateStream(OpContext context, StreamIdentifier id, int partitions,
                                            std::map<std::string, std::string> properties);
  /// Errors: not_found, unavailable (it is still being created), corrupt.
  Task<Result<StreamMetadata>> LoadStream(OpContext context, StreamIdentifier id);
  /// Every stream of every namespace, ordered by identity.
  Task<Result<std::vector<StreamListing>>> ListStreams(OpContext context);

 private:
  Runtime& runtime_;
  MetadataStore& meta_;
};

}  // namespace lakestream
