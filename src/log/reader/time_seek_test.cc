#include <gtest/gtest.h>

#include <algorithm>

#include "log/reader/testing/compacted_world.h"

namespace lakestream {
namespace {

const LogId kLog(7);

/// Records of three entries with two records each, at these times in milliseconds after the first one.
std::int64_t AppendAt(CompactedWorld& world, const std::vector<std::int64_t>& times) {
  const std::int64_t begin = ToMillis(world.sim.runtime().clock.Wall());
  for (std::size_t i = 0; i < times.size(); ++i) {
    const std::int64_t now = ToMillis(world.sim.runtime().clock.Wall()) - begin;
    EXPECT_TRUE(world.sim.RunFor(std::chrono::milliseconds(times[i] - now)).ok());
    world.Append(kLog, "o" + std::to_string(i), {{2, "a"}, {2, "b"}, {2, "c"}});
  }
  return begin;
}

std::string Found(CompactedWorld& world, std::int64_t timestamp_ms) {
  const std::unique_ptr<LogReader> reader = world.Fresh();
  const Result<Offset> found = world.sim.Run(reader->FindTime(OpContext(), kLog, timestamp_ms));
  return found.ok() ? std::to_string(found->value()) : found.status().ToString();
}

LogRead Everything(CompactedWorld& world) {
  const Result<LogRead> all = world.ReadWith(*world.Fresh(), kLog, 0);
  EXPECT_TRUE(all.ok()) << all.status().ToString();
  return all.ok() ? *all : LogRead();
}

/// The first offset at or above the marker whose entry has the time, of everything that can be read.
std::string Expected(const LogRead& all, std::int64_t marker, std::int64_t timestamp_ms) {
  for (const LogEntry& entry : all.entries) {
    if (entry.header.timestamp_ms >= timestamp_ms) return std::to_string(std::max(marker, entry.header.offset.value()));
  }
  return std::to_string(all.next.value());
}

TEST(TimeSeek, AnEmptyLogAndTheEnd) {
  CompactedWorld world;
  EXPECT_EQ(Found(world, 0), "0");
  const std::int64_t begin = AppendAt(world, {0, 10});
  EXPECT_EQ(Found(world, begin - 1), "0");
  EXPECT_EQ(Found(world, begin + 1), "6");
  EXPECT_EQ(Found(world, begin + 11), "12");
  EXPECT_EQ(Found(world, std::numeric_limits<std::int64_t>::max()), "12");
  EXPECT_EQ(Found(world, std::numeric_limits<std::int64_t>::min()), "0");
  const Result<Offset> wrong = world.sim.Run(world.reader.FindTime(OpContext(), LogId(-1), 0));
  EXPECT_EQ(wrong.status().code(), StatusCode::kInvalidArgument);
}

TEST(TimeSeek, AgreesWithReadingEverything) {
  CompactedWorld world;
  // Several records with one time, too.
  const std::int64_t begin = AppendAt(world, {0, 1000, 1000, 2500, 3000, 3000, 7000, 7001, 9000, 12000});
  const auto check = [&] {
    for (const std::int64_t marker : {0, 1, 6, 9, 13, 24, 27, 54, 59}) {
      world.PutMeta(kLog, TrimMarkerKey(kLog), std::to_string(marker));
      const LogRead all = Everything(world);
      for (const std::int64_t t : {-1, 0, 1, 999, 1000, 1001, 2500, 2999, 3000, 3001, 7000, 7001, 7002, 8999, 9000, 12000,
                                   12001}) {
        EXPECT_EQ(Found(world, begin + t), Expected(all, marker, begin + t)) << marker << " " << t;
      }
    }
    world.SetMarker(kLog, 0);
  };
  check();
  world.Compact(kLog, 6, 30, {8, 14, 20, 26});
  check();
  world.Compact(kLog, 30, 42);
  check();
  world.Compact(kLog, 0, 6, {4});
  world.Compact(kLog, 42, 60, {46, 58});
  check();
}

TEST(TimeSeek, DuringAnInstallationEitherRecordAnswers) {
  CompactedWorld world;
  const std::int64_t begin = AppendAt(world, {0, 1000, 2000, 3000, 4000});
  const CompactedDraft draft = world.Draft(kLog, 6, 24, {14});
  world.WriteFiles(draft);
  world.InstallRecord(draft);
  const LogRead all = Everything(world);
  for (std::int64_t t = 0; t <= 5000; t += 500) {
    EXPECT_EQ(Found(world, begin + t), Expected(all, 0, begin + t)) << t;
  }
}

TEST(TimeSeek, TimesThatGoBackWithinARange) {
  CompactedWorld world;
  const std::int64_t begin = AppendAt(world, {0, 1000, 2000, 3000, 4000});
  CompactedDraft draft = world.Draft(kLog, 0, 24, {});
  // Twelve rows.
  const std::vector<std::int64_t> times = {0, 900, 300, 500, 2000, 100, 100, 1500, 2100, 2050, 2900, 3000};
  for (std::size_t i = 0; i < times.size(); ++i) draft.files[0].rows[i].timestamp_ms = begin + times[i];
  world.Install(draft);
  for (const std::int64_t marker : {0, 2, 4, 9, 11, 17, 23}) {
    world.PutMeta(kLog, TrimMarkerKey(kLog), std::to_string(marker));
    const LogRead all = Everything(world);
    for (std::int64_t t = 0; t <= 4100; t += 50) {
      EXPECT_EQ(Found(world, begin + t), Expected(all, marker, begin + t)) << marker << " " << t;
    }
  }
}

TEST(TimeSeek, ReadsNoMoreThanItMust) {
  CompactedWorld world;
  std::vector<std::int64_t> times;
  for (int i = 0; i < 64; ++i) times.push_back(1000 * i);
  const std::int64_t begin = AppendAt(world, times);
  // Two PARQUET records of sixteen files each, and thirty-two RAW ones.
  std::vector<std::int64_t> ends;
  for (int i = 1; i < 16; ++i) ends.push_back(6 * i);
  world.Compact(kLog, 0, 96, ends);
  for (std::int64_t& end : ends) end += 96;
  world.Compact(kLog, 96, 192, ends);
  world.objects.gets.clear();
  world.compacted.gets.clear();
  EXPECT_EQ(Found(world, begin + 40'000), "240");
  EXPECT_EQ(world.compacted.gets.size(), 0u);
  EXPECT_EQ(Found(world, begin + 20'000), "120");
  EXPECT_LE(world.compacted.gets.size(), 5u);  // halves of sixteen, and the one
  EXPECT_EQ(world.objects.gets.size(), 0u);
  for (const auto& get : world.compacted.gets) EXPECT_TRUE(get.key.ends_with(".index")) << get.key;
}

TEST(TimeSeek, MoreRecordsThanAPage) {
  CompactedWorld world;
  std::vector<std::int64_t> times;
  for (int i = 0; i < 2100; ++i) times.push_back(10 * i);
  const std::int64_t begin = AppendAt(world, times);
  for (const int i : {0, 999, 1000, 1001, 2000, 2099}) {
    EXPECT_EQ(Found(world, begin + 10 * i), std::to_string(6 * i));
    EXPECT_EQ(Found(world, begin + 10 * i - 1), std::to_string(6 * i));
  }
  world.RemoveIndex(kLog, 7000, 7100);
  EXPECT_EQ(Found(world, begin + 11'000), "6600");
  EXPECT_NE(Found(world, begin + 20'000).find("corrupt: the log's index has a gap"), std::string::npos);
}

TEST(TimeSeek, AMissingCompanionIsLookedUpAgain) {
  CompactedWorld world;
  const std::int64_t begin = AppendAt(world, {0, 1000, 2000, 3000});
  const CompactedDraft draft = world.Compact(kLog, 0, 18, {12});
  world.RemoveCompacted(draft.CompanionOf(0));
  const std::string said = Found(world, begin + 500);
  EXPECT_NE(said.find("corrupt: an index record names an object that does not exist"), std::string::npos) << said;
  EXPECT_NE(said.find("object=" + draft.CompanionOf(0)), std::string::npos) << said;
  // What is trimmed is not missed.
  world.SetMarker(kLog, 12);
  EXPECT_EQ(Found(world, begin + 500), "12");
}

}  // namespace
}  // namespace lakestream
