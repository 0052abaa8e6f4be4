#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "log/reader/log_reader.h"
#include "log/reader/testing/compacted_world.h"

namespace lakestream {
namespace {

const LogId kLog(7);
constexpr std::int64_t kMuch = 1'000'000;

/// The code, and in the message each of these.
void ExpectRefused(const Result<LogRead>& read, StatusCode code, const std::vector<std::string>& parts) {
  ASSERT_EQ(StatusCodeName(read.status().code()), StatusCodeName(code)) << ReaderWorld::Text(read).substr(0, 200);
  for (const std::string& part : parts) {
    EXPECT_TRUE(read.status().message().find(part) != std::string_view::npos)
        << part << ": " << ReaderWorld::Text(read);
  }
}

/// Ten objects of three entries with one, two and three records: 60 offsets, whose times are a second apart.
void AppendTen(CompactedWorld& world) {
  for (int i = 0; i < 10; ++i) {
    const std::string p = "p" + std::to_string(i);
    world.Append(kLog, "o" + std::to_string(i), {{1, p + "a"}, {2, ""}, {3, p + std::string(50, 'c')}});
    ASSERT_TRUE(world.sim.RunFor(std::chrono::seconds(1)).ok());
  }
}

std::vector<ReadBounds> SomeBounds() {
  return {ReadBounds{1, 1}, ReadBounds{4, kMuch}, ReadBounds{17, kMuch}, ReadBounds{kMuch, 60},
          ReadBounds{kMuch, 300}, ReadBounds()};
}

/// The answers to reads from each offset with several bounds, headers and all.
std::vector<std::string> AllAnswers(CompactedWorld& world, std::int64_t end) {
  std::vector<std::string> answers;
  const std::unique_ptr<LogReader> reader = world.Fresh();
  for (const ReadBounds& bounds : SomeBounds()) {
    for (std::int64_t from = 0; from <= end; ++from) {
      const Result<LogRead> read = world.ReadWith(*reader, kLog, from, bounds);
      std::string text = "from " + std::to_string(from) + " max_records " + std::to_string(bounds.max_records) +
                         " max_bytes " + std::to_string(bounds.max_bytes) + ": " + ReaderWorld::Text(read);
      if (read.ok()) {
        for (const LogEntry& entry : read->entries) {
          const LogEntryHeader& header = entry.header;
          text += " " + std::to_string(header.number_of_records) + "/" + std::to_string(header.timestamp_ms) + "/" +
                  std::to_string(header.entry_size) + "/" + std::to_string(header.cumulative_size);
        }
      }
      answers.push_back(std::move(text));
    }
  }
  return answers;
}

/// The first difference alone: there are hundreds.
void ExpectSame(const std::vector<std::string>& answers, const std::vector<std::string>& expected) {
  ASSERT_EQ(answers.size(), expected.size());
  for (std::size_t i = 0; i < answers.size(); ++i) ASSERT_EQ(answers[i], expected[i]);
}

TEST(CompactedRead, CrossesRawAndParquetFromEachOffset) {
  CompactedWorld world;
  AppendTen(world);
  const auto raw = AllAnswers(world, 60);
  const CompactedDraft first = world.Compact(kLog, 12, 30, {18, 21});
  ExpectSame(AllAnswers(world, 60), raw);
  world.Compact(kLog, 36, 48);
  ExpectSame(AllAnswers(world, 60), raw);
  world.Compact(kLog, 30, 36, {31, 33});
  ExpectSame(AllAnswers(world, 60), raw);
  world.Compact(kLog, 0, 12, {6});
  world.Compact(kLog, 48, 60, {54, 55});
  ExpectSame(AllAnswers(world, 60), raw);

  // Where entries lie.
  const Result<LogRead> read = world.ReadWith(*world.Fresh(), kLog, 0);
  ASSERT_TRUE(read.ok() && read->entries.size() == 30);
  EXPECT_EQ(read->ObjectOf(read->entries[6]), first.PathOf(0));
  EXPECT_EQ(read->ObjectOf(read->entries[9]), "default/log-7/" + first.files[1].name);
  EXPECT_EQ(read->PlaceOf(read->entries[9]).file_type, FileType::kParquet);
}

TEST(CompactedRead, TheMarkerCountsWithinARange) {
  CompactedWorld world;
  AppendTen(world);
  std::map<std::int64_t, std::string> raw;
  for (const std::int64_t marker : {7, 9, 12, 20, 35, 36, 37, 40}) {
    world.SetMarker(kLog, marker);
    raw[marker] = world.FreshText(kLog, 0);
  }
  world.SetMarker(kLog, 0);
  world.Compact(kLog, 6, 36, {12, 18});
  for (const auto& [marker, text] : raw) {
    world.SetMarker(kLog, marker);
    EXPECT_EQ(world.FreshText(kLog, 0), text) << marker;
    EXPECT_EQ(world.FreshText(kLog, marker - 1), text) << marker;
  }
}

TEST(CompactedRead, FilesMayLeaveOutWhatIsTrimmed) {
  CompactedWorld world;
  AppendTen(world);
  world.SetMarker(kLog, 14);
  const std::string raw = world.FreshText(kLog, 0);
  // The first file would have held what is trimmed alone; the second one begins with the entry that holds the marker.
  const CompactedDraft draft = world.Compact(kLog, 0, 30, {12, 18}, 14);
  ASSERT_EQ(draft.files.size(), 2u);
  ASSERT_EQ(draft.files[0].rows[0].offset, Offset(13));
  EXPECT_EQ(world.FreshText(kLog, 0), raw);
  EXPECT_EQ(world.FreshText(kLog, 13), raw);
  // Nobody else may find an entry missing there.
  world.PutMeta(kLog, TrimMarkerKey(kLog), "10");
  ExpectRefused(world.Read(kLog, 3), StatusCode::kCorrupt, {"object=" + draft.PathOf(0), "first=13", "offset=10"});
}

TEST(CompactedRead, AMarkerThatMovedBeforeTheCompactionIsReadAgain) {
  CompactedWorld world;
  AppendTen(world);
  world.SetMarker(kLog, 14);
  const std::string raw = world.FreshText(kLog, 0);
  world.Compact(kLog, 0, 30, {18}, 14);
  LateMarker meta(world.memory_meta);
  LogReader reader(world.sim.runtime(), meta, world.objects, world.compacted, world.homes, ReaderOptions());
  EXPECT_EQ(ReaderWorld::Text(world.ReadWith(reader, kLog, 0)), raw);
}

TEST(CompactedRead, DuringAnInstallationEitherRecordAnswers) {
  CompactedWorld world;
  AppendTen(world);
  const auto raw = AllAnswers(world, 60);
  const CompactedDraft draft = world.Draft(kLog, 12, 42, {18, 25});
  world.WriteFiles(draft);
  world.InstallRecord(draft);
  ExpectSame(AllAnswers(world, 60), raw);
  // A reader that knows the RAW records goes on with what it knows; one that starts among them finds the rest.
  const std::unique_ptr<LogReader> reader = world.Fresh();
  const std::string all = ReaderWorld::Text(world.ReadWith(*reader, kLog, 0));
  world.RemoveIndex(kLog, 13, 41);
  EXPECT_EQ(ReaderWorld::Text(world.ReadWith(*reader, kLog, 0)), all);
  ExpectSame(AllAnswers(world, 60), raw);
}

TEST(CompactedRead, KeptRecordsWhoseObjectsAreGoneAreReadAgain) {
  CompactedWorld world;
  AppendTen(world);
  ReaderOptions forgets;
  forgets.cache_bytes = 0;
  const std::unique_ptr<LogReader> reader = world.Fresh(forgets);
  const std::string all = ReaderWorld::Text(world.ReadWith(*reader, kLog, 0));
  const CompactedDraft draft = world.Compact(kLog, 6, 54, {30});
  for (int i = 1; i < 9; ++i) world.RemoveObject("o" + std::to_string(i));
  // The RAW records are still kept; their objects are gone.
  EXPECT_EQ(ReaderWorld::Text(world.ReadWith(*reader, kLog, 12)), world.FreshText(kLog, 12));
  EXPECT_EQ(ReaderWorld::Text(world.ReadWith(*reader, kLog, 0)), all.substr(0, all.find("6:p1a")) + "->6");
  EXPECT_EQ(ReaderWorld::Text(world.ReadWith(*reader, kLog, 0)), all);
  // Now the PARQUET record is kept. It is trimmed, and its files are deleted before it is.
  world.SetMarker(kLog, 54);
  for (const std::size_t i : {0, 1}) {
    world.RemoveCompacted(draft.PathOf(i));
    world.RemoveCompacted(draft.CompanionOf(i));
  }
  EXPECT_EQ(ReaderWorld::Text(world.ReadWith(*reader, kLog, 0)), world.FreshText(kLog, 54));
}

TEST(CompactedRead, AMissingFileIsLookedUpAgainAndThenNamed) {
  for (const bool companion : {false, true}) {
    CompactedWorld world;
    AppendTen(world);
    const CompactedDraft draft = world.Compact(kLog, 6, 54, {30, 42});
    const std::string gone = companion ? draft.CompanionOf(1) : draft.PathOf(1);
    world.RemoveCompacted(gone);
    // What comes before it is returned.
    EXPECT_EQ(world.Read(kLog, 0)->next, Offset(30));
    const std::size_t before = world.meta.reads.size();
    ExpectRefused(world.Read(kLog, 35), StatusCode::kCorrupt,
                  {"names an object that does not exist", "object=" + gone, "log=7", "offset=35"});
    EXPECT_EQ(world.meta.reads.size() - before, 2u);
    EXPECT_EQ(world.Read(kLog, 42)->next, Offset(60));
  }
}

TEST(CompactedRead, ALogWithoutAStreamIsNamed) {
  class NoHomes final : public LogHomes {
   public:
    Task<Result<LogHome>> Find(OpContext, LogId) override { co_return NotFound("the log is not registered"); }
  };
  CompactedWorld world;
  AppendTen(world);
  const std::string key = world.Install(world.Draft(kLog, 6, 30, {}));
  NoHomes homes;
  LogReader reader(world.sim.runtime(), world.meta, world.objects, world.compacted, homes, ReaderOptions());
  EXPECT_EQ(world.ReadWith(reader, kLog, 0)->next, Offset(6));
  ExpectRefused(world.ReadWith(reader, kLog, 7), StatusCode::kCorrupt,
                {"no stream", "record=" + key, "log=7", "offset=7"});
  EXPECT_EQ(world.ReadWith(reader, kLog, 30)->next, Offset(60));
}

TEST(CompactedRead, OtherPayloadsAreRefusedByTheirName) {
  CompactedWorld world;
  AppendTen(world);
  CompactedDraft draft = world.Draft(kLog, 6, 54, {30});
  draft.files[0].serde_type = "lakestream_RAW_Parquet";
  draft.files[1].serde_type = "KAFKA_PARQUET";
  world.Install(draft);
  EXPECT_EQ(world.Read(kLog, 0)->next, Offset(30));
  ExpectRefused(world.Read(kLog, 30), StatusCode::kUnimplemented,
                {"object=" + draft.PathOf(1), "entry_serde_type=KAFKA_PARQUET", "expected=LAKESTREAM_RAW_PARQUET"});
  EXPECT_EQ(world.Read(kLog, 54)->next, Offset(60));
}

TEST(CompactedRead, EachLieIsCorrupt) {
  using File = CompactedDraft::File;
  const auto after = [](auto&& change, std::int64_t from) {
    CompactedWorld world;
    AppendTen(world);
    CompactedDraft draft = world.Draft(kLog, 6, 54, {30, 42});
    const std::string key = IndexKey{kLog, draft.end, draft.cumulative_size}.Encode();
    change(draft);
    world.WriteFiles(draft);
    world.InstallRecord(draft);
    world.RemoveIndex(kLog, 7, 53);
    Result<LogRead> read = world.Read(kLog, from);
    EXPECT_FALSE(read.ok() && read->next > Offset(from)) << ReaderWorld::Text(read);
    return read;
  };
  const auto shift_sizes = [](File& file, std::int64_t by) {
    for (LogEntryHeader& row : file.rows) row.cumulative_size += by;
  };
  const auto shift_offsets = [](File& file, std::int64_t by) {
    for (LogEntryHeader& row : file.rows) row.offset = row.offset + by;
  };
  // Offsets.
  ExpectRefused(after([&](auto& d) { shift_offsets(d.files[0], -1); }, 6), StatusCode::kCorrupt,
                {"begin elsewhere", "object=default/log-7/lks-1.index", "field=offset", "offset=5", "expected=6"});
  ExpectRefused(after([&](auto& d) { shift_offsets(d.files[0], 1); }, 6), StatusCode::kCorrupt,
                {"end elsewhere", "offset=31", "expected=30"});
  ExpectRefused(after([&](auto& d) { shift_offsets(d.files[1], 1); }, 30), StatusCode::kCorrupt,
                {"begin elsewhere", "offset=31", "expected=30"});
  ExpectRefused(after([](auto& d) { d.files[1].rows.pop_back(), d.files[1].payloads.pop_back(); }, 30),
                StatusCode::kCorrupt, {"end elsewhere", "offset=39", "expected=42"});
  ExpectRefused(after([](auto& d) { d.files[1].last_offset = Offset(44); }, 30), StatusCode::kCorrupt,
                {"end elsewhere", "offset=42", "expected=45"});
  // Another number of records in the record.
  ExpectRefused(after([](auto& d) { d.start = Offset(7); }, 7), StatusCode::kCorrupt, {"begin elsewhere"});
  // Sizes.
  ExpectRefused(after([&](auto& d) { shift_sizes(d.files[0], 1); }, 6), StatusCode::kCorrupt,
                {"sizes", "begin elsewhere", "field=cumulative_size", "offset=6"});
  ExpectRefused(after([&](auto& d) { shift_sizes(d.files[0], -1); }, 6), StatusCode::kCorrupt, {"begin elsewhere"});
  ExpectRefused(after([&](auto& d) { shift_sizes(d.files[2], 1); }, 42), StatusCode::kCorrupt,
                {"sizes", "end elsewhere", "object=default/log-7/lks-3.index", "offset=54"});
  ExpectRefused(after([&](auto& d) { shift_sizes(d.files[1], 1000); }, 30), StatusCode::kCorrupt, {"end elsewhere"});
  // Rows.
  ExpectRefused(after([](auto& d) { d.files[1].payloads.pop_back(); }, 30), StatusCode::kCorrupt,
                {"not as many rows", "object=default/log-7/lks-2.parquet", "rows=5", "expected=6", "offset=30"});
  ExpectRefused(after([](auto& d) { d.files[1].payloads.push_back(Buffer()); }, 30), StatusCode::kCorrupt,
                {"not as many rows", "rows=7"});
  ExpectRefused(after([](auto& d) { d.files[1].payloads[3] = Buffer::CopyOf("longer than it was"); }, 36),
                StatusCode::kCorrupt,
                {"another size", "object=default/log-7/lks-2.parquet", "field=payload", "offset=36", "size=18"});
  ExpectRefused(after([](auto& d) { std::swap(d.files[1].payloads[3], d.files[1].payloads[4]); }, 36),
                StatusCode::kCorrupt, {"another size", "offset=36"});
}

TEST(CompactedRead, ALieInTheMiddleShowsToWhoComesFromBefore) {
  CompactedWorld world;
  AppendTen(world);
  CompactedDraft draft = world.Draft(kLog, 6, 54, {30, 42});
  for (LogEntryHeader& row : draft.files[1].rows) row.cumulative_size += 1;
  world.Install(draft);
  EXPECT_EQ(world.Read(kLog, 0)->next, Offset(30));
  EXPECT_EQ(world.Read(kLog, 35)->next, Offset(42));
}

TEST(CompactedRead, ARecordWithABrokenFileIndexHarmsOnlyItself) {
  CompactedWorld world;
  AppendTen(world);
  CompactedDraft draft = world.Draft(kLog, 6, 30, {});
  world.WriteFiles(draft);
  draft.files[0].last_offset = Offset(28);
  const std::string key = world.InstallRecord(draft);
  world.RemoveIndex(kLog, 7, 29);
  EXPECT_EQ(world.Read(kLog, 0)->next, Offset(6));
  ExpectRefused(world.Read(kLog, 6), StatusCode::kCorrupt, {"file index", "object=" + key, "field=last_offset"});
  EXPECT_EQ(world.Read(kLog, 30)->next, Offset(60));
}

TEST(CompactedRead, MoreRowsThanTheRangeCanHoldAreCorrupt) {
  CompactedWorld world;
  AppendTen(world);
  const CompactedDraft draft = world.Draft(kLog, 6, 12, {});
  CompanionWriter writer;
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(writer.Add(LogEntryHeader{Offset(6 + i), 1, 0, 0, 53}).ok());
  ASSERT_TRUE(writer.Finish().ok());
  world.Install(draft);
  world.PutCompacted(draft.CompanionOf(0), writer.Take());
  ExpectRefused(world.Read(kLog, 6), StatusCode::kCorrupt, {"more rows", "object=" + draft.CompanionOf(0), "limit=6"});
}

}  // namespace
}  // namespace lakestream
