#pragma once

#include <memory>
#include <string>

#include "meta/memory/memory_metadata_backend.h"
#include "meta/metadata_store.h"
#include "runtime/runtime.h"

namespace lakestream {

/// One process's client of an in-memory metadata store: the oracle of the conformance suite, and the store of
/// tests and of the simulator. Clients of one back end see each other's writes. A sequenced put gives way to
/// other work between its requests, so that nobody takes a batch for a transaction.
/// Thread safety: any thread. Requires: every call has ended before it goes. Its sessions live on until they
/// are closed or the back end expires them.
class MemoryMetadataStore final : public MetadataStore {
 public:
  /// A store of its own.
  explicit MemoryMetadataStore(Runtime& runtime, MemoryMetadataOptions options = {});
  /// Another client of a shared store.
  MemoryMetadataStore(Runtime& runtime, std::shared_ptr<MemoryMetadataBackend> backend);

  const std::shared_ptr<MemoryMetadataBackend>& backend() const { return backend_; }
  /// Names this client to MemoryMetadataBackend::ExpireClient.
  std::uint64_t client_id() const { return client_; }

  Task<Result<std::vector<ReadAnswer>>> Read(OpContext context, std::vector<ReadRequest> requests) override;
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
  Task<Result<std::shared_ptr<MetadataSession>>> OpenSession(OpContext context, Duration timeout) override;
  std::uint64_t ChangeHint(const Partition& partition) override;
  Task<Status> AwaitChange(OpContext context, Partition partition, std::uint64_t seen) override;
  std::vector<Partition> ShardPartitions() const override;
  MetadataCapabilities capabilities() const override;

 private:
  Task<Status> Enter(OpContext context);
  Task<Result<WriteAnswer>> Apply(OpContext context, MemoryMetadataBackend::Write write);
  std::int64_t NowMs() const { return ToMillis(runtime_.clock.Wall()); }

  Runtime& runtime_;
  std::shared_ptr<MemoryMetadataBackend> backend_;
  std::uint64_t client_;
};

}  // namespace lakestream
