#include "meta/wrap/unguarded_metadata_store.h"

#include <utility>

namespace lakestream {

Task<Result<WriteAnswer>> UnguardedMetadataStore::Put(OpContext context, Partition partition, std::string key,
                                                      Buffer value, WriteGuard) {
  return inner().Put(std::move(context), std::move(partition), std::move(key), std::move(value));
}

Task<Result<WriteAnswer>> UnguardedMetadataStore::CreateIfAbsent(OpContext context, Partition partition,
                                                                 std::string key, Buffer value, WriteGuard) {
  return inner().CreateIfAbsent(std::move(context), std::move(partition), std::move(key), std::move(value));
}

Task<Result<WriteAnswer>> UnguardedMetadataStore::CompareAndSet(OpContext context, Partition partition,
                                                                std::string key, Buffer value, std::int64_t version,
                                                                WriteGuard) {
  return inner().CompareAndSet(std::move(context), std::move(partition), std::move(key), std::move(value), version);
}

Task<Status> UnguardedMetadataStore::Delete(OpContext context, Partition partition, std::string key, WriteGuard) {
  return inner().Delete(std::move(context), std::move(partition), std::move(key));
}

Task<Status> UnguardedMetadataStore::DeleteRange(OpContext context, Partition partition, std::string from,
                                                 std::string to, WriteGuard) {
  return inner().DeleteRange(std::move(context), std::move(partition), std::move(from), std::move(to));
}

Task<std::vector<Result<SequencedPutAnswer>>> UnguardedMetadataStore::SequencedPut(
    OpContext context, std::vector<SequencedPutRequest> requests) {
  for (SequencedPutRequest& request : requests) request.guard.session = nullptr;
  return inner().SequencedPut(std::move(context), std::move(requests));
}

MetadataCapabilities UnguardedMetadataStore::capabilities() const {
  MetadataCapabilities capabilities = ForwardingMetadataStore::capabilities();
  capabilities.guarded_writes = false;
  return capabilities;
}

}  // namespace lakestream
