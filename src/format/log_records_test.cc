#include "format/log_records.h"

#include <gtest/gtest.h>

#include <string>

#include "format/testing/bytes.h"

namespace lakestream {
namespace {

TEST(LogRecords, KnownKeysAndValues) {
  const LogId log(42);
  EXPECT_EQ(TrimMarkerKey(log), "/mark-deleted-offsets/42");
  EXPECT_EQ(WriteFenceKey(log), "/stream-write-fences/42");
  EXPECT_EQ(ToHex(kWriteFenceValue), "01");
  EXPECT_EQ(WriteLeaseKey(log, "9b2f0c7e-1111-4222-8333-444455556666"),
            "/stream-write-leases/42/9b2f0c7e-1111-4222-8333-444455556666");
  EXPECT_EQ(CompactionCursorKey(log), "/first-uncompacted-offset/42");
  EXPECT_EQ(EncodeTrimMarker(Offset(17)), "17");
  EXPECT_EQ(EncodeTrimMarker(Offset(0)), "0");
  EXPECT_EQ(EncodeCompactionCursor(Offset(8)), "8");
}

TEST(LogRecords, LeaseRangeHoldsTheLogsLeasesOnly) {
  const KeyBounds range = WriteLeaseKeys(LogId(42));
  EXPECT_EQ(range.first, "/stream-write-leases/42/");
  EXPECT_EQ(range.end, "/stream-write-leases/42/\xef\xbf\xbf");
  const auto inside = [&](const std::string& key) { return range.first <= key && key < range.end; };
  EXPECT_TRUE(inside(WriteLeaseKey(LogId(42), "0")));
  EXPECT_TRUE(inside(WriteLeaseKey(LogId(42), "ffffffff-ffff-4fff-8fff-ffffffffffff")));
  EXPECT_FALSE(inside(WriteLeaseKey(LogId(4), "0")));
  EXPECT_FALSE(inside(WriteLeaseKey(LogId(420), "0")));
  EXPECT_FALSE(inside(WriteLeaseKey(LogId(43), "0")));
  const KeyBounds markers = TrimMarkerKeys();
  EXPECT_LT(markers.first, TrimMarkerKey(LogId(0)));
  EXPECT_GT(markers.end, TrimMarkerKey(LogId(9223372036854775807)));
}

TEST(LogRecords, DecimalsAreStrict) {
  EXPECT_EQ(*DecodeTrimMarker("0", "k"), Offset(0));
  EXPECT_EQ(*DecodeTrimMarker("9223372036854775807", "k"), Offset(9223372036854775807));
  EXPECT_EQ(*DecodeCompactionCursor("8", "k"), Offset(8));
  for (const std::string bad : {"", "-1", "+1", "01", "00", " 1", "1 ", "1\n", "1.0", "0x1",
                                "9223372036854775808", "99999999999999999999999", "a"}) {
    ExpectStatus(DecodeTrimMarker(bad, "/mark-deleted-offsets/7").status(), StatusCode::kCorrupt,
                 {"object=/mark-deleted-offsets/7", "field=value"});
    ExpectStatus(DecodeCompactionCursor(bad, "k").status(), StatusCode::kCorrupt, {"object=k"});
  }
  EXPECT_FALSE(ParseDecimal(std::string_view("1\0", 2)).has_value());
}

TEST(LogRecords, LogOfAKey) {
  EXPECT_EQ(LogOfRecordKey("/mark-deleted-offsets/42"), LogId(42));
  EXPECT_EQ(LogOfRecordKey("/stream-write-fences/0"), LogId(0));
  EXPECT_EQ(LogOfRecordKey("/stream-write-leases/7/token"), LogId(7));
  EXPECT_EQ(LogOfRecordKey("/first-uncompacted-offset/9"), LogId(9));
  for (const char* other : {"/mark-deleted-offsets/", "/mark-deleted-offsets/042", "/stream-write-leases/7",
                            "/stream-write-leases/7/", "/stream-id/7", "/stream-write-fences/-1", "42"}) {
    EXPECT_FALSE(LogOfRecordKey(other).has_value()) << other;
  }
}

}  // namespace
}  // namespace lakestream
