#include "meta/lmdb/stored_record.h"

#include <gtest/gtest.h>

#include <string>

namespace lakestream {
namespace {

using namespace std::string_literals;

TEST(StoredRecordTest, KeysHaveTheirShardAndClass) {
  EXPECT_EQ(StoredKey(3, "a"), "\x03\x00"s + "a");
  EXPECT_EQ(StoredKey(254, "/a"), "\xfe\x01/a"s);
  EXPECT_EQ(StoredKey(0, "a/b"), "\x00\x01"s + "a/b");
  EXPECT_EQ(PlainKey(StoredKey(9, "k")), "k");
  // LMDB's own limit is 511 bytes.
  EXPECT_LE(StoredKey(254, std::string(500, '/')).size(), 511u);
  EXPECT_EQ(StoreHeaderKey(), "\xffh"s);
  EXPECT_EQ(CountersKey(), "\xffn"s);
  EXPECT_EQ(SessionKey(0x0102), "\xffs\0\0\0\0\0\0\x01\x02"s);
  EXPECT_EQ(EphemeralKey(1, 2), "\xff"s + "e\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\x02"s);
  EXPECT_EQ(SessionOfKey(SessionKey(77)), 77u);
  EXPECT_EQ(SessionOfKey("\xffs\0"s), std::nullopt);
  EXPECT_EQ(SessionOfKey(CountersKey()), std::nullopt);
}

TEST(StoredRecordTest, Records) {
  StoredRecord record;
  record.version = 0x0102030405060708;
  record.created_ms = 9;
  const std::string lasting = "\x01\x01\x02\x03\x04\x05\x06\x07\x08\0\0\0\0\0\0\0\x09"s;
  EXPECT_EQ(EncodeRecordHeader(record), lasting);
  record.session = 10;
  const std::string ephemeral = "\x02\x01\x02\x03\x04\x05\x06\x07\x08\0\0\0\0\0\0\0\x09\0\0\0\0\0\0\0\x0a"s;
  EXPECT_EQ(EncodeRecordHeader(record), ephemeral);

  const std::string with_value = ephemeral + "value";
  const auto decoded = DecodeRecord(StoredKey(0, "k"), with_value);
  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(decoded->version, record.version);
  EXPECT_EQ(decoded->created_ms, 9);
  EXPECT_EQ(decoded->session, 10u);
  EXPECT_EQ(decoded->value, "value");
  EXPECT_EQ(DecodeRecord(StoredKey(0, "k"), lasting)->value, "");

  for (std::size_t size = 0; size < ephemeral.size(); ++size) {
    EXPECT_EQ(DecodeRecord(StoredKey(0, "k"), ephemeral.substr(0, size)).status().code(), StatusCode::kCorrupt);
  }
  EXPECT_EQ(DecodeRecord(StoredKey(0, "k"), "\x03"s + lasting.substr(1)).status().code(), StatusCode::kCorrupt);
}

TEST(StoredRecordTest, OwnRecords) {
  StoreHeader header;
  header.shards = 4;
  EXPECT_EQ(EncodeStoreHeader(header), "lakemeta\0\0\0\x01\0\0\0\x04"s);
  EXPECT_EQ(DecodeStoreHeader("lakemeta\0\0\0\x01\0\0\0\x04"s)->shards, 4);
  EXPECT_EQ(DecodeStoreHeader("lakemeta\0\0\0\x01\0\0\0\0"s).status().code(), StatusCode::kCorrupt);
  EXPECT_EQ(DecodeStoreHeader("lakemeta\0\0\0\x01\0\0\0"s).status().code(), StatusCode::kCorrupt);
  EXPECT_EQ(DecodeStoreHeader("lakematr\0\0\0\x01\0\0\0\x04"s).status().code(), StatusCode::kInvalidArgument);

  StoreCounters counters;
  counters.next_version = 5;
  counters.last_created_ms = 6;
  EXPECT_EQ(EncodeCounters(counters), "\0\0\0\0\0\0\0\x05\0\0\0\0\0\0\0\x06"s);
  EXPECT_EQ(DecodeCounters(EncodeCounters(counters))->last_created_ms, 6);
  EXPECT_EQ(DecodeCounters("\0\0\0\0\0\0\0\x05"s).status().code(), StatusCode::kCorrupt);

  SessionOwner owner{7, 8, "boot"};
  EXPECT_EQ(EncodeSessionOwner(owner), "\0\0\0\0\0\0\0\x07\0\0\0\0\0\0\0\x08"s + "boot");
  EXPECT_EQ(DecodeSessionOwner(EncodeSessionOwner(owner))->boot_id, "boot");
  EXPECT_EQ(DecodeSessionOwner("\0"s).status().code(), StatusCode::kCorrupt);
}

TEST(StoredRecordTest, SessionIds) {
  EXPECT_EQ(SessionId(255), "00000000000000ff");
  EXPECT_EQ(ParseSessionId("00000000000000ff"), 255u);
  for (const char* other : {"", "ff", "00000000000000fg", "00000000000000ff0", "pidns-0123456789"}) {
    EXPECT_EQ(ParseSessionId(other), 0u) << other;
  }
}

}  // namespace
}  // namespace lakestream
