#include "format/compaction_record.h"

#include <gtest/gtest.h>

#include <string>

#include "codec/base64.h"
#include "format/entry_index.h"
#include "format/testing/bytes.h"

namespace lakestream {
namespace {

constexpr LogId kLog(7);

constexpr std::string_view kIdle =
    R"({"state":"idle","next":20,"quarantined":[{"start":12,"end":20,"reason":"object is missing"}]})";
constexpr std::string_view kWorking =
    R"({"state":"working","owner":"s-1","range":{"start":0,"end":7},)"
    R"("files":["7-0.parquet","7-3.parquet"]})";
// The key and the value are those of the specification's example of a PARQUET record.
constexpr std::string_view kInstalling =
    R"({"state":"installing","owner":"s-1","range":{"start":0,"end":7},)"
    R"("key":"00000000000000000007-00000000000000000007-00000000000000000028",)"
    R"("value":"CAMSCzctMC5wYXJxdWV0GAEgASgHMBw4HEAASAFaXAoYQ29tcGFjdGVkT2JqZWN0RmlsZUluZGV4EkBBQUFBQUFBQUFBSUFBQUFMTnkwd0xu)"
    R"(QmhjbkYxWlhRQUFBQUFBQUFBQmdBQUFBczNMVE11Y0dGeWNYVmxkQT09"})";
constexpr std::string_view kDropped = R"({"state":"dropped"})";

CompactionRange Range(std::int64_t start, std::int64_t end) { return CompactionRange{Offset(start), Offset(end)}; }

CompactionRecord Idle() {
  return CompactionRecord{CompactionIdle{Offset(20)}, {QuarantinedRange{Range(12, 20), "object is missing"}}, {}};
}

CompactionRecord Working() {
  return CompactionRecord{CompactionWorking{"s-1", Range(0, 7), {"7-0.parquet", "7-3.parquet"}}, {}, {}};
}

std::string SpecValue() {
  return EncodeEntryIndex(*MakeParquetEntryIndex(FileIndex{{{Offset(2), "7-0.parquet"}, {Offset(6), "7-3.parquet"}}}, 7, 28));
}

CompactionRecord Installing() {
  return CompactionRecord{CompactionInstalling{"s-1", Range(0, 7), IndexKey{kLog, Offset(7), 28}, SpecValue()}, {}, {}};
}

TEST(CompactionRecord, KnownBytes) {
  const struct {
    CompactionRecord record;
    std::string_view text;
    std::string_view state;
  } cases[] = {{Idle(), kIdle, "idle"},
               {Working(), kWorking, "working"},
               {Installing(), kInstalling, "installing"},
               {CompactionRecord{CompactionDropped{}, {}, {}}, kDropped, "dropped"}};
  for (const auto& c : cases) {
    const Result<std::string> text = EncodeCompactionRecord(c.record, kLog);
    ASSERT_TRUE(text.ok()) << text.status().ToString();
    EXPECT_EQ(*text, c.text);
    const Result<CompactionRecord> decoded = DecodeCompactionRecord(c.text, kLog);
    ASSERT_TRUE(decoded.ok()) << decoded.status().ToString();
    EXPECT_EQ(*decoded, c.record);
    EXPECT_EQ(CompactionStateName(*decoded), c.state);
  }
}

TEST(CompactionRecord, Keys) {
  EXPECT_EQ(CompactionRecordKey(LogId(42)), "/lakestream/compaction/42");
  EXPECT_EQ(LogOfCompactionRecordKey("/lakestream/compaction/42"), LogId(42));
  EXPECT_EQ(LogOfCompactionRecordKey("/lakestream/compaction/9223372036854775807"), LogId(9223372036854775807));
  for (const std::string_view other : {"/lakestream/compaction/", "/lakestream/compaction/042", "/lakestream/compaction/-1",
                                       "/lakestream/compaction/9223372036854775808", "/lakestream/compaction/4/2",
                                       "/lakestream/compactions/42", ""}) {
    EXPECT_EQ(LogOfCompactionRecordKey(other), std::nullopt) << other;
  }
  const KeyBounds all = CompactionRecordKeys();
  for (const std::int64_t log : {std::int64_t{0}, std::int64_t{9223372036854775807}}) {
    EXPECT_GE(CompactionRecordKey(LogId(log)), all.first);
    EXPECT_LT(CompactionRecordKey(LogId(log)), all.end);
  }
}

TEST(CompactionRecord, KeysOfClaims) {
  EXPECT_EQ(CompactionClaimKey(LogId(42), "00000000000000ff"), "/lakestream/compaction-claim/42/00000000000000ff");
  EXPECT_EQ(LogOfCompactionClaimKey("/lakestream/compaction-claim/42/00000000000000ff"), LogId(42));
  for (const std::string_view other :
       {"", "/lakestream/compaction-claim/", "/lakestream/compaction-claim/42", "/lakestream/compaction-claim/42/",
        "/lakestream/compaction-claim/042/s", "/lakestream/compaction-claim/4/2/s", "/lakestream/compaction/42"}) {
    EXPECT_EQ(LogOfCompactionClaimKey(other), std::nullopt) << other;
  }
  EXPECT_EQ(LogOfCompactionRecordKey("/lakestream/compaction-claim/42/s"), std::nullopt);
  // A scan of all records finds no claims.
  EXPECT_LT(CompactionClaimKey(LogId(42), "s"), CompactionRecordKeys().first);
}

TEST(CompactionRecord, NamesTheFilesThatAreNoGarbage) {
  const std::vector<std::string> both = {"7-0.parquet", "7-3.parquet"};
  EXPECT_EQ(FilesOf(Working()), both);
  EXPECT_EQ(FilesOf(Installing()), both);
  EXPECT_EQ(FilesOf(Idle()), std::vector<std::string>());
  EXPECT_EQ(FilesOf(CompactionRecord{CompactionDropped{}, {}, {}}), std::vector<std::string>());
}

TEST(CompactionRecord, KeepsUnknownFields) {
  const std::string text = R"({"state":"idle","next":3,"later":{"a":[1.50]},"x":null})";
  Result<CompactionRecord> decoded = DecodeCompactionRecord(text, kLog);
  ASSERT_TRUE(decoded.ok()) << decoded.status().ToString();
  EXPECT_EQ(*EncodeCompactionRecord(*decoded, kLog), text);
  decoded->state = Working().state;
  EXPECT_NE(EncodeCompactionRecord(*decoded, kLog)->find(R"("later":{"a":[1.50]},"x":null})"), std::string::npos);
}

std::string Replaced(std::string_view text, std::string_view what, std::string_view by) {
  std::string changed(text);
  const std::size_t at = changed.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return at == std::string::npos ? changed : changed.replace(at, what.size(), by);
}

void ExpectCorrupt(const std::string& text, std::initializer_list<std::string_view> parts) {
  SCOPED_TRACE(text);
  const Status status = DecodeCompactionRecord(text, kLog).status();
  ExpectStatus(status, StatusCode::kCorrupt, {"object=/lakestream/compaction/7"});
  ExpectStatus(status, StatusCode::kCorrupt, parts);
}

TEST(CompactionRecord, RefusesBadStates) {
  ExpectCorrupt("", {"not valid json"});
  ExpectCorrupt("[]", {"json is not an object"});
  ExpectCorrupt("{}", {"missing", "field=state"});
  ExpectCorrupt(R"({"state":"Idle","next":3})", {"unknown", "field=state", "value=Idle"});
  ExpectCorrupt(R"({"state":"idle"})", {"missing", "field=next"});
  ExpectCorrupt(R"({"state":"idle","next":-1})", {"out of range", "field=next"});
  ExpectCorrupt(R"({"state":"idle","next":"3"})", {"not a 64-bit integer", "field=next"});
  ExpectCorrupt(R"({"state":"idle","next":3,"owner":"s"})", {"another state", "field=owner"});
  ExpectCorrupt(R"({"state":"dropped","next":3})", {"another state", "field=next"});
  ExpectCorrupt(Replaced(kWorking, R"("files")", R"("value":"","files")"), {"another state", "field=value"});
  ExpectCorrupt(Replaced(kInstalling, R"("key")", R"("files":["a.parquet"],"key")"), {"another state", "field=files"});
}

TEST(CompactionRecord, RefusesBadWork) {
  ExpectCorrupt(Replaced(kWorking, R"("owner":"s-1",)", ""), {"missing", "field=owner"});
  ExpectCorrupt(Replaced(kWorking, "s-1", ""), {"no name", "field=owner"});
  ExpectCorrupt(Replaced(kWorking, R"("range":{"start":0,"end":7},)", ""), {"missing", "field=range.start"});
  ExpectCorrupt(Replaced(kWorking, R"("end":7)", R"("end":0)"), {"a range is empty", "field=range.end"});
  ExpectCorrupt(Replaced(kWorking, R"("start":0)", R"("start":-1)"), {"out of range", "field=range.start"});
  ExpectCorrupt(Replaced(kWorking, R"("7-0.parquet","7-3.parquet")", ""), {"no files", "field=files"});
  ExpectCorrupt(Replaced(kWorking, R"("7-0.parquet")", "1"), {"not a string", "field=files"});
  ExpectCorrupt(Replaced(kWorking, "7-0.parquet", "a/b.parquet"), {"plain file name", "field=files"});
  ExpectCorrupt(Replaced(kWorking, "7-0.parquet", "7-0.index"), {".parquet at its end", "field=files"});
  ExpectCorrupt(Replaced(kWorking, "7-0.parquet", "7-3.parquet"), {"named twice", "field=files", "name=7-3.parquet"});
}

TEST(CompactionRecord, RefusesWhatMustNotBeInstalled) {
  const auto with_value = [](const std::string& value) {
    const std::string text(kInstalling);
    const std::size_t at = text.find(R"("value":")") + 9;
    return text.substr(0, at) + Base64Encode(AsBytes(value)) + "\"}";
  };
  ExpectCorrupt(Replaced(kInstalling, "007-000", "006-000"), {"not that of its range", "field=key"});
  ExpectCorrupt(Replaced(kInstalling, "0007-00000000000000000028", "0008-00000000000000000028"),
                {"not that of its range", "field=key"});
  ExpectCorrupt(Replaced(kInstalling, "028\"", "027\""), {"larger than its log", "field=key", "cumulative_size=27"});
  ExpectCorrupt(Replaced(kInstalling, "028\"", "28\""), {"no index key", "field=key"});
  ExpectCorrupt(Replaced(kInstalling, "CAMS", "CAM*"), {"another character", "field=value"});
  ExpectCorrupt(with_value(""), {"field is missing", "field=version", "in=value"});
  const WalSection section{kLog, {{0, 28, 7}}};
  ExpectCorrupt(with_value(EncodeEntryIndex(*MakeRawEntryIndex(section, "w", 28, true))), {"no parquet record", "field=value"});
  const FileIndex files{{{Offset(2), "7-0.parquet"}, {Offset(6), "7-3.parquet"}}};
  ExpectCorrupt(with_value(EncodeEntryIndex(*MakeParquetEntryIndex(files, 6, 28))),
                {"does not fill its range", "field=value", "message_count=6", "records=7"});
  const FileIndex shorter{{{Offset(2), "7-0.parquet"}, {Offset(5), "7-3.parquet"}}};
  ExpectCorrupt(with_value(EncodeEntryIndex(*MakeParquetEntryIndex(shorter, 7, 28))),
                {"does not fit its record's range", "in=value"});
  EntryIndex without = *MakeParquetEntryIndex(files, 7, 28);
  without.extra_data.clear();
  ExpectCorrupt(with_value(EncodeEntryIndex(without)), {"no file index", "in=value"});
}

TEST(CompactionRecord, RefusesBadQuarantine) {
  const auto with = [](std::string_view state, std::string_view ranges) {
    return std::string(state.substr(0, state.size() - 1)) + R"(,"quarantined":)" + std::string(ranges) + "}";
  };
  const std::string_view idle = R"({"state":"idle","next":20})";
  ExpectCorrupt(with(idle, "{}"), {"not an array", "field=quarantined"});
  ExpectCorrupt(with(idle, "[1]"), {"not an object", "field=quarantined"});
  ExpectCorrupt(with(idle, R"([{"start":1,"end":2}])"), {"missing", "field=quarantined.reason"});
  ExpectCorrupt(with(idle, R"([{"start":1,"end":2,"reason":""}])"), {"no reason", "field=quarantined.reason"});
  ExpectCorrupt(with(idle, R"([{"start":2,"end":2,"reason":"r"}])"), {"a range is empty", "field=quarantined.end"});
  ExpectCorrupt(with(idle, R"([{"start":1,"end":3,"reason":"r"},{"start":2,"end":4,"reason":"r"}])"),
                {"do not ascend", "field=quarantined.start", "value=2"});
  ExpectCorrupt(with(idle, R"([{"start":19,"end":21,"reason":"r"}])"), {"within a quarantined one", "field=next"});
  ExpectCorrupt(with(kWorking, R"([{"start":6,"end":8,"reason":"r"}])"), {"overlaps", "field=quarantined", "start=6"});
  ExpectCorrupt(with(kInstalling, R"([{"start":2,"end":3,"reason":"r"}])"), {"overlaps", "field=quarantined"});
  for (const std::string_view good : {R"([{"start":20,"end":21,"reason":"r"}])", R"([{"start":19,"end":20,"reason":"r"}])",
                                      R"([{"start":1,"end":2,"reason":"r"},{"start":2,"end":3,"reason":"s"}])", "[]"}) {
    EXPECT_TRUE(DecodeCompactionRecord(with(idle, good), kLog).ok()) << good;
  }
  EXPECT_TRUE(DecodeCompactionRecord(with(kWorking, R"([{"start":7,"end":8,"reason":"r"}])"), kLog).ok());
}

TEST(CompactionRecord, EncoderRefusesTheSame) {
  CompactionRecord record = Working();
  std::get<CompactionWorking>(record.state).files.clear();
  ExpectStatus(EncodeCompactionRecord(record, kLog).status(), StatusCode::kInvalidArgument, {"no files", "field=files"});
  record = Installing();
  ExpectStatus(EncodeCompactionRecord(record, LogId(8)).status(), StatusCode::kInvalidArgument, {"field=key"});
  std::get<CompactionInstalling>(record.state).key.cumulative_size = -1;
  ExpectStatus(EncodeCompactionRecord(record, kLog).status(), StatusCode::kInvalidArgument, {"field=key"});
  record = Idle();
  record.quarantined[0].reason = "\xff";
  EXPECT_EQ(EncodeCompactionRecord(record, kLog).status().code(), StatusCode::kInvalidArgument);
  record = Idle();
  std::get<CompactionIdle>(record.state).next = Offset(-1);
  EXPECT_EQ(EncodeCompactionRecord(record, kLog).status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace lakestream
