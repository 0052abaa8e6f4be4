#include "parquet/writer/parquet_writer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "base/testing/bytes.h"
#include "parquet/parquet_file.h"
#include "parquet/plain_arrow/plain_arrow.h"
#include "parquet/testing/read_rows.h"

namespace lakestream {
namespace {

ParquetWriterOptions Options(Compression compression = Compression::kZstd) {
  ParquetWriterOptions options;
  options.record_name = "KafkaMessage";
  options.entry_serde_type = "KAFKA_BATCHED_RAW_PARQUET";
  options.row_metadata = "lks-1.index";
  options.compression = compression;
  return options;
}

/// Half of each row can be compressed.
std::vector<Buffer> MakeRows(int count, std::size_t bytes) {
  std::vector<Buffer> rows;
  std::uint32_t state = 1;
  for (int i = 0; i < count; ++i) {
    std::string row(bytes, static_cast<char>(i));
    for (std::size_t at = 0; at < bytes / 2; ++at) {
      state = state * 1664525 + 1013904223;
      row[at] = static_cast<char>(state >> 24);
    }
    rows.push_back(Buffer(std::move(row)));
  }
  return rows;
}

struct Written {
  Buffer file;
  std::uint64_t most_output = 0;  ///< that came with one row
};

Result<Written> Write(const std::vector<Buffer>& rows, const ParquetWriterOptions& options) {
  LS_ASSIGN(const std::unique_ptr<ParquetWriter> writer, ParquetWriter::Open(options));
  Written written;
  BufferChain file;
  std::int64_t payload_bytes = 0;
  for (const Buffer& row : rows) {
    LS_TRY(writer->Add(row.span()));
    payload_bytes += static_cast<std::int64_t>(row.size());
    const std::uint64_t waiting = writer->output_bytes();
    written.most_output = std::max(written.most_output, waiting);
    const Buffer taken = writer->TakeOutput();
    EXPECT_EQ(taken.size(), waiting);
    EXPECT_EQ(writer->output_bytes(), 0u);
    file.Append(taken);
  }
  LS_TRY(writer->Finish());
  file.Append(writer->TakeOutput());
  EXPECT_EQ(writer->file_bytes(), file.size());
  EXPECT_EQ(writer->rows(), static_cast<std::int64_t>(rows.size()));
  EXPECT_EQ(writer->payload_bytes(), payload_bytes);
  written.file = file.Flatten();
  return written;
}

TEST(ParquetWriter, EachCodecIsReadHereAndByArrow) {
  std::vector<Buffer> rows = MakeRows(2000, 700);
  rows[5] = Buffer();
  const std::map<Compression, ParquetCodec> codecs = {{Compression::kNone, ParquetCodec::kNone},
                                                      {Compression::kGzip, ParquetCodec::kGzip},
                                                      {Compression::kSnappy, ParquetCodec::kSnappy},
                                                      {Compression::kLz4, ParquetCodec::kLz4},
                                                      {Compression::kZstd, ParquetCodec::kZstd}};
  ASSERT_EQ(codecs.size(), static_cast<std::size_t>(kCompressions));
  for (const auto& [compression, codec] : codecs) {
    SCOPED_TRACE(CompressionName(compression));
    const Result<Written> written = Write(rows, Options(compression));
    ASSERT_TRUE(written.ok()) << written.status().ToString();
    ExpectRows(written->file, rows);
    const Result<std::vector<std::string>> found = ReadWithArrow(written->file);
    ASSERT_TRUE(found.ok()) << found.status().ToString();
    ASSERT_EQ(found->size(), rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) ASSERT_EQ((*found)[i], rows[i].text()) << i;
    const Result<ParquetFile> opened = OpenWhole(written->file);
    ASSERT_TRUE(opened.ok());
    EXPECT_EQ(opened->row_groups()[0].codec, codec);
  }
}

TEST(ParquetWriter, WritesTheFooterOfTheSpecification) {
  const Result<Written> written = Write(MakeRows(10, 100), Options());
  ASSERT_TRUE(written.ok());
  const Result<ParquetFile> opened = OpenWhole(written->file);
  ASSERT_TRUE(opened.ok());
  EXPECT_EQ(opened->root_name(), "KafkaMessage");
  const std::map<std::string, std::string> expected = {
      {"entrySerDeType", "KAFKA_BATCHED_RAW_PARQUET"},
      {"rowMetadata", "lks-1.index"},
      {"schemaType", "avro"},
      {"writer.model.name", "avro"},
      {"parquet.avro.schema",
       R"({"type":"record","name":"KafkaMessage",)"
       R"("fields":[{"name":"payload","type":["null","bytes"],"default":null}]})"},
  };
  for (const auto& [key, value] : expected) {
    ASSERT_NE(opened->FindKey(key), nullptr) << key;
    EXPECT_EQ(*opened->FindKey(key), value);
  }
  EXPECT_EQ(opened->keys().size(), expected.size());
  EXPECT_EQ(opened->created_by().find("lakestream version "), 0u);
}

TEST(ParquetWriter, PagesAndRowGroupsEndWithTheRowThatFillsThem) {
  ParquetWriterOptions options = Options(Compression::kNone);
  options.row_group_bytes = 1 << 20;
  const std::vector<Buffer> rows = MakeRows(5000, 1000);
  const Result<Written> written = Write(rows, options);
  ASSERT_TRUE(written.ok());
  // With each row comes at most the page that it fills.
  EXPECT_LT(written->most_output, static_cast<std::uint64_t>(options.page_bytes) + 1100 + 200);
  const Result<ParquetFile> opened = OpenWhole(written->file);
  ASSERT_TRUE(opened.ok());
  EXPECT_EQ(opened->row_groups().size(), 5u);
  EXPECT_EQ(opened->row_groups()[0].rows, 1049);  // the first number of rows with 1 MiB
  for (const ParquetRowGroup& group : opened->row_groups()) {
    ASSERT_FALSE(group.pages.empty());
    for (std::size_t i = 0; i + 1 < group.pages.size(); ++i) {
      EXPECT_GE(group.pages[i].range.length, 64u << 10);
      EXPECT_LT(group.pages[i].range.length, (64u << 10) + 1100);
    }
  }
}

TEST(ParquetWriter, PagesHaveTheSizeThatWasAskedFor) {
  ParquetWriterOptions options = Options(Compression::kNone);
  options.page_bytes = 200 << 10;
  const Result<Written> written = Write(MakeRows(1000, 1000), options);
  ASSERT_TRUE(written.ok());
  const Result<ParquetFile> opened = OpenWhole(written->file);
  ASSERT_TRUE(opened.ok());
  const ParquetRowGroup& group = opened->row_groups().at(0);
  ASSERT_EQ(group.pages.size(), 5u);
  for (std::size_t i = 0; i + 1 < group.pages.size(); ++i) {
    EXPECT_GE(group.pages[i].range.length, 200u << 10);
    EXPECT_LT(group.pages[i].range.length, (200u << 10) + 1100);
  }
}

TEST(ParquetWriter, AGroupEndsWithTheRowThatReachesItsSize) {
  ParquetWriterOptions options = Options(Compression::kNone);
  options.row_group_bytes = 1 << 20;
  const Result<Written> written = Write(MakeRows(2049, 1024), options);
  ASSERT_TRUE(written.ok());
  const Result<ParquetFile> opened = OpenWhole(written->file);
  ASSERT_TRUE(opened.ok());
  ASSERT_EQ(opened->row_groups().size(), 3u);
  EXPECT_EQ(opened->row_groups()[0].rows, 1024);
  EXPECT_EQ(opened->row_groups()[1].rows, 1024);
  EXPECT_EQ(opened->row_groups()[2].rows, 1);
}

TEST(ParquetWriter, NothingIsStoredASecondTime) {
  const std::vector<Buffer> rows = MakeRows(1024, 1024);
  const Result<Written> written = Write(rows, Options(Compression::kNone));
  ASSERT_TRUE(written.ok());
  const Result<ParquetFile> opened = OpenWhole(written->file);
  ASSERT_TRUE(opened.ok());
  const ParquetRowGroup& group = opened->row_groups().at(0);
  EXPECT_EQ(group.pages.size(), 16u);
  // Page by page a header and levels, row by row a length.
  EXPECT_LT(group.chunk.length, rows.size() * (1024 + 4) + 16 * 50);
  // Offset, size and first row of each page, and what stands around them.
  ASSERT_TRUE(group.offset_index.has_value());
  EXPECT_LT(group.offset_index->length, 16u * 13);
  // Behind the pages there is only the offset index, and the footer with its keys.
  EXPECT_EQ(group.offset_index->offset, group.chunk.end());
  EXPECT_LT(written->file.size() - group.offset_index->end(), 600u);
}

TEST(ParquetWriter, TakesTheLevelOfZstd) {
  const std::vector<Buffer> rows = MakeRows(200, 1000);
  ParquetWriterOptions options = Options();
  const Result<Written> fast = Write(rows, options);
  options.zstd_level = 22;
  const Result<Written> small = Write(rows, options);
  ASSERT_TRUE(fast.ok() && small.ok());
  EXPECT_NE(small->file, fast->file);
  EXPECT_LE(small->file.size(), fast->file.size());
  ExpectRows(small->file, rows);
}

TEST(ParquetWriter, ASmallFirstTailHoldsAllThatOpenNeeds) {
  // 64 MiB, where a compactor ends a file.
  const Result<Written> written = Write(MakeRows(1024, 64 << 10), Options(Compression::kNone));
  ASSERT_TRUE(written.ok());
  ASSERT_GT(written->file.size(), 64u << 20);
  const Result<std::uint64_t> needed =
      ParquetFile::TailNeeded("o", written->file.size(), written->file.span().last(kParquetFirstTail));
  ASSERT_TRUE(needed.ok());
  EXPECT_LE(*needed, kParquetFirstTail);
  const Result<ParquetFile> opened = OpenWhole(written->file);
  ASSERT_TRUE(opened.ok());
  ASSERT_EQ(opened->row_groups().size(), 4u);
  for (const ParquetRowGroup& group : opened->row_groups()) EXPECT_EQ(group.rows, 256);  // 16 MiB
}

TEST(ParquetWriter, EveryFlippedBitOfAPayloadIsSeen) {
  const std::vector<Buffer> rows = MakeRows(3, 50);
  const Result<Written> written = Write(rows, Options(Compression::kNone));
  ASSERT_TRUE(written.ok());
  const Result<ParquetFile> opened = OpenWhole(written->file);
  ASSERT_TRUE(opened.ok());
  const ParquetRange page = opened->row_groups()[0].pages[0].range;
  std::string bytes(written->file.text());
  for (std::uint64_t at = page.end() - 3 * 54; at < page.end(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      bytes[at] = static_cast<char>(bytes[at] ^ 1 << bit);
      ExpectStatus(ReadRow(*opened, Buffer::CopyOf(bytes), 1).status(), StatusCode::kCorrupt, {"field=crc"});
      bytes[at] = static_cast<char>(bytes[at] ^ 1 << bit);
    }
  }
}

TEST(ParquetWriter, TakesLargeAndEmptyPayloads) {
  std::vector<Buffer> rows = MakeRows(1, 5 << 20);
  for (int i = 0; i < 30'000; ++i) rows.push_back(Buffer());
  const Result<Written> written = Write(rows, Options());
  ASSERT_TRUE(written.ok());
  ExpectRows(written->file, rows);
}

TEST(ParquetWriter, WritesAFileWithoutRows) {
  const Result<Written> written = Write({}, Options());
  ASSERT_TRUE(written.ok()) << written.status().ToString();
  const Result<ParquetFile> opened = OpenWhole(written->file);
  ASSERT_TRUE(opened.ok());
  EXPECT_EQ(opened->rows(), 0);
  EXPECT_EQ(ReadWithArrow(written->file)->size(), 0u);
}

TEST(ParquetWriter, RefusesWhatIsNoOption) {
  const auto refused = [](auto&& change) {
    ParquetWriterOptions options = Options();
    change(options);
    EXPECT_EQ(ParquetWriter::Open(options).status().code(), StatusCode::kInvalidArgument);
  };
  refused([](auto& o) { o.record_name = ""; });
  refused([](auto& o) { o.record_name = "a\"b"; });
  refused([](auto& o) { o.record_name = "7a"; });
  refused([](auto& o) { o.entry_serde_type = ""; });
  refused([](auto& o) { o.page_bytes = (64 << 10) - 1; });
  refused([](auto& o) { o.page_bytes = (256 << 10) + 1; });
  refused([](auto& o) { o.row_group_bytes = (1 << 20) - 1; });
  refused([](auto& o) { o.row_group_bytes = (std::int64_t{1} << 30) + 1; });
  refused([](auto& o) { o.zstd_level = 0; });
  refused([](auto& o) { o.zstd_level = 23; });
}

TEST(ParquetWriter, TakesTheBoundsOfItsOptions) {
  const auto taken = [](auto&& change) {
    ParquetWriterOptions options = Options();
    change(options);
    EXPECT_TRUE(ParquetWriter::Open(options).ok());
  };
  taken([](auto& o) { o.record_name = "_z9_Z"; });
  taken([](auto& o) { o.page_bytes = 64 << 10; });
  taken([](auto& o) { o.page_bytes = 256 << 10; });
  taken([](auto& o) { o.row_group_bytes = 1 << 20; });
  taken([](auto& o) { o.row_group_bytes = std::int64_t{1} << 30; });
  taken([](auto& o) { o.zstd_level = 1; });
  taken([](auto& o) { o.zstd_level = 22; });
}

TEST(ParquetWriter, RefusesWhatCannotBeARow) {
  const auto writer = ParquetWriter::Open(Options());
  ASSERT_TRUE(writer.ok());
  const std::uint8_t byte = 0;
  // Only the size is looked at.
  const ByteSpan huge(&byte, static_cast<std::size_t>(ParquetWriter::kMaxPayload) + 1);
  ExpectStatus((*writer)->Add(huge), StatusCode::kInvalidArgument, {"size=1073741825"});
  EXPECT_TRUE((*writer)->Add(AsBytes("x")).ok());
  EXPECT_TRUE((*writer)->Finish().ok());
  ExpectStatus((*writer)->Add(AsBytes("y")), StatusCode::kInvalidArgument, {"finished"});
  ExpectStatus((*writer)->Finish(), StatusCode::kInvalidArgument, {"finished"});
  EXPECT_EQ((*writer)->rows(), 1);
  EXPECT_EQ((*writer)->payload_bytes(), 1);
}

TEST(ParquetWriter, MayBeGivenUp) {
  const auto writer = ParquetWriter::Open(Options());
  ASSERT_TRUE(writer.ok());
  EXPECT_TRUE((*writer)->Add(AsBytes("never finished")).ok());
}

}  // namespace
}  // namespace lakestream
