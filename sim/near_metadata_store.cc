#include "sim/near_metadata_store.h"

#include <algorithm>

#include "base/try.h"

namespace lakestream::sim {
namespace {

constexpr Duration kLook = std::chrono::milliseconds(50);

}  // namespace

bool WriteLock::HeldByOthers(const std::string& process) const {
  const MonotonicTime now = clock_.Now();
  return std::any_of(holders_.begin(), holders_.end(),
                     [&](const auto& holder) { return holder.first != process && holder.second > now; });
}

Task<Status> WriteLock::Wait(Runtime& runtime, OpContext context, std::string process) const {
  while (HeldByOthers(process)) {
    const Status slept = co_await SleepFor(runtime, context, kLook);
    if (slept.code() == StatusCode::kDeadlineExceeded) co_return Unavailable("another process holds the write lock");
    if (!slept.ok()) co_return slept;
  }
  co_return OkStatus();
}

NearMetadataStore::NearMetadataStore(Runtime& runtime, MetadataStore& inner, const WriteLock& lock, std::string process,
                                     Observer& observer)
    : ForwardingMetadataStore(inner), runtime_(runtime), lock_(lock), process_(std::move(process)), observer_(observer) {}

Task<Status> NearMetadataStore::Turn(OpContext context) {
  if (!lock_.HeldByOthers(process_)) co_return OkStatus();
  observer_.OnLockWait(process_);
  co_return co_await lock_.Wait(runtime_, std::move(context), process_);
}

Task<Result<WriteAnswer>> NearMetadataStore::Put(OpContext context, Partition partition, std::string key, Buffer value,
                                                 WriteGuard guard) {
  LS_CO_TRY(co_await Turn(context));
  co_return co_await inner().Put(std::move(context), std::move(partition), std::move(key), std::move(value),
                                 std::move(guard));
}

Task<Result<WriteAnswer>> NearMetadataStore::CreateIfAbsent(OpContext context, Partition partition, std::string key,
                                                            Buffer value, WriteGuard guard) {
  LS_CO_TRY(co_await Turn(context));
  co_return co_await inner().CreateIfAbsent(std::move(context), std::move(partition), std::move(key), std::move(value),
                                            std::move(guard));
}

Task<Result<WriteAnswer>> NearMetadataStore::CreateEphemeral(OpContext context, Partition partition, std::string key,
                                                             Buffer value, std::shared_ptr<MetadataSession> session) {
  LS_CO_TRY(co_await Turn(context));
  co_return co_await inner().CreateEphemeral(std::move(context), std::move(partition), std::move(key), std::move(value),
                                             std::move(session));
}

Task<Result<WriteAnswer>> NearMetadataStore::CompareAndSet(OpContext context, Partition partition, std::string key,
                                                           Buffer value, std::int64_t version, WriteGuard guard) {
  LS_CO_TRY(co_await Turn(context));
  co_return co_await inner().CompareAndSet(std::move(context), std::move(partition), std::move(key), std::move(value),
                                           version, std::move(guard));
}

Task<Status> NearMetadataStore::Delete(OpContext context, Partition partition, std::string key, WriteGuard guard) {
  LS_CO_TRY(co_await Turn(context));
  co_return co_await inner().Delete(std::move(context), std::move(partition), std::move(key), std::move(guard));
}

Task<Status> NearMetadataStore::DeleteRange(OpContext context, Partition partition, std::string from, std::string to,
                                            WriteGuard guard) {
  LS_CO_TRY(co_await Turn(context));
  co_return co_await inner().DeleteRange(std::move(context), std::move(partition), std::move(from), std::move(to),
                                         std::move(guard));
}

Task<std::vector<Result<SequencedPutAnswer>>> NearMetadataStore::SequencedPut(
    OpContext context, std::vector<SequencedPutRequest> requests) {
  const Status turn = co_await Turn(context);
  if (!turn.ok()) co_return std::vector<Result<SequencedPutAnswer>>(requests.size(), Result<SequencedPutAnswer>(turn));
  co_return co_await inner().SequencedPut(std::move(context), std::move(requests));
}

Task<Result<KeyPage>> NearMetadataStore::List(OpContext context, KeyRange range, std::string cursor, int limit) {
  const std::int64_t last = observer_.LastChange();
  Result<KeyPage> page = co_await inner().List(std::move(context), range, cursor, limit);
  if (page.ok()) observer_.OnPage(process_, range, cursor, last);
  co_return page;
}

Task<Result<ScanPage>> NearMetadataStore::Scan(OpContext context, KeyRange range, std::string cursor, int limit) {
  const std::int64_t last = observer_.LastChange();
  Result<ScanPage> page = co_await inner().Scan(std::move(context), range, cursor, limit);
  if (page.ok()) observer_.OnPage(process_, range, cursor, last);
  co_return page;
}

}  // namespace lakestream::sim
