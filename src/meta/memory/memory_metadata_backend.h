#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "meta/metadata_store.h"
#include "runtime/event.h"

namespace lakestream {

/// A record that was written, or removed.
struct MetadataChange {
  std::string partition;
  MetadataRecord record;  ///< a removed one as it was last
  bool removed = false;
};

struct MemoryMetadataOptions {
  int shards = 4;  ///< 1 to 256
};

/// What the clients of one in-memory metadata store share: the records, the sessions and those who wait. Each
/// method is one atomic step and never blocks for long. Iteration follows the keys' order, so the same calls
/// give the same answers. Thread safety: any thread.
class MemoryMetadataBackend {
 public:
  enum class Condition { kNone, kAbsent, kVersion };
  struct Write {
    Partition partition;
    std::string key;
    Buffer value;
    Condition condition = Condition::kNone;
    std::int64_t version = 0;   ///< for kVersion
    std::string guard_session = {};  ///< the write fails where it has ended; empty: no guard
    std::string owner_session = {};  ///< the record goes with it; empty: a lasting record
  };

  explicit MemoryMetadataBackend(MemoryMetadataOptions options = {});

  // What a test may do to the store.

  /// Ends a session as the store would after a long silence; false where there is none.
  bool ExpireSession(const std::string& id);
  /// Ends the sessions of one client, as when its process has died.
  void ExpireClient(std::uint64_t client);
  std::vector<std::string> SessionIds() const;
  /// Every record, shard after shard.
  std::vector<MetadataRecord> Dump() const;
  /// Is told of every change, in the order in which they take effect, from inside the step: it must not call the store,
  /// except SessionAlive.
  void Observe(std::function<void(const MetadataChange&)> observer);

  // The steps behind MemoryMetadataStore. `now_ms` is the caller's wall clock.

  int shards() const { return static_cast<int>(shards_.size()); }
  std::vector<ReadAnswer> Read(const std::vector<ReadRequest>& requests) const;
  Result<WriteAnswer> Apply(std::int64_t now_ms, const Write& write);
  Status Delete(const Partition& partition, const std::string& key, const std::string& guard_session);
  Status DeleteRange(const Partition& partition, const std::string& from, const std::string& to,
                     const std::string& guard_session);
  Result<ScanPage> Scan(const KeyRange& range, const std::string& cursor, int limit) const;
  Result<SequencedPutAnswer> SequencedPut(std::int64_t now_ms, const SequencedPutRequest& request);

  std::uint64_t NewClient();
  std::string OpenSession(std::uint64_t client);
  bool SessionAlive(const std::string& id) const;

  std::uint64_t ChangeHint(const Partition& partition) const;
  /// Sets the event at the next change of the partition, or at once where the hint differs from `seen`.
  void Watch(const Partition& partition, std::uint64_t seen, std::shared_ptr<Event> event);
  void Unwatch(const Partition& partition, const std::shared_ptr<Event>& event);

 private:
  struct KeyLess {
    using is_transparent = void;
    bool operator()(std::string_view a, std::string_view b) const { return MetadataKeyLess(a, b); }
  };
  struct Stored {
    std::string partition;
    Buffer value;
    std::int64_t version = 0;
    std::int64_t created_ms = 0;
    std::string session;
  };
  using Shard = std::map<std::string, Stored, KeyLess>;
  struct Session {
    std::uint64_t client = 0;
    std::set<std::pair<int, std::string>> keys;  ///< shard and key of each of its records
  };
  struct Watched {
    std::uint64_t hint = 0;
    std::vector<std::shared_ptr<Event>> waiters;
  };
  /// Holds the lock, and wakes those who wait once it has let it go.
  class Step;

  static MetadataRecord ToRecord(const Shard::value_type& entry);
  void Tell(const Shard::value_type& entry, bool removed) const;
  const Shard& ShardFor(const Partition& partition) const;
  Status CheckGuard(const std::string& session) const;
  Shard::iterator Erase(Step& step, int shard, Shard::iterator at);
  WriteAnswer Store(Step& step, std::int64_t now_ms, const Write& write);
  void EndSession(Step& step, const std::string& id);

  mutable std::mutex mutex_;
  /// The sessions of sessions_ once more: a sequenced put's admit asks for them while mutex_ is held.
  mutable std::mutex alive_mutex_;
  std::set<std::string> alive_;
  std::vector<Shard> shards_;
  std::map<std::string, Session> sessions_;
  std::map<std::string, Watched> watched_;
  std::int64_t next_version_ = 0;
  std::int64_t last_created_ms_ = 0;
  std::uint64_t next_client_ = 1;
  std::uint64_t next_session_ = 1;
  std::function<void(const MetadataChange&)> observer_;
};

}  // namespace lakestream
