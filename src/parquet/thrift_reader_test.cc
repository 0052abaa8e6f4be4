#include "parquet/thrift_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/testing/bytes.h"

namespace lakestream {
namespace {

ThriftReader Read(const std::string& bytes) { return ThriftReader(AsBytes(bytes), "o", 100); }

TEST(ThriftReader, ReadsEachTypeOfField) {
  // 1: int32 -3, 2: int64 300, 3: true, 4: "ab", 20 (by its full number): int32 1.
  const std::string bytes = Hex("1505 16d804 11 18026162 052802 00");
  ThriftReader reader = Read(bytes);
  std::int32_t small = 0;
  std::int64_t large = 0;
  bool flag = false;
  std::string_view text;
  std::vector<int> ids;
  const Status status = reader.ReadStruct("s", [&](ThriftField field) {
    ids.push_back(field.id);
    if (field.id == 1 || field.id == 20) return reader.ReadInt32(field, "f", &small);
    if (field.id == 2) return reader.ReadInt64(field, "f", &large);
    if (field.id == 3) return reader.ReadBool(field, "f", &flag);
    const Status read = reader.ReadBinary(field, "f", &text);
    EXPECT_EQ(small, -3);
    return read;
  });
  EXPECT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(ids, (std::vector<int>{1, 2, 3, 4, 20}));
  EXPECT_EQ(small, 1);
  EXPECT_EQ(large, 300);
  EXPECT_TRUE(flag);
  EXPECT_EQ(text, "ab");
  EXPECT_TRUE(reader.done());
}

TEST(ThriftReader, ReadsListsOfStructs) {
  const std::string bytes = Hex("192c 1502 00 1504 00 00");
  ThriftReader reader = Read(bytes);
  std::vector<std::int32_t> numbers;
  const Status status = reader.ReadStruct("s", [&](ThriftField list) {
    return reader.ReadList(list, "l", ThriftType::kStruct, [&] {
      std::int32_t& number = numbers.emplace_back();
      return reader.ReadStruct("e", [&](ThriftField field) { return reader.ReadInt32(field, "n", &number); });
    });
  });
  EXPECT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(numbers, (std::vector<std::int32_t>{1, 2}));
}

Status SkipAll(const std::string& bytes) {
  ThriftReader reader = Read(bytes);
  LS_TRY(reader.ReadStruct("s", [&](ThriftField field) { return reader.Skip(field, "s"); }));
  return reader.done() ? OkStatus() : Internal("not all was skipped");
}

TEST(ThriftReader, SkipsWhatItIsNotAskedFor) {
  // A byte, an int16, a double, a UUID, two bools, a list of three bools, one of two int32, and a struct in a struct.
  EXPECT_TRUE(SkipAll(Hex("1301 1402 17" + std::string(16, '0') + "1d" + std::string(32, '1') + "11 12" +
                              "1931010102 192502 04 1c1c00 00 00"))
                  .ok());
}

TEST(ThriftReader, RefusesWhatBreaksTheForm) {
  struct Case {
    const char* bytes;
    const char* sentence;
  };
  const Case cases[] = {
      {"", "field does not end within its bytes"},
      {"15", "varint is truncated or longer than 64 bits"},
      {"1502", "field does not end within its bytes"},
      {"1e00", "thrift type is unknown"},
      {"1b0000", "thrift type is unknown"},
      {"050000", "thrift field number is out of range"},
      {"05feff0700", "thrift field number is out of range"},
      {"19fcffffffff0f00", "thrift list is longer than its bytes can be"},
      {"19f51000", "thrift list is longer than its bytes can be"},
      {"191e00", "thrift type is unknown"},
      {"18ff0161", "field does not end within its bytes"},
      {"1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c", "thrift value is nested too deeply"},
  };
  for (const Case& wrong : cases) {
    const Status status = SkipAll(Hex(wrong.bytes));
    EXPECT_EQ(status.code(), StatusCode::kCorrupt) << wrong.bytes << ": " << status.ToString();
    EXPECT_EQ(status.message().find(wrong.sentence), 0u) << wrong.bytes << ": " << status.ToString();
    EXPECT_NE(status.message().find("object=o field=s offset=1"), std::string_view::npos) << status.ToString();
  }
}

TEST(ThriftReader, RefusesValuesOfAnotherType) {
  const std::string bytes = Hex("16feffffffff0f00");
  const auto read = [&](auto&& call) {
    ThriftReader reader = Read(bytes);
    return reader.ReadStruct("s", [&](ThriftField field) { return call(reader, field); });
  };
  std::int32_t number = 0;
  bool flag = false;
  std::string_view text;
  EXPECT_FALSE(read([&](ThriftReader& r, ThriftField f) { return r.ReadInt32(f, "f", &number); }).ok());
  EXPECT_FALSE(read([&](ThriftReader& r, ThriftField f) { return r.ReadBool(f, "f", &flag); }).ok());
  EXPECT_FALSE(read([&](ThriftReader& r, ThriftField f) { return r.ReadBinary(f, "f", &text); }).ok());
  EXPECT_FALSE(
      read([&](ThriftReader& r, ThriftField f) { return r.ReadList(f, "f", ThriftType::kStruct, OkStatus); }).ok());
  const std::string wide_bytes = Hex("15feffffffff0f00");
  ThriftReader wide = Read(wide_bytes);
  const Status status = wide.ReadStruct("s", [&](ThriftField field) { return wide.ReadInt32(field, "f", &number); });
  EXPECT_EQ(status.message(), "thrift number is out of range object=o field=f offset=101");
}

}  // namespace
}  // namespace lakestream
