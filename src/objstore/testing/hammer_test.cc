// Every public method of the object stores and their wrappers from four executor threads at once.

#include <array>
#include <atomic>
#include <stop_token>

#include "base/testing/temp_directory.h"
#include "objstore/local/local_object_store.h"
#include "objstore/memory/memory_object_store.h"
#include "objstore/wrap/fault_object_store.h"
#include "objstore/wrap/limit_object_store.h"
#include "objstore/wrap/metrics_object_store.h"
#include "objstore/wrap/retry_object_store.h"
#include "runtime/testing/hammer.h"

namespace lakestream {
namespace {

using namespace std::chrono_literals;

constexpr int kRounds = 12;
constexpr int kSharedKeys = 6;

/// What the tasks of one test found out together.
struct Tally {
  std::array<std::atomic<int>, kSharedKeys> creators{};
  std::atomic<int> puts = 0;
};

class ObjectStoreHammerTest : public HammerTest {
 protected:
  /// `patience`: the time that a call has; a fault may take all of it.
  void HammerStore(ObjectStore& store, Duration patience = 60s) {
    Tally tally;
    Hammer([&](Runtime& runtime, int number) { return UseStore(runtime, store, number, patience, &tally); });
    EXPECT_GT(tally.puts, 0);
    if (!store.capabilities().definite_answers) return;
    EXPECT_EQ(tally.puts, kTasks * kRounds);
    for (const auto& creators : tally.creators) EXPECT_EQ(creators, 1);
  }

 private:
  static BufferChain Chain(const std::string& text) {
    BufferChain chain(Buffer::CopyOf(text));
    chain.Append(Buffer::CopyOf(text));
    return chain;
  }

  static Task<void> UseStore(Runtime& runtime, ObjectStore& store, int number, Duration patience,
                             Tally* tally) {
    const std::string folder = "own/" + std::to_string(number) + "/";
    for (int i = 0; i < kRounds; ++i) {
      const OpContext soon = OpContext().WithDeadline(runtime.Now() + patience);
      const std::string key = folder + std::to_string(i);
      const Status put = co_await store.Put(soon, key, Chain(key), PutMode::kCreate);
      if (put.ok()) ++tally->puts;
      co_await CheckObject(store, soon, key, key + key, put.ok());
      co_await ShareKey(store, soon, i % kSharedKeys, tally);
      co_await Upload(store, soon, folder + "up" + std::to_string(i), i % 3);
      co_await Cancel(runtime, store, soon, folder + "c" + std::to_string(i));
      const Result<ListPage> page = co_await store.List(soon, folder, folder, 5);
      if (page.ok()) {
        EXPECT_LE(page->objects.size(), 5u);
      }
      (void)co_await store.List(soon, "", "", 1000);
      const std::vector<std::string> gone(1, folder + "up" + std::to_string(i - 1));
      (void)co_await store.Delete(soon, gone);
    }
  }

  static Task<void> CheckObject(ObjectStore& store, OpContext context, std::string key, std::string text, bool exists) {
    const Result<Buffer> whole = co_await store.Get(context, key, ByteRange());
    if (whole.ok()) {
      EXPECT_EQ(whole->text(), text);
    }
    const ByteRange inner{1, 3};
    const Result<Buffer> part = co_await store.Get(context, key, inner);
    if (part.ok()) {
      EXPECT_EQ(part->text(), text.substr(1, 3));
    }
    const Result<ObjectInfo> info = co_await store.Head(context, key);
    if (info.ok()) {
      EXPECT_EQ(info->size, text.size());
    }
    if (!exists) co_return;
    EXPECT_NE(whole.status().code(), StatusCode::kNotFound);
    EXPECT_NE(info.status().code(), StatusCode::kNotFound);
  }

  /// All tasks create the same few objects, and write over them where they may.
  static Task<void> ShareKey(ObjectStore& store, OpContext context, int which, Tally* tally) {
    const std::string key = "shared/" + std::to_string(which);
    const Status created = co_await store.Put(context, key, Chain("same"), PutMode::kCreate);
    if (created.ok()) ++tally->creators[static_cast<std::size_t>(which)];
    if (!store.capabilities().create_only) (void)co_await store.Put(context, key, Chain("same"), PutMode::kOverwrite);
    co_await CheckObject(store, context, key, "samesame", created.ok());
  }

  static Task<void> Upload(ObjectStore& store, OpContext context, std::string key, int kind) {
    Result<std::unique_ptr<ObjectUpload>> upload = co_await store.StartUpload(context, key, PutMode::kCreate);
    if (!upload.ok()) co_return;
    (void)co_await (*upload)->Append(context, Chain("one"));
    (void)co_await (*upload)->Append(context, Chain("two"));
    if (kind == 0) {
      (void)co_await (*upload)->Abort(context);
    } else if (kind == 1) {
      (void)co_await (*upload)->Complete(context);
    }  // else it is let go
  }

  /// A call whose cancellation comes while it runs.
  static Task<void> Cancel(Runtime& runtime, ObjectStore& store, OpContext context, std::string key) {
    std::stop_source source;
    runtime.executor.Post([source]() mutable { source.request_stop(); });
    (void)co_await store.Put(context.WithCancel(source.get_token()), key, Chain(key), PutMode::kCreate);
    (void)co_await store.Get(context.WithCancel(source.get_token()), key, ByteRange());
  }
};

TEST_F(ObjectStoreHammerTest, Memory) {
  MemoryObjectStore store(runtime());
  HammerStore(store);
  EXPECT_GT(store.bytes(), 0u);
  MemoryObjectStore other(runtime(), store);
  Hammer([&](Runtime&, int number) -> Task<void> {
    (void)store.DamageByte("shared/0", static_cast<std::uint64_t>(number) % 8);
    EXPECT_GT(other.bytes(), 0u);
    (void)co_await other.Get(OpContext(), "shared/0", ByteRange());
  });
}

TEST_F(ObjectStoreHammerTest, Local) {
  for (const bool named : {false, true}) {
    const TempDirectory directory;
    LocalObjectStoreOptions options;
    options.directory = directory.path();
    options.named_temp_files = named;
    const auto store = LocalObjectStore::Open(runtime(), options);
    ASSERT_TRUE(store.ok()) << store.status().ToString();
    HammerStore(**store);
    EXPECT_EQ((*store)->counters().corrupt, 0);
  }
}

/// Reads ranges of objects of several blocks, and lets go of them late.
Task<void> ReadLarge(ObjectStore& store, const std::vector<std::string>& objects, int number) {
  std::vector<Buffer> held;
  for (std::size_t i = 0; i < 30; ++i) {
    const std::size_t which = (i + static_cast<std::size_t>(number)) % objects.size();
    const std::size_t from = i * 10'007;
    const ByteRange range = {from, std::nullopt};
    const Result<Buffer> got = co_await store.Get(OpContext(), std::to_string(which), range);
    CO_ASSERT_TRUE(got.ok());
    held.push_back(*got);
    EXPECT_TRUE(held.back().text() == std::string_view(objects[which]).substr(from));
    if (held.size() < 3) continue;
    const std::size_t oldest = i - 2;
    const std::string& expected = objects[(oldest + static_cast<std::size_t>(number)) % objects.size()];
    EXPECT_TRUE(held.front().text() == std::string_view(expected).substr(oldest * 10'007));
    held.erase(held.begin());
  }
}

TEST_F(ObjectStoreHammerTest, LocalRanges) {
  const TempDirectory directory;
  LocalObjectStoreOptions options;
  options.directory = directory.path();
  const auto store = LocalObjectStore::Open(runtime(), options);
  ASSERT_TRUE(store.ok()) << store.status().ToString();
  std::vector<std::string> objects;
  for (int i = 0; i < 3; ++i) {
    objects.emplace_back(700'000 + i, static_cast<char>('a' + i));
    const BufferChain bytes(Buffer::CopyOf(objects.back()));
    const Status put = Wait((*store)->Put(OpContext(), std::to_string(i), bytes, PutMode::kCreate));
    ASSERT_TRUE(put.ok()) << put.ToString();
  }
  Hammer([&](Runtime&, int number) { return ReadLarge(**store, objects, number); });
  EXPECT_EQ((*store)->counters().corrupt, 0);
}

TEST_F(ObjectStoreHammerTest, Wrappers) {
  MemoryObjectStore memory(runtime());
  FaultPlan plan(runtime());
  FaultRates rates;
  rates.fail = rates.throttle = rates.lose_answer = rates.apply_late = rates.delay = 300;
  rates.short_page = 300;
  rates.max_delay = rates.max_late = 2ms;
  plan.Randomize(rates, runtime().random);
  FaultObjectStore faulty(runtime(), memory, plan);
  MetricsObjectStore metrics(runtime(), faulty);
  LimitObjectStore limit(runtime(), metrics, 5);
  RetryOptions retry;
  retry.first_wait = retry.max_wait = 1ms;
  RetryObjectStore store(runtime(), limit, retry);
  HammerStore(store, 200ms);
  Hammer([&](Runtime&, int number) -> Task<void> {
    EXPECT_GT(metrics.Snapshot().of(ObjectOp::kPut).calls(), 0);
    plan.OnNext(ObjectOp::kHead, "shared", Fault::FailUnavailable());
    (void)plan.rules_left();
    (void)co_await store.Head(OpContext(), "shared/0");
    if (number == 7) plan.Heal();
    (void)plan.injected(FaultKind::kFail);
  });
  EXPECT_GT(plan.injected(FaultKind::kFail), 0);
  Wait(faulty.Stop());
}

}  // namespace
}  // namespace lakestream
