#include <errno.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <set>

#include "base/logging.h"
#include "meta/lmdb/testing/lmdb_test_util.h"
#include "runtime/when_all.h"

namespace {
/// While positive, each fdatasync of this program fails and takes one off.
std::atomic<int> failing_syncs{0};
}  // namespace

// LMDB calls this one, since the program's own symbols come first.
extern "C" int fdatasync(int file) {
  if (failing_syncs.load() > 0) {
    --failing_syncs;
    errno = EIO;
    return -1;
  }
  return static_cast<int>(syscall(SYS_fdatasync, file));
}

namespace lakestream {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Holds the writing thread inside its transaction.
class Plug {
 public:
  Status Hold() {
    std::unique_lock lock(mutex_);
    inside_ = true;
    changed_.notify_all();
    changed_.wait(lock, [this] { return pulled_; });
    return OkStatus();
  }
  void WaitUntilHeld() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return inside_; });
  }
  void Pull() {
    const std::lock_guard lock(mutex_);
    pulled_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool inside_ = false;
  bool pulled_ = false;
};

SequencedPutRequest Request(std::int64_t log, std::function<Status()> admit = nullptr) {
  return SequencedPutRequest{Partition::OfLog(LogId(log)), LogPrefix(log),   1, 1, Buffer::CopyOf("v"),
                             WriteGuard(),                 std::move(admit)};
}

Task<Status> One(LmdbClient& client, SequencedPutRequest request, OpContext context) {
  std::vector<SequencedPutRequest> requests;
  requests.push_back(std::move(request));
  const auto answers = co_await client.store().SequencedPut(std::move(context), std::move(requests));
  co_return answers.front().status();
}

Task<Status> PullWhenHeld(LmdbClient& client, Plug* plug) {
  auto pull = [plug] {
    plug->WaitUntilHeld();
    plug->Pull();
    return OkStatus();
  };
  co_return co_await RunBlocking(client.runtime(), pull);
}

/// A put that begins once the writer is held, and that lets it go when it has its answer.
Task<Status> PutBehind(LmdbClient& client, Plug* plug, std::string key) {
  auto wait = [plug] {
    plug->WaitUntilHeld();
    return OkStatus();
  };
  auto waiting = RunBlocking(client.runtime(), wait);
  (void)co_await waiting;
  OpContext context = client.After(milliseconds(50));
  auto put = client.store().Put(std::move(context), TestPartition(), std::move(key), Buffer(), WriteGuard());
  const auto answer = co_await put;
  plug->Pull();
  co_return answer.status();
}

class LmdbWriterTest : public testing::Test {
 protected:
  TempDirectory directory_;
  LmdbClient client_{directory_.path()};
};

TEST_F(LmdbWriterTest, WritesThatWaitTogetherShareOneCommit) {
  Plug plug;
  std::vector<Task<Status>> tasks;
  tasks.push_back(One(client_, Request(1, [&plug] { return plug.Hold(); }), OpContext()));
  constexpr int kWrites = 300;
  std::mutex mutex;
  std::vector<int> order;
  for (int i = 0; i < kWrites; ++i) {
    auto note = [&mutex, &order, i] {
      const std::lock_guard lock(mutex);
      order.push_back(i);
      return i % 100 == 50 ? Unavailable("dropped by the test") : OkStatus();
    };
    tasks.push_back(One(client_, Request(2, note), OpContext()));
  }
  // WhenAll starts each on this thread up to its place in the queue; the last one lets the writer go on.
  tasks.push_back(PullWhenHeld(client_, &plug));
  const std::uint64_t before = client_.store().stats().commits;
  const std::vector<Status> results = Wait(WhenAll(client_.runtime(), std::move(tasks)));
  EXPECT_LE(client_.store().stats().commits - before, 3u);
  ASSERT_EQ(order.size(), static_cast<std::size_t>(kWrites));
  for (int i = 0; i < kWrites; ++i) {
    EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
    const StatusCode expected = i % 100 == 50 ? StatusCode::kUnavailable : StatusCode::kOk;
    EXPECT_EQ(results[static_cast<std::size_t>(i) + 1].code(), expected) << i;
  }
  // The dropped ones left no gap and the others were all done.
  EXPECT_EQ(client_.Sequence(2, 1)->key, LogPrefix(2) + "-00000000000000000298-00000000000000000307");
}

TEST_F(LmdbWriterTest, AWriteThatWaitsIsDroppedAtItsDeadline) {
  Plug plug;
  std::vector<Task<Status>> tasks;
  tasks.push_back(One(client_, Request(1, [&plug] { return plug.Hold(); }), OpContext()));
  tasks.push_back(PutBehind(client_, &plug, "late"));
  const std::vector<Status> results = Wait(WhenAll(client_.runtime(), std::move(tasks)));
  EXPECT_TRUE(results[0].ok());
  EXPECT_EQ(results[1].code(), StatusCode::kDeadlineExceeded);
  EXPECT_TRUE(client_.Put("after", "1").ok());
  EXPECT_EQ(client_.Get("late"), "none");
}

TEST_F(LmdbWriterTest, AStoppedHolderOfTheWriteLockIsNamed) {
  ASSERT_TRUE(client_.Put("a", "1").ok());
  for (const int wake : {SIGCONT, SIGKILL}) {
    ChildProcess child(directory_.path());
    ASSERT_EQ(child.Answer(), "ok");
    child.Send("stop 5");
    child.WaitUntilStopped();
    const auto late = Wait(client_.store().Put(client_.After(milliseconds(100)), TestPartition(), "late", Buffer(),
                                               WriteGuard()));
    EXPECT_EQ(late.status().code(), StatusCode::kUnavailable);
    EXPECT_NE(late.status().ToString().find("holder_pid=" + std::to_string(child.pid())), std::string::npos)
        << late.status().ToString();
    EXPECT_EQ(client_.Get("a"), "1") << "reads go on";
    if (wake == SIGCONT) {
      child.Signal(SIGCONT);
      EXPECT_EQ(child.Answer(), LogPrefix(5) + "-00000000000000000001-00000000000000000010");
    } else {
      child.Kill();
    }
    EXPECT_TRUE(client_.Put("b", "2").ok());
    EXPECT_EQ(client_.Get("late"), "none") << "it was answered as not done";
  }
  EXPECT_EQ(client_.Sequence(5, 1)->key, LogPrefix(5) + "-00000000000000000002-00000000000000000020");
}

TEST_F(LmdbWriterTest, StopSaysThatTheWriterIsStuck) {
  ChildProcess child(directory_.path());
  ASSERT_EQ(child.Answer(), "ok");
  child.Send("stop 5");
  child.WaitUntilStopped();
  const auto late = Wait(
      client_.store().Put(client_.After(milliseconds(50)), TestPartition(), "late", Buffer(), WriteGuard()));
  EXPECT_EQ(late.status().code(), StatusCode::kUnavailable);
  SetLogSink(LogLevel::kError, [](LogLevel, std::string_view) {});
  const Status stopped = Wait(client_.store().Stop(client_.After(milliseconds(50))));
  SetLogSink(LogLevel::kWarning, [](LogLevel, std::string_view) {});
  EXPECT_EQ(stopped.code(), StatusCode::kUnavailable);
  EXPECT_NE(stopped.ToString().find("holder_pid=" + std::to_string(child.pid())), std::string::npos);
  EXPECT_EQ(client_.Put("b", "2").code(), StatusCode::kUnavailable);
  child.Kill();
  client_.Close();
  ASSERT_TRUE(client_.Open().ok());
  EXPECT_EQ(client_.Get("late"), "none");
}

TEST(LmdbMapTest, AFullMapGrowsAndABatchIsDoneOnce) {
  TempDirectory directory;
  LmdbClient client(directory.path(), std::uint64_t{1} << 20);
  int admitted = 0;
  for (int i = 1; i <= 10; ++i) {
    const auto put = client.Sequence(
        3, 1,
        [&admitted] {
          ++admitted;
          return OkStatus();
        },
        OpContext(), std::size_t{1} << 20);
    ASSERT_TRUE(put.ok()) << put.status().ToString();
    EXPECT_EQ(admitted, i);
    EXPECT_TRUE(put->key.ends_with(std::to_string(i * 10))) << put->key;
  }
  EXPECT_GE(client.store().stats().map_changes, 3u);
}

TEST(LmdbMapTest, ProcessesFollowEachOthersMaps) {
  TempDirectory directory;
  LmdbClient client(directory.path(), std::uint64_t{1} << 20);
  ChildProcess child(directory.path(), ChildProcess::Options{false, std::uint64_t{1} << 20});
  ASSERT_EQ(child.Answer(), "ok");
  for (int round = 0; round < 4; ++round) {
    const std::string theirs = "theirs" + std::to_string(round);
    const std::string mine = "mine" + std::to_string(round);
    // Each write outgrows the other's map; the first use afterwards is a read here and a write there.
    ASSERT_EQ(child.Ask("put " + theirs + " 3000000"), "ok");
    EXPECT_EQ(client.Get(theirs).size(), 3'000'000u);
    ASSERT_TRUE(client.Put(mine, std::string(4'000'000, 'm')).ok());
    EXPECT_EQ(child.Ask("put small 1"), "ok");
    EXPECT_EQ(child.Ask("get " + mine), "4000000");
  }
}

TEST(LmdbDiskTest, AFullDiskLosesNothing) {
  TempDirectory directory;
  if (mount("tmpfs", directory.path().c_str(), "tmpfs", 0, "size=6m") != 0) GTEST_SKIP() << "no right to mount";
  {
    SetLogSink(LogLevel::kError, [](LogLevel, std::string_view) {});
    LmdbClient client(directory.path());
    std::set<std::string> stored;
    Status full;
    for (int i = 0; full.ok() && i < 100; ++i) {
      const std::string key = "key" + std::to_string(100 + i);
      full = client.Put(key, std::string(200'000, 'x'));
      if (full.ok()) stored.insert(key);
    }
    EXPECT_EQ(full.code(), StatusCode::kResourceExhausted);
    EXPECT_NE(full.ToString().find("free_bytes="), std::string::npos) << full.ToString();
    EXPECT_GT(stored.size(), 5u);
    const std::vector<std::string> keys = client.Keys("key", "kez");
    EXPECT_EQ(std::set<std::string>(keys.begin(), keys.end()), stored);
    // Space that comes back is used again: by LMDB's rule not in the transaction that follows, but after that.
    EXPECT_TRUE(Wait(client.store().DeleteRange(OpContext(), TestPartition(), "key", "kez", WriteGuard())).ok());
    EXPECT_TRUE(client.Put("small", "s").ok());
    EXPECT_TRUE(client.Put("again", std::string(200'000, 'y')).ok());
    client.Close();
    ASSERT_TRUE(client.Open().ok());
    EXPECT_EQ(client.Get("again").size(), 200'000u);
    SetLogSink(LogLevel::kWarning, [](LogLevel, std::string_view) {});
  }
  EXPECT_EQ(umount2(directory.path().c_str(), MNT_DETACH), 0);
}

TEST_F(LmdbWriterTest, AnInputOutputErrorClosesTheStoreForWrites) {
  ASSERT_TRUE(client_.Put("a", "1").ok());
  SetLogSink(LogLevel::kError, [](LogLevel, std::string_view) {});
  failing_syncs = 1;
  EXPECT_EQ(client_.Put("a", "2").code(), StatusCode::kIndeterminate);
  EXPECT_EQ(failing_syncs.load(), 0);
  const Status later = client_.Put("b", "1");
  EXPECT_EQ(later.code(), StatusCode::kUnavailable);
  EXPECT_NE(later.ToString().find("until it is opened again"), std::string::npos);
  client_.Close();
  ASSERT_TRUE(client_.Open().ok());
  SetLogSink(LogLevel::kWarning, [](LogLevel, std::string_view) {});
  EXPECT_TRUE(client_.Put("b", "1").ok());
  EXPECT_EQ(client_.Get("b"), "1");
}

TEST_F(LmdbWriterTest, TwoProcessesGetAdjacentRanges) {
  ChildProcess child(directory_.path());
  ASSERT_EQ(child.Answer(), "ok");
  constexpr int kPuts = 100;
  for (int log = 20; log < 22; ++log) {
    child.Send("sequence " + std::to_string(log) + " 3 " + std::to_string(kPuts));
    std::int64_t before = 0;
    for (int i = 0; i < kPuts; ++i) {
      const auto put = client_.Sequence(log, 5);
      ASSERT_TRUE(put.ok()) << put.status().ToString();
      const std::int64_t end = std::stol(put->key.substr(21, 20));
      EXPECT_GE(end, before + 5);
      EXPECT_EQ((end - before) % 3, 5 % 3) << "what lies between is the other's";
      before = end;
    }
    ASSERT_EQ(child.Answer().size(), 62u);
    const KeyRange range{Partition::OfLog(LogId(log)), LogPrefix(log) + "-", LogPrefix(log) + "."};
    const auto page = Wait(client_.store().List(OpContext(), range, "", 10000));
    ASSERT_TRUE(page.ok());
    ASSERT_EQ(page->keys.size(), 2u * kPuts);
    std::int64_t end = 0;
    for (const std::string& key : page->keys) {
      const std::int64_t next = std::stol(key.substr(21, 20));
      EXPECT_TRUE(next - end == 3 || next - end == 5) << key;
      end = next;
    }
    EXPECT_EQ(end, 8 * kPuts);
  }
}

TEST_F(LmdbWriterTest, WaitersLearnOfOtherProcessesWrites) {
  ChildProcess child(directory_.path());
  ASSERT_EQ(child.Answer(), "ok");
  const std::uint64_t seen = client_.store().ChangeHint(TestPartition());
  ASSERT_EQ(child.Ask("put k 1"), "ok");
  // Written before the wait began, and nobody looked since.
  EXPECT_TRUE(Wait(client_.store().AwaitChange(client_.After(seconds(20)), TestPartition(), seen)).ok());
  const std::uint64_t next = client_.store().ChangeHint(TestPartition());
  EXPECT_NE(next, seen);
  child.Send("put k 2");
  EXPECT_TRUE(Wait(client_.store().AwaitChange(client_.After(seconds(20)), TestPartition(), next)).ok());
  EXPECT_NE(client_.store().ChangeHint(TestPartition()), next);
  EXPECT_EQ(child.Answer(), "ok");
}

/// The machine's clocks with a wall clock that can be set.
class SetClock final : public Clock {
 public:
  explicit SetClock(const Clock& real) : real_(real) {}
  WallTime Wall() const override { return real_.Wall() + shift_.load(); }
  MonotonicTime Monotonic() const override { return real_.Monotonic(); }
  BootTime Boot() const override { return real_.Boot(); }
  void Shift(Duration by) { shift_ = by; }

 private:
  const Clock& real_;
  std::atomic<Duration> shift_{Duration::zero()};
};

TEST(LmdbClockTest, CreationTimesNeverGoBack) {
  TempDirectory directory;
  ThreadRuntime threads{ThreadRuntimeOptions()};
  Runtime& real = threads.runtime();
  SetClock clock(real.clock);
  Runtime runtime{real.executor, clock, real.random, real.blocking};
  std::atomic<int> warnings{0};
  SetLogSink(LogLevel::kWarning, [&warnings](LogLevel, std::string_view message) {
    if (message.find("clock is behind") != std::string_view::npos) ++warnings;
  });
  LmdbOptions options;
  options.directory = directory.path();
  options.create = true;
  std::int64_t last = 0;
  const std::vector<Duration> shifts = {Duration::zero(), -std::chrono::minutes(50), -std::chrono::hours(2),
                                        std::chrono::hours(1)};
  for (std::size_t i = 0; i < shifts.size(); ++i) {
    clock.Shift(shifts[i]);
    auto store = *Wait(LmdbMetadataStore::Open(runtime, OpContext(), options));
    for (int j = 0; j < 2; ++j) {
      const std::string key = "k" + std::to_string(i) + std::to_string(j);
      const auto made = Wait(store->CreateIfAbsent(OpContext(), TestPartition(), key, Buffer(), WriteGuard()));
      ASSERT_TRUE(made.ok());
      EXPECT_GE(made->created_ms, last);
      const bool ahead = shifts[i] >= Duration::zero();
      EXPECT_EQ(made->created_ms > last || i == 0, ahead || i == 0 || last == 0) << key;
      last = made->created_ms;
      if (ahead) clock.Shift(shifts[i] + milliseconds(10) * (j + 1));
    }
    ASSERT_TRUE(Wait(store->Stop(OpContext())).ok());
    EXPECT_EQ(warnings.load(), i >= 2 ? 1 : 0) << "once per store that is more than an hour behind";
  }
  SetLogSink(LogLevel::kWarning, [](LogLevel, std::string_view) {});
}

}  // namespace
}  // namespace lakestream
