#include "codec/compression/gzip_stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/testing/bytes.h"
#include "codec/compression/compression.h"

namespace lakestream {
namespace {

/// Bytes that are neither all alike nor without a pattern.
std::string Sample(std::size_t size) {
  std::string bytes;
  for (std::size_t i = 0; bytes.size() < size; ++i) bytes += "row " + std::to_string(i * i % 100'003) + ",";
  bytes.resize(size);
  return bytes;
}

std::string WriteInPieces(std::string_view bytes, std::size_t piece) {
  GzipWriter writer;
  std::string out;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
    EXPECT_TRUE(writer.Write(AsBytes(bytes.substr(0, piece)), &out).ok());
  }
  EXPECT_TRUE(writer.Finish(&out).ok());
  return out;
}

struct Pieces {
  std::size_t in = 0;
  std::size_t out = 0;
};

/// What a reader makes of the bytes; `end` is what CheckEnd says of them.
Result<std::string> ReadInPieces(std::string_view bytes, Pieces pieces, Status* end) {
  GzipReader reader;
  std::string text;
  std::vector<std::uint8_t> room(pieces.out);
  do {
    ByteSpan input = AsBytes(bytes.substr(0, pieces.in));
    bytes.remove_prefix(input.size());
    for (;;) {
      const Result<std::size_t> made = reader.Read(&input, room);
      if (!made.ok()) return made.status();
      text += AsText(ByteSpan(room).first(*made));
      if (*made < room.size() && input.empty()) break;
    }
  } while (!bytes.empty());
  *end = reader.CheckEnd();
  if (end->message().find("reason=\"the input ends") == std::string_view::npos && !end->ok()) return *end;
  return text;
}

TEST(GzipStream, TheBytesDoNotDependOnThePieces) {
  const std::string bytes = Sample(700'000);
  const std::string whole = WriteInPieces(bytes, bytes.size());
  EXPECT_EQ(ToHex(whole.substr(0, 10)), "1f8b0800000000000003");  // no time and no name in it
  EXPECT_LT(whole.size(), bytes.size() / 2);
  for (const std::size_t piece : {std::size_t{1}, std::size_t{13}, std::size_t{4096}, std::size_t{65'537}}) {
    EXPECT_TRUE(WriteInPieces(bytes, piece) == whole) << piece;
  }
  std::string at_once;
  ASSERT_TRUE(Compress(Compression::kGzip, AsBytes(bytes), &at_once).ok());
  EXPECT_TRUE(at_once == whole);
}

TEST(GzipStream, ReadsInAnyPieces) {
  const std::string bytes = Sample(100'000);
  const std::string packed = WriteInPieces(bytes, bytes.size());
  for (const Pieces pieces : {Pieces{1, 1}, Pieces{1, 4096}, Pieces{100, 7}, Pieces{1 << 20, 1 << 20}}) {
    Status end;
    const Result<std::string> text = ReadInPieces(packed, pieces, &end);
    ASSERT_TRUE(text.ok()) << text.status().ToString();
    EXPECT_TRUE(end.ok()) << end.ToString();
    EXPECT_TRUE(*text == bytes);
  }
}

TEST(GzipStream, MembersInARowAreOneStream) {
  const std::string packed = WriteInPieces("one ", 9) + WriteInPieces("", 9) + WriteInPieces("two", 9);
  for (const Pieces pieces : {Pieces{1, 1}, Pieces{5, 3}, Pieces{1000, 7}, Pieces{1000, 1000}}) {
    Status end;
    EXPECT_EQ(*ReadInPieces(packed, pieces, &end), "one two");
    EXPECT_TRUE(end.ok());
  }
}

TEST(GzipStream, TellsTheEndFromACut) {
  const std::string first = WriteInPieces("one ", 9);
  const std::string packed = first + WriteInPieces("two", 9);
  for (std::size_t size = 0; size <= packed.size(); ++size) {
    Status end;
    const Result<std::string> text = ReadInPieces(packed.substr(0, size), Pieces{3, 3}, &end);
    ASSERT_TRUE(text.ok()) << text.status().ToString();
    EXPECT_TRUE(std::string("one two").starts_with(*text));
    EXPECT_EQ(end.ok(), size == first.size() || size == packed.size()) << size;
    if (!end.ok()) ExpectStatus(end, StatusCode::kCorrupt, {"codec=gzip", "ends too early"});
  }
}

TEST(GzipStream, RefusesDamageAndWhatFollows) {
  const std::string packed = WriteInPieces("one two three", 99);
  Status end;
  ExpectStatus(ReadInPieces(packed + "xy", Pieces{99, 99}, &end).status(), StatusCode::kCorrupt,
               {"codec=gzip", "reason="});
  ExpectStatus(ReadInPieces(packed + std::string(3, '\0'), Pieces{1, 99}, &end).status(), StatusCode::kCorrupt,
               {"codec=gzip", "reason="});
  std::string damaged = packed;
  damaged[packed.size() - 8] ^= 1;  // of the checksum
  ExpectStatus(ReadInPieces(damaged, Pieces{99, 99}, &end).status(), StatusCode::kCorrupt,
               {"codec=gzip", "incorrect data check"});
}

TEST(GzipStream, WhatCameBeforeDamageIsThere) {
  const std::string packed = WriteInPieces("one two three", 99);
  GzipReader reader;
  std::vector<std::uint8_t> room(99);
  const std::string damaged = packed + "x" + packed;
  ByteSpan input = AsBytes(damaged);
  EXPECT_EQ(*reader.Read(&input, room), 13u);
  for (int i = 0; i < 2; ++i) {
    ExpectStatus(reader.Read(&input, room).status(), StatusCode::kCorrupt, {"codec=gzip", "incorrect header check"});
    ExpectStatus(reader.CheckEnd(), StatusCode::kCorrupt, {"incorrect header check"});
  }
}

}  // namespace
}  // namespace lakestream
