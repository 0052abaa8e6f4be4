// Files for many logs at once: what is read, in which order it may come, and how much memory it takes.

#include "log/compactor/group_work.h"

#include <gtest/gtest.h>

#include "log/compactor/testing/compactor_world.h"

namespace lakestream {
namespace {

using namespace std::chrono_literals;
using Kind = CompactionOutcome::Kind;

std::string Payload(std::int64_t log, int n, std::size_t size) {
  std::string bytes = std::to_string(log) + ":" + std::to_string(n) + ":";
  std::uint64_t x = static_cast<std::uint64_t>(log * 1000 + n) + 1;
  while (bytes.size() < size) {
    x = x * 6364136223846793005 + 1442695040888963407;
    bytes.push_back(static_cast<char>(x >> 56));
  }
  bytes.resize(size);
  return bytes;
}

/// `objects` objects, each with a section of every log; the logs' payloads have `size` bytes.
std::vector<LogId> FillShared(CompactorWorld& world, int logs, int objects, std::size_t size) {
  std::vector<LogId> ids;
  for (int l = 1; l <= logs; ++l) ids.push_back(LogId(l));
  for (int o = 0; o < objects; ++o) {
    const std::string name = "object-" + std::to_string(100 + o);
    std::vector<TestSection> sections;
    for (const LogId log : ids) {
      sections.push_back(TestSection{log, {{1, Payload(log.value(), o, size)}, {2, ""}}});
    }
    const std::vector<WalSection> wal = world.PutObject(name, sections);
    for (const WalSection& section : wal) world.Publish(section.log, world.RecordOf(section, name));
    EXPECT_TRUE(world.sim.RunFor(100ms).ok());
  }
  return ids;
}

void ExpectAllCompacted(CompactorWorld& world, CompactorProcess& process, const std::vector<LogId>& logs,
                        const std::map<LogId, std::vector<std::string>>& before) {
  for (const LogId log : logs) {
    SCOPED_TRACE(log.value());
    EXPECT_EQ(process.Outcome(log).kind, Kind::kCompacted) << process.Outcome(log).status.ToString();
    EXPECT_EQ(world.Entries(log), before.at(log));
    EXPECT_TRUE(world.Index(log).starts_with("P"));
  }
}

std::map<LogId, std::vector<std::string>> EntriesOf(CompactorWorld& world, const std::vector<LogId>& logs) {
  std::map<LogId, std::vector<std::string>> entries;
  for (const LogId log : logs) entries[log] = world.Entries(log);
  return entries;
}

TEST(GroupWork, ASharedObjectIsReadOnceForAllLogs) {
  CompactorWorld world;
  const std::vector<LogId> logs = FillShared(world, 10, 6, 500);
  const auto before = EntriesOf(world, logs);
  world.Settle();
  CompactorProcess& process = world.AddProcess();
  const auto totals = process.Pass(logs);
  ASSERT_TRUE(totals && totals->ok()) << totals->status().ToString();
  ExpectAllCompacted(world, process, logs, before);
  // Each log's last record stays RAW, and its object is not read.
  EXPECT_EQ(process.wal.gets.size(), 5u);
  EXPECT_EQ((*totals)->gets, 5);
  EXPECT_EQ((*totals)->compacted, 10);
  EXPECT_EQ((*totals)->scratch_bytes, 0);
}

TEST(GroupWork, OfALargeObjectAPartIsReadInTwoGets) {
  CompactorWorld world;
  // 40 logs of 100 KiB, of which two are compacted: those in the middle and behind each other.
  const std::vector<LogId> logs = FillShared(world, 40, 2, 100'000);
  const std::vector<LogId> two = {LogId(20), LogId(21)};
  const auto before = EntriesOf(world, two);
  world.Settle();
  CompactorProcess& process = world.AddProcess();
  const auto totals = process.Pass(two);
  ASSERT_TRUE(totals && totals->ok()) << totals->status().ToString();
  ExpectAllCompacted(world, process, two, before);
  ASSERT_EQ(process.wal.gets.size(), 2u);
  EXPECT_EQ(process.wal.gets[0].range.length, 65'536u);
  EXPECT_EQ(process.wal.gets[1].range.length, 200'000u);
}

TEST(GroupWork, ADirectoryThatIsLongerThanTheHeadCostsNoThirdGet) {
  CompactorWorld world;
  // The second log's section alone has a directory of more than 64 KiB; a third one makes the object large.
  std::vector<TestEntry> many;
  for (int i = 0; i < 60'000; ++i) many.push_back(TestEntry{1, "x"});
  const std::string rest(1 << 20, 'r');
  for (const char* name : {"a", "b"}) {
    const std::vector<TestSection> sections = {
        {LogId(1), {{1, "one"}}}, {LogId(2), many}, {LogId(3), {{1, rest}}}};
    const std::vector<WalSection> wal = world.PutObject(name, sections);
    for (const WalSection& section : wal) world.Publish(section.log, world.RecordOf(section, name));
  }
  const std::vector<LogId> one(1, LogId(1));
  const auto before = EntriesOf(world, one);
  world.Settle();
  CompactorProcess& process = world.AddProcess();
  ASSERT_TRUE(process.Pass(one)->ok());
  ExpectAllCompacted(world, process, one, before);
  EXPECT_EQ(process.wal.gets.size(), 2u);
}

TEST(GroupWork, ObjectsComeInAnyOrder) {
  CompactorWorld world;
  const LogId log(7);
  // Published all within the same millisecond, so that names decide, and they go back.
  for (const char* name : {"z", "m", "c", "b", "a"}) world.Append(log, name, {{1, name}, {3, ""}});
  const std::vector<LogId> one(1, log);
  const auto before = EntriesOf(world, one);
  world.Settle();
  CompactorOptions options = EagerOptions();
  options.objects_ahead = 1;
  CompactorProcess& process = world.AddProcess(options);
  ASSERT_TRUE(process.Pass(one)->ok());
  ExpectAllCompacted(world, process, one, before);
  ASSERT_EQ(process.wal.gets.size(), 4u);
}

TEST(GroupWork, WhatMemoryDoesNotHoldGoesIntoAScratchFile) {
  CompactorWorld world;
  const std::vector<LogId> logs = FillShared(world, 12, 30, 4'000);
  const auto before = EntriesOf(world, logs);
  world.Settle();
  CompactorOptions options = EagerOptions();
  options.memory_bytes = 400'000;  // of 1.4 MB
  options.open_files = 2;
  options.part_bytes = 30'000;
  CompactorProcess& process = world.AddProcess(options);
  const auto totals = process.Pass(logs);
  ASSERT_TRUE(totals && totals->ok()) << totals->status().ToString();
  ExpectAllCompacted(world, process, logs, before);
  EXPECT_EQ((*totals)->gets, 29) << "no object is read twice for want of memory";
  EXPECT_GT((*totals)->scratch_bytes, 500'000);
  EXPECT_LT((*totals)->scratch_bytes, 1'400'000);
  EXPECT_LE((*totals)->most_held, options.memory_bytes);
}

/// Nothing to write is not enough to be written, however little memory there is.
TEST(GroupWork, ComesToAnEndWithoutMemory) {
  CompactorWorld world;
  const std::vector<LogId> logs = FillShared(world, 3, 4, 100);
  const auto before = EntriesOf(world, logs);
  world.Settle();
  CompactorOptions options = EagerOptions();
  options.memory_bytes = 1;
  CompactorProcess& process = world.AddProcess(options);
  const auto totals = process.Pass(logs);
  ASSERT_TRUE(totals && totals->ok()) << totals->status().ToString();
  ExpectAllCompacted(world, process, logs, before);
}

TEST(GroupWork, ALargeLogGoesIntoItsFileAsItComes) {
  CompactorWorld world;
  const LogId log(7);
  for (int o = 0; o < 40; ++o) {
    world.Append(log, "object-" + std::to_string(100 + o), {{1, Payload(7, o, 30'000)}, {1, Payload(8, o, 20'000)}});
    ASSERT_TRUE(world.sim.RunFor(100ms).ok());
  }
  const std::vector<LogId> one(1, log);
  const auto before = EntriesOf(world, one);
  world.Settle();
  CompactorOptions options = EagerOptions();
  options.memory_bytes = 400'000;  // of 2 MB
  options.part_bytes = 150'000;
  CompactorProcess& process = world.AddProcess(options);
  const auto totals = process.Pass(one);
  ASSERT_TRUE(totals && totals->ok()) << totals->status().ToString();
  ExpectAllCompacted(world, process, one, before);
  EXPECT_EQ((*totals)->scratch_bytes, 0);
  EXPECT_LE((*totals)->most_held, options.memory_bytes);
}

TEST(GroupWork, AFullFileIsFollowedByTheNext) {
  CompactorWorld world;
  const LogId log(7);
  for (int o = 0; o < 10; ++o) {
    world.Append(log, "object-" + std::to_string(o), {{1, Payload(7, o, 700)}, {2, ""}, {1, Payload(8, o, 300)}});
  }
  const std::vector<LogId> one(1, log);
  const auto before = EntriesOf(world, one);
  world.Settle();
  CompactorOptions options = EagerOptions();
  options.plan.files.bytes = 2'500;
  options.plan.files.entries = 7;
  CompactorProcess& process = world.AddProcess(options);
  ASSERT_TRUE(process.Pass(one)->ok());
  ExpectAllCompacted(world, process, one, before);
  EXPECT_EQ(process.Outcome(log).files.size(), 4u);
  EXPECT_EQ(world.Files().size(), 8u);
}

TEST(GroupWork, WhatIsTrimmedIsLeftOutAndWhatTheMarkerLiesInStays) {
  CompactorWorld world;
  const LogId log(7);
  world.Append(log, "a", {{2, "aa"}, {3, "bbb"}, {2, "cccc"}});
  world.Append(log, "b", {{2, "d"}});
  world.Append(log, "c", {{1, "last"}});
  world.SetMarker(log, 3);
  const std::vector<LogId> one(1, log);
  const auto before = EntriesOf(world, one);
  ASSERT_EQ(before.at(log).size(), 4u);
  world.Settle();
  CompactorProcess& process = world.AddProcess();
  ASSERT_TRUE(process.Pass(one)->ok());
  ExpectAllCompacted(world, process, one, before);
  EXPECT_EQ(process.Outcome(log).range, (CompactionRange{Offset(0), Offset(9)}));
  EXPECT_EQ(process.Outcome(log).entries, 3) << "the entry of offsets 0 and 1 is left out";
  EXPECT_EQ(world.Index(log), "P9 R10");
}

TEST(GroupWork, OneLogsTroubleIsNobodyElses) {
  CompactorWorld world;
  const std::vector<LogId> logs = FillShared(world, 5, 6, 2'000);
  const auto before = EntriesOf(world, logs);
  world.Settle();
  CompactorProcess& process = world.AddProcess();
  // The first file that is uploaded: that of the first log.
  process.compacted_faults.OnNext(ObjectOp::kPut, "", Fault::Fail(ResourceExhausted("disk full")));
  const auto totals = process.Pass(logs);
  ASSERT_TRUE(totals && totals->ok()) << totals->status().ToString();
  EXPECT_EQ((*totals)->compacted, 4);
  EXPECT_EQ((*totals)->stuck, 1);
  std::vector<LogId> stuck;
  for (const LogId log : logs) {
    if (process.Outcome(log).kind != Kind::kStuck) continue;
    stuck.push_back(log);
    EXPECT_EQ(process.Outcome(log).status.code(), StatusCode::kResourceExhausted);
    EXPECT_GT(process.Outcome(log).pinned_bytes, 0);
    EXPECT_EQ(world.Record(log), CompactorWorld::Idle(0));
    EXPECT_EQ(world.Entries(log), before.at(log));
  }
  ASSERT_EQ(stuck.size(), 1u);
  // It is left alone for a while, and then tried again.
  EXPECT_EQ((*process.Pass(stuck))->left_alone, 1);
  ASSERT_TRUE(world.sim.RunFor(2s).ok());
  EXPECT_EQ((*process.Pass(stuck))->compacted, 1);
  ExpectAllCompacted(world, process, stuck, before);
}

TEST(GroupWork, WithoutAStoreNothingIsLost) {
  CompactorWorld world;
  const std::vector<LogId> logs = FillShared(world, 3, 4, 100);
  const auto before = EntriesOf(world, logs);
  world.Settle();
  CompactorProcess& process = world.AddProcess();
  process.wal_faults.Always(ObjectOp::kGet, "", Fault::FailUnavailable());
  const auto totals = process.Pass(logs);
  ASSERT_TRUE(totals && totals->ok()) << totals->status().ToString();
  EXPECT_EQ((*totals)->stuck, 3);
  EXPECT_EQ(world.Files().size(), 0u);
  EXPECT_EQ(EntriesOf(world, logs), before);
  process.wal_faults.Heal();
  ASSERT_TRUE(world.sim.RunFor(2s).ok());
  ASSERT_TRUE(process.Pass(logs)->ok());
  ExpectAllCompacted(world, process, logs, before);
}

TEST(GroupWork, GroupsAreCut) {
  CompactorWorld world;
  const std::vector<LogId> logs = FillShared(world, 40, 3, 100);
  const auto before = EntriesOf(world, logs);
  world.Settle();
  CompactorOptions options = EagerOptions();
  options.group_records = 20;
  CompactorProcess& process = world.AddProcess(options);
  const auto totals = process.Pass(logs);
  ASSERT_TRUE(totals && totals->ok()) << totals->status().ToString();
  ExpectAllCompacted(world, process, logs, before);
  EXPECT_EQ((*totals)->gets, 6) << "two objects, for each of three groups";
}

}  // namespace
}  // namespace lakestream
