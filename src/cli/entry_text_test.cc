#include "cli/entry_text.h"

#include <gtest/gtest.h>

#include <string>

namespace lakestream {
namespace {

LogEntry Entry(std::string payload) {
  LogEntry entry;
  entry.header.offset = Offset(9007199254740993);
  entry.header.number_of_records = 3;
  entry.header.timestamp_ms = 1764471387123;
  entry.payload = Buffer(std::move(payload));
  return entry;
}

TEST(EntryText, JsonHoldsTextAsText) {
  EXPECT_EQ(EntryJson(2, Entry("a \"b\"\n\xc3\xa9")),
            "{\"partition\":2,\"offset\":9007199254740993,\"timestamp_ms\":1764471387123,\"record_count\":3,"
            "\"payload\":\"a \\\"b\\\"\\n\xc3\xa9\"}");
  EXPECT_NE(EntryJson(0, Entry("")).find("\"payload\":\"\""), std::string::npos);
}

TEST(EntryText, JsonHoldsOtherBytesInBase64UnderAnotherName) {
  const std::string json = EntryJson(0, Entry(std::string("\xff\0\x01", 3)));
  EXPECT_NE(json.find("\"payload_base64\":\"/wAB\""), std::string::npos) << json;
  EXPECT_EQ(json.find("\"payload\""), std::string::npos) << json;
}

TEST(EntryText, ARecordAsJson) {
  EntryItem record;
  record.offset = 9007199254740993;
  record.timestamp_ms = 1764471387123;
  EXPECT_EQ(RecordJson(2, record),
            "{\"partition\":2,\"offset\":9007199254740993,\"timestamp_ms\":1764471387123,\"key\":null,\"headers\":[],"
            "\"value\":null}");
  record.key = "";
  record.value = "\xff";
  record.headers = {{"h", "1"}, {"n", std::nullopt}, {"b", "\xfe"}};
  EXPECT_EQ(RecordJson(0, record).substr(70),
            "\"key\":\"\",\"headers\":[{\"key\":\"h\",\"value\":\"1\"},{\"key\":\"n\",\"value\":null},"
            "{\"key\":\"b\",\"value_base64\":\"/g==\"}],\"value_base64\":\"/w==\"}");
}

TEST(EntryText, ARecordIsOneLine) {
  EntryItem record;
  record.offset = 5;
  record.timestamp_ms = 1764471387123;
  EXPECT_EQ(RecordLine(record), "5\t2025-11-30T02:56:27.123Z\t-\t-\t-");
  record.key = "k\t1";
  record.value = "a\nb\x1b[2J\xff";
  record.headers = {{"h", "1"}, {"n", std::nullopt}};
  EXPECT_EQ(RecordLine(record), "5\t2025-11-30T02:56:27.123Z\tk\\x091\th=1,n=-\ta\\x0ab\\x1b[2J\\xff");
}

TEST(EntryText, Hex) {
  EXPECT_EQ(HexText(AsBytes(std::string_view("\0\x0a\xffz", 4))), "000aff7a");
  EXPECT_EQ(HexText(ByteSpan()), "");
}

}  // namespace
}  // namespace lakestream
