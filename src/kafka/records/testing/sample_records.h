#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kafka/records/record.h"

namespace lakestream::kafka {

/// The record i of the fixtures, as their author put it down: key "key-i", null where i mod 5 is 3; value "value-i-" and
/// i mod 40 times "x", null where i mod 7 is 6; timestamp 1700000000000 + i; where i mod 3 is 1 the headers h1=v{i},
/// empty="" and null=null.
class SampleRecord {
 public:
  explicit SampleRecord(std::int64_t i)
      : timestamp_ms(1'700'000'000'000 + i),
        key_("key-" + std::to_string(i)),
        value_("value-" + std::to_string(i) + "-" + std::string(static_cast<std::size_t>(i % 40), 'x')),
        header_("v" + std::to_string(i)) {
    if (i % 5 != 3) key = key_;
    if (i % 7 != 6) value = value_;
    if (i % 3 == 1) headers = {{"h1", header_}, {"empty", ""}, {"null", std::nullopt}};
  }
  SampleRecord(const SampleRecord&) = delete;
  SampleRecord& operator=(const SampleRecord&) = delete;

  const std::int64_t timestamp_ms;
  std::optional<std::string_view> key;
  std::optional<std::string_view> value;
  std::vector<RecordHeader> headers;

 private:
  const std::string key_;
  const std::string value_;
  const std::string header_;
};

/// Magic 1 has no headers, magic 0 no timestamps either.
inline void ExpectSample(const Record& record, std::int64_t i, int magic = 2) {
  const SampleRecord sample(i);
  EXPECT_EQ(record.timestamp_ms, magic == 0 ? -1 : sample.timestamp_ms) << i;
  EXPECT_EQ(record.key, sample.key) << i;
  EXPECT_EQ(record.value, sample.value) << i;
  EXPECT_EQ(record.headers, magic == 2 ? sample.headers : std::vector<RecordHeader>()) << i;
}

}  // namespace lakestream::kafka
