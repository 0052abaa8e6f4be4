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

TEST(EntryText, Hex) {
  EXPECT_EQ(HexText(AsBytes(std::string_view("\0\x0a\xffz", 4))), "000aff7a");
  EXPECT_EQ(HexText(ByteSpan()), "");
}

}  // namespace
}  // namespace lakestream
