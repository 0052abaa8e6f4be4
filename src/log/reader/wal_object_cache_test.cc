#include "log/reader/wal_object_cache.h"

#include <gtest/gtest.h>

#include "log/reader/testing/reader_world.h"
#include "runtime/thread_runtime.h"
#include "runtime/when_all.h"

namespace lakestream {
namespace {

const LogId kLog(7);
const LogId kOther(8);

std::string Big(char c, std::size_t bytes) { return std::string(bytes, c); }

/// "offset+length" of each GET, "offset+" to the end.
std::vector<std::string> Ranges(const ReaderWorld& world) {
  std::vector<std::string> ranges;
  for (const auto& get : world.objects.gets) {
    ranges.push_back(std::to_string(get.range.offset) + "+" +
                     (get.range.length ? std::to_string(*get.range.length) : ""));
  }
  return ranges;
}

TEST(WalObjectCache, ASmallObjectComesWhole) {
  ReaderWorld world;
  world.Append(kLog, "a", {{1, Big('a', 600'000)}, {1, Big('b', 400'000)}});
  EXPECT_EQ(world.Read(kLog, 0)->entries.size(), 2u);
  EXPECT_EQ(Ranges(world), std::vector<std::string>(1, "0+"));
  EXPECT_EQ(world.Read(kLog, 1)->entries.size(), 1u);
  EXPECT_EQ(world.objects.gets.size(), 1u);
}

TEST(WalObjectCache, OfALargeObjectOnlyWhatIsWanted) {
  ReaderWorld world;
  // 2 MiB; the log's entries begin at 1 MiB.
  const std::vector<WalSection> wal = world.PutObject(
      "a", {{kOther, {{1, Big('x', 1 << 20)}}}, {kLog, {{1, "first"}, {1, "second"}, {1, Big('y', 1 << 20)}}}});
  for (const WalSection& section : wal) world.Publish(section.log, world.RecordOf(section, "a"));
  const std::size_t header = EncodeWalHeader(wal)->size();

  EXPECT_EQ(world.ReadText(kLog, 0, ReadBounds{2, 1000}), "0:first 1:second ->2");
  EXPECT_EQ(Ranges(world), (std::vector<std::string>{"0+65536", std::to_string(header + (1 << 20)) + "+11"}));
  // The same again costs nothing; the rest of the section is one more range.
  EXPECT_EQ(world.ReadText(kLog, 0, ReadBounds{2, 1000}), "0:first 1:second ->2");
  EXPECT_EQ(world.objects.gets.size(), 2u);
  EXPECT_EQ(world.Read(kLog, 2)->entries[0].payload.size(), std::size_t{1} << 20);
  EXPECT_EQ(world.objects.gets.size(), 3u);
  // A second log that misses fetches the object whole, and then nobody misses any more.
  EXPECT_EQ(world.Read(kOther, 0)->entries[0].payload.text(), Big('x', 1 << 20));
  EXPECT_EQ(Ranges(world).back(), "0+");
  EXPECT_EQ(world.Read(kLog, 0)->entries.size(), 3u);
  EXPECT_EQ(world.objects.gets.size(), 4u);
}

TEST(WalObjectCache, PayloadsThatCameWithTheHeaderCostNothing) {
  ReaderWorld world;
  const std::vector<WalSection> wal =
      world.PutObject("a", {{kLog, {{1, "first"}}}, {kOther, {{1, Big('x', 2 << 20)}}}});
  for (const WalSection& section : wal) world.Publish(section.log, world.RecordOf(section, "a"));
  EXPECT_EQ(world.ReadText(kLog, 0), "0:first ->1");
  EXPECT_EQ(Ranges(world), std::vector<std::string>(1, "0+65536"));
}

TEST(WalObjectCache, AHeaderLongerThanTheFirstFetch) {
  ReaderWorld world;
  std::vector<TestSection> sections;
  for (int log = 100; log < 10'100; ++log)
    sections.push_back(TestSection{LogId(log), {{1, "p" + std::to_string(log)}}});
  sections.push_back(TestSection{kLog, {{1, "mine"}, {1, Big('y', 2 << 20)}}});
  const std::vector<WalSection> wal = world.PutObject("a", sections);
  const std::size_t header = EncodeWalHeader(wal)->size();
  ASSERT_GT(header, 65'536u);
  for (const WalSection& section : {wal.front(), wal.back()})
    world.Publish(section.log, world.RecordOf(section, "a"));
  EXPECT_EQ(world.ReadText(kLog, 0, ReadBounds{1, 1}), "0:mine ->1");
  ASSERT_EQ(world.objects.gets.size(), 3u);
  EXPECT_EQ(Ranges(world)[0], "0+65536");
  EXPECT_EQ(Ranges(world)[1], "65536+" + std::to_string(header - 65'536));
  EXPECT_EQ(world.ReadText(LogId(100), 0), "0:p100 ->1");
}

TEST(WalObjectCache, TruncatedObjectsAreCorrupt) {
  const auto read_cut = [](std::size_t keep_region, std::size_t keep_header) {
    ReaderWorld world;
    const WalSection section{kLog, {WalEntry{0, 10, 1}, WalEntry{2 << 20, 10, 1}}};
    world.PutRaw("whole", {section}, Big('z', (2 << 20) + 10));
    world.Publish(kLog, world.RecordOf(section, "a"));
    std::string bytes(EncodeWalHeader({section})->text());
    bytes.resize(std::min(bytes.size(), keep_header));
    bytes += Big('z', keep_region);
    EXPECT_TRUE(world.sim
                    .Run(world.memory_objects.Put(OpContext(), "a", BufferChain(Buffer(std::move(bytes))),
                                                  PutMode::kCreate))
                    .ok());
    const Result<LogRead> read = world.Read(kLog, 0);
    EXPECT_NE(read.status().message().find("object=a"), std::string_view::npos) << read.status().ToString();
    return read.status().code();
  };
  EXPECT_EQ(read_cut((2 << 20) + 9, 1000), StatusCode::kCorrupt);
  EXPECT_EQ(read_cut(100, 1000), StatusCode::kCorrupt);
  EXPECT_EQ(read_cut(0, 20), StatusCode::kCorrupt);
  EXPECT_EQ(read_cut(0, 2), StatusCode::kCorrupt);
  EXPECT_EQ(read_cut(0, 0), StatusCode::kCorrupt);
}

TEST(WalObjectCache, ARecordWithAWrongSizeHarmsOnlyItself) {
  ReaderWorld world;
  const std::vector<WalSection> wal = world.PutObject("a", {{kLog, {{1, "aa"}}}, {kOther, {{1, Big('x', 2 << 20)}}}});
  EntryIndex wrong = world.RecordOf(wal[0], "a");
  wrong.file_size += 1;
  world.Publish(kLog, wrong);
  world.Publish(kOther, world.RecordOf(wal[1], "a"));
  EXPECT_TRUE(world.Read(kLog, 0).ok());  // nothing showed yet how long the object is
  EXPECT_EQ(world.Read(kOther, 0)->entries[0].payload.size(), std::size_t{2} << 20);
  const Result<LogRead> read = world.Read(kLog, 0);
  EXPECT_EQ(read.status().code(), StatusCode::kCorrupt);
  EXPECT_NE(read.status().message().find("field=file_size"), std::string_view::npos) << read.status().ToString();
}

TEST(WalObjectCache, ConcurrentReadersShareOneGet) {
  ReaderWorld world;
  std::vector<TestSection> sections;
  for (int log = 0; log < 20; ++log) sections.push_back(TestSection{LogId(log), {{1, "p" + std::to_string(log)}}});
  for (const WalSection& section : world.PutObject("a", sections))
    world.Publish(section.log, world.RecordOf(section, "a"));
  std::vector<Task<Result<LogRead>>> reads;
  for (int log = 0; log < 20; ++log)
    reads.push_back(world.reader.Read(OpContext(), LogId(log), Offset(0), ReadBounds()));
  auto results = world.sim.RunUntilDone(WhenAll(world.sim.runtime(), std::move(reads)));
  ASSERT_TRUE(results);
  for (int log = 0; log < 20; ++log) {
    EXPECT_EQ(ReaderWorld::Text((*results)[log]), "0:p" + std::to_string(log) + " ->1");
  }
  EXPECT_EQ(world.objects.gets.size(), 1u);
}

/// Answers only when told to.
class HeldStore final : public ForwardingObjectStore {
 public:
  HeldStore(Runtime& runtime, ObjectStore& inner) : ForwardingObjectStore(inner), go(runtime.executor) {}
  Event go;
  int gets = 0;
  Task<Result<Buffer>> Get(OpContext context, std::string key, ByteRange range) override {
    ++gets;
    return Held(inner(), go, std::move(context), std::move(key), range);
  }

 private:
  static Task<Result<Buffer>> Held(ObjectStore& inner, Event& go, OpContext context, std::string key,
                                   ByteRange range) {
    const Status waited = co_await go.WaitFor(context);
    if (!waited.ok()) co_return waited;
    Task<Result<Buffer>> get = inner.Get(std::move(context), std::move(key), range);
    co_return co_await get;
  }
};

Task<void> ReadInto(LogReader& reader, OpContext context, std::string* text) {
  Task<Result<LogRead>> reading = reader.Read(std::move(context), kLog, Offset(0), ReadBounds());
  *text = ReaderWorld::Text(co_await reading);
}

TEST(WalObjectCache, ALeaderThatGivesUpLeavesTheWorkToOthers) {
  ReaderWorld world;
  world.Append(kLog, "a", {{1, "a"}});
  HeldStore held(world.sim.runtime(), world.memory_objects);
  LogReader reader(world.sim.runtime(), world.meta, held, world.compacted, world.homes, ReaderOptions());
  std::stop_source stop;
  std::string leader;
  std::string follower;
  SimNode& node = world.sim.AddNode("readers");
  node.Spawn(ReadInto(reader, OpContext().WithCancel(stop.get_token()), &leader));
  ASSERT_TRUE(world.sim.RunFor(std::chrono::milliseconds(1)).ok());
  node.Spawn(ReadInto(reader, OpContext(), &follower));
  ASSERT_TRUE(world.sim.RunFor(std::chrono::milliseconds(1)).ok());
  EXPECT_EQ(held.gets, 1);
  stop.request_stop();
  ASSERT_TRUE(world.sim.RunFor(std::chrono::milliseconds(1)).ok());
  EXPECT_EQ(leader.substr(0, 9), "cancelled");
  EXPECT_EQ(follower, "");
  EXPECT_EQ(held.gets, 2);
  held.go.Set();
  ASSERT_TRUE(world.sim.RunFor(std::chrono::milliseconds(1)).ok());
  EXPECT_EQ(follower, "0:a ->1");
}

TEST(WalObjectCache, KeepsWithinItsBudgetAndDropsTheOldest) {
  ReaderOptions options;
  options.cache_bytes = 100'000;
  ReaderWorld world(1, options);
  CacheBudget budget(options.cache_bytes);
  WalObjectCache cache(world.sim.runtime(), world.objects, options, budget);
  for (int i = 0; i < 10; ++i) world.Append(kLog, "o" + std::to_string(i), {{1, Big('a', 30'000)}});
  const auto open = [&](int i) {
    const auto got = world.sim.Run(cache.Open(OpContext(), "o" + std::to_string(i), 30'000));
    EXPECT_TRUE(got.ok());
    EXPECT_LE(budget.bytes(), options.cache_bytes);
    return world.objects.gets.size();
  };
  open(0);
  open(1);
  EXPECT_EQ(open(0), 2u);
  open(2);
  EXPECT_EQ(open(3), 4u);  // 1 goes, 0 was used since
  EXPECT_EQ(open(0), 4u);
  EXPECT_EQ(open(1), 5u);
  for (int i = 0; i < 10; ++i) open(i);
  EXPECT_GT(budget.bytes(), 60'000);
  // An object beyond the whole budget is read all the same.
  options.cache_bytes = 10;
  LogReader reader(world.sim.runtime(), world.meta, world.objects, world.compacted, world.homes, options);
  EXPECT_EQ(world.sim.Run(reader.Read(OpContext(), kLog, Offset(0), ReadBounds()))->entries.size(), 10u);
}

Task<Result<std::int64_t>> ReadAll(LogReader& reader, LogId log, std::int64_t expect) {
  Offset at(0);
  std::int64_t bytes = 0;
  while (at.value() < expect) {
    ReadBounds bounds;
    bounds.max_records = 7;
    Task<Result<LogRead>> reading = reader.Read(OpContext(), log, at, bounds);
    LS_CO_ASSIGN(const LogRead read, co_await reading);
    for (const LogEntry& entry : read.entries) {
      if (entry.payload.text() != std::to_string(log.value()) + "-" + std::to_string(entry.header.offset.value())) {
        co_return Corrupt("another payload");
      }
      bytes += entry.header.entry_size;
    }
    at = read.next;
  }
  co_return bytes;
}

TEST(WalObjectCache, ManyThreadsAtOnce) {
  ThreadRuntime threads(ThreadRuntimeOptions{4, 2});
  Runtime& runtime = threads.runtime();
  MemoryMetadataStore meta(runtime);
  MemoryObjectStore objects(runtime);
  constexpr int kLogs = 4;
  constexpr int kObjects = 30;
  for (int i = 0; i < kObjects; ++i) {
    std::vector<WalSection> sections;
    std::string region;
    for (int log = 0; log < kLogs; ++log) {
      const std::string payload = std::to_string(log) + "-" + std::to_string(i);
      sections.push_back(WalSection{LogId(log), {WalEntry{static_cast<std::int32_t>(region.size()),
                                                          static_cast<std::int32_t>(payload.size()), 1}}});
      region += payload;
    }
    const std::string name = "o" + std::to_string(i);
    const auto size = static_cast<std::int64_t>(region.size());
    BufferChain chain(*EncodeWalHeader(sections));
    chain.Append(Buffer(std::move(region)));
    ASSERT_TRUE(Wait(objects.Put(OpContext(), name, std::move(chain), PutMode::kCreate)).ok());
    for (const WalSection& section : sections) {
      const EntryIndex index = *MakeRawEntryIndex(section, name, size, false);
      std::vector<SequencedPutRequest> requests(
          1, SequencedPutRequest{Partition::OfLog(section.log), IndexKeyPrefix(section.log), 1,
                                 index.entry_size_bytes, Buffer(EncodeEntryIndex(index)), WriteGuard(), nullptr});
      ASSERT_TRUE(Wait(meta.SequencedPut(OpContext(), std::move(requests))).front().ok());
    }
  }
  ReaderOptions options;
  options.cache_bytes = 4000;  // so that objects come and go
  PlainLogHomes homes;
  LogReader reader(runtime, meta, objects, objects, homes, options);
  std::vector<Task<Result<std::int64_t>>> readers;
  for (int i = 0; i < 40; ++i) readers.push_back(ReadAll(reader, LogId(i % kLogs), kObjects));
  for (const auto& bytes : Wait(WhenAll(runtime, std::move(readers)))) {
    ASSERT_TRUE(bytes.ok()) << bytes.status().ToString();
    EXPECT_EQ(*bytes, 10 * 3 + 20 * 4);
  }
}

}  // namespace
}  // namespace lakestream
