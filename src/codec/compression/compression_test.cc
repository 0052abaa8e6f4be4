#include "codec/compression/compression.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "base/testing/bytes.h"
#include "codec/compression/lz4_block.h"

namespace lakestream {
namespace {

constexpr std::string_view kText = "hello hello hello hello\n";
constexpr std::uint64_t kLimit = std::uint64_t{1} << 20;
constexpr std::array kReal = {Compression::kGzip, Compression::kSnappy, Compression::kLz4, Compression::kZstd};

/// What other programs made of kText: gzip of Python, the commands lz4 and zstd; the snappy blocks are written by hand
/// after its format description (a literal of 6 bytes, a copy of 17 from 6 back, a literal of 1).
struct Golden {
  const char* what;
  Compression compression;
  const char* hex;
};
const Golden kGoldens[] = {
    {"gzip", Compression::kGzip, "1f8b0800000000000203cb48cdc9c957c84027b9000088590b18000000"},
    {"two gzip members", Compression::kGzip,
     "1f8b0800000000000203cb48cdc9c9570000f6f981ed060000001f8b0800000000000203cb48cdc9c957c840905c003b7c8adf12000000"},
    {"snappy, raw", Compression::kSnappy, "18 14 68656c6c6f20 42 0600 00 0a"},
    {"snappy of snappy-java", Compression::kSnappy,
     "82534e4150505900 00000001 00000001 0000000d 18 14 68656c6c6f20 42 0600 00 0a"},
    {"snappy of snappy-java, two blocks", Compression::kSnappy,
     "82534e4150505900 00000001 00000001 00000008 06 14 68656c6c6f20 0000000d 12 14 68656c6c6f20 2a 0600 00 0a"},
    {"lz4, independent blocks", Compression::kLz4, "04224d186040820f0000006968656c6c6f20060050656c6c6f0a00000000"},
    {"lz4, linked blocks, checksum", Compression::kLz4,
     "04224d186440a70f0000006968656c6c6f20060050656c6c6f0a00000000e2ff0342"},
    {"zstd, size in the header, checksum", Compression::kZstd, "28b52ffd24186d00003868656c6c6f200a0100994b11a87c2ea8"},
    {"zstd, no size, checksum", Compression::kZstd, "28b52ffd04586d00003868656c6c6f200a0100994b11a87c2ea8"},
    {"zstd, no size", Compression::kZstd, "28b52ffd00586d00003868656c6c6f200a0100994b11"},
};

/// Bytes that are neither all alike nor without a pattern.
std::string Sample(std::size_t size) {
  std::string bytes;
  for (std::size_t i = 0; bytes.size() < size; ++i) bytes += "row " + std::to_string(i * i % 1009) + ",";
  bytes.resize(size);
  return bytes;
}

std::string Compressed(Compression compression, std::string_view bytes) {
  std::string out = "in front";
  EXPECT_TRUE(Compress(compression, AsBytes(bytes), &out).ok());
  EXPECT_TRUE(out.starts_with("in front"));
  return out.substr(8);
}

TEST(Compression, ReadsWhatOthersWrote) {
  for (const Golden& golden : kGoldens) {
    const Result<Buffer> bytes = Decompress(golden.compression, AsBytes(Hex(golden.hex)), kLimit);
    ASSERT_TRUE(bytes.ok()) << golden.what << ": " << bytes.status().ToString();
    EXPECT_EQ(bytes->text(), kText) << golden.what;
  }
}

TEST(Compression, TakesExactlyTheLimit) {
  for (const Golden& golden : kGoldens) {
    const std::string bytes = Hex(golden.hex);
    EXPECT_TRUE(Decompress(golden.compression, AsBytes(bytes), kText.size()).ok()) << golden.what;
    ExpectStatus(Decompress(golden.compression, AsBytes(bytes), kText.size() - 1).status(),
                 StatusCode::kResourceExhausted, {"codec=", "limit=23"});
  }
  ExpectStatus(Decompress(Compression::kNone, AsBytes("four"), 3).status(), StatusCode::kResourceExhausted,
               {"codec=none", "limit=3"});
}

TEST(Compression, RefusesEveryPrefixAndWhatFollows) {
  for (const Golden& golden : kGoldens) {
    const std::string bytes = Hex(golden.hex);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      const Result<Buffer> result = Decompress(golden.compression, AsBytes(std::string_view(bytes).substr(0, size)), kLimit);
      // Where a block or a member ends, what came before is whole.
      if (result.ok() && result->text() != kText && kText.starts_with(result->text())) continue;
      ExpectStatus(result.status(), StatusCode::kCorrupt, {"codec=", "reason="});
    }
    ExpectStatus(Decompress(golden.compression, AsBytes(bytes + "x"), kLimit).status(), StatusCode::kCorrupt,
                 {"codec=", "reason="});
  }
}

TEST(Compression, EverythingComesBack) {
  for (const Compression compression : kReal) {
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{1000}, std::size_t{65537},
                                   std::size_t{1} << 20}) {
      for (const std::string& bytes : {Sample(size), std::string(size, 'z')}) {
        const std::string small = Compressed(compression, bytes);
        const Result<Buffer> back = Decompress(compression, AsBytes(small), kLimit);
        ASSERT_TRUE(back.ok()) << CompressionName(compression) << " " << size << ": " << back.status().ToString();
        EXPECT_TRUE(back->text() == bytes) << CompressionName(compression) << " " << size;
        if (size < 1000) continue;
        EXPECT_LT(small.size(), bytes.size()) << CompressionName(compression);
        ExpectStatus(Decompress(compression, AsBytes(small), size - 1).status(), StatusCode::kResourceExhausted,
                     {"codec=", "limit="});
      }
    }
  }
}

TEST(Compression, EveryLimitBelowTheSizeIsToldApartFromDamage) {
  const std::string bytes = Sample(5000);
  for (const Compression compression : kReal) {
    const std::string small = Compressed(compression, bytes);
    for (std::uint64_t limit = 0; limit < bytes.size(); limit += 7) {
      ExpectStatus(Decompress(compression, AsBytes(small), limit).status(), StatusCode::kResourceExhausted, {"limit="});
    }
  }
}

TEST(Compression, AClaimTakesNoMemory) {
  // Each of these claims far more than there is; a machine with less memory than that refuses them all the same.
  constexpr std::uint64_t kHuge = std::uint64_t{1} << 50;
  // A snappy block of 2^32 - 1 bytes, a zstd frame of 2^60 bytes with a window of 2 GiB, an LZ4 frame of 2^60 bytes.
  ExpectStatus(Decompress(Compression::kSnappy, AsBytes(Hex("ffffffff0f 10 68656c6c6f")), kHuge).status(),
               StatusCode::kCorrupt, {"codec=snappy", "claims more"});
  ExpectStatus(Decompress(Compression::kZstd, AsBytes(Hex("28b52ffd c0a8 0000000000000010 010000")), kHuge).status(),
               StatusCode::kCorrupt, {"codec=zstd"});
  ExpectStatus(Decompress(Compression::kLz4, AsBytes(Hex("04224d18 6c70 0000000000000010 b1 00000000")), kHuge).status(),
               StatusCode::kResourceExhausted, {"codec=lz4"});
}

TEST(Compression, LargeLz4BlocksNeedALargeLimit) {
  const std::string bytes = Hex("04224d186470b90f0000006968656c6c6f20060050656c6c6f0a00000000e2ff0342");
  constexpr std::uint64_t kFourMib = std::uint64_t{4} << 20;
  const Result<Buffer> taken = Decompress(Compression::kLz4, AsBytes(bytes), kFourMib);
  ASSERT_TRUE(taken.ok()) << taken.status().ToString();
  EXPECT_EQ(taken->text(), kText);
  ExpectStatus(Decompress(Compression::kLz4, AsBytes(bytes), kFourMib - 1).status(), StatusCode::kResourceExhausted,
               {"codec=lz4", "limit=4194303"});
}

TEST(Compression, Lz4BlocksAreIndependentAsJavaNeedsThem) {
  const std::string frame = Compressed(Compression::kLz4, Sample(200'000));
  EXPECT_EQ(ToHex(frame.substr(0, 5)), "04224d1860");  // magic number, version 1 with independent blocks
}

TEST(Compression, ReadsAnLz4BlockWithoutItsFrame) {
  // The block of the first frame above.
  const std::string block = Hex("6968656c6c6f20060050656c6c6f0a");
  const Result<Buffer> bytes = DecompressLz4Block(AsBytes(block), kText.size());
  ASSERT_TRUE(bytes.ok()) << bytes.status().ToString();
  EXPECT_EQ(bytes->text(), kText);
  const std::uint64_t sizes[] = {0, kText.size() - 1, kText.size() + 1, 255 * block.size(), 255 * block.size() + 1,
                                 std::uint64_t{1} << 31, ~std::uint64_t{0}};
  for (const std::uint64_t size : sizes) {
    ExpectStatus(DecompressLz4Block(AsBytes(block), size).status(), StatusCode::kCorrupt, {"codec=lz4", "reason="});
  }
  for (std::size_t cut = 0; cut < block.size(); ++cut) {
    EXPECT_FALSE(DecompressLz4Block(AsBytes(block).first(cut), kText.size()).ok()) << cut;
  }
}

TEST(Compression, AnEmptyInputIsRefused) {
  for (const Compression compression : kReal) {
    ExpectStatus(Decompress(compression, ByteSpan(), kLimit).status(), StatusCode::kCorrupt, {"codec=", "reason="});
  }
}

TEST(Compression, NamesGoBothWays) {
  for (int i = 0; i < kCompressions; ++i) {
    const auto compression = static_cast<Compression>(i);
    EXPECT_EQ(FindCompression(CompressionName(compression)), compression);
  }
  EXPECT_EQ(FindCompression("brotli"), std::nullopt);
  EXPECT_EQ(CompressionName(Compression::kZstd), "zstd");
}

}  // namespace
}  // namespace lakestream
