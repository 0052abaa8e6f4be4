// Every public method of the metadata stores and their wrappers from four executor threads at once.

#include <atomic>
#include <set>
#include <stop_token>

#include "base/testing/temp_directory.h"
#include "meta/lmdb/lmdb_metadata_store.h"
#include "meta/memory/memory_metadata_store.h"
#include "meta/wrap/fault_metadata_store.h"
#include "meta/wrap/metrics_metadata_store.h"
#include "meta/wrap/retry_metadata_store.h"
#include "meta/wrap/unguarded_metadata_store.h"
#include "runtime/testing/hammer.h"

namespace lakestream {
namespace {

using namespace std::chrono_literals;

constexpr int kRounds = 8;
constexpr int kLogs = 3;

struct Tally {
  std::atomic<int> creators = 0;      // of one key that all create
  std::atomic<int> increments = 0;    // of one counter that all increment
  std::atomic<int> sequenced = 0;
};

Partition LogOf(int number) { return Partition::OfLog(LogId(number % kLogs)); }
std::string PrefixOf(int number) { return "0000000000000000000" + std::to_string(number % kLogs); }

class MetadataStoreHammerTest : public HammerTest {
 protected:
  /// `patience`: the time that a call has; a fault may take all of it.
  void HammerStore(MetadataStore& store, Duration patience = 60s) {
    Tally tally;
    Hammer([&](Runtime& runtime, int number) { return UseStore(runtime, store, number, patience, &tally); });
    EXPECT_GT(tally.increments, 0);
    if (store.capabilities().definite_answers) Wait(CheckSums(store, &tally));
  }

 private:
  static Task<void> UseStore(Runtime& runtime, MetadataStore& store, int number, Duration patience,
                             Tally* tally) {
    for (int i = 0; i < kRounds; ++i) {
      const OpContext soon = OpContext().WithDeadline(runtime.Now() + patience);
      const Result<std::shared_ptr<MetadataSession>> session = co_await store.OpenSession(soon, 10s);
      const WriteGuard guard(session.ok() ? *session : nullptr);
      co_await WriteRecords(store, soon, number, guard, tally);
      co_await Increment(store, soon, guard, tally);
      co_await PutSequence(store, soon, number, guard, tally);
      co_await ReadRecords(store, soon, number);
      co_await Watch(runtime, store, soon, number);
      if (!session.ok()) continue;
      const std::string key = "/own/" + std::to_string(number) + "/e";
      (void)co_await store.CreateEphemeral(soon, LogOf(number), key, Buffer::CopyOf("e"), *session);
      EXPECT_FALSE((*session)->id().empty());
      (void)(*session)->ProvablyAlive();
      if (i % 2 == 0) (void)co_await (*session)->Close(soon);  // else it is let go
    }
  }

  static Task<void> WriteRecords(MetadataStore& store, OpContext context, int number, WriteGuard guard, Tally* tally) {
    const std::string folder = "/own/" + std::to_string(number) + "/";
    const Partition partition = LogOf(number);
    const Result<WriteAnswer> put = co_await store.Put(context, partition, folder + "a", Buffer::CopyOf("v"), guard);
    if (put.ok()) {
      const auto set = co_await store.CompareAndSet(context, partition, folder + "a", Buffer::CopyOf("w"), put->version, guard);
      EXPECT_TRUE(set.ok() || !store.capabilities().definite_answers) << set.status().ToString();
    }
    const Partition shared = Partition::OfKey("/once");
    const auto created = co_await store.CreateIfAbsent(context, shared, "/once", Buffer::CopyOf("x"), guard);
    if (created.ok()) ++tally->creators;
    (void)co_await store.Put(context, partition, folder + "b", Buffer::CopyOf("v"), guard);
    (void)co_await store.Delete(context, partition, folder + "b", guard);
    (void)co_await store.Put(context, partition, folder + "c", Buffer::CopyOf("v"), guard);
    (void)co_await store.DeleteRange(context, partition, folder, folder + "\xef\xbf\xbf", guard);
  }

  static Task<void> Increment(MetadataStore& store, OpContext context, WriteGuard guard, Tally* tally) {
    const Partition shared = Partition::OfKey("/counter");
    for (int tries = 0; tries < 3; ++tries) {
      const Result<ReadAnswer> found = co_await store.Get(context, shared, "/counter");
      if (!found.ok()) continue;
      const int value = found->has_value() ? std::stoi(std::string((*found)->value.text())) : 0;
      Buffer next = Buffer::CopyOf(std::to_string(value + 1));
      Result<WriteAnswer> written = Internal("not written");
      if (found->has_value()) {
        written = co_await store.CompareAndSet(context, shared, "/counter", std::move(next), (*found)->version, guard);
      } else {
        written = co_await store.CreateIfAbsent(context, shared, "/counter", std::move(next), guard);
      }
      if (written.ok()) ++tally->increments;
      if (written.ok()) co_return;
    }
  }

  static Task<void> PutSequence(MetadataStore& store, OpContext context, int number, WriteGuard guard, Tally* tally) {
    std::vector<SequencedPutRequest> requests;
    for (int k = 0; k < kLogs; ++k) {
      requests.push_back(SequencedPutRequest{LogOf(number + k), PrefixOf(number + k), 1, 2, Buffer::CopyOf("i"), guard,
                                             [] { return OkStatus(); }});
    }
    const auto answers = co_await store.SequencedPut(context, std::move(requests));
    EXPECT_EQ(answers.size(), static_cast<std::size_t>(kLogs));
    for (const auto& answer : answers) tally->sequenced += answer.ok() ? 1 : 0;
  }

  static Task<void> ReadRecords(MetadataStore& store, OpContext context, int number) {
    const Partition partition = LogOf(number);
    const std::string prefix = PrefixOf(number);
    (void)co_await store.Floor(context, partition, prefix + "-9");
    (void)co_await store.Ceiling(context, partition, prefix + "-");
    (void)co_await store.Higher(context, partition, prefix + "-");
    std::vector<ReadRequest> reads;
    for (int k = 0; k < kLogs; ++k) reads.push_back(ReadRequest{LogOf(k), PrefixOf(k) + "-9", KeyComparison::kFloor});
    const auto answers = co_await store.Read(context, std::move(reads));
    if (answers.ok()) {
      EXPECT_EQ(answers->size(), static_cast<std::size_t>(kLogs));
    }
    const KeyRange range{partition, prefix + "-", prefix + "."};
    const Result<ScanPage> page = co_await store.Scan(context, range, "", 7);
    if (page.ok() && page->next) (void)co_await store.Scan(context, range, *page->next, 7);
    const KeyRange everywhere{std::nullopt, "/own/", "/own/\xef\xbf\xbf"};
    (void)co_await store.List(context, everywhere, "", 100);
  }

  static Task<void> Watch(Runtime& runtime, MetadataStore& store, OpContext context, int number) {
    std::stop_source source;
    const std::uint64_t seen = store.ChangeHint(LogOf(number));
    if (number % 2 == 0) runtime.executor.Post([source]() mutable { source.request_stop(); });
    const OpContext brief = context.WithDeadline(runtime.Now() + 2ms).WithCancel(source.get_token());
    (void)co_await store.AwaitChange(brief, LogOf(number), seen);
  }

  static Task<void> CheckSums(MetadataStore& store, const Tally* tally) {
    EXPECT_EQ(tally->creators, 1);
    const auto counter = co_await store.Get(OpContext(), Partition::OfKey("/counter"), "/counter");
    CO_ASSERT_TRUE(counter.ok() && counter->has_value());
    EXPECT_EQ((*counter)->value.text(), std::to_string(tally->increments));
    int records = 0;
    for (int log = 0; log < kLogs; ++log) {
      const KeyRange range{LogOf(log), PrefixOf(log) + "-", PrefixOf(log) + "."};
      const Result<ScanPage> page = co_await store.Scan(OpContext(), range, "", 10000);
      CO_ASSERT_OK(page);
      std::set<std::string> keys;
      for (const MetadataRecord& record : page->records) keys.insert(record.key);
      const std::string last = std::to_string(keys.size());
      EXPECT_TRUE(keys.rbegin()->substr(21, 20).ends_with("0" + last)) << *keys.rbegin() << " of " << last;
      records += static_cast<int>(keys.size());
    }
    EXPECT_EQ(records, tally->sequenced);
  }
};

TEST_F(MetadataStoreHammerTest, Memory) {
  MemoryMetadataStore store(runtime());
  HammerStore(store);
  MemoryMetadataStore other(runtime(), store.backend());
  Hammer([&](Runtime&, int number) -> Task<void> {
    const auto session = co_await other.OpenSession(OpContext(), 10s);
    EXPECT_TRUE(session.ok());
    (void)store.backend()->SessionIds();
    if (number % 3 == 0) (void)store.backend()->ExpireSession((*session)->id());
    if (number % 7 == 0) store.backend()->ExpireClient(other.client_id());
    EXPECT_FALSE(store.backend()->Dump().empty());
    (void)(*session)->ProvablyAlive();
  });
}

TEST_F(MetadataStoreHammerTest, Lmdb) {
  const TempDirectory directory;
  LmdbOptions options;
  options.directory = directory.path() + "/meta";
  options.create = true;
  options.shards = 4;
  options.map_size = std::uint64_t{1} << 20;  // so that it grows meanwhile
  auto store = Wait(LmdbMetadataStore::Open(runtime(), OpContext(), options));
  ASSERT_TRUE(store.ok()) << store.status().ToString();
  HammerStore(**store);
  // Stores of one directory come and go while another one writes.
  Hammer([&](Runtime& runtime, int number) -> Task<void> {
    auto second = co_await LmdbMetadataStore::Open(runtime, OpContext(), options);
    EXPECT_TRUE(second.ok()) << second.status().ToString();
    if (!second.ok()) co_return;
    const std::string key = "/big/" + std::to_string(number);
    const auto put = co_await (*second)->Put(OpContext(), LogOf(number), key, Buffer(std::string(200'000, 'x')), WriteGuard());
    EXPECT_TRUE(put.ok()) << put.status().ToString();
    EXPECT_GT((*store)->stats().commits, 0u);
    EXPECT_EQ((*second)->shards(), 4);
    const Status stopped = co_await (*second)->Stop(OpContext());
    EXPECT_TRUE(stopped.ok()) << stopped.ToString();
  });
  EXPECT_TRUE(Wait((*store)->Stop(OpContext())).ok());
}

TEST_F(MetadataStoreHammerTest, Wrappers) {
  MemoryMetadataStore memory(runtime());
  UnguardedMetadataStore unguarded(memory);
  MetadataFaultPlan plan(runtime());
  MetadataFaultRates rates;
  rates.fail = rates.lose_answer = rates.apply_late = rates.delay = rates.short_page = 300;
  rates.lose_sessions = rates.watch_late = rates.watch_missed = 100;
  rates.max_delay = rates.max_late = 2ms;
  plan.Randomize(rates, runtime().random);
  FaultMetadataStore faulty(runtime(), unguarded, plan);
  MetricsMetadataStore metrics(runtime(), faulty);
  MetadataRetryOptions retry;
  retry.first_wait = retry.max_wait = 1ms;
  RetryMetadataStore store(runtime(), metrics, retry);
  HammerStore(store, 200ms);
  Hammer([&](Runtime&, int number) -> Task<void> {
    EXPECT_GT(metrics.Snapshot().of(MetadataOp::kPut).calls(), 0);
    plan.OnNext(MetadataOp::kRead, "/counter", MetadataFault::FailUnavailable());
    (void)plan.rules_left();
    const auto session = co_await store.OpenSession(OpContext(), 10s);
    faulty.SuspectSessions(number % 2 == 0);
    if (session.ok()) (void)(*session)->ProvablyAlive();
    if (number % 5 == 0) (void)co_await faulty.LoseSessions();
    (void)plan.injected(MetadataFaultKind::kFail);
    if (number == 7) plan.Heal();
  });
  EXPECT_GT(plan.injected(MetadataFaultKind::kFail), 0);
  Wait(faulty.Stop());
}

}  // namespace
}  // namespace lakestream
