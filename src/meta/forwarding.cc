#include <algorithm>
#include <utility>

#include "base/try.h"
#include "meta/metadata_store.h"

namespace lakestream {

bool MetadataKeyLess(std::string_view a, std::string_view b) {
  const bool a_has = a.find('/') != std::string_view::npos;
  const bool b_has = b.find('/') != std::string_view::npos;
  if (a_has != b_has) return b_has;
  return a < b;
}

namespace {

Task<Result<ReadAnswer>> ReadOne(MetadataStore& store, OpContext context, Partition partition, std::string key,
                                 KeyComparison comparison) {
  std::vector<ReadRequest> requests;
  requests.push_back(ReadRequest{std::move(partition), std::move(key), comparison});
  LS_CO_ASSIGN(std::vector<ReadAnswer> answers, co_await store.Read(std::move(context), std::move(requests)));
  co_return std::move(answers.front());
}

}  // namespace

Task<Result<ReadAnswer>> MetadataStore::Get(OpContext context, Partition partition, std::string key) {
  return ReadOne(*this, std::move(context), std::move(partition), std::move(key), KeyComparison::kEqual);
}
Task<Result<ReadAnswer>> MetadataStore::Floor(OpContext context, Partition partition, std::string key) {
  return ReadOne(*this, std::move(context), std::move(partition), std::move(key), KeyComparison::kFloor);
}
Task<Result<ReadAnswer>> MetadataStore::Ceiling(OpContext context, Partition partition, std::string key) {
  return ReadOne(*this, std::move(context), std::move(partition), std::move(key), KeyComparison::kCeiling);
}
Task<Result<ReadAnswer>> MetadataStore::Higher(OpContext context, Partition partition, std::string key) {
  return ReadOne(*this, std::move(context), std::move(partition), std::move(key), KeyComparison::kHigher);
}

Task<Result<std::vector<ReadAnswer>>> ForwardingMetadataStore::Read(OpContext context,
                                                                    std::vector<ReadRequest> requests) {
  return inner_.Read(std::move(context), std::move(requests));
}
Task<Result<WriteAnswer>> ForwardingMetadataStore::Put(OpContext context, Partition partition, std::string key,
                                                       Buffer value, WriteGuard guard) {
  return inner_.Put(std::move(context), std::move(partition), std::move(key), std::move(value), std::move(guard));
}
Task<Result<WriteAnswer>> ForwardingMetadataStore::CreateIfAbsent(OpContext context, Partition partition,
                                                                  std::string key, Buffer value, WriteGuard guard) {
  return inner_.CreateIfAbsent(std::move(context), std::move(partition), std::move(key), std::move(value),
                               std::move(guard));
}
Task<Result<WriteAnswer>> ForwardingMetadataStore::CreateEphemeral(OpContext context, Partition partition,
                                                                   std::string key, Buffer value,
                                                                   std::shared_ptr<MetadataSession> session) {
  return inner_.CreateEphemeral(std::move(context), std::move(partition), std::move(key), std::move(value),
                                std::move(session));
}
Task<Result<WriteAnswer>> ForwardingMetadataStore::CompareAndSet(OpContext context, Partition partition,
                                                                 std::string key, Buffer value, std::int64_t version,
                                                                 WriteGuard guard) {
  return inner_.CompareAndSet(std::move(context), std::move(partition), std::move(key), std::move(value), version,
                              std::move(guard));
}
Task<Status> ForwardingMetadataStore::Delete(OpContext context, Partition partition, std::string key,
                                             WriteGuard guard) {
  return inner_.Delete(std::move(context), std::move(partition), std::move(key), std::move(guard));
}
Task<Status> ForwardingMetadataStore::DeleteRange(OpContext context, Partition partition, std::string from,
                                                  std::string to, WriteGuard guard) {
  return inner_.DeleteRange(std::move(context), std::move(partition), std::move(from), std::move(to),
                            std::move(guard));
}
Task<Result<KeyPage>> ForwardingMetadataStore::List(OpContext context, KeyRange range, std::string cursor,
                                                    int limit) {
  return inner_.List(std::move(context), std::move(range), std::move(cursor), limit);
}
Task<Result<ScanPage>> ForwardingMetadataStore::Scan(OpContext context, KeyRange range, std::string cursor,
                                                     int limit) {
  return inner_.Scan(std::move(context), std::move(range), std::move(cursor), limit);
}
Task<std::vector<Result<SequencedPutAnswer>>> ForwardingMetadataStore::SequencedPut(
    OpContext context, std::vector<SequencedPutRequest> requests) {
  return inner_.SequencedPut(std::move(context), std::move(requests));
}
Task<Result<std::shared_ptr<MetadataSession>>> ForwardingMetadataStore::OpenSession(OpContext context,
                                                                                    Duration timeout) {
  return inner_.OpenSession(std::move(context), timeout);
}
std::uint64_t ForwardingMetadataStore::ChangeHint(const Partition& partition) { return inner_.ChangeHint(partition); }
Task<Status> ForwardingMetadataStore::AwaitChange(OpContext context, Partition partition, std::uint64_t seen) {
  return inner_.AwaitChange(std::move(context), std::move(partition), seen);
}
std::vector<Partition> ForwardingMetadataStore::ShardPartitions() const { return inner_.ShardPartitions(); }
MetadataCapabilities ForwardingMetadataStore::capabilities() const { return inner_.capabilities(); }

}  // namespace lakestream
