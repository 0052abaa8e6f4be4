#pragma once

#include "meta/metadata_store.h"

namespace lakestream {

/// A store without the capability `guarded_writes`: it ignores every WriteGuard, as Oxia does. Lets what has to
/// be right without guards be tested on a store that has them. Thread safety: any thread.
class UnguardedMetadataStore final : public ForwardingMetadataStore {
 public:
  /// `inner` outlives this.
  explicit UnguardedMetadataStore(MetadataStore& inner) : ForwardingMetadataStore(inner) {}

  Task<Result<WriteAnswer>> Put(OpContext context, Partition partition, std::string key, Buffer value,
                                WriteGuard guard) override;
  Task<Result<WriteAnswer>> CreateIfAbsent(OpContext context, Partition partition, std::string key, Buffer value,
                                           WriteGuard guard) override;
  Task<Result<WriteAnswer>> CompareAndSet(OpContext context, Partition partition, std::string key, Buffer value,
                                          std::int64_t version, WriteGuard guard) override;
  Task<Status> Delete(OpContext context, Partition partition, std::string key, WriteGuard guard) override;
  Task<Status> DeleteRange(OpContext context, Partition partition, std::string from, std::string to,
                           WriteGuard guard) override;
  Task<std::vector<Result<SequencedPutAnswer>>> SequencedPut(OpContext context,
                                                             std::vector<SequencedPutRequest> requests) override;
  MetadataCapabilities capabilities() const override;
};

}  // namespace lakestream
