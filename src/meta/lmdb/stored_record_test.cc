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
  const std::string key = StoredKey(0, "k");
  StoredRecord record;
  record.version = 0x0102030405060708;
  record.created_ms = 9;
  const std::string lasting = "\x85\x26\xdf\x03\x01\x01\x02\x03\x04\x05\x06\x07\x08\0\0\0\0\0\0\0\x09"s;
  EXPECT_EQ(EncodeRecordHeader(key, record), lasting);
  record.session = 10;
  record.value = "value";
  const std::string ephemeral =
      "\x34\x1a\xd4\xbd\x02\x01\x02\x03\x04\x05\x06\x07\x08\0\0\0\0\0\0\0\x09\0\0\0\0\0\0\0\x0a"s;
  EXPECT_EQ(EncodeRecordHeader(key, record), ephemeral);

  const std::string with_value = ephemeral + "value";
  const auto decoded = DecodeRecord(key, with_value);
  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(decoded->version, record.version);
  EXPECT_EQ(decoded->created_ms, 9);
  EXPECT_EQ(decoded->session, 10u);
  EXPECT_EQ(decoded->value, "value");
  EXPECT_EQ(DecodeRecord(key, lasting)->value, "");
}

/// What a flipped bit, a cut, and another key do to a stored value.
template <class Decode>
void ExpectAllDamageIsSeen(const std::string& bytes, const Decode& decode) {
  EXPECT_TRUE(decode(bytes).ok());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(decode(bytes.substr(0, size)).ok()) << size;
  }
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ 1 << bit % 8);
    EXPECT_FALSE(decode(flipped).ok()) << bit;
  }
}

TEST(StoredRecordTest, DamageIsSeen) {
  const std::string key = StoredKey(0, "k");
  StoredRecord record;
  record.version = 3;
  record.session = 4;
  record.value = "value";
  const std::string bytes = EncodeRecordHeader(key, record) + "value";
  ExpectAllDamageIsSeen(bytes, [&key](const std::string& damaged) { return DecodeRecord(key, damaged); });
  EXPECT_EQ(DecodeRecord(StoredKey(0, "j"), bytes).status().code(), StatusCode::kCorrupt) << "the key counts, too";
  EXPECT_EQ(DecodeRecord(StoredKey(1, "k"), bytes).status().code(), StatusCode::kCorrupt);
  ExpectAllDamageIsSeen(EncodeStoreHeader(StoreHeader()), DecodeStoreHeader);
  ExpectAllDamageIsSeen(EncodeCounters(StoreCounters()), DecodeCounters);
  ExpectAllDamageIsSeen(EncodeSessionOwner(5, SessionOwner{7, 8, "boot"}),
                        [](const std::string& damaged) { return DecodeSessionOwner(5, damaged); });
  ExpectAllDamageIsSeen(EncodeEphemeralEntry("entry", "record"),
                        [](const std::string& damaged) { return DecodeEphemeralEntry("entry", damaged); });
}

TEST(StoredRecordTest, OwnRecords) {
  StoreHeader header;
  header.shards = 4;
  const std::string header_bytes = "lakemeta\0\0\0\x02\0\0\0\x04\xfb\x87\x04\xbf"s;
  EXPECT_EQ(EncodeStoreHeader(header), header_bytes);
  EXPECT_EQ(DecodeStoreHeader(header_bytes)->shards, 4);
  EXPECT_EQ(DecodeStoreHeader("lakemeta\0\0\0\x02\0\0\0\0\x3c\x1d\x93\xa0"s).status().code(), StatusCode::kCorrupt);
  EXPECT_EQ(DecodeStoreHeader(header_bytes + "x").status().code(), StatusCode::kCorrupt);
  EXPECT_EQ(DecodeStoreHeader("lakematr\0\0\0\x02\0\0\0\x04\xfb\x87\x04\xbf"s).status().code(),
            StatusCode::kInvalidArgument);
  for (const char other : {'\x01', '\x03'}) {
    const std::string bytes = "lakemeta\0\0\0"s + other + "\0\0\0\x04"s;
    EXPECT_EQ(DecodeStoreHeader(bytes).status().code(), StatusCode::kInvalidArgument) << "whatever follows it";
  }

  StoreCounters counters;
  counters.next_version = 5;
  counters.last_created_ms = 6;
  counters.transaction = 7;
  counters.digest = StoreDigest{8, 0x0102030405060708};
  const std::string counters_bytes =
      "\xa7\xa3\x6d\xf3\0\0\0\0\0\0\0\x05\0\0\0\0\0\0\0\x06\0\0\0\0\0\0\0\x07\0\0\0\0\0\0\0\x08"
      "\x01\x02\x03\x04\x05\x06\x07\x08"s;
  EXPECT_EQ(EncodeCounters(counters), counters_bytes);
  EXPECT_EQ(DecodeCounters(counters_bytes)->transaction, 7u);
  EXPECT_EQ(DecodeCounters(counters_bytes)->digest, counters.digest);
  EXPECT_EQ(DecodeCounters(EncodeCounters(counters))->last_created_ms, 6);

  SessionOwner owner{7, 8, "boot"};
  EXPECT_EQ(EncodeSessionOwner(3, owner), "\x9a\xa7\xef\x0c\0\0\0\0\0\0\0\x07\0\0\0\0\0\0\0\x08"s + "boot");
  EXPECT_EQ(DecodeSessionOwner(3, EncodeSessionOwner(3, owner))->boot_id, "boot");

  const std::string entry = EphemeralKey(1, 2);
  EXPECT_EQ(EncodeEphemeralEntry(entry, StoredKey(0, "k")), "\xa1\x07\x19\xd4\0\0k"s);
  EXPECT_EQ(*DecodeEphemeralEntry(entry, "\xa1\x07\x19\xd4\0\0k"s), StoredKey(0, "k"));
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
