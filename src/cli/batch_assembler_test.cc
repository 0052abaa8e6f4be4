#include "cli/batch_assembler.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kafka/records/entry_payload.h"

namespace lakestream {
namespace {

struct Collected {
  std::vector<AppendPiece> pieces;
  std::function<void(AppendPiece)> sink() {
    return [this](AppendPiece piece) { pieces.push_back(std::move(piece)); };
  }
};

std::vector<std::string> Values(const AppendPiece& piece) {
  std::vector<std::string> values;
  kafka::PayloadReader reader(piece.payload.span(), 0, 0, kafka::BatchSource());
  kafka::Record record;
  for (Result<bool> more = reader.Next(&record); more.ok() && *more; more = reader.Next(&record)) {
    values.emplace_back(record.value.value_or("null"));
  }
  EXPECT_EQ(static_cast<std::int32_t>(values.size()), piece.records);
  return values;
}

TEST(BatchAssembler, EachPartitionHasABatchOfItsOwn) {
  Collected collected;
  BatchAssembler assembler(2, BatchingOptions(), collected.sink());
  const std::string lines[] = {"a", "bb", "ccc", "", "e"};
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(assembler.Add(i % 2, i + 1, lines[i], 7).ok());
  EXPECT_TRUE(collected.pieces.empty());
  ASSERT_TRUE(assembler.Flush(false).ok());
  ASSERT_EQ(collected.pieces.size(), 2u);
  EXPECT_EQ(collected.pieces[0].partition, 0);
  EXPECT_EQ(collected.pieces[0].line, 1);
  EXPECT_EQ(collected.pieces[0].bytes, 5);
  EXPECT_EQ(Values(collected.pieces[0]), (std::vector<std::string>{"a", "ccc", "e"}));
  EXPECT_EQ(collected.pieces[1].line, 2);
  EXPECT_EQ(Values(collected.pieces[1]), (std::vector<std::string>{"bb", ""}));
  ASSERT_TRUE(assembler.Flush(true).ok());
  EXPECT_EQ(collected.pieces.size(), 2u);
}

TEST(BatchAssembler, ANumberOfLinesIsWaitedFor) {
  Collected collected;
  BatchingOptions options;
  options.lines = 2;
  BatchAssembler assembler(1, options, collected.sink());
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(assembler.Add(0, i + 1, "x", 7).ok());
    ASSERT_TRUE(assembler.Flush(false).ok());
  }
  ASSERT_EQ(collected.pieces.size(), 2u);
  EXPECT_EQ(collected.pieces[1].line, 3);
  ASSERT_TRUE(assembler.Flush(true).ok());
  ASSERT_EQ(collected.pieces.size(), 3u);
  EXPECT_EQ(collected.pieces[2].line, 5);
  EXPECT_EQ(collected.pieces[2].records, 1);
}

TEST(BatchAssembler, ABatchStaysBelowAMegabyteUnlessALineIsLonger) {
  Collected collected;
  BatchAssembler assembler(1, BatchingOptions(), collected.sink());
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(assembler.Add(0, i + 1, std::string(300'000, 'x'), 7).ok());
  ASSERT_TRUE(assembler.Add(0, 6, std::string(2'000'000, 'y'), 7).ok());
  ASSERT_TRUE(assembler.Add(0, 7, "z", 7).ok());
  ASSERT_TRUE(assembler.Flush(true).ok());
  std::vector<std::int32_t> records;
  for (const AppendPiece& piece : collected.pieces) records.push_back(piece.records);
  EXPECT_EQ(records, (std::vector<std::int32_t>{3, 2, 1, 1}));
}

TEST(BatchAssembler, KeyAndHeadersCountToo) {
  Collected collected;
  BatchingOptions options;
  options.key = std::string(100'000, 'k');
  options.headers = {{std::string(100'000, 'h'), std::string(100'000, 'v')}};
  BatchAssembler assembler(1, options, collected.sink());
  for (int i = 0; i < 7; ++i) ASSERT_TRUE(assembler.Add(0, i + 1, "x", 7).ok());
  ASSERT_TRUE(assembler.Flush(true).ok());
  ASSERT_EQ(collected.pieces.size(), 3u);
  for (const AppendPiece& piece : collected.pieces) EXPECT_LE(piece.payload.size(), 1'000'000u);
}

TEST(BatchAssembler, EveryRecordGetsKeyHeadersAndTime) {
  Collected collected;
  BatchingOptions options;
  options.key = "k";
  options.headers = {{"h", "1"}, {"h", ""}};
  options.compression = Compression::kZstd;
  BatchAssembler assembler(1, options, collected.sink());
  ASSERT_TRUE(assembler.Add(0, 1, "v", 1234).ok());
  ASSERT_TRUE(assembler.Flush(true).ok());
  kafka::PayloadReader reader(collected.pieces.at(0).payload.span(), 0, 0, kafka::BatchSource());
  kafka::Record record;
  ASSERT_TRUE(*reader.Next(&record));
  EXPECT_EQ(record.key, "k");
  EXPECT_EQ(record.headers, (std::vector<kafka::RecordHeader>{{"h", "1"}, {"h", ""}}));
  EXPECT_EQ(record.timestamp_ms, 1234);
}

TEST(BatchAssembler, TheLongestLineFitsIntoAnEntry) {
  constexpr std::int64_t kEntry = std::int64_t{1} << 20;
  for (int codec = 0; codec < kCompressions; ++codec) {
    BatchingOptions options;
    options.key = std::string(100'000, 'k');
    options.headers = {{std::string(50'000, 'h'), std::string(50'000, 'v')}};
    options.compression = static_cast<Compression>(codec);
    std::string line(static_cast<std::size_t>(BatchAssembler::LongestLine(options, kEntry)), '\0');
    std::uint32_t state = 1;  // bytes that no codec makes shorter
    for (char& c : line) c = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
    Collected collected;
    BatchAssembler assembler(1, options, collected.sink());
    ASSERT_TRUE(assembler.Add(0, 1, line, 7).ok());
    ASSERT_TRUE(assembler.Flush(true).ok());
    EXPECT_LE(collected.pieces.at(0).payload.size(), static_cast<std::size_t>(kEntry)) << codec;
  }
}

}  // namespace
}  // namespace lakestream
