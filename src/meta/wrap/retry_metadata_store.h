#pragma once

#include <functional>
#include <memory>

#include "meta/metadata_store.h"
#include "runtime/runtime.h"

namespace lakestream {

struct MetadataRetryOptions {
  int max_attempts = 8;  ///< at least 1: the first one counts
  /// The wait before the n-th retry is drawn evenly from 0 to min(max_wait, first_wait * 2^(n-1)).
  Duration first_wait = std::chrono::milliseconds(10);
  Duration max_wait = std::chrono::seconds(1);
};

/// Repeats what the store has definitely not done and may do later (unavailable), within the context's deadline
/// and retry budget. What is indeterminate is handed on and never repeated.
///
/// Of a batch of sequenced puts only the requests that were unavailable are repeated, and of those only where no
/// later one of the same partition was done, may have been, or was refused for what it found: requests of one partition
/// stay in order.
/// Thread safety: any thread.
class RetryMetadataStore final : public ForwardingMetadataStore {
 public:
  /// `inner` outlives this.
  RetryMetadataStore(Runtime& runtime, MetadataStore& inner, MetadataRetryOptions options);

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

 private:
  class Attempts;
  class Session;
  template <class R>
  static Task<R> Retry(Runtime& runtime, MetadataRetryOptions options, OpContext context,
                       std::function<Task<R>(OpContext)> call);

  Runtime& runtime_;
  const MetadataRetryOptions options_;
};

}  // namespace lakestream
