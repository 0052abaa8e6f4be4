#include <gtest/gtest.h>

#include "log/reader/testing/reader_world.h"
#include "runtime/runtime.h"

namespace lakestream {
namespace {

const LogId kLog(7);

Task<void> AppendLater(ReaderWorld& world, Duration after, EntryIndex index) {
  const Status slept = co_await SleepFor(world.sim.runtime(), OpContext(), after);
  EXPECT_TRUE(slept.ok());
  std::vector<SequencedPutRequest> requests;
  SequencedPutRequest request = {Partition::OfLog(kLog), IndexKeyPrefix(kLog), index.message_count,
                                 index.entry_size_bytes, Buffer(EncodeEntryIndex(index)), WriteGuard(), nullptr};
  requests.push_back(std::move(request));
  const auto put = co_await world.memory_meta.SequencedPut(OpContext(), std::move(requests));
  EXPECT_TRUE(put.front().ok());
}

Task<void> ReadTail(ReaderWorld& world, LogReader& reader, OpContext context, std::string* text, MonotonicTime* at) {
  Task<Result<LogRead>> reading = reader.ReadOrAwait(context, kLog, Offset(0), ReadBounds());
  const Result<LogRead> read = co_await reading;
  *text = ReaderWorld::Text(read);
  *at = world.sim.Now();
}

OpContext Until(ReaderWorld& world, Duration after) { return OpContext().WithDeadline(world.sim.Now() + after); }

TEST(ReadOrAwait, ReturnsWhatIsThere) {
  ReaderWorld world;
  world.Append(kLog, "a", {{1, "a"}});
  const auto read = world.sim.Run(world.reader.ReadOrAwait(OpContext(), kLog, Offset(0), ReadBounds()));
  EXPECT_EQ(ReaderWorld::Text(read), "0:a ->1");
}

TEST(ReadOrAwait, WaitsForAnEntryAndWakesByTheHint) {
  ReaderWorld world;
  const std::vector<WalSection> wal = world.PutObject("a", {{kLog, {{1, "a"}}}});
  const MonotonicTime start = world.sim.Now();
  std::string text;
  MonotonicTime at{};
  ReaderOptions options;
  options.tail_poll = std::chrono::hours(1);
  LogReader reader(world.sim.runtime(), world.meta, world.objects, world.compacted, world.homes, options);
  SimNode& node = world.sim.AddNode("tail");
  node.Spawn(ReadTail(world, reader, Until(world, std::chrono::seconds(30)), &text, &at));
  node.Spawn(AppendLater(world, std::chrono::milliseconds(2500), world.RecordOf(wal[0], "a")));
  ASSERT_TRUE(world.sim.RunFor(std::chrono::seconds(20)).ok());
  EXPECT_EQ(text, "0:a ->1");
  EXPECT_GE(at - start, std::chrono::milliseconds(2500));
  EXPECT_LT(at - start, std::chrono::milliseconds(2600));
}

/// Loses every hint.
class DeafStore final : public ForwardingMetadataStore {
 public:
  using ForwardingMetadataStore::ForwardingMetadataStore;
  DeafStore(Runtime& runtime, MetadataStore& inner) : ForwardingMetadataStore(inner), runtime_(runtime) {}
  std::uint64_t ChangeHint(const Partition&) override { return 1; }
  Task<Status> AwaitChange(OpContext context, Partition, std::uint64_t) override {
    return SleepOut(runtime_, context.deadline);
  }

 private:
  static Task<Status> SleepOut(Runtime& runtime, MonotonicTime until) {
    co_return co_await SleepUntil(runtime, OpContext(), until);
  }
  Runtime& runtime_;
};

TEST(ReadOrAwait, LooksAgainWithoutAHint) {
  ReaderWorld world;
  const std::vector<WalSection> wal = world.PutObject("a", {{kLog, {{1, "a"}}}});
  DeafStore deaf(world.sim.runtime(), world.meta);
  LogReader reader(world.sim.runtime(), deaf, world.objects, world.compacted, world.homes, ReaderOptions());
  const MonotonicTime start = world.sim.Now();
  std::string text;
  MonotonicTime at{};
  SimNode& node = world.sim.AddNode("tail");
  node.Spawn(ReadTail(world, reader, Until(world, std::chrono::seconds(30)), &text, &at));
  node.Spawn(AppendLater(world, std::chrono::milliseconds(2500), world.RecordOf(wal[0], "a")));
  ASSERT_TRUE(world.sim.RunFor(std::chrono::seconds(40)).ok());
  EXPECT_EQ(text, "0:a ->1");
  EXPECT_LT(at - start, std::chrono::milliseconds(3600));
}

TEST(ReadOrAwait, IsEmptyAndOkAtTheDeadline) {
  ReaderWorld world;
  const MonotonicTime start = world.sim.Now();
  const auto read = world.sim.Run(
      world.reader.ReadOrAwait(Until(world, std::chrono::milliseconds(2500)), kLog, Offset(4), ReadBounds()));
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  EXPECT_TRUE(read->entries.empty());
  EXPECT_EQ(read->next, Offset(4));
  EXPECT_EQ(world.sim.Now() - start, std::chrono::milliseconds(2500));
}

TEST(ReadOrAwait, ACancelledWaitSaysSo) {
  ReaderWorld world;
  std::stop_source stop;
  std::string text;
  MonotonicTime at{};
  SimNode& node = world.sim.AddNode("tail");
  node.Spawn(ReadTail(world, world.reader, OpContext().WithCancel(stop.get_token()), &text, &at));
  ASSERT_TRUE(world.sim.RunFor(std::chrono::milliseconds(300)).ok());
  EXPECT_EQ(text, "");
  stop.request_stop();
  ASSERT_TRUE(world.sim.RunFor(std::chrono::milliseconds(300)).ok());
  EXPECT_EQ(text.substr(0, 9), "cancelled");
}

/// A record that comes between the look and the wait must not be slept over.
class AppendsAfterLookStore final : public ForwardingMetadataStore {
 public:
  AppendsAfterLookStore(MetadataStore& inner, std::function<Task<void>()> after)
      : ForwardingMetadataStore(inner), after_(std::move(after)) {}
  Task<Result<std::vector<ReadAnswer>>> Read(OpContext context, std::vector<ReadRequest> requests) override {
    return ReadThen(inner(), std::move(context), std::move(requests), std::exchange(after_, nullptr));
  }

 private:
  static Task<Result<std::vector<ReadAnswer>>> ReadThen(MetadataStore& inner, OpContext context,
                                                        std::vector<ReadRequest> requests,
                                                        std::function<Task<void>()> after) {
    Result<std::vector<ReadAnswer>> answers = co_await inner.Read(context, std::move(requests));
    if (after) {
      Task<void> append = after();
      co_await append;
    }
    co_return answers;
  }
  std::function<Task<void>()> after_;
};

TEST(ReadOrAwait, NoChangeIsLostBetweenLookAndWait) {
  ReaderWorld world;
  const std::vector<WalSection> wal = world.PutObject("a", {{kLog, {{1, "a"}}}});
  const EntryIndex index = world.RecordOf(wal[0], "a");
  AppendsAfterLookStore store(world.meta, [&] { return AppendLater(world, Duration(0), index); });
  ReaderOptions options;
  options.tail_poll = std::chrono::hours(1);
  LogReader reader(world.sim.runtime(), store, world.objects, world.compacted, world.homes, options);
  const MonotonicTime start = world.sim.Now();
  const auto read = world.sim.Run(reader.ReadOrAwait(OpContext(), kLog, Offset(0), ReadBounds()));
  EXPECT_EQ(ReaderWorld::Text(read), "0:a ->1");
  EXPECT_LT(world.sim.Now() - start, std::chrono::seconds(1));
}

}  // namespace
}  // namespace lakestream
