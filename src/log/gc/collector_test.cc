#include "log/gc/collector.h"

#include <gtest/gtest.h>

#include "format/collection_records.h"
#include "log/gc/candidate_list.h"
#include "log/gc/testing/gc_world.h"
#include "runtime/when_all.h"

namespace lakestream {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using Strings = std::vector<std::string>;

constexpr Duration kGrace = GcWorld::kGrace;
constexpr Duration kTick = GcWorld::kTick;

TEST(Collector, TwoPassesAndTwoGraces) {
  GcWorld w;
  w.Orphan(1);
  w.Age(kGrace);
  EXPECT_EQ(w.PassText(), "waiting 0, garbage 0, deleted 0") << "just as old as the grace";
  w.Age(kTick);
  EXPECT_EQ(w.PassText(), "waiting 1, garbage 0, deleted 0");
  EXPECT_EQ(w.PassText(), "waiting 1, garbage 0, deleted 0") << "two passes in a row are no wait";
  w.Age(kGrace);
  EXPECT_EQ(w.PassText(), "waiting 1, garbage 0, deleted 0") << "it has waited for just the grace";
  EXPECT_TRUE(w.HasWal(1));
  w.Age(kTick);
  EXPECT_EQ(w.PassText(), "waiting 0, garbage 1, deleted 1");
  EXPECT_FALSE(w.HasWal(1));
  EXPECT_EQ(w.told, Strings({"deleting wal/" + GcWorld::Wal(1), "deleted wal/" + GcWorld::Wal(1)}));
  EXPECT_EQ(w.PassText(), "waiting 0, garbage 0, deleted 0");
}

TEST(Collector, TellsWhatIsThere) {
  GcWorld w;
  w.Entry(w.a, 1);
  w.Orphan(2);
  w.Compacted(3);
  w.PutBytes(w.memory_objects, "readme.txt", "hello");
  w.Age(kGrace + kTick);
  w.Orphan(4);
  const Result<CollectionReport> report = w.Pass();
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  EXPECT_EQ(report->pass, 1);
  EXPECT_EQ(report->index_records, 1);
  EXPECT_EQ(report->wal.all.objects, 4);
  EXPECT_EQ(report->wal.named.objects, 1);
  EXPECT_EQ(report->wal.waiting.objects, 1);
  EXPECT_EQ(report->wal.waiting.bytes, 6);
  EXPECT_EQ(report->wal.young.objects, 1);
  EXPECT_EQ(report->wal.foreign.objects, 1);
  EXPECT_EQ(report->wal.foreign.bytes, 5);
  EXPECT_EQ(report->compacted.waiting.objects, 2);
  EXPECT_EQ(*report->next, report->started + kGrace);
}

TEST(Collector, WhatIsNamedStays) {
  GcWorld w;
  w.Entry(w.a, 1);
  w.Entry(w.b, 2);
  w.Entry(LogId(999), 3);  // registered nowhere
  for (const int file : {4, 5, 6}) w.Compacted(file);
  w.PutMeta(w.a, IndexKey{w.a, Offset(2), 6}.Encode(), GcWorld::ParquetValue(4, 1));
  w.PutWork(w.a, GcWorld::Working(5));
  w.PutWork(w.b, GcWorld::Installing(w.b, 6));
  w.PassUntilClean();
  for (const int wal : {1, 2, 3}) EXPECT_TRUE(w.HasWal(wal)) << wal;
  for (const int file : {4, 5, 6}) EXPECT_TRUE(w.HasFile(file)) << file;
  w.PutWork(w.a, GcWorld::Idle());
  w.PassUntilClean();
  EXPECT_FALSE(w.HasFile(5)) << "its work was given up";
  for (const int file : {4, 6}) EXPECT_TRUE(w.HasFile(file)) << file;
}

TEST(Collector, OthersObjectsStay) {
  GcWorld w;
  const Strings files = {"default/s/ursa-3f2b8f5e.index", "default/s/ursa-3f2b8f5e.parquet", "notes.txt"};
  for (const std::string& key : files) w.PutBytes(w.memory_compacted, key, "theirs");
  w.PutBytes(w.memory_objects, "backup/of/something", "theirs");
  w.PassUntilClean();
  EXPECT_EQ(w.Keys(w.memory_compacted), files);
  EXPECT_EQ(w.Keys(w.memory_objects), Strings({"backup/of/something"}));
}

TEST(Collector, WhatIsNamedAgainWaitsAnew) {
  GcWorld w;
  w.Orphan(1);
  w.Age(kGrace + kTick);
  EXPECT_EQ(w.PassText(), "waiting 1, garbage 0, deleted 0");
  EntryIndex index;
  index.location = GcWorld::Wal(1);
  index.message_count = 1;
  index.entry_size_bytes = 6;
  index.file_size = 6;
  index.offset_in_file = -1;
  index.entry_count = 1;
  const std::string key = IndexKey{w.a, Offset(1), 6}.Encode();
  w.PutMeta(w.a, key, EncodeEntryIndex(index));
  w.Age(kGrace + kTick);
  EXPECT_EQ(w.PassText(), "waiting 0, garbage 0, deleted 0") << "it is no candidate any more";
  w.DeleteKey(w.a, key);
  EXPECT_EQ(w.PassText(), "waiting 1, garbage 0, deleted 0");
  w.Age(kGrace);
  EXPECT_EQ(w.PassText(), "waiting 1, garbage 0, deleted 0");
  w.Age(kTick);
  EXPECT_EQ(w.PassText(), "waiting 0, garbage 1, deleted 1");
}

TEST(Collector, APassThatTakesLongDeletesNothingMore) {
  GcWorld w;
  w.Orphan(1);
  w.Age(kGrace + kTick);
  w.PassText();
  w.Age(kGrace);
  w.hook.calls = 0;
  w.hook.before = [&](int call) -> Task<Status> {
    if (call != 20) co_return OkStatus();
    Task<Status> sleep = SleepFor(w.sim.runtime(), OpContext(), kGrace);
    co_return co_await sleep;
  };
  EXPECT_EQ(w.PassText(), "waiting 1, garbage 0, deleted 0") << "when it started the wait was not over";
  EXPECT_GT(w.hook.calls, 20);
  w.hook.before = nullptr;
  EXPECT_EQ(w.PassText(), "waiting 0, garbage 1, deleted 1");
}

TEST(Collector, AReaderHasTheGraceToReadWhatItsRecordNames) {
  GcWorld w;
  const std::string key = w.Entry(w.a, 1);
  w.Entry(w.a, 2);
  w.Age(hours(10));
  EXPECT_EQ(w.PassText(), "waiting 0, garbage 0, deleted 0");
  w.DeleteKey(w.a, key);
  Duration since{};
  while (w.HasWal(1)) {
    ASSERT_LT(since, 3 * kGrace);
    w.Age(minutes(7));
    since += minutes(7);
    w.PassText();
    EXPECT_TRUE(since > kGrace || w.HasWal(1)) << since / minutes(1) << " min";
  }
  EXPECT_TRUE(w.HasWal(2));
}

/// The index put of a writer that stood still may land at any call of a pass.
TEST(Collector, AWriterThatStandsStillLosesNothing) {
  for (const Duration age : {Duration(0), Duration(minutes(6)), kGrace, kGrace + kTick}) {
    for (int at = 1; at < 60; ++at) {
      GcWorld w;
      w.Orphan(9);
      w.Age(kGrace + kTick);
      w.PassText();
      w.Age(kGrace + kTick);
      const std::vector<TestSection> sections(1, TestSection{w.a, {{1, "abc"}}});
      const EntryIndex index = w.RecordOf(w.PutObject(GcWorld::Wal(1), sections)[0], GcWorld::Wal(1));
      w.Age(age);
      const std::string key = IndexKey{w.a, Offset(1), 3}.Encode();
      w.hook.before = [&](int call) -> Task<Status> {
        if (call != at) co_return OkStatus();
        const Buffer value(EncodeEntryIndex(index));
        Task<Result<WriteAnswer>> put = w.memory_meta.Put(OpContext(), Partition::OfLog(w.a), key, value, WriteGuard());
        co_return (co_await put).status();
      };
      w.hook.calls = 0;
      ASSERT_TRUE(w.Pass().ok());
      const int calls = w.hook.calls;
      w.hook.before = nullptr;
      if (at > calls) break;
      w.PassUntilClean();
      EXPECT_TRUE(w.HasWal(1)) << "age " << age / minutes(1) << " min, at call " << at;
      EXPECT_FALSE(w.HasWal(9));
    }
  }
}

/// working, installing and the index: a file goes from one to the next at any calls of a pass.
TEST(Collector, ACompactorThatStandsStillLosesNothing) {
  for (const int stride : {0, 1, 2, 5}) {
    for (int at = 1; at < 60; ++at) {
      GcWorld w;
      w.Compacted(1);
      w.PutWork(w.a, GcWorld::Working(1));
      w.Age(kGrace + kTick);
      const std::vector<std::pair<std::string, std::string>> steps = {
          {CompactionRecordKey(w.a), *EncodeCompactionRecord(GcWorld::Installing(w.a, 1), w.a)},
          {IndexKey{w.a, Offset(1), 3}.Encode(), GcWorld::ParquetValue(1)},
          {CompactionRecordKey(w.a), *EncodeCompactionRecord(GcWorld::Idle(), w.a)}};
      w.hook.before = [&](int call) -> Task<Status> {
        for (int step = 0; step < 3; ++step) {
          if (call != at + step * stride) continue;
          const auto& [key, bytes] = steps[static_cast<std::size_t>(step)];
          const Buffer value = Buffer::CopyOf(bytes);
          Task<Result<WriteAnswer>> put =
              w.memory_meta.Put(OpContext(), Partition::OfLog(w.a), key, value, WriteGuard());
          LS_CO_TRY((co_await put).status());
        }
        co_return OkStatus();
      };
      w.hook.calls = 0;
      EXPECT_EQ(w.PassText(), "waiting 0, garbage 0, deleted 0") << "stride " << stride << ", at call " << at;
      const int calls = w.hook.calls;
      w.hook.before = nullptr;
      if (at > calls) break;
      EXPECT_TRUE(w.HasFile(1));
    }
  }
}

TEST(Collector, WhatADropLeavesGoes) {
  GcWorld w;
  w.Entry(w.a, 1);
  w.Compacted(2);
  w.Compacted(3);
  w.PutWork(w.a, GcWorld::Installing(w.a, 2));
  w.PutWork(w.b, GcWorld::Working(3));
  ASSERT_TRUE(w.sim.Run(w.catalog.DropStream(OpContext(), *StreamIdentifier::Parse("s"))).ok());
  // An index put that was under way.
  w.Entry(w.a, 4);
  const Result<CollectionReport> report = w.Pass();
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  EXPECT_EQ(report->dropped_logs, 2);
  EXPECT_EQ(report->sweep.late_logs, 1);
  w.PassUntilClean();
  EXPECT_TRUE(w.Keys(w.memory_objects).empty());
  EXPECT_TRUE(w.Keys(w.memory_compacted).empty());
  EXPECT_EQ(w.Pass()->dropped_logs, 0) << "once is enough";
}

TEST(Collector, ADropUnderWayKeepsItsFiles) {
  GcWorld w;
  w.Compacted(1);
  w.PutWork(w.a, GcWorld::Installing(w.a, 1));
  w.PutMeta(w.a, WriteFenceKey(w.a), std::string(kWriteFenceValue));
  w.PassUntilClean();
  EXPECT_TRUE(w.HasFile(1)) << "C3 may be done, and the log can still be read";
}

TEST(Collector, WhatUploadsLeftGoesOnceItIsOld) {
  GcWorld w;
  const auto leave = [&w](ObjectStore& store) {
    auto upload = w.sim.Run(store.StartUpload(OpContext(), "default/s/x", PutMode::kCreate));
    const BufferChain bytes(Buffer::CopyOf("rows"));
    EXPECT_TRUE(w.sim.Run((*upload)->Append(OpContext(), bytes)).ok());
  };
  leave(w.memory_compacted);
  leave(w.memory_compacted);
  leave(w.memory_objects);
  w.Age(kGrace);
  leave(w.memory_compacted);
  w.options.grace = kGrace + kTick;
  EXPECT_EQ(w.Pass()->compacted.leftovers.objects, 0) << "as old as the grace, at most";
  w.options.grace = kGrace;
  w.Age(kTick);
  const Result<CollectionReport> report = w.Pass();
  EXPECT_EQ(report->compacted.leftovers.objects, 2);
  EXPECT_EQ(report->compacted.leftovers.bytes, 8);
  EXPECT_EQ(report->wal.leftovers.objects, 1);
  EXPECT_EQ(w.Pass()->compacted.leftovers.objects, 0) << "one is young";
  w.Age(kGrace + kTick);
  EXPECT_EQ(w.Pass()->compacted.leftovers.objects, 1);
}

TEST(Collector, AHoldKeepsEverything) {
  GcWorld w;
  w.Orphan(1);
  w.Age(kGrace + kTick);
  w.PassText();
  w.Age(kGrace + kTick);
  ASSERT_TRUE(w.sim.Run(AddHold(w.sim.runtime(), w.memory_meta, OpContext(), "audit", "r")).ok());
  const Result<CollectionReport> held = w.Pass();
  EXPECT_EQ(GcWorld::Text(held), "waiting 0, garbage 1, deleted 0");
  EXPECT_EQ(held->holds, Strings({"audit"}));
  EXPECT_TRUE(w.told.empty());
  ASSERT_TRUE(w.sim.Run(ReleaseHold(w.memory_meta, OpContext(), "audit")).ok());
  EXPECT_EQ(w.PassText(), "waiting 0, garbage 1, deleted 1");
}

/// Scans and listings of everything below a prefix come to nothing.
class BlindStore final : public ForwardingMetadataStore {
 public:
  BlindStore(MetadataStore& inner, std::string to) : ForwardingMetadataStore(inner), to_(std::move(to)) {}

  Task<Result<KeyPage>> List(OpContext context, KeyRange range, std::string cursor, int limit) override {
    if (range.from.starts_with(to_)) co_return KeyPage();
    Task<Result<KeyPage>> list = inner().List(std::move(context), std::move(range), std::move(cursor), limit);
    co_return co_await list;
  }
  Task<Result<ScanPage>> Scan(OpContext context, KeyRange range, std::string cursor, int limit) override {
    if (range.from.starts_with(to_)) co_return ScanPage();
    Task<Result<ScanPage>> scan = inner().Scan(std::move(context), std::move(range), std::move(cursor), limit);
    co_return co_await scan;
  }

 private:
  const std::string to_;
};

TEST(Collector, AHoldIsSeenThoughEveryScanIsCut) {
  GcWorld w;
  w.Orphan(1);
  w.Age(kGrace + kTick);
  w.PassText();
  ASSERT_TRUE(w.sim.Run(AddHold(w.sim.runtime(), w.memory_meta, OpContext(), "audit", "r")).ok());
  w.Age(kGrace + kTick);
  BlindStore blind(w.memory_meta, "/lakestream/holds");
  Collector collector(CollectorParts{w.sim.runtime(), blind, w.memory_objects, w.memory_compacted, w.catalog}, w.options);
  const Result<CollectionReport> held = w.sim.Run(collector.Pass(OpContext(), [](const CollectedObject&) {}));
  EXPECT_EQ(GcWorld::Text(held), "waiting 0, garbage 1, deleted 0");
  EXPECT_TRUE(w.HasWal(1));
}

TEST(Collector, NothingGoesWhereHoldsCannotBeRead) {
  GcWorld w;
  w.Orphan(1);
  w.Age(kGrace + kTick);
  w.PassText();
  w.Age(kGrace + kTick);
  const std::string key(kCollectionHoldsKey);
  const Buffer value = Buffer::CopyOf("{}");
  ASSERT_TRUE(w.sim.Run(w.memory_meta.Put(OpContext(), Partition::OfKey(key), key, value, WriteGuard())).ok());
  EXPECT_EQ(w.Pass().status().code(), StatusCode::kCorrupt);
  EXPECT_TRUE(w.HasWal(1));
}

TEST(Collector, AHoldThatComesMeanwhileStopsThePassThere) {
  GcWorld w;
  for (int i = 1; i <= 5; ++i) w.Orphan(i);
  w.Age(kGrace + kTick);
  w.PassText();
  w.Age(kGrace + kTick);
  w.options.deletes_at_once = 1;
  w.options.deletes_per_second = 1;
  w.hook.before = [&](int) -> Task<Status> {
    if (w.told.size() != 4) co_return OkStatus();  // two are deleted
    Task<Status> add = AddHold(w.sim.runtime(), w.memory_meta, OpContext(), "audit", "r");
    (void)co_await add;  // it stands already at the next calls
    co_return OkStatus();
  };
  EXPECT_EQ(w.PassText(), "waiting 0, garbage 5, deleted 2");
  EXPECT_EQ(w.Keys(w.memory_objects).size(), 3u);
}

TEST(Collector, ManyCandidatesGoInBatches) {
  GcWorld w;
  constexpr int kMany = 1203;  // three records of candidates
  for (int i = 0; i < kMany; ++i) w.Orphan(i);
  w.Age(kGrace + kTick);
  EXPECT_EQ(w.PassText(), "waiting 1203, garbage 0, deleted 0");
  EXPECT_EQ(w.GcRecords().size(), 5u) << "a pass, its result and its candidates";
  w.Age(kGrace + kTick);
  const MonotonicTime before = w.sim.Now();
  EXPECT_EQ(w.PassText(), "waiting 0, garbage 1203, deleted 1203");
  EXPECT_GE(w.sim.Now() - before, std::chrono::seconds(5)) << "200 a second";
  EXPECT_EQ(w.told.size(), 2u * kMany);
  EXPECT_TRUE(w.Keys(w.memory_objects).empty());
  EXPECT_EQ(w.PassText(), "waiting 0, garbage 0, deleted 0");
  EXPECT_EQ(w.GcRecords().size(), 2u);
}

/// A pass stood still for so long that others gave it up and removed its record; then it went on.
TEST(Collector, CandidatesOfAPassThatWasGivenUpGo) {
  GcWorld w;
  w.Orphan(1);
  w.PassUntilClean();
  CollectionCandidate candidate;
  candidate.object = "wal/" + GcWorld::Wal(1);
  std::string value = *EncodeCandidates({candidate});
  const std::string key = CandidatesKey(1, 0);
  const Buffer bytes(std::move(value));
  ASSERT_TRUE(w.sim.Run(w.memory_meta.Put(OpContext(), CollectionHome(), key, bytes, WriteGuard())).ok());
  EXPECT_EQ(w.GcRecords().size(), 3u);
  w.PassUntilClean();
  EXPECT_EQ(w.GcRecords().size(), 2u) << "a pass and its result";
}

Task<Status> PassInto(Collector& collector, Result<CollectionReport>* report) {
  Task<Result<CollectionReport>> pass = collector.Pass(OpContext(), [](const CollectedObject&) {});
  *report = co_await pass;
  co_return report->status();
}

TEST(Collector, TwoAreHarmless) {
  int overtaken = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    GcWorld w(seed);
    w.Entry(w.a, 1);
    w.Compacted(2);
    w.PutWork(w.a, GcWorld::Working(2));
    for (const int orphan : {3, 4, 5}) w.Orphan(orphan);
    w.Age(kGrace + kTick);
    w.PassText();
    w.Orphan(6);
    w.Age(kGrace + kTick);
    Collector one = w.MakeCollector();
    Collector two = w.MakeCollector();
    Result<CollectionReport> first = Internal("has not run");
    Result<CollectionReport> second = first;
    std::vector<Task<Status>> both;
    both.push_back(PassInto(one, &first));
    both.push_back(PassInto(two, &second));
    const auto ended = w.sim.RunUntilDone(WhenAll(w.sim.runtime(), std::move(both)));
    ASSERT_TRUE(ended.has_value());
    for (const Result<CollectionReport>* report : {&first, &second}) {
      const StatusCode code = report->status().code();
      EXPECT_TRUE(code == StatusCode::kOk || code == StatusCode::kUnavailable) << report->status().ToString();
      if (report->ok() && (*report)->overtaken) ++overtaken;
    }
    EXPECT_TRUE(first.ok() || second.ok()) << "seed " << seed;
    EXPECT_TRUE(w.HasWal(6)) << "its first pass was this one";
    w.PassUntilClean();
    EXPECT_EQ(w.Keys(w.memory_objects), Strings({GcWorld::Wal(1)}));
    EXPECT_TRUE(w.HasFile(2));
  }
  EXPECT_GT(overtaken, 0) << "they got into each other's way";
}

TEST(Collector, ADryRunWritesNothing) {
  GcWorld w;
  w.Orphan(1);
  w.Age(kGrace + kTick);
  w.PassText();
  w.Orphan(2);
  w.Age(kGrace + kTick);
  w.hook.before = nullptr;
  const std::vector<MetadataRecord> before = w.memory_meta.backend()->Dump();
  const Strings objects = w.Keys(w.memory_objects);
  Strings told;
  const CollectionObserver observer = [&](const CollectedObject& object) {
    told.push_back(std::string(CollectedOutcomeName(object.outcome)) + " " + object.object);
  };
  Collector collector = w.MakeCollector();
  const Result<CollectionReport> report = w.sim.Run(collector.DryRun(OpContext(), observer));
  EXPECT_EQ(GcWorld::Text(report), "waiting 1, garbage 1, deleted 0");
  EXPECT_EQ(told, Strings({"would be deleted wal/" + GcWorld::Wal(1)}));
  const std::vector<MetadataRecord> after = w.memory_meta.backend()->Dump();
  ASSERT_EQ(after.size(), before.size());
  for (std::size_t i = 0; i < after.size(); ++i) EXPECT_EQ(after[i].version, before[i].version) << after[i].key;
  EXPECT_EQ(w.Keys(w.memory_objects), objects);
}

TEST(Collector, ExplainsAnObject) {
  GcWorld w;
  const std::string key = w.Entry(w.a, 1);
  w.Orphan(2);
  w.Compacted(3);
  w.PutWork(w.b, GcWorld::Working(3));
  Collector collector = w.MakeCollector();
  const auto explain = [&](const std::string& object) {
    const Result<ObjectOutlook> outlook = w.sim.Run(collector.Explain(OpContext(), object));
    EXPECT_TRUE(outlook.ok()) << outlook.status().ToString();
    return *outlook;
  };
  using model::ObjectVerdict;
  EXPECT_EQ(explain("wal/" + GcWorld::Wal(1)).named_by, key);
  EXPECT_EQ(explain("wal/" + GcWorld::Wal(1)).verdict, ObjectVerdict::kNamed);
  EXPECT_EQ(explain("compacted/default/s/" + GcWorld::File(3)).named_by, CompactionRecordKey(w.b));
  const ObjectOutlook young = explain("wal/" + GcWorld::Wal(2));
  EXPECT_EQ(young.verdict, ObjectVerdict::kYoung);
  EXPECT_EQ(*young.not_before, young.modified + 2 * kGrace);
  w.Age(kGrace + kTick);
  EXPECT_EQ(explain("wal/" + GcWorld::Wal(2)).verdict, ObjectVerdict::kCandidate);
  const WallTime passed = w.Pass()->started;
  const ObjectOutlook waiting = explain("wal/" + GcWorld::Wal(2));
  EXPECT_EQ(*waiting.since, passed);
  EXPECT_EQ(*waiting.not_before, passed + kGrace);
  w.Age(kGrace + kTick);
  EXPECT_EQ(explain("wal/" + GcWorld::Wal(2)).verdict, ObjectVerdict::kGarbage);
  EXPECT_EQ(explain("wal/readme.txt").exists, false);
  EXPECT_EQ(w.sim.Run(collector.Explain(OpContext(), "readme.txt")).status().code(), StatusCode::kInvalidArgument);
}

TEST(Collector, RefusesOptions) {
  GcWorld w;
  w.options.deletes_at_once = 0;
  EXPECT_EQ(w.Pass().status().code(), StatusCode::kInvalidArgument);
  w.options = CollectorOptions();
  w.options.grace = Duration(0);
  EXPECT_EQ(w.Pass().status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace lakestream
