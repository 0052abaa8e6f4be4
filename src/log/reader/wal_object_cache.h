#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "format/wal_object.h"
#include "lakestream/buffer.h"
#include "lakestream/status.h"
#include "lakestream/task.h"
#include "lakestream/types.h"
#include "log/engine_options.h"
#include "log/reader/cache_budget.h"
#include "log/reader/single_flight.h"
#include "model/read_plan.h"
#include "objstore/object_store.h"
#include "runtime/runtime.h"

namespace lakestream {

/// What is known of one WAL object. Never changes.
struct FetchedObject {
  WalHeader header;
  bool whole = false;  ///< fetched whole: header.payload_size is what the store has, not what a record says
  Buffer region;       ///< the payload region, where `whole`
};

/// Fetches WAL objects in as few GETs as it can, and keeps what it fetched, directories and payloads, as long as the
/// budget allows; an object goes as one. Concurrent readers of one thing share one GET. Thread safety: any thread.
class WalObjectCache {
 public:
  /// All but the options outlive this.
  WalObjectCache(Runtime& runtime, ObjectStore& store, const ReaderOptions& options, CacheBudget& budget);

  /// The object's directory, and its payloads where they came along. `region_bytes`: what an index record says
  /// of the payload region. Errors: not_found, corrupt, unavailable.
  Task<Result<std::shared_ptr<const FetchedObject>>> Open(OpContext context, std::string name,
                                                      std::uint64_t region_bytes);

  /// Fetches the whole object unless `object` is whole: to learn what its payload region really is.
  Task<Result<std::shared_ptr<const FetchedObject>>> OpenWhole(OpContext context, std::string name);

  /// The bytes of each range of the payload region. A second log that misses in an object fetches it whole.
  /// Errors: not_found, corrupt, unavailable.
  Task<Result<std::vector<Buffer>>> Payloads(OpContext context, std::string name,
                                             std::shared_ptr<const FetchedObject> object, LogId log,
                                             std::vector<model::PayloadRange> ranges);

 private:
  using ObjectPtr = std::shared_ptr<const FetchedObject>;

  struct Entry {
    ObjectPtr object;
    std::map<std::uint64_t, Buffer> pieces;  ///< parts of the payload region, by where they begin
    std::optional<LogId> first_log;          ///< the first log that missed in it
    CacheBudget::Slot slot;
  };

  ObjectPtr Cached(const std::string& name);
  /// The range out of one cached piece; nothing where no piece holds all of it.
  std::optional<Buffer> CachedRange(const std::string& name, model::PayloadRange range);
  /// True where another log than this one has missed in the object before.
  bool MissedByAnother(const std::string& name, LogId log);
  void Keep(const std::string& name, ObjectPtr object);
  void KeepPiece(const std::string& name, std::uint64_t begin, Buffer piece);

  Entry& TouchLocked(const std::string& name);

  Task<Result<ObjectPtr>> FetchWhole(OpContext context, std::string name);
  Task<Result<ObjectPtr>> FetchHeader(OpContext context, std::string name, std::uint64_t region_bytes);
  Task<Result<Buffer>> FetchRange(OpContext context, std::string name, std::uint64_t header_size,
                                  model::PayloadRange range);

  Runtime& runtime_;
  ObjectStore& store_;
  const ReaderOptions options_;
  SingleFlight<ObjectPtr> objects_in_flight_;
  SingleFlight<Buffer> ranges_in_flight_;

  CacheBudget& budget_;  ///< its mutex guards what follows
  std::unordered_map<std::string, Entry> entries_;
};

}  // namespace lakestream
