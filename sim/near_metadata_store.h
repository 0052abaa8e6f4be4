#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "meta/metadata_store.h"
#include "runtime/runtime.h"

namespace lakestream::sim {

/// The one write lock of a local metadata store. Who is stopped while it holds it stops the writes of all others.
class WriteLock {
 public:
  /// `clock` is one that is never suspended.
  explicit WriteLock(Runtime& clock) : clock_(clock) {}
  void Hold(const std::string& process, MonotonicTime until) { holders_[process] = until; }
  /// Its death, or the end of its sleep.
  void Drop(const std::string& process) { holders_.erase(process); }
  void DropAll() { holders_.clear(); }
  bool HeldByOthers(const std::string& process) const;
  /// Returns once no other process holds it. Errors: unavailable when the context ends first, as LMDB's writer says.
  Task<Status> Wait(Runtime& runtime, OpContext context, std::string process) const;

 private:
  Runtime& clock_;
  std::map<std::string, MonotonicTime> holders_;
};

/// What a process meets at the metadata store itself, behind all faults on the way: writes wait for the lock, and
/// `observer` is told of what is hard to see from outside.
class NearMetadataStore final : public ForwardingMetadataStore {
 public:
  class Observer {
   public:
    virtual ~Observer() = default;
    /// A page was read, with the cursor it began at, after all changes up to `last`.
    virtual void OnPage(const std::string& process, const KeyRange& range, const std::string& cursor,
                        std::int64_t last) = 0;
    /// The number of the latest change.
    virtual std::int64_t LastChange() const = 0;
    /// A write waits for another process's lock.
    virtual void OnLockWait(const std::string& process) = 0;
  };

  NearMetadataStore(Runtime& runtime, MetadataStore& inner, const WriteLock& lock, std::string process,
                    Observer& observer);
  Task<Result<WriteAnswer>> Put(OpContext context, Partition partition, std::string key, Buffer value,
                                WriteGuard guard) override;
  Task<Result<WriteAnswer>> CreateIfAbsent(OpContext context, Partition partition, std::string key, Buffer value,
                                           WriteGuard guard) override;
  Task<Result<WriteAnswer>> CreateEphemeral(OpContext context, Partition partition, std::string key, Buffer value,
                                            std::shared_ptr<MetadataSession> session) override;
  Task<Result<WriteAnswer>> CompareAndSet(OpContext context, Partition partition, std::string key, Buffer value,
                                          std::int64_t version, WriteGuard guard) override;
  Task<Status> Delete(OpContext context, Partition partition, std::string key, WriteGuard guard) override;
  Task<Status> DeleteRange(OpContext context, Partition partition, std::string from, std::string to,
                           WriteGuard guard) override;
  Task<Result<KeyPage>> List(OpContext context, KeyRange range, std::string cursor, int limit) override;
  Task<Result<ScanPage>> Scan(OpContext context, KeyRange range, std::string cursor, int limit) override;
  Task<std::vector<Result<SequencedPutAnswer>>> SequencedPut(OpContext context,
                                                             std::vector<SequencedPutRequest> requests) override;

 private:
  Task<Status> Turn(OpContext context);

  Runtime& runtime_;
  const WriteLock& lock_;
  const std::string process_;
  Observer& observer_;
};

}  // namespace lakestream::sim
