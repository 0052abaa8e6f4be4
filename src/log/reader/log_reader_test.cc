#include "log/reader/log_reader.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "log/reader/log_index.h"
#include "log/reader/testing/reader_world.h"

namespace lakestream {
namespace {

const LogId kLog(7);

bool Names(const Result<LogRead>& read, const std::string& what) {
  return read.status().message().find(what) != std::string_view::npos;
}

TEST(Read, AnEmptyLogAndTheEnd) {
  ReaderWorld world;
  EXPECT_EQ(world.ReadText(kLog, 0), "->0");
  EXPECT_EQ(world.ReadText(kLog, 5), "->5");
  world.Append(kLog, "a", {{2, "aa"}});
  EXPECT_EQ(world.ReadText(kLog, 0), "0:aa ->2");
  EXPECT_EQ(world.ReadText(kLog, 2), "->2");
}

TEST(Read, TheExampleOfTheSpecification) {
  ReaderWorld world;
  const auto bytes = [](std::initializer_list<int> values) {
    std::string text;
    for (const int value : values) text += static_cast<char>(value);
    return text;
  };
  const std::string object =
      bytes({0, 0, 0, 0x13, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 7, 2, 0, 5, 2, 5, 3, 1, 1, 2, 3, 4, 5, 6, 7, 8});
  const std::string record = bytes({0x08, 0x03, 0x12, 0x0e, 0x37, 0x2d, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30,
                                    0x31, 0x2e, 0x77, 0x61, 0x6c, 0x18, 0x00, 0x20, 0x01, 0x28, 0x03, 0x30, 0x08,
                                    0x38, 0x08, 0x40, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01,
                                    0x48, 0x02, 0x52, 0x12, 0x08, 0x01, 0x10, 0x08, 0x1a, 0x0c, 0,    0,    0,
                                    2,    0,    0,    0,    0,    0,    0,    0x81, 0x82});
  ASSERT_EQ(object.size(), 31u);
  ASSERT_EQ(record.size(), 61u);
  BufferChain chain(Buffer::CopyOf(object));
  ASSERT_TRUE(world.sim.Run(world.memory_objects.Put(OpContext(), "7-00000001.wal", chain, PutMode::kCreate)).ok());
  std::vector<SequencedPutRequest> requests(
      1, SequencedPutRequest{Partition::OfLog(kLog), "00000000000000000007", 3, 8, Buffer::CopyOf(record),
                             WriteGuard(), nullptr});
  auto put = world.sim.RunUntilDone(world.memory_meta.SequencedPut(OpContext(), requests));
  ASSERT_TRUE(put && put->front().ok());

  const Result<LogRead> read = world.Read(kLog, 0);
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  ASSERT_EQ(read->entries.size(), 2u);
  const std::int64_t created = put->front()->created_ms;
  EXPECT_EQ(read->entries[0].header, (LogEntryHeader{Offset(0), 2, created, 5, 5}));
  EXPECT_EQ(read->entries[1].header, (LogEntryHeader{Offset(2), 1, created, 3, 8}));
  EXPECT_EQ(read->entries[0].payload.text(), bytes({1, 2, 3, 4, 5}));
  EXPECT_EQ(read->entries[1].payload.text(), bytes({6, 7, 8}));
  EXPECT_EQ(read->next, Offset(3));
}

TEST(Read, ContinuesOverRecordsUntilTheEnd) {
  ReaderWorld world;
  std::string expected;
  for (int i = 0; i < 100; ++i) {
    const std::string payload = "p" + std::to_string(i);
    world.Append(kLog, "o" + std::to_string(i), {{2, payload}, {1, ""}});
    expected += std::to_string(3 * i) + ":" + payload + " " + std::to_string(3 * i + 2) + ": ";
  }
  EXPECT_EQ(world.ReadText(kLog, 0), expected + "->300");
  // The headers of one long read are those of reads entry by entry.
  const Result<LogRead> all = world.Read(kLog, 0);
  ASSERT_TRUE(all.ok());
  Offset at(0);
  std::int64_t size = 0;
  for (const LogEntry& entry : all->entries) {
    const Result<LogRead> one = world.Read(kLog, at.value(), ReadBounds{1, 1});
    ASSERT_TRUE(one.ok());
    ASSERT_EQ(one->entries.size(), 1u);
    EXPECT_EQ(one->entries[0].header, entry.header);
    size += entry.header.entry_size;
    EXPECT_EQ(entry.header.cumulative_size, size);
    EXPECT_EQ(all->ObjectOf(entry), "o" + std::to_string(entry.header.offset.value() / 3));
    EXPECT_EQ(one->ObjectOf(entry), all->ObjectOf(entry));
    at = one->next;
  }
}

TEST(Read, BoundsHoldForAllButTheFirstEntry) {
  ReaderWorld world;
  world.Append(kLog, "a", {{1, "aaaa"}, {3, "bbbb"}, {1, "cc"}});
  world.Append(kLog, "b", {{1, "dddd"}, {1, ""}});
  const std::int64_t much = 1000;
  EXPECT_EQ(world.ReadText(kLog, 0, ReadBounds{1, much}), "0:aaaa ->1");
  EXPECT_EQ(world.ReadText(kLog, 1, ReadBounds{1, much}), "1:bbbb ->4");
  EXPECT_EQ(world.ReadText(kLog, 0, ReadBounds{3, much}), "0:aaaa ->1");
  EXPECT_EQ(world.ReadText(kLog, 0, ReadBounds{4, much}), "0:aaaa 1:bbbb ->4");
  EXPECT_EQ(world.ReadText(kLog, 0, ReadBounds{6, much}), "0:aaaa 1:bbbb 4:cc 5:dddd ->6");
  EXPECT_EQ(world.ReadText(kLog, 0, ReadBounds{much, 1}), "0:aaaa ->1");
  EXPECT_EQ(world.ReadText(kLog, 0, ReadBounds{much, 13}), "0:aaaa 1:bbbb 4:cc ->5");
  EXPECT_EQ(world.ReadText(kLog, 0, ReadBounds{much, 15}), "0:aaaa 1:bbbb 4:cc 5:dddd 6: ->7");
}

TEST(Read, AnOffsetInsideAnEntryGivesTheWholeEntry) {
  ReaderWorld world;
  world.Append(kLog, "a", {{3, "abc"}, {3, "def"}});
  EXPECT_EQ(world.ReadText(kLog, 1), "0:abc 3:def ->6");
  EXPECT_EQ(world.ReadText(kLog, 5), "3:def ->6");
}

TEST(Read, TrimmedEntriesAreSkippedAndOneThatReachesOverTheMarkerIsNot) {
  ReaderWorld world;
  world.Append(kLog, "a", {{2, "aa"}, {2, "bb"}, {2, "cc"}});
  world.Append(kLog, "b", {{1, "d"}});
  world.SetMarker(kLog, 3);
  EXPECT_EQ(world.ReadText(kLog, 0), "2:bb 4:cc 6:d ->7");
  world.SetMarker(kLog, 4);
  EXPECT_EQ(world.ReadText(kLog, 0), "4:cc 6:d ->7");
  EXPECT_EQ(world.ReadText(kLog, 2), "4:cc 6:d ->7");
  EXPECT_EQ(world.Read(kLog, 0)->entries[0].header.cumulative_size, 6);
  world.SetMarker(kLog, 6);
  EXPECT_EQ(world.ReadText(kLog, 0), "6:d ->7");
}

TEST(Read, TheMarkerIsReadAtEveryCall) {
  ReaderWorld world;
  world.Append(kLog, "a", {{1, "a"}});
  world.Append(kLog, "b", {{1, "b"}});
  EXPECT_EQ(world.ReadText(kLog, 0), "0:a 1:b ->2");
  world.SetMarker(kLog, 1);  // the index records are kept by now; the marker must not be
  EXPECT_EQ(world.ReadText(kLog, 0), "1:b ->2");
}

TEST(Read, AHardTrimBelowTheMarker) {
  ReaderWorld world;
  for (int i = 0; i < 6; ++i) world.Append(kLog, "o" + std::to_string(i), {{1, std::to_string(i)}});
  EXPECT_EQ(world.ReadText(kLog, 0, ReadBounds{1, 1}), "0:0 ->1");
  world.SetMarker(kLog, 4);
  world.RemoveIndex(kLog, 0, 4);
  world.RemoveObject("o1");
  EXPECT_EQ(world.ReadText(kLog, 1), "4:4 5:5 ->6");
}

TEST(Read, AGapIsCorruptAndNamed) {
  ReaderWorld world;
  for (int i = 0; i < 4; ++i) world.Append(kLog, "o" + std::to_string(i), {{1, std::to_string(i)}});
  world.RemoveIndex(kLog, 2, 2);
  // What lies before the gap is returned; the read that starts in it fails.
  EXPECT_EQ(world.ReadText(kLog, 0), "0:0 ->1");
  const Result<LogRead> read = world.Read(kLog, 1);
  EXPECT_EQ(read.status().code(), StatusCode::kCorrupt);
  EXPECT_TRUE(Names(read, "log=7")) << read.status().ToString();
  EXPECT_TRUE(Names(read, "offset=1")) << read.status().ToString();
  EXPECT_TRUE(Names(read, "next_start=2")) << read.status().ToString();
  // At or above the gap's end all is well, and a marker that passes the gap closes it.
  EXPECT_EQ(world.ReadText(kLog, 2), "2:2 3:3 ->4");
  world.SetMarker(kLog, 2);
  EXPECT_EQ(world.ReadText(kLog, 0), "2:2 3:3 ->4");
}

/// Gives an old answer for the marker the first time, as a store without snapshots may.
class StaleMarkerStore final : public ForwardingMetadataStore {
 public:
  using ForwardingMetadataStore::ForwardingMetadataStore;
  int stale_answers = 0;
  Task<Result<std::vector<ReadAnswer>>> Read(OpContext context, std::vector<ReadRequest> requests) override {
    return Stale(inner(), std::move(context), std::move(requests), &stale_answers);
  }

 private:
  static Task<Result<std::vector<ReadAnswer>>> Stale(MetadataStore& inner, OpContext context,
                                                     std::vector<ReadRequest> requests, int* stale) {
    Result<std::vector<ReadAnswer>> answers = co_await inner.Read(context, std::move(requests));
    if (answers.ok() && *stale > 0) {
      --*stale;
      answers->front() = std::nullopt;
    }
    co_return answers;
  }
};

TEST(Read, AStaleMarkerIsReadAgainBeforeAGapIsReported) {
  ReaderWorld world;
  for (int i = 0; i < 4; ++i) world.Append(kLog, "o" + std::to_string(i), {{1, std::to_string(i)}});
  world.SetMarker(kLog, 2);
  world.RemoveIndex(kLog, 0, 2);
  StaleMarkerStore stale(world.memory_meta);
  LogReader reader(world.sim.runtime(), stale, world.objects, world.compacted, world.homes, ReaderOptions());
  stale.stale_answers = 1;
  EXPECT_EQ(ReaderWorld::Text(world.sim.Run(reader.Read(OpContext(), kLog, Offset(0), ReadBounds()))), "2:2 3:3 ->4");
  EXPECT_EQ(stale.stale_answers, 0);
  stale.stale_answers = 2;
  LogReader another(world.sim.runtime(), stale, world.objects, world.compacted, world.homes, ReaderOptions());
  const auto gap = world.sim.Run(another.Read(OpContext(), kLog, Offset(0), ReadBounds()));
  EXPECT_EQ(gap.status().code(), StatusCode::kCorrupt);
}

TEST(Read, ANeighboursRecordsAreNoAnswer) {
  ReaderWorld world;  // one shard: all logs lie side by side
  world.Append(LogId(8), "eight", {{5, "other"}});
  world.Append(LogId(6), "six", {{5, "other"}});
  EXPECT_EQ(world.ReadText(kLog, 0), "->0");
  world.Append(kLog, "a", {{1, "a"}});
  world.PutMeta(kLog, "compact-offset-00000000000000000007", "{}");
  EXPECT_EQ(world.ReadText(kLog, 1), "->1");
  EXPECT_EQ(world.ReadText(kLog, 0), "0:a ->1");
  const auto extent = world.sim.Run(world.reader.Extent(OpContext(), LogId(9)));
  ASSERT_TRUE(extent.ok());
  EXPECT_FALSE(extent->has_records);
  EXPECT_EQ(extent->end, Offset(0));
}

TEST(Read, ManyLogsInOneObjectInAnyOrder) {
  ReaderWorld world;
  std::vector<TestSection> sections;
  for (const int log : {9, 3, 7, 5}) {
    const std::string name = std::to_string(log);
    sections.push_back(TestSection{LogId(log), {{1, name + "a"}, {2, name + "b"}}});
  }
  const std::vector<WalSection> wal = world.PutObject("many", sections);
  for (const WalSection& section : wal) world.Publish(section.log, world.RecordOf(section, "many"));
  for (const std::string log : {"3", "5", "7", "9"}) {
    EXPECT_EQ(world.ReadText(LogId(std::stoi(log)), 0), "0:" + log + "a 1:" + log + "b ->3");
  }
  EXPECT_EQ(world.objects.gets.size(), 1u);
}

TEST(Read, PayloadsNeedNotBeAdjacentOrInOrder) {
  ReaderWorld world;
  WalSection section{kLog, {WalEntry{6, 2, 1}, WalEntry{0, 2, 1}, WalEntry{3, 0, 1}, WalEntry{0, 8, 1}}};
  world.PutRaw("a", {section}, "01234567");
  world.Publish(kLog, world.RecordOf(section, "a"));
  EXPECT_EQ(world.ReadText(kLog, 0), "0:67 1:01 2: 3:01234567 ->4");
}

TEST(Read, AWrongSectionIsCorruptWithObjectAndField) {
  ReaderWorld world;
  const std::vector<WalSection> wal = world.PutObject("a", {{kLog, {{2, "aa"}, {1, "b"}}}});
  EntryIndex wrong = world.RecordOf(wal[0], "a");
  wrong.file_size = 4;
  world.Publish(kLog, wrong);
  Result<LogRead> read = world.Read(kLog, 0);
  EXPECT_EQ(read.status().code(), StatusCode::kCorrupt);
  EXPECT_TRUE(Names(read, "object=a") && Names(read, "field=file_size")) << read.status().ToString();

  const LogId other(11);
  world.Publish(other, world.RecordOf(wal[0], "a"));
  read = world.Read(other, 0);
  EXPECT_EQ(read.status().code(), StatusCode::kCorrupt);
  EXPECT_TRUE(Names(read, "object=a") && Names(read, "log=11")) << read.status().ToString();
}

TEST(Read, DamagedRecordsFailOnlyTheReadThatNeedsThem) {
  ReaderWorld world;
  const std::string first = world.Append(kLog, "a", {{1, "a"}});
  const std::string second = world.Append(kLog, "b", {{1, "b"}});
  world.Append(kLog, "c", {{1, "c"}});
  world.PutMeta(kLog, second, "nonsense");
  EXPECT_EQ(world.ReadText(kLog, 0), "0:a ->1");
  const Result<LogRead> read = world.Read(kLog, 1);
  EXPECT_EQ(read.status().code(), StatusCode::kCorrupt);
  EXPECT_TRUE(Names(read, second)) << read.status().ToString();
  EXPECT_EQ(world.ReadText(kLog, 2), "2:c ->3");
}

TEST(Read, AMissingObjectIsLookedUpAgain) {
  ReaderWorld world;
  const std::string key = world.Append(kLog, "old", {{1, "x"}});
  world.Append(kLog, "last", {{1, "y"}});
  EXPECT_EQ(world.ReadText(kLog, 0), "0:x 1:y ->2");

  // Another reader still keeps the record that named the old object.
  const std::vector<WalSection> wal = world.PutObject("new", {{kLog, {{1, "x"}}}});
  LogReader reader(world.sim.runtime(), world.meta, world.objects, world.compacted, world.homes,
                   ReaderOptions{.cache_bytes = 0});
  const auto read_all = [&] {
    return ReaderWorld::Text(world.sim.Run(reader.Read(OpContext(), kLog, Offset(0), ReadBounds())));
  };
  EXPECT_EQ(read_all(), "0:x 1:y ->2");
  world.PutMeta(kLog, key, EncodeEntryIndex(world.RecordOf(wal[0], "new")));
  world.RemoveObject("old");
  EXPECT_EQ(read_all(), "0:x 1:y ->2");
}

TEST(LogIndex, AFreshLookPassesByWhatIsKept) {
  ReaderWorld world;
  const std::string key = world.Append(kLog, "old", {{1, "x"}});
  LogIndex index(world.sim.runtime(), world.meta, ReaderOptions());
  const auto location = [&](bool fresh) {
    const auto found = world.sim.Run(index.Find(OpContext(), kLog, Offset(0), fresh));
    return found.ok() ? found->record->index.location : found.status().ToString();
  };
  EXPECT_EQ(location(false), "old");
  EntryIndex moved = *DecodeEntryIndex(AsBytes(world.Value(kLog, key)), key);
  moved.location = "new";
  world.PutMeta(kLog, key, EncodeEntryIndex(moved));
  EXPECT_EQ(location(false), "old");
  EXPECT_EQ(location(true), "new");
  EXPECT_EQ(location(false), "new");
}

TEST(Read, AfterAMissingObjectNoKeptRecordIsTrusted) {
  ReaderWorld world;
  LogReader reader(world.sim.runtime(), world.meta, world.objects, world.compacted, world.homes,
                   ReaderOptions{.cache_bytes = 0});
  const auto read_from = [&](std::int64_t from) {
    return ReaderWorld::Text(world.sim.Run(reader.Read(OpContext(), kLog, Offset(from), ReadBounds())));
  };
  std::string last;
  for (int i = 0; i < 3; ++i) last = world.Append(kLog, "o" + std::to_string(i), {{1, std::to_string(i)}});
  EXPECT_EQ(read_from(0), "0:0 1:1 2:2 ->3");
  // One record takes the place of all three, as after a compaction.
  const std::vector<WalSection> wal = world.PutObject("merged", {{kLog, {{1, "0"}, {1, "1"}, {1, "2"}}}});
  world.PutMeta(kLog, last, EncodeEntryIndex(world.RecordOf(wal[0], "merged")));
  world.RemoveIndex(kLog, 0, 2);
  for (int i = 0; i < 3; ++i) world.RemoveObject("o" + std::to_string(i));
  EXPECT_EQ(read_from(0), "0:0 1:1 2:2 ->3");
  const std::size_t before = world.meta.reads.size();
  EXPECT_EQ(read_from(1), "1:1 2:2 ->3");
  EXPECT_EQ(world.meta.reads.size() - before, 1u);
}

TEST(Read, AMissingObjectBelowAMarkerThatMovedIsSteppedOver) {
  ReaderWorld world;
  LogReader reader(world.sim.runtime(), world.meta, world.objects, world.compacted, world.homes,
                   ReaderOptions{.cache_bytes = 0});
  world.Append(kLog, "old", {{1, "x"}});
  world.Append(kLog, "last", {{1, "y"}});
  EXPECT_EQ(ReaderWorld::Text(world.sim.Run(reader.Read(OpContext(), kLog, Offset(0), ReadBounds()))), "0:x 1:y ->2");
  world.RemoveObject("old");
  world.SetMarker(kLog, 1);
  EXPECT_EQ(ReaderWorld::Text(world.sim.Run(reader.Read(OpContext(), kLog, Offset(0), ReadBounds()))), "1:y ->2");
}

TEST(Read, AnObjectThatIsReallyMissingIsNamed) {
  ReaderWorld world;
  world.Append(kLog, "a", {{1, "a"}});
  world.Append(kLog, "gone", {{1, "b"}});
  world.RemoveObject("gone");
  EXPECT_EQ(world.ReadText(kLog, 0), "0:a ->1");
  const std::size_t before = world.meta.reads.size();
  const Result<LogRead> read = world.Read(kLog, 1);
  EXPECT_EQ(read.status().code(), StatusCode::kCorrupt);
  EXPECT_TRUE(Names(read, "object=gone") && Names(read, "log=7") && Names(read, "offset=1"))
      << read.status().ToString();
  EXPECT_EQ(world.meta.reads.size() - before, 2u);
}

TEST(Read, BadArguments) {
  ReaderWorld world;
  EXPECT_EQ(world.Read(LogId(-1), 0).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(world.Read(kLog, -1).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(world.Read(kLog, 0, ReadBounds{0, 1}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(world.Read(kLog, 0, ReadBounds{1, 0}).status().code(), StatusCode::kInvalidArgument);
}

TEST(Read, OneOrderedReadOfMarkerAndRecordEachCall) {
  ReaderWorld world;
  for (int i = 0; i < 40; ++i) world.Append(kLog, "o" + std::to_string(i), {{1, "x"}});
  ASSERT_TRUE(world.Read(kLog, 0).ok());
  EXPECT_EQ(world.meta.reads, std::vector<std::size_t>(1, 2u));
  // The records are kept now: what is asked each time is the marker.
  const int scans = world.meta.scans;
  for (int i = 0; i < 40; ++i)
    ASSERT_EQ(world.ReadText(kLog, i, ReadBounds{1, 1}), std::to_string(i) + ":x ->" + std::to_string(i + 1));
  EXPECT_EQ(world.meta.scans, scans);
  EXPECT_EQ(std::count(world.meta.reads.begin(), world.meta.reads.end(), 1u), 40);
  // Until they are old.
  ASSERT_TRUE(world.sim.RunFor(std::chrono::seconds(11)).ok());
  ASSERT_TRUE(world.Read(kLog, 0, ReadBounds{1, 1}).ok());
  EXPECT_EQ(world.meta.reads.back(), 2u);
}

TEST(Extent, SaysWhereALogBeginsAndEnds) {
  ReaderWorld world;
  const auto extent = [&] {
    const auto got = world.sim.Run(world.reader.Extent(OpContext(), kLog));
    EXPECT_TRUE(got.ok()) << got.status().ToString();
    return *got;
  };
  EXPECT_FALSE(extent().has_records);
  EXPECT_EQ(extent().end, Offset(0));
  for (int i = 0; i < 5; ++i) world.Append(kLog, "o" + std::to_string(i), {{2, "xyz"}});
  EXPECT_TRUE(extent().has_records);
  EXPECT_EQ(extent().first, Offset(0));
  EXPECT_EQ(extent().end, Offset(10));
  EXPECT_EQ(extent().cumulative_size, 15);
  world.SetMarker(kLog, 3);
  EXPECT_EQ(extent().first, Offset(3));
  EXPECT_EQ(extent().trim_marker, Offset(3));
  world.SetMarker(kLog, 6);
  world.RemoveIndex(kLog, 0, 6);
  EXPECT_EQ(extent().first, Offset(6));
  // A record that begins above the marker: its start is what can be read first.
  world.RemoveIndex(kLog, 0, 8);
  EXPECT_EQ(extent().first, Offset(8));
  EXPECT_EQ(extent().cumulative_size, 15);
}

}  // namespace
}  // namespace lakestream
