#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "format/compaction_record.h"
#include "log/catalog/stream_catalog.h"
#include "log/gc/collector.h"
#include "log/holds/holds.h"
#include "log/reader/testing/reader_world.h"

namespace lakestream {

/// Something that happens at each call of a pass, whichever store it goes to. Calls are counted from 1.
struct CallHook {
  int calls = 0;
  std::function<Task<Status>(int call)> before;  ///< an error is the call's answer, and the store never sees it
  std::function<Status(int call)> after;         ///< an error is the answer that the caller gets

  template <class R>
  static Task<R> Run(CallHook& hook, Task<R> inner) {
    const int call = ++hook.calls;
    if (hook.before) {
      Task<Status> first = hook.before(call);
      LS_CO_TRY(co_await first);
    }
    R answer = co_await inner;
    if (hook.after) LS_CO_TRY(hook.after(call));
    co_return answer;
  }
};

class HookedMetadataStore final : public ForwardingMetadataStore {
 public:
  HookedMetadataStore(MetadataStore& inner, CallHook& hook) : ForwardingMetadataStore(inner), hook_(hook) {}

  Task<Result<std::vector<ReadAnswer>>> Read(OpContext context, std::vector<ReadRequest> requests) override {
    return CallHook::Run(hook_, inner().Read(std::move(context), std::move(requests)));
  }
  Task<Result<WriteAnswer>> Put(OpContext context, Partition partition, std::string key, Buffer value,
                                WriteGuard guard) override {
    return CallHook::Run(hook_, inner().Put(std::move(context), std::move(partition), std::move(key), std::move(value),
                                            std::move(guard)));
  }
  Task<Result<WriteAnswer>> CreateIfAbsent(OpContext context, Partition partition, std::string key, Buffer value,
                                           WriteGuard guard) override {
    return CallHook::Run(hook_, inner().CreateIfAbsent(std::move(context), std::move(partition), std::move(key),
                                                       std::move(value), std::move(guard)));
  }
  Task<Result<WriteAnswer>> CompareAndSet(OpContext context, Partition partition, std::string key, Buffer value,
                                          std::int64_t version, WriteGuard guard) override {
    return CallHook::Run(hook_, inner().CompareAndSet(std::move(context), std::move(partition), std::move(key),
                                                      std::move(value), version, std::move(guard)));
  }
  Task<Status> Delete(OpContext context, Partition partition, std::string key, WriteGuard guard) override {
    return CallHook::Run(hook_,
                         inner().Delete(std::move(context), std::move(partition), std::move(key), std::move(guard)));
  }
  Task<Status> DeleteRange(OpContext context, Partition partition, std::string from, std::string to,
                           WriteGuard guard) override {
    return CallHook::Run(hook_, inner().DeleteRange(std::move(context), std::move(partition), std::move(from),
                                                    std::move(to), std::move(guard)));
  }
  Task<Result<KeyPage>> List(OpContext context, KeyRange range, std::string cursor, int limit) override {
    return CallHook::Run(hook_, inner().List(std::move(context), std::move(range), std::move(cursor), limit));
  }
  Task<Result<ScanPage>> Scan(OpContext context, KeyRange range, std::string cursor, int limit) override {
    return CallHook::Run(hook_, inner().Scan(std::move(context), std::move(range), std::move(cursor), limit));
  }

 private:
  CallHook& hook_;
};

class HookedObjectStore final : public ForwardingObjectStore {
 public:
  HookedObjectStore(ObjectStore& inner, CallHook& hook) : ForwardingObjectStore(inner), hook_(hook) {}

  Task<Status> Put(OpContext context, std::string key, BufferChain bytes, PutMode mode) override {
    return CallHook::Run(hook_, inner().Put(std::move(context), std::move(key), std::move(bytes), mode));
  }
  Task<Result<ObjectInfo>> Head(OpContext context, std::string key) override {
    return CallHook::Run(hook_, inner().Head(std::move(context), std::move(key)));
  }
  Task<Result<ListPage>> List(OpContext context, std::string prefix, std::string start_after, int limit) override {
    return CallHook::Run(hook_, inner().List(std::move(context), std::move(prefix), std::move(start_after), limit));
  }
  Task<Status> Delete(OpContext context, std::vector<std::string> keys) override {
    return CallHook::Run(hook_, inner().Delete(std::move(context), std::move(keys)));
  }
  Task<Result<ObjectLeftovers>> RemoveLeftovers(OpContext context, WallTime before) override {
    return CallHook::Run(hook_, inner().RemoveLeftovers(std::move(context), before));
  }

 private:
  CallHook& hook_;
};

/// A deployment with a stream of two partitions, and collectors of it. Its grace is an hour.
class GcWorld : public ReaderWorld {
 public:
  static constexpr Duration kGrace = std::chrono::hours(1);
  static constexpr Duration kTick = std::chrono::milliseconds(1);

  explicit GcWorld(std::uint64_t seed = 1, int shards = 4)
      : ReaderWorld(seed, ReaderOptions(), shards),
        catalog(sim.runtime(), memory_meta),
        hooked_meta(memory_meta, hook),
        hooked_wal(memory_objects, hook),
        hooked_compacted(memory_compacted, hook) {
    options.grace = kGrace;
    const auto made = sim.Run(catalog.CreateStream(OpContext(), *StreamIdentifier::Parse("s"), 2, {}));
    EXPECT_TRUE(made.ok()) << made.status().ToString();
    a = made->logs[0];
    b = made->logs[1];
  }

  static std::string Uuid(int number) {
    std::string digits = std::to_string(number);
    return "3f2b8f5e-1c2d-4e3f-8a9b-" + std::string(12 - digits.size(), '0') + digits;
  }
  static std::string Wal(int number) { return "2026/11/30/10/0010-" + Uuid(number); }
  static std::string File(int number) { return "lks-" + Uuid(number) + ".parquet"; }

  /// A WAL object with an entry of a log, and its index record, whose key this gives.
  std::string Entry(LogId log, int number) { return Append(log, Wal(number), {{1, "abc"}}); }
  /// One that nothing names.
  void Orphan(int number) { PutBytes(memory_objects, Wal(number), "orphan"); }
  void PutBytes(ObjectStore& store, const std::string& key, const std::string& bytes) {
    const BufferChain chain(Buffer::CopyOf(bytes));
    ASSERT_TRUE(sim.Run(store.Put(OpContext(), key, chain, PutMode::kCreate)).ok()) << key;
  }
  /// A compacted file and its companion.
  void Compacted(int number, const std::string& stream = "s") {
    for (const char* end : {".parquet", ".index"}) {
      PutBytes(memory_compacted, "default/" + stream + "/lks-" + Uuid(number) + end, "rows");
    }
  }
  /// The value of a PARQUET record of one entry that names a file.
  static std::string ParquetValue(int number, std::int64_t last_offset = 0) {
    FileIndex files;
    files.files.push_back(CompactedFile{Offset(last_offset), File(number)});
    const Result<EntryIndex> index = MakeParquetEntryIndex(files, 1, 3);
    EXPECT_TRUE(index.ok()) << index.status().ToString();
    return EncodeEntryIndex(*index);
  }
  static CompactionRecord Working(int number) {
    CompactionRecord record;
    record.state = CompactionWorking{"s-1", CompactionRange{Offset(0), Offset(1)}, {File(number)}};
    return record;
  }
  static CompactionRecord Installing(LogId log, int number) {
    CompactionRecord record;
    record.state = CompactionInstalling{"s-1", CompactionRange{Offset(0), Offset(1)}, IndexKey{log, Offset(1), 3},
                                        ParquetValue(number)};
    return record;
  }
  static CompactionRecord Idle() {
    CompactionRecord record;
    record.state = CompactionIdle{Offset(0)};
    return record;
  }
  void PutWork(LogId log, const CompactionRecord& record) {
    PutMeta(log, CompactionRecordKey(log), *EncodeCompactionRecord(record, log));
  }
  void DeleteKey(LogId log, const std::string& key) {
    ASSERT_TRUE(sim.Run(memory_meta.Delete(OpContext(), Partition::OfLog(log), key, WriteGuard())).ok());
  }
  void Age(Duration by) { ASSERT_TRUE(sim.RunFor(by).ok()); }

  Collector MakeCollector() {
    const CollectorParts parts{sim.runtime(), hooked_meta, hooked_wal, hooked_compacted, catalog};
    return Collector(parts, options);
  }
  Result<CollectionReport> Pass() { return PassOn(hooked_wal); }
  Result<CollectionReport> PassOn(ObjectStore& wal) {
    told.clear();
    const CollectionObserver observer = [this](const CollectedObject& object) {
      told.push_back(std::string(CollectedOutcomeName(object.outcome)) + " " + object.object);
    };
    Collector collector(CollectorParts{sim.runtime(), hooked_meta, wal, hooked_compacted, catalog}, options);
    return sim.Run(collector.Pass(OpContext(), observer));
  }
  /// What a pass did, in short: "waiting 1, garbage 2, deleted 2"; or its error.
  std::string PassText() { return Text(Pass()); }
  static std::string Text(const Result<CollectionReport>& report) {
    if (!report.ok()) return report.status().ToString();
    const auto sum = [&](CollectedRoot::Count CollectedRoot::*count) {
      return std::to_string((report->wal.*count).objects + (report->compacted.*count).objects);
    };
    return "waiting " + sum(&CollectedRoot::waiting) + ", garbage " + sum(&CollectedRoot::garbage) + ", deleted " +
           sum(&CollectedRoot::deleted) + (report->overtaken ? ", overtaken" : "");
  }
  /// Passes until nothing waits any more, a grace and a bit apart.
  void PassUntilClean() {
    for (int i = 0; i < 5; ++i) {
      Age(kGrace + kTick);
      const std::string text = PassText();
      if (text == "waiting 0, garbage 0, deleted 0") return;
    }
    FAIL() << PassText();
  }

  bool Exists(ObjectStore& store, const std::string& key) { return sim.Run(store.Head(OpContext(), key)).ok(); }
  bool HasWal(int number) { return Exists(memory_objects, Wal(number)); }
  bool HasFile(int number, const std::string& stream = "s") {
    const std::string stem = "default/" + stream + "/lks-" + Uuid(number);
    const bool file = Exists(memory_compacted, stem + ".parquet");
    EXPECT_EQ(file, Exists(memory_compacted, stem + ".index")) << "a file and its companion go together";
    return file;
  }
  std::vector<std::string> Keys(ObjectStore& store) {
    const auto page = sim.Run(store.List(OpContext(), "", "", 10'000));
    EXPECT_TRUE(page.ok());
    std::vector<std::string> keys;
    for (const ObjectInfo& info : page->objects) keys.push_back(info.key);
    return keys;
  }
  /// Keys of records that passes have left.
  std::vector<std::string> GcRecords() {
    std::vector<std::string> keys;
    for (const MetadataRecord& record : memory_meta.backend()->Dump()) {
      if (record.key.starts_with("/lakestream/gc/")) keys.push_back(record.key);
    }
    return keys;
  }

  StreamCatalog catalog;
  CallHook hook;
  HookedMetadataStore hooked_meta;
  HookedObjectStore hooked_wal;
  HookedObjectStore hooked_compacted;
  CollectorOptions options;
  std::vector<std::string> told;  ///< by the last pass: outcomes and objects
  LogId a;
  LogId b;
};

}  // namespace lakestream
