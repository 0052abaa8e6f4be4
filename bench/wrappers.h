#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "base/time.h"
#include "meta/metadata_store.h"
#include "objstore/object_store.h"
#include "runtime/runtime.h"

namespace lakestream::bench {

/// Tells how long each PUT took and how large it was, in the order in which they ended.
class TimedObjectStore final : public ForwardingObjectStore {
 public:
  struct Timed {
    std::size_t bytes = 0;
    Duration took{};
  };
  TimedObjectStore(Runtime& runtime, ObjectStore& inner) : ForwardingObjectStore(inner), runtime_(runtime) {}
  Task<Status> Put(OpContext context, std::string key, BufferChain bytes, PutMode mode) override;
  std::vector<Timed> puts() const;

 private:
  Runtime& runtime_;
  mutable std::mutex mutex_;
  std::vector<Timed> puts_;
};

/// The same for calls of sequenced puts.
class TimedMetadataStore final : public ForwardingMetadataStore {
 public:
  TimedMetadataStore(Runtime& runtime, MetadataStore& inner) : ForwardingMetadataStore(inner), runtime_(runtime) {}
  Task<std::vector<Result<SequencedPutAnswer>>> SequencedPut(OpContext context,
                                                             std::vector<SequencedPutRequest> requests) override;
  std::vector<Duration> puts() const;

 private:
  Runtime& runtime_;
  mutable std::mutex mutex_;
  std::vector<Duration> puts_;
};

/// Looks at the memory of this process whenever a page of records is read. One caller at a time.
class MemoryWatch final : public ForwardingMetadataStore {
 public:
  using ForwardingMetadataStore::ForwardingMetadataStore;
  Task<Result<ScanPage>> Scan(OpContext context, KeyRange range, std::string cursor, int limit) override;
  std::int64_t most_kib() const { return most_kib_; }  ///< RssAnon

 private:
  std::int64_t most_kib_ = 0;
};

/// Where `damage` is on, changes the last byte of the first object that is put: an entry that was acknowledged is
/// then not what was appended, which the checks have to find.
class DamagingObjectStore final : public ForwardingObjectStore {
 public:
  DamagingObjectStore(ObjectStore& inner, bool damage) : ForwardingObjectStore(inner), damage_(damage) {}
  Task<Status> Put(OpContext context, std::string key, BufferChain bytes, PutMode mode) override;

 private:
  std::atomic<bool> damage_;
};

}  // namespace lakestream::bench
