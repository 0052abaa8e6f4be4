#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/try.h"
#include "format/catalog_records.h"
#include "format/index_key.h"
#include "log/catalog/stream_catalog.h"
#include "log/catalog/stream_lister.h"
#include "meta/memory/memory_metadata_store.h"
#include "runtime/sim/sim_runtime.h"

namespace lakestream {

/// Stops at the n-th call, as a process does that dies there: that call and all later ones fail. The n-th one
/// reaches the store before, or not.
class CrashStore final : public ForwardingMetadataStore {
 public:
  CrashStore(MetadataStore& inner, int calls_before, bool apply_last)
      : ForwardingMetadataStore(inner), left_(calls_before), apply_last_(apply_last) {}
  bool crashed() const { return crashed_; }

  Task<Result<std::vector<ReadAnswer>>> Read(OpContext context, std::vector<ReadRequest> requests) override {
    return Run<Result<std::vector<ReadAnswer>>>(*this, inner().Read(std::move(context), std::move(requests)));
  }
  Task<Result<WriteAnswer>> Put(OpContext context, Partition partition, std::string key, Buffer value,
                                WriteGuard guard) override {
    return Run<Result<WriteAnswer>>(*this, inner().Put(std::move(context), std::move(partition), std::move(key),
                                                       std::move(value), std::move(guard)));
  }
  Task<Result<WriteAnswer>> CreateIfAbsent(OpContext context, Partition partition, std::string key, Buffer value,
                                           WriteGuard guard) override {
    return Run<Result<WriteAnswer>>(*this,
                                    inner().CreateIfAbsent(std::move(context), std::move(partition), std::move(key),
                                                           std::move(value), std::move(guard)));
  }
  Task<Result<WriteAnswer>> CompareAndSet(OpContext context, Partition partition, std::string key, Buffer value,
                                          std::int64_t version, WriteGuard guard) override {
    return Run<Result<WriteAnswer>>(*this,
                                    inner().CompareAndSet(std::move(context), std::move(partition), std::move(key),
                                                          std::move(value), version, std::move(guard)));
  }
  Task<Status> Delete(OpContext context, Partition partition, std::string key, WriteGuard guard) override {
    return Run<Status>(*this,
                       inner().Delete(std::move(context), std::move(partition), std::move(key), std::move(guard)));
  }
  Task<Status> DeleteRange(OpContext context, Partition partition, std::string from, std::string to,
                           WriteGuard guard) override {
    return Run<Status>(*this, inner().DeleteRange(std::move(context), std::move(partition), std::move(from),
                                                  std::move(to), std::move(guard)));
  }
  Task<Result<KeyPage>> List(OpContext context, KeyRange range, std::string cursor, int limit) override {
    return Run<Result<KeyPage>>(*this, inner().List(std::move(context), std::move(range), std::move(cursor), limit));
  }
  Task<Result<ScanPage>> Scan(OpContext context, KeyRange range, std::string cursor, int limit) override {
    return Run<Result<ScanPage>>(*this, inner().Scan(std::move(context), std::move(range), std::move(cursor), limit));
  }

 private:
  template <class R>
  static Task<R> Run(CrashStore& self, Task<R> call) {
    const bool last = self.left_-- == 0;
    if (self.left_ >= 0) co_return co_await call;
    self.crashed_ = true;
    if (last && self.apply_last_) {
      const R lost = co_await call;
      (void)lost;
    }
    co_return Unavailable("the process is gone");
  }

  int left_;
  const bool apply_last_;
  bool crashed_ = false;
};

/// Does the n-th swap and loses its answer; before anybody looks, something else happens.
class OvertakenStore final : public ForwardingMetadataStore {
 public:
  OvertakenStore(MetadataStore& inner, int n, std::function<Task<Status>()> meanwhile)
      : ForwardingMetadataStore(inner), left_(n), meanwhile_(std::move(meanwhile)) {}

  Task<Result<WriteAnswer>> CompareAndSet(OpContext context, Partition partition, std::string key, Buffer value,
                                          std::int64_t version, WriteGuard guard) override {
    Result<WriteAnswer> set = co_await inner().CompareAndSet(context, partition, key, value, version, guard);
    if (--left_ != 0) co_return set;
    EXPECT_TRUE(set.ok()) << set.status().ToString();
    Task<Status> change = meanwhile_();
    const Status changed = co_await change;
    EXPECT_TRUE(changed.ok()) << changed.ToString();
    co_return Indeterminate("the answer was lost");
  }

 private:
  int left_;
  const std::function<Task<Status>()> meanwhile_;
};

/// A tombstone as this project writes it.
inline constexpr char kTombstone[] =
    "{\"partitions\":0,\"partitioning\":{\"config\":{\"numPartitions\":\"0\"}},\"_creationKind\":\"NATIVE_CREATE\","
    "\"_provisioning\":true,\"_provisioningState\":\"DROPPED\",\"_purgeRequested\":true}";

class CatalogWorld {
 public:
  explicit CatalogWorld(std::uint64_t seed = 1, int shards = 4)
      : sim(seed), meta(sim.runtime(), MemoryMetadataOptions{shards}), catalog(sim.runtime(), meta) {}

  Result<StreamMetadata> Create(const std::string& name, int partitions,
                                std::map<std::string, std::string> properties = {}) {
    return sim.Run(
        catalog.CreateStream(OpContext(), *StreamIdentifier::Parse(name), partitions, std::move(properties)));
  }
  Result<StreamMetadata> Load(const std::string& name) {
    return sim.Run(catalog.LoadStream(OpContext(), *StreamIdentifier::Parse(name)));
  }
  /// All streams, page by page, ordered by identity.
  Result<std::vector<StreamListing>> List(std::optional<std::string> ns = std::nullopt) {
    StreamLister lister = catalog.ListStreams(std::move(ns));
    std::vector<StreamListing> all;
    while (true) {
      LS_ASSIGN(const std::vector<StreamListing> page, sim.Run(lister.Next(OpContext())));
      if (page.empty()) break;
      all.insert(all.end(), page.begin(), page.end());
    }
    std::sort(all.begin(), all.end(), [](const StreamListing& a, const StreamListing& b) { return a.id < b.id; });
    return all;
  }
  std::map<std::string, std::string> Records() {
    std::map<std::string, std::string> records;
    for (const MetadataRecord& record : meta.backend()->Dump())
      records[record.key] = std::string(record.value.text());
    return records;
  }
  void Put(const std::string& key, const std::string& value) { Put(key, value, key); }
  void Put(const std::string& key, const std::string& value, const std::string& partition) {
    ASSERT_TRUE(
        sim.Run(meta.Put(OpContext(), Partition::Named(partition), key, Buffer::CopyOf(value), WriteGuard())).ok());
  }
  /// Something where an index record of the log would be; its key.
  std::string PutIndexRecord(LogId log, std::int64_t end) {
    std::string key = IndexKey{log, Offset(end), end}.Encode();
    Put(key, "entries", log.ToString());
    return key;
  }
  /// What a drop puts first.
  void PutTombstone(const std::string& ns, const std::string& name) { Put(StreamTombstoneKey(ns, name), kTombstone); }

  /// Every id that a mapping names, each named once; every registration belongs to the mapping that has its id.
  std::set<std::int64_t> CheckIds() {
    std::map<std::int64_t, std::string> named;
    const std::map<std::string, std::string> records = Records();
    for (const auto& [key, value] : records) {
      if (!key.starts_with("/stream-id-generator/")) continue;
      const auto mapping = DecodeLogMapping(value, key);
      EXPECT_TRUE(mapping.ok());
      EXPECT_TRUE(named.emplace(mapping->log.value(), key.substr(21)).second) << "id twice: " << value;
    }
    std::set<std::int64_t> ids;
    for (const auto& [id, name] : named) {
      ids.insert(id);
      const auto registered = records.find("/stream-id/" + std::to_string(id));
      if (registered == records.end()) continue;
      EXPECT_EQ(DecodeLogRegistration(registered->second, "")->key, name);
    }
    return ids;
  }

  SimScheduler sim;
  MemoryMetadataStore meta;
  StreamCatalog catalog;
};

}  // namespace lakestream
