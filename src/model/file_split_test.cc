#include "model/file_split.h"

#include <gtest/gtest.h>

#include <string>

namespace lakestream::model {
namespace {

constexpr FileLimits kSmall{100, 3};

/// Adds entries of one record each until `end`, and gives files the names 0.parquet, 1.parquet, ...
void AddUntil(FileSplit& split, std::int64_t begin, std::int64_t end, std::int64_t bytes, int& names) {
  for (std::int64_t o = begin; o < end; ++o) {
    if (split.NeedsFile()) split.BeginFile(std::to_string(names++) + ".parquet");
    split.Add(Offset(o), 1, bytes);
  }
}

FileIndex Files(std::initializer_list<std::pair<std::int64_t, std::string>> files) {
  FileIndex index;
  for (const auto& [last, name] : files) index.files.push_back(CompactedFile{Offset(last), name});
  return index;
}

TEST(FileSplit, TheFilesOfTheSpecificationsExample) {
  // "7-0.parquet holds offsets 0 to 2, and 7-3.parquet holds offsets 3 to 6", in a record of [0, 7).
  FileSplit split(FileLimits{12, 10});
  split.BeginFile("7-0.parquet");
  split.Add(Offset(0), 2, 5);
  split.Add(Offset(2), 1, 7);
  ASSERT_TRUE(split.NeedsFile());
  split.BeginFile("7-3.parquet");
  split.Add(Offset(3), 4, 16);
  const Result<FileIndex> index = split.Finish(Offset(7));
  ASSERT_TRUE(index.ok()) << index.status().ToString();
  const Result<std::string> text = EncodeFileIndex(*index);
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(*text, "AAAAAAAAAAIAAAALNy0wLnBhcnF1ZXQAAAAAAAAABgAAAAs3LTMucGFycXVldA==");
  EXPECT_EQ(split.entries(), 3);
  EXPECT_EQ(split.bytes(), 28);
}

TEST(FileSplit, AFileIsFullAtEitherLimit) {
  FileSplit by_entries(kSmall);
  int names = 0;
  AddUntil(by_entries, 0, 7, 1, names);
  EXPECT_EQ(*by_entries.Finish(Offset(7)), Files({{2, "0.parquet"}, {5, "1.parquet"}, {6, "2.parquet"}}));

  FileSplit by_bytes(kSmall);
  names = 0;
  AddUntil(by_bytes, 0, 4, 50, names);
  EXPECT_EQ(*by_bytes.Finish(Offset(4)), Files({{1, "0.parquet"}, {3, "1.parquet"}}));
}

TEST(FileSplit, ALargeEntryIsKeptWhole) {
  FileSplit split(kSmall);
  int names = 0;
  AddUntil(split, 0, 1, 99, names);
  EXPECT_FALSE(split.NeedsFile());
  AddUntil(split, 1, 2, 5000, names);
  EXPECT_TRUE(split.NeedsFile());
  EXPECT_EQ(*split.Finish(Offset(2)), Files({{1, "0.parquet"}}));
}

TEST(FileSplit, TheFirstEntryMayBeginAboveTheRange) {
  FileSplit split(kSmall);
  split.BeginFile("a.parquet");
  split.Add(Offset(40), 10, 1);
  EXPECT_EQ(*split.Finish(Offset(50)), Files({{49, "a.parquet"}}));
}

TEST(FileSplit, EntriesThatDoNotEndTheRangeAreRefused) {
  FileSplit split(kSmall);
  EXPECT_EQ(split.Finish(Offset(1)).status().code(), StatusCode::kInternal) << "no entry";
  split.BeginFile("a.parquet");
  EXPECT_EQ(split.Finish(Offset(1)).status().code(), StatusCode::kInternal) << "an empty file";
  split.Add(Offset(0), 5, 1);
  EXPECT_EQ(split.Finish(Offset(6)).status().code(), StatusCode::kInternal);
  EXPECT_TRUE(split.Finish(Offset(5)).ok());
  FileSplit named(kSmall);
  named.BeginFile("a.index");
  named.Add(Offset(0), 1, 1);
  EXPECT_EQ(named.Finish(Offset(1)).status().code(), StatusCode::kInvalidArgument);
}

TEST(FileSplitDeathTest, AGapBetweenEntriesEndsTheProcess) {
  FileSplit split(kSmall);
  split.BeginFile("a.parquet");
  split.Add(Offset(0), 2, 1);
  EXPECT_DEATH(split.Add(Offset(3), 1, 1), "follow each other");
  EXPECT_DEATH(split.Add(Offset(1), 1, 1), "follow each other");
  split.Add(Offset(2), 1, 99);
  split.BeginFile("b.parquet");
  EXPECT_DEATH(split.Add(Offset(4), 1, 1), "follow each other");
}

TEST(MostFiles, NoOrderOfSizesNeedsMore) {
  EXPECT_EQ(MostFiles(kSmall, 0, 0), 0);
  EXPECT_EQ(MostFiles(kSmall, 1, 0), 1);
  EXPECT_EQ(MostFiles(kSmall, 3, 0), 1);
  EXPECT_EQ(MostFiles(kSmall, 4, 0), 2);
  EXPECT_EQ(MostFiles(kSmall, 1, 1'000'000), 1) << "an entry is never in two files";
  EXPECT_EQ(MostFiles(kSmall, 2, 1'000'000), 2);
  EXPECT_EQ(MostFiles(FileLimits(), 2'097'152, 0), 64) << "64 files of 32 768";
  EXPECT_EQ(MostFiles(FileLimits(), 2'097'153, 0), 65);
  // Every sequence of up to six entries of these sizes.
  constexpr std::int64_t kSizes[] = {0, 40, 60, 110};
  for (int length = 1; length <= 6; ++length) {
    for (int code = 0; code < (1 << (2 * length)); ++code) {
      FileSplit split(kSmall);
      std::int64_t files = 0;
      for (int i = 0; i < length; ++i) {
        if (split.NeedsFile()) split.BeginFile(std::to_string(files++));
        split.Add(Offset(i), 1, kSizes[(code >> (2 * i)) & 3]);
      }
      ASSERT_LE(files, MostFiles(kSmall, split.entries(), split.bytes())) << length << " " << code;
    }
  }
}

}  // namespace
}  // namespace lakestream::model
