#include "objstore/local/checked_read.h"

#include <sys/vfs.h>
#include <sys/xattr.h>

#include <algorithm>
#include <vector>

#include "codec/crc32c.h"
#include "objstore/local/stored_checksum.h"
#include "objstore/local/testing/local_store_test.h"

namespace lakestream {
namespace {

constexpr std::uint64_t kBlock = ObjectChecksum::kMinBlockBytes;
constexpr std::uint64_t kSize = 5 * kBlock + 777;

/// No two blocks are alike.
std::string Pattern(std::uint64_t size) {
  std::string bytes(size, '\0');
  for (std::uint64_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * 7 + i / kBlock + i / 251);
  return bytes;
}

class CheckedReadTest : public LocalStoreTest {
 protected:
  std::string AttributeOf(const std::string& path) {
    std::string text(ObjectChecksum::kMaxTextBytes, '\0');
    const ssize_t size = ::getxattr(path.c_str(), kChecksumAttribute, text.data(), text.size());
    text.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
    return text;
  }
  void SetAttribute(const std::string& path, const std::string& text) {
    ASSERT_EQ(::setxattr(path.c_str(), kChecksumAttribute, text.data(), text.size(), 0), 0);
  }

  /// Ranges that begin and end within blocks, at their ends and beyond the object.
  std::vector<ByteRange> Ranges() {
    std::vector<ByteRange> ranges = {ByteRange(), ByteRange{kSize, 10}, ByteRange{kSize + 1, 10}, ByteRange{7, 0}};
    for (const std::uint64_t from : {std::uint64_t{0}, std::uint64_t{1}, kBlock - 1, kBlock, kBlock + 1, 3 * kBlock,
                                     5 * kBlock - 2, 5 * kBlock, kSize - 1}) {
      for (const std::uint64_t length : {std::uint64_t{1}, std::uint64_t{2}, kBlock - 1, kBlock, kBlock + 1,
                                         2 * kBlock + 5, kSize}) {
        ranges.push_back(ByteRange{from, length});
      }
      ranges.push_back(ByteRange{from, std::nullopt});
    }
    return ranges;
  }

  /// Every range gives its bytes, or it is corrupt because it touches the block [begin, end), which it then names.
  void ExpectDamageIn(ObjectStore& store, const std::string& bytes, std::uint64_t begin, std::uint64_t end) {
    for (const ByteRange& range : Ranges()) {
      const std::uint64_t from = std::min(range.offset, kSize);
      const std::uint64_t to = from + std::min(range.length.value_or(kSize), kSize - from);
      const Result<Buffer> got = Get(store, "d/k", range);
      if (from < to && from < end && to > begin) {
        const std::string named =
            "key=d/k offset=" + std::to_string(begin) + " bytes=" + std::to_string(end - begin);
        EXPECT_EQ(got.status().code(), StatusCode::kCorrupt) << from << " to " << to << ", block at " << begin;
        EXPECT_NE(got.status().message().find(named), std::string_view::npos) << got.status().ToString();
      } else {
        ASSERT_TRUE(got.ok()) << got.status().ToString();
        EXPECT_TRUE(got->text() == std::string_view(bytes).substr(from, to - from)) << from << " to " << to;
      }
    }
  }

  /// A flip at both ends and in the middle of each block, one at a time.
  void FlipEveryBlock(ObjectStore& store, const std::string& directory) {
    const std::string bytes = Pattern(kSize);
    ASSERT_TRUE(Put(store, "d/k", bytes).ok());
    ExpectDamageIn(store, bytes, 0, 0);
    for (std::uint64_t begin = 0; begin < kSize; begin += kBlock) {
      const std::uint64_t end = std::min(begin + kBlock, kSize);
      for (const std::uint64_t at : {begin, begin + (end - begin) / 2, end - 1}) {
        Flip(directory + "/d/k", at);
        ExpectDamageIn(store, bytes, begin, end);
        Flip(directory + "/d/k", at);
      }
    }
  }

  /// A file that is shorter or longer is named by every range, whatever is still there.
  void ChangeTheSize(ObjectStore& store, const std::string& path) {
    for (const std::uint64_t size :
         {kSize - 1, kSize + 1, 5 * kBlock, kBlock, kBlock - 1, std::uint64_t{0}, 9 * kBlock}) {
      fs::resize_file(path, size);
      for (const ByteRange& range : Ranges()) {
        const Status status = Get(store, "d/k", range).status();
        EXPECT_EQ(status.code(), StatusCode::kCorrupt) << size << " " << range.offset;
        EXPECT_NE(status.message().find("key=d/k"), std::string_view::npos) << status.ToString();
      }
    }
  }
};

TEST_F(CheckedReadTest, AFlipInAnyBlockIsNamedByEveryRangeThatTouchesIt) {
  const auto store = Open(directory_.path());
  FlipEveryBlock(*store, directory_.path());
  EXPECT_EQ(store->counters().without_checksum, 0);
  EXPECT_GT(store->counters().corrupt, 0);
}

TEST_F(CheckedReadTest, TheSameWhereASideFileHoldsTheChecksum) {
  const Mount mount("ramfs", "");
  NEEDS_MOUNT(mount);
  const auto store = Open(mount.path());
  FlipEveryBlock(*store, mount.path());
  EXPECT_EQ(store->counters().side_files, 1);
  EXPECT_EQ(store->counters().without_checksum, 0);
  ChangeTheSize(*store, mount.path() + "/d/k");
}

TEST_F(CheckedReadTest, AnotherSizeIsNamed) {
  const auto store = Open(directory_.path());
  ASSERT_TRUE(Put(*store, "d/k", Pattern(kSize)).ok());
  ChangeTheSize(*store, directory_.path() + "/d/k");
}

TEST_F(CheckedReadTest, WithoutBlocksARangeChecksTheWholeObject) {
  const auto store = Open(directory_.path());
  const std::string path = directory_.path() + "/d/k";
  const std::string bytes = Pattern(kSize);
  ASSERT_TRUE(Put(*store, "d/k", bytes).ok());
  SetAttribute(path, AttributeOf(path).substr(0, 8));
  ExpectDamageIn(*store, bytes, 0, 0);
  Flip(path, 4 * kBlock + 5);
  for (const ByteRange& range : Ranges()) {
    EXPECT_EQ(Get(*store, "d/k", range).status().code(), StatusCode::kCorrupt) << range.offset;
  }
  Flip(path, 4 * kBlock + 5);
  ChangeTheSize(*store, path);
}

TEST_F(CheckedReadTest, RangesOfASmallObjectAreChecked) {
  const auto store = Open(directory_.path());
  ASSERT_TRUE(Put(*store, "d/k", "123456789").ok());
  EXPECT_EQ(Text(Get(*store, "d/k", ByteRange{2, 3})), "345");
  EXPECT_EQ(Text(Get(*store, "d/k", ByteRange{8, 3})), "9");
  EXPECT_EQ(Text(Get(*store, "d/k", ByteRange{9, 3})), "");
  Flip(directory_.path() + "/d/k", 8);
  for (const ByteRange range : {ByteRange{2, 3}, ByteRange{0, 1}, ByteRange{9, 1}, ByteRange{3, 0}}) {
    EXPECT_EQ(Text(Get(*store, "d/k", range)), "corrupt");
  }
}

TEST_F(CheckedReadTest, RangesWithoutChecksumAreCounted) {
  const auto store = Open(directory_.path());
  WriteFile(directory_.path() + "/foreign", Pattern(kSize));
  EXPECT_EQ(Text(Get(*store, "foreign", ByteRange{3 * kBlock, 5})), Pattern(kSize).substr(3 * kBlock, 5));
  EXPECT_EQ(store->counters().without_checksum, 1);
}

TEST_F(CheckedReadTest, AnAttributeOfAnotherObjectIsCorrupt) {
  const auto store = Open(directory_.path());
  const std::string path = directory_.path() + "/d/k";
  ASSERT_TRUE(Put(*store, "d/k", Pattern(kSize)).ok());
  const std::string good = AttributeOf(path);
  ASSERT_EQ(good.substr(8, 14), ":328457:65536:");
  const std::string bad[] = {
      good.substr(0, good.size() - 8),                   // a block too few
      good + "00000000",                                 // one too many
      good.substr(0, 8) + ":328458" + good.substr(15),   // another size, as many blocks
      good.substr(0, 8) + ":328457:131072:" + good.substr(22),
      std::string(ObjectChecksum::kMaxTextBytes + 1, '0'),
  };
  for (const std::string& text : bad) {
    SetAttribute(path, text);
    EXPECT_EQ(Text(Get(*store, "d/k", ByteRange{0, 3})), "corrupt") << text;
    EXPECT_EQ(Text(Get(*store, "d/k")), "corrupt") << text;
  }
  SetAttribute(path, good);
  EXPECT_EQ(Get(*store, "d/k")->size(), kSize);
}

TEST_F(CheckedReadTest, WhereAttributesHaveLittleRoomBlocksAreLarger) {
  LocalObjectStoreOptions options;
  options.directory = directory_.path();
  const std::shared_ptr<LocalFiles> files = LocalFiles::Open(options, runtime().clock.Wall()).value();
  const std::string bytes = Pattern(120 * kBlock);
  LocalFiles::Draft draft = files->Begin("k", "temp").value();
  ASSERT_TRUE(files->Append(draft, BufferChain(Buffer::CopyOf(bytes))).ok());
  // Of the block that ext4 has for attributes.
  const std::string other(3300, 'o');
  ASSERT_EQ(::fsetxattr(draft.file.fd(), "user.other", other.data(), other.size(), 0), 0);
  ASSERT_TRUE(files->Publish(draft, "k", [] { return OkStatus(); }).ok());
  const auto checksum = ObjectChecksum::Parse(AttributeOf(directory_.path() + "/k"));
  ASSERT_TRUE(checksum.has_value());
  EXPECT_EQ(checksum->whole, Crc32c(AsBytes(bytes)));
  constexpr long kExt4 = 0xef53;
  struct statfs about;
  ASSERT_EQ(::statfs(directory_.path().c_str(), &about), 0);
  if (about.f_type == kExt4 && about.f_bsize == 4096) {
    EXPECT_EQ(checksum->block_bytes, 2 * kBlock);
  }
  const ByteRange range{77 * kBlock + 5, 3 * kBlock};
  EXPECT_TRUE(files->Get("k", range)->text() == std::string_view(bytes).substr(77 * kBlock + 5, 3 * kBlock));
  Flip(directory_.path() + "/k", 78 * kBlock);
  EXPECT_EQ(files->Get("k", range).status().code(), StatusCode::kCorrupt);
}

}  // namespace
}  // namespace lakestream
