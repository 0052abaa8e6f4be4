#include "cli/tree_text.h"

#include <gtest/gtest.h>

#include <string>

namespace lakestream {
namespace {

std::string Text(std::string_view json) {
  const Result<JsonValue> value = ParseJson(json, "test");
  EXPECT_TRUE(value.ok()) << value.status().ToString();
  return value.ok() ? TreeText(*value) : "";
}

TEST(TreeText, AWalObject) {
  EXPECT_EQ(Text(R"({"object_size":31,"index_length":19,"index_version":3,"payload_region_offset":23,)"
                 R"("payload_region_size":8,"sections":[{"log_id":7,"entry_count":2,"message_count":3,)"
                 R"("entry_size_bytes":8,"entries":[{"payload_offset":0,"payload_size":5,"record_count":2},)"
                 R"({"payload_offset":5,"payload_size":3,"record_count":1}]}],"crc32c":"0a0b0c0d"})"),
            "object_size            31\n"
            "index_length           19\n"
            "index_version          3\n"
            "payload_region_offset  23\n"
            "payload_region_size    8\n"
            "sections[0]\n"
            "  log_id            7\n"
            "  entry_count       2\n"
            "  message_count     3\n"
            "  entry_size_bytes  8\n"
            "  entries\n"
            "    payload_offset  payload_size  record_count\n"
            "                 0             5             2\n"
            "                 5             3             1\n"
            "crc32c                 0a0b0c0d\n");
}

TEST(TreeText, ValuesOfEveryKind) {
  EXPECT_EQ(Text(R"({"null":null,"yes":true,"number":1.50,"big":18446744073709551616,"empty":"","text":"a b",)"
                 R"("ends":[2,3],"none":[],"nothing":{},"spaced":" a","created_ms":1764471387123,)"
                 R"("grace_ms":86400000})"),
            "null        -\n"
            "yes         true\n"
            "number      1.50\n"
            "big         18446744073709551616\n"
            "empty       \"\"\n"
            "text        a b\n"
            "ends        2 3\n"
            "none        none\n"
            "nothing     none\n"
            "spaced      \" a\"\n"
            "created_ms  1764471387123  2025-11-30T02:56:27.123Z\n"
            "grace_ms    86400000\n");
  EXPECT_EQ(Text("7"), "7\n");
}

TEST(TreeText, TablesAndListsOfUnlikeThings) {
  EXPECT_EQ(Text(R"({"leases":[{"partition":0,"token":"t","process":null,"at_ms":1764471387123},)"
                 R"({"partition":10,"token":"token","process":7,"at_ms":0}]})"),
            "leases\n"
            "  partition  token  process  at_ms\n"
            "          0  t      -        2025-11-30T02:56:27.123Z\n"
            "         10  token  7        0\n");
  const std::string wide(100, 'w');
  EXPECT_EQ(Text(R"({"wide":[{")" + wide + R"(":1}]})"), "wide[0]\n  " + wide + "  1\n");
  EXPECT_EQ(Text(R"({"mixed":[1,{"a":2},[3,{"b":4}]]})"),
            "mixed[0]  1\n"
            "mixed[1]\n"
            "  a  2\n"
            "mixed[2][0]  3\n"
            "mixed[2][1]\n"
            "  b  4\n");
}

TEST(TreeText, NothingControlsTheTerminal) {
  EXPECT_EQ(Text("{\"na\\u001bme\":\"\\u001b[2J\",\"del\":\"\x7f\",\"line\":\"a\\nb\"}"),
            "na\\x1bme  \"\\u001B[2J\"\n"
            "del       \"\\x7f\"\n"
            "line      \"a\\nb\"\n");
}

TEST(TreeText, Times) {
  EXPECT_EQ(UtcText(0), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(UtcText(1764471387009), "2025-11-30T02:56:27.009Z");
  EXPECT_EQ(UtcText(-1), "-1");
  EXPECT_EQ(UtcText(9223372036854775807), "9223372036854775807");
}

}  // namespace
}  // namespace lakestream
