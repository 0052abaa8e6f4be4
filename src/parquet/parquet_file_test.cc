#include "parquet/parquet_file.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/testing/bytes.h"
#include "codec/compression/compression.h"
#include "codec/compression/crc32.h"
#include "format/json.h"
#include "parquet/plain_arrow/plain_arrow.h"
#include "parquet/testing/hand_made_file.h"
#include "parquet/testing/read_rows.h"

namespace lakestream {
namespace {

const std::string kTestdata = LAKESTREAM_SOURCE_DIR "/src/parquet/testdata/";
const std::string kKafkaTestdata = LAKESTREAM_SOURCE_DIR "/src/kafka/records/testdata/";

std::string Text(const JsonValue& value, std::string_view name) { return value.Find(name)->text; }

/// What the manifest's append stands for; empty where this tree does not hold it.
std::string PayloadOf(const JsonValue& append) {
  if (append.kind == JsonValue::Kind::kObject) return ReadFile(kKafkaTestdata + Text(append, "kafka") + ".bin");
  std::string payload;
  const std::int64_t salt = append.items.at(1).integer;
  for (std::int64_t i = 0; i < append.items.at(2).integer; ++i) {
    payload += static_cast<char>((31 * salt + 7 * i + i / 256) % 256);
  }
  return payload;
}

class Fixtures : public ::testing::TestWithParam<const char*> {};

TEST_P(Fixtures, AreReadRowByRow) {
  const std::string folder = kTestdata + GetParam() + "/";
  const Result<JsonValue> manifest = ParseJson(ReadFile(folder + "manifest.json"), "manifest");
  ASSERT_TRUE(manifest.ok());
  const JsonValue& appends = *manifest->Find("appends_in_order");
  const JsonValue& rows = *manifest->Find("rows_if_at_most_300");
  std::size_t row = 0;
  std::size_t compared = 0;
  for (const JsonValue& listed : manifest->Find("files")->items) {
    const std::string name = Text(listed, "parquet");
    std::string bytes = ReadFile(folder + name);
    if (bytes.empty()) {
      const std::string packed = ReadFile(folder + name + ".gz");
      const Result<Buffer> whole = Decompress(Compression::kGzip, AsBytes(packed), std::uint64_t{1} << 24);
      ASSERT_TRUE(whole.ok()) << name;
      bytes = whole->text();
    }
    ASSERT_EQ(std::cmp_equal(bytes.size(), listed.Find("parquet_bytes")->integer), true) << name;
    const Buffer file(std::move(bytes));
    const Result<ParquetFile> opened = OpenWhole(file);
    ASSERT_TRUE(opened.ok()) << opened.status().ToString();
    const JsonValue& footer = *listed.Find("footer");
    EXPECT_EQ(opened->created_by(), Text(footer, "created_by"));
    EXPECT_EQ(opened->root_name(), "KafkaMessage");
    for (const JsonMember& key : footer.Find("key_values")->members) {
      ASSERT_NE(opened->FindKey(key.name), nullptr) << key.name;
      EXPECT_EQ(*opened->FindKey(key.name), key.value.text);
    }
    EXPECT_EQ(opened->row_groups().size(), footer.Find("row_groups")->items.size());
    for (std::int64_t i = 0; i < opened->rows(); ++i, ++row) {
      const Result<Buffer> payload = ReadRow(*opened, file, i);
      ASSERT_TRUE(payload.ok()) << payload.status().ToString();
      ASSERT_LT(row, rows.items.size());
      EXPECT_TRUE(std::cmp_equal(payload->size(), rows.items[row].items.at(3).integer)) << row;
      const std::string expected = PayloadOf(appends.items.at(row));
      if (expected.empty()) continue;
      EXPECT_EQ(payload->text(), expected) << row;
      ++compared;
    }
  }
  EXPECT_EQ(row, rows.items.size());
  EXPECT_GE(compared, row - 2);
}

INSTANTIATE_TEST_SUITE_P(ParquetFile, Fixtures,
                         ::testing::Values("plain-12-entries", "two-files", "block-split-exact", "kafka-batches",
                                           "row-groups"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::erase(name, '-');
                           return name;
                         });

std::vector<Buffer> SomeRows(int count) {
  std::vector<Buffer> rows;
  for (int i = 0; i < count; ++i) {
    std::string row = "row " + std::to_string(i % 100) + " ";
    row.append(static_cast<std::size_t>(i * 37 % 211), static_cast<char>('a' + i % 26));
    rows.push_back(Buffer(std::move(row)));
  }
  rows[3] = Buffer();
  return rows;
}

TEST(ParquetFile, ReadsWhatAnotherWriterMakes) {
  const std::vector<Buffer> rows = SomeRows(1500);
  int files = 0;
  for (int i = 0; i < 5 * 32; ++i) {
    PlainArrowOptions options;
    options.compression = static_cast<Compression>(i % 5);
    options.dictionary = (i / 5 & 1) != 0;
    options.offset_index = (i / 5 & 2) != 0;
    options.version2_pages = (i / 5 & 4) != 0;
    options.required = (i / 5 & 8) != 0;
    options.checksums = (i / 5 & 16) != 0;
    options.page_bytes = 4096;
    options.row_group_rows = 550;
    options.batch_rows = 7;
    SCOPED_TRACE(i);
    const Result<Buffer> file = WriteWithArrow(rows, options);
    ASSERT_TRUE(file.ok()) << file.status().ToString();
    ExpectRows(*file, rows);
    ++files;
  }
  EXPECT_EQ(files, 160);
}

TEST(ParquetFile, AsksForNoMoreThanThePage) {
  const std::vector<Buffer> rows = SomeRows(3000);
  PlainArrowOptions options;
  options.page_bytes = 4096;
  options.row_group_rows = 1000;
  const Result<Buffer> file = WriteWithArrow(rows, options);
  ASSERT_TRUE(file.ok());
  const Result<ParquetFile> opened = OpenWhole(*file);
  ASSERT_TRUE(opened.ok());
  const Result<ParquetPages> one = opened->FindRow(1500);
  ASSERT_TRUE(one.ok());
  EXPECT_EQ(one->row_group, 1u);
  EXPECT_LE(one->first_row, 1500);
  EXPECT_GT(one->first_row + one->rows, 1500);
  EXPECT_LT(one->data.length, 8192u);
  EXPECT_FALSE(one->dictionary.has_value());
  // As many as the bytes allow, and never beyond the row group.
  const Result<ParquetPages> more = opened->FindRows(1500, 10'000, 3 * one->data.length);
  ASSERT_TRUE(more.ok());
  EXPECT_LE(more->data.length, 3 * one->data.length);
  EXPECT_GT(more->rows, one->rows);
  const Result<ParquetPages> all = opened->FindRows(1500, 10'000, 1 << 30);
  ASSERT_TRUE(all.ok());
  EXPECT_EQ(all->first_row + all->rows, 2000);
  const Result<ParquetPages> few = opened->FindRows(one->first_row, one->rows, 1 << 30);
  ASSERT_TRUE(few.ok());
  EXPECT_EQ(few->data, one->data);
  ExpectStatus(opened->FindRow(3000).status(), StatusCode::kNotFound, {"row=3000", "rows=3000"});
  ExpectStatus(opened->FindRow(-1).status(), StatusCode::kNotFound, {});
}

TEST(ParquetFile, AsksForTheDictionaryToo) {
  PlainArrowOptions options;
  options.dictionary = true;
  options.row_group_rows = 1000;
  const Result<Buffer> file = WriteWithArrow(SomeRows(3000), options);
  ASSERT_TRUE(file.ok());
  const Result<ParquetFile> opened = OpenWhole(*file);
  ASSERT_TRUE(opened.ok());
  const Result<ParquetPages> pages = opened->FindRow(1500);
  ASSERT_TRUE(pages.ok());
  ASSERT_TRUE(pages->dictionary.has_value());
  EXPECT_EQ(pages->dictionary->offset, opened->row_groups()[1].chunk.offset);
  EXPECT_EQ(pages->dictionary->end(), pages->data.offset);
}

TEST(ParquetFile, TakesNeitherForeignPagesNorForeignRows) {
  const std::vector<Buffer> rows = SomeRows(500);
  PlainArrowOptions options;
  options.page_bytes = 4096;
  const Result<Buffer> file = WriteWithArrow(rows, options);
  ASSERT_TRUE(file.ok());
  const Result<ParquetFile> opened = OpenWhole(*file);
  ASSERT_TRUE(opened.ok());
  const Result<ParquetPages> pages = opened->FindRow(100);
  ASSERT_TRUE(pages.ok());
  const Buffer data = file->Slice(pages->data.offset, pages->data.length);
  EXPECT_TRUE(opened->DecodeRows(*pages, data, Buffer(), 100, 1).ok());
  ParquetPages other = *pages;
  other.data.length -= 1;
  EXPECT_EQ(opened->DecodeRows(other, data, Buffer(), 100, 1).status().code(), StatusCode::kInvalidArgument);
  other = *pages;
  other.first_row += 1;
  EXPECT_EQ(opened->DecodeRows(other, data, Buffer(), 100, 1).status().code(), StatusCode::kInvalidArgument);
  const std::vector<std::pair<std::int64_t, std::int64_t>> elsewhere = {
      {pages->first_row - 1, 1},
      {pages->first_row, pages->rows + 1},
      {pages->first_row + pages->rows, 1},
      {100, -1},
      {std::numeric_limits<std::int64_t>::max(), 1},
      {std::numeric_limits<std::int64_t>::min(), 1},
  };
  for (const auto& [first, count] : elsewhere) {
    EXPECT_EQ(opened->DecodeRows(*pages, data, Buffer(), first, count).status().code(), StatusCode::kInvalidArgument);
  }
  ExpectStatus(opened->DecodeRows(*pages, data.Slice(0, data.size() - 1), Buffer(), 100, 1).status(),
               StatusCode::kCorrupt, {"object=o", "field=range"});
  ExpectStatus(opened->DecodeRows(*pages, data, data, 100, 1).status(), StatusCode::kCorrupt, {"field=range"});
}

HandMadeFile ThreeRows() {
  HandMadeFile file;
  file.pages = {PlainPage({"one", ""}), PlainPage({"three"})};
  return file;
}

/// What comes of opening the file and reading all its rows.
Status ReadAll(const HandMadeFile& hand_made, const ParquetLimits& limits = {}) {
  const Buffer file(hand_made.Bytes());
  LS_ASSIGN(const ParquetFile opened, OpenWhole(file, limits));
  for (std::int64_t row = 0; row < opened.rows(); ++row) LS_TRY(ReadRow(opened, file, row).status());
  return OkStatus();
}

TEST(ParquetFile, ReadsAFileMadeByHand) {
  HandMadeFile file = ThreeRows();
  EXPECT_TRUE(ReadAll(file).ok()) << ReadAll(file).ToString();
  ExpectRows(Buffer(file.Bytes()), {Buffer(std::string("one")), Buffer(), Buffer(std::string("three"))});
  file.offset_index = false;
  ExpectRows(Buffer(file.Bytes()), {Buffer(std::string("one")), Buffer(), Buffer(std::string("three"))});
  // The offset index is out of reach: done without.
  file.offset_index = true;
  ParquetLimits limits;
  const std::string bytes = file.Bytes();
  limits.max_tail_bytes = *ParquetFile::TailNeeded("o", bytes.size(), AsBytes(bytes).last(12));
  const Result<ParquetFile> opened = OpenWhole(Buffer::CopyOf(bytes), limits);
  ASSERT_TRUE(opened.ok());
  EXPECT_TRUE(opened->row_groups()[0].pages.empty());
  EXPECT_TRUE(ReadAll(file, limits).ok());
}

HandMadeFile WithDictionary(const std::vector<std::uint8_t>& indices) {
  HandMadeFile file;
  file.dictionary = HandMadePage();
  file.dictionary->type = 2;
  file.dictionary->values = 2;
  file.dictionary->body = PlainValues({"left", "right"});
  HandMadePage page;
  page.values = static_cast<std::int32_t>(indices.size());
  page.encoding = 8;
  page.body = LittleEndianBytes(2) + static_cast<char>(indices.size() << 1) + '\1' + '\2';
  for (const std::uint8_t index : indices) page.body += std::string("\2") + static_cast<char>(index);
  file.pages = {page};
  return file;
}

TEST(ParquetFile, ReadsADictionaryMadeByHand) {
  ExpectRows(Buffer(WithDictionary({1, 0, 1}).Bytes()),
             {Buffer(std::string("right")), Buffer(std::string("left")), Buffer(std::string("right"))});
}

struct Lie {
  const char* name;
  std::function<void(HandMadeFile&)> tell;
  StatusCode code;
  std::vector<std::string_view> parts;
};

void ExpectLies(const HandMadeFile& truth, const std::vector<Lie>& lies) {
  ASSERT_TRUE(ReadAll(truth).ok()) << ReadAll(truth).ToString();
  for (const Lie& lie : lies) {
    SCOPED_TRACE(lie.name);
    HandMadeFile file = truth;
    lie.tell(file);
    const Status status = ReadAll(file);
    EXPECT_EQ(status.code(), lie.code) << status.ToString();
    EXPECT_NE(status.message().find("object=o"), std::string_view::npos) << status.ToString();
    for (const std::string_view part : lie.parts) {
      EXPECT_NE(status.message().find(part), std::string_view::npos) << part << " in " << status.ToString();
    }
  }
}

/// Of the offset index of ThreeRows.
std::int32_t IndexLength() {
  const Result<ParquetFile> opened = OpenWhole(Buffer(ThreeRows().Bytes()));
  return static_cast<std::int32_t>(opened->row_groups()[0].offset_index->length);
}

TEST(ParquetFile, NamesWhatIsWrongWithTheFooter) {
  constexpr StatusCode kCorrupt = StatusCode::kCorrupt;
  constexpr StatusCode kUnimplemented = StatusCode::kUnimplemented;
  ExpectLies(
      ThreeRows(),
      {
          {"end magic", [](auto& f) { f.end_magic = "PAR2"; }, kCorrupt, {"field=magic"}},
          {"encrypted footer", [](auto& f) { f.end_magic = "PARE"; }, kUnimplemented, {"encrypted"}},
          {"encrypted columns", [](auto& f) { f.encrypted = true; }, kUnimplemented, {"encrypted"}},
          {"long footer", [](auto& f) { f.footer_length = 0xffffffff; }, kCorrupt, {"field=footer_length"}},
          {"short footer", [](auto& f) { f.footer_length = 10; }, kCorrupt, {"field="}},
          {"rest", [](auto& f) { f.behind_footer = "x"; }, kCorrupt, {"shorter than its length"}},
          {"key twice", [](auto& f) { f.keys.push_back(f.keys[0]); }, kCorrupt, {"a key twice", "key=entrySerDeType"}},
          {"column name", [](auto& f) { f.column = "payloads"; }, kCorrupt, {"not the one column payload"}},
          {"column type", [](auto& f) { f.column_type = 2; }, kCorrupt, {"not plain binary"}},
          {"chunk type", [](auto& f) { f.chunk_type = 2; }, kCorrupt, {"not plain binary", "type=2"}},
          {"no metadata", [](auto& f) { f.flat_metadata = true; }, kCorrupt, {"another type", "field=meta_data"}},
          {"text", [](auto& f) { f.converted_type = 0; }, kCorrupt, {"not plain binary"}},
          {"repeated", [](auto& f) { f.repetition = 2; }, kCorrupt, {"neither required nor optional"}},
          {"two columns", [](auto& f) { f.columns = 2; }, kCorrupt, {"not one column"}},
          {"no column", [](auto& f) { f.columns = 0; }, kCorrupt, {"not one column"}},
          {"other file", [](auto& f) { f.file_path = "x"; }, kCorrupt, {"field=file_path"}},
          {"rows of the file", [](auto& f) { f.rows = 4; }, kCorrupt, {"rows=4", "in_groups=3"}},
          {"negative rows", [](auto& f) { f.rows = f.group_rows = f.values = -3; }, kCorrupt, {"one value for each"}},
          {"values", [](auto& f) { f.values = 4; }, kCorrupt, {"field=num_values"}},
          {"codec", [](auto& f) { f.codec = 3; }, kUnimplemented, {"codec=3"}},
          {"no codec", [](auto& f) { f.codec = 77; }, kUnimplemented, {"codec=77"}},
          {"chunk in the magic", [](auto& f) { f.data_offset = 3; }, kCorrupt, {"total_compressed_size"}},
          {"chunk before the file", [](auto& f) { f.data_offset = -5; }, kCorrupt, {"total_compressed_size"}},
          {"chunk in the footer", [](auto& f) { f.length = 200; }, kCorrupt, {"total_compressed_size"}},
          {"huge chunk", [](auto& f) { f.length = std::numeric_limits<std::int64_t>::max(); }, kCorrupt, {"length="}},
          {"negative chunk", [](auto& f) { f.length = -1; }, kCorrupt, {"length=-1"}},
          {"index in the footer", [](auto& f) { f.index_length = 1000; }, kCorrupt, {"offset_index_offset"}},
          {"index in the magic", [](auto& f) { f.index_offset = 0; }, kCorrupt, {"offset_index_offset"}},
          {"negative index", [](auto& f) { f.index_length = -1; }, kCorrupt, {"offset_index_offset"}},
          {"index elsewhere", [](auto& f) { f.index_offset = 5; }, kCorrupt, {"object=o"}},
          {"longer index", [](auto& f) { f.index_length = 20; }, kCorrupt, {"object=o"}},
          {"more than the index", [](auto& f) { f.behind_index = "x"; f.index_length = IndexLength() + 1; }, kCorrupt,
           {"index is shorter"}},
      });
}

std::function<void(HandMadeFile&)> Locations(std::vector<HandMadeLocation> locations) {
  return [locations](HandMadeFile& file) { file.locations = locations; };
}

TEST(ParquetFile, NamesWhatIsWrongWithTheOffsetIndex) {
  const HandMadeFile truth = ThreeRows();
  const auto first = static_cast<std::int32_t>(truth.pages[0].Bytes().size());
  const auto second = static_cast<std::int32_t>(truth.pages[1].Bytes().size());
  constexpr StatusCode kCorrupt = StatusCode::kCorrupt;
  ASSERT_TRUE([&] {
    HandMadeFile file = truth;
    Locations({{4, first, 0}, {4 + first, second, 2}})(file);
    return file.Bytes() == truth.Bytes();
  }());
  ExpectLies(truth, {
                        {"none", Locations({}), kCorrupt, {"names no pages"}},
                        {"first row", Locations({{4, first, 1}, {4 + first, second, 2}}), kCorrupt, {"first_row=1"}},
                        {"same row", Locations({{4, first, 0}, {4 + first, second, 0}}), kCorrupt, {"first_row_index"}},
                        {"beyond rows", Locations({{4, first, 0}, {4 + first, second, 3}}), kCorrupt, {"first_row=3"}},
                        {"other row", Locations({{4, first, 0}, {4 + first, second, 1}}), kCorrupt, {"_rows=1"}},
                        {"one page", Locations({{4, first, 0}}), kCorrupt, {"expected_rows=3"}},
                        {"before the chunk", Locations({{3, first, 0}, {4 + first, second, 2}}), kCorrupt, {"start=3"}},
                        {"overlap", Locations({{4, first, 0}, {3 + first, second, 2}}), kCorrupt, {"page_locations"}},
                        {"behind the chunk", Locations({{4, first, 0}, {4 + first, second + 1, 2}}), kCorrupt,
                         {"page_locations"}},
                        {"no bytes", Locations({{4, 0, 0}, {4 + first, second, 2}}), kCorrupt, {"length=0"}},
                        {"far away", Locations({{4, first, 0}, {std::numeric_limits<std::int64_t>::max(), second, 2}}),
                         kCorrupt, {"page_locations"}},
                        {"shorter page", Locations({{4, first - 1, 0}, {4 + first, second, 2}}), kCorrupt,
                         {"does not end within its column"}},
                        {"longer page", Locations({{4, first, 0}, {5 + first, second - 1, 2}}), kCorrupt, {"object=o"}},
                    });
}

TEST(ParquetFile, NamesWhatIsWrongWithAPage) {
  constexpr StatusCode kCorrupt = StatusCode::kCorrupt;
  const auto crc = static_cast<std::int32_t>(Crc32(AsBytes(ThreeRows().pages[0].body)));
  HandMadeFile summed = ThreeRows();
  summed.pages[0].crc = crc;
  EXPECT_TRUE(ReadAll(summed).ok());
  for (const bool offset_index : {true, false}) {
    HandMadeFile truth = ThreeRows();
    truth.offset_index = offset_index;
    ExpectLies(
        truth,
        {
            {"checksum", [&](auto& f) { f.pages[0].crc = crc + 1; }, kCorrupt, {"field=crc", "offset=4"}},
            {"type", [](auto& f) { f.pages[0].type = 1; }, kCorrupt, {"field=type"}},
            {"two kinds", [](auto& f) { f.pages[0].type = 7; }, kCorrupt, {"field=type"}},
            {"a dictionary later", [](auto& f) { f.pages[1].type = 2; }, kCorrupt, {"object=o"}},
            {"fewer rows", [](auto& f) { f.pages[0].values = 1; f.group_rows = f.rows = 3; }, kCorrupt, {"rows"}},
            {"more rows", [](auto& f) { f.pages[0].values = 3; f.group_rows = f.rows = 3; }, kCorrupt, {"row"}},
            {"all too many", [](auto& f) { f.pages[0].values = 3; }, kCorrupt, {"levels are not one for each row"}},
            {"all too few", [](auto& f) { f.pages[0].values = 1; }, kCorrupt, {"values are not one for each row"}},
            {"a row too few", [](auto& f) { f.group_rows = f.rows = 4; }, kCorrupt, {"rows", "expected"}},
            {"negative rows", [](auto& f) { f.pages[1].values = -1; f.group_rows = f.rows = 3; }, kCorrupt, {"no count"}},
            {"no header", [](auto& f) { f.pages[0].flat = true; }, kCorrupt, {"another type", "field=page_header"}},
            {"stored", [](auto& f) { f.pages[1].stored_size = 1000; }, kCorrupt, {"compressed_page_size"}},
            {"negative stored", [](auto& f) { f.pages[0].stored_size = -1; }, kCorrupt, {"compressed_page_size"}},
            {"decoded", [](auto& f) { f.pages[0].decoded_size = 9; }, kCorrupt, {"uncompressed_page_size"}},
            {"negative decoded", [](auto& f) { f.pages[0].decoded_size = -1; }, kCorrupt, {"uncompressed_page_size"}},
            {"bit-packed levels", [](auto& f) { f.pages[0].level_encoding = 4; }, StatusCode::kUnimplemented,
             {"definition_level_encoding", "encoding=4"}},
            {"encoding", [](auto& f) { f.pages[0].encoding = 7; }, StatusCode::kUnimplemented, {"encoding=7"}},
            {"no dictionary", [](auto& f) { f.pages[1].encoding = 8; }, kCorrupt, {"field=values"}},
            {"null", [](auto& f) { f.pages[0].body[5] = 0; }, kCorrupt, {"row has no payload", "offset=4"}},
            {"levels beyond", [](auto& f) { f.pages[0].body[2] = 1; }, kCorrupt, {"levels do not end"}},
            {"no levels", [](auto& f) { f.pages[0].body = "abc"; }, kCorrupt, {"levels do not end"}},
            {"value beyond", [](auto& f) { f.pages[0].body[6] = 8; }, kCorrupt, {"field=values"}},
            {"rest", [](auto& f) { f.pages[0].body += "x"; }, kCorrupt, {"field=values"}},
            {"not compressed", [](auto& f) { f.codec = 6; }, kCorrupt, {"cannot be decompressed", "reason="}},
            {"not lz4", [](auto& f) { f.codec = 7; }, kCorrupt, {"cannot be decompressed", "reason="}},
        });
  }
  ParquetLimits limits;
  limits.max_page_bytes = 8;
  ExpectStatus(ReadAll(ThreeRows(), limits), StatusCode::kResourceExhausted, {"object=o", "limit=8"});
}

TEST(ParquetFile, NamesWhatIsWrongWithAPageOfVersion2) {
  constexpr StatusCode kCorrupt = StatusCode::kCorrupt;
  HandMadeFile truth;
  HandMadePage page;
  page.type = 3;
  page.values = 2;
  page.level_size = 2;
  page.body = "\4\1" + PlainValues({"a", "bc"});
  truth.pages = {page};
  ExpectLies(truth, {
                        {"nulls", [](auto& f) { f.pages[0].nulls = 1; }, kCorrupt, {"row has no payload"}},
                        {"rows", [](auto& f) { f.pages[0].rows = 3; }, kCorrupt, {"field=num_rows"}},
                        {"repeats", [](auto& f) { f.pages[0].repetition_size = 1; }, kCorrupt, {"repeats"}},
                        {"levels", [](auto& f) { f.pages[0].level_size = 100; }, kCorrupt, {"levels do not end"}},
                        {"negative", [](auto& f) { f.pages[0].level_size = -1; }, kCorrupt, {"levels do not end"}},
                        {"fewer levels", [](auto& f) { f.pages[0].level_size = 1; }, kCorrupt, {"object=o"}},
                        {"null", [](auto& f) { f.pages[0].body[1] = 0; }, kCorrupt, {"row has no payload"}},
                        {"levels of none", [](auto& f) { f.repetition = 0; }, kCorrupt, {"payload has levels"}},
                    });
}

TEST(ParquetFile, NamesWhatIsWrongWithADictionary) {
  constexpr StatusCode kCorrupt = StatusCode::kCorrupt;
  for (const bool offset_index : {true, false}) {
    HandMadeFile truth = WithDictionary({1, 0, 1});
    truth.offset_index = offset_index;
    ExpectLies(truth, {
                          {"not in it", [](auto& f) { f.pages[0].body.back() = 2; }, kCorrupt, {"entries=2"}},
                          {"fewer entries", [](auto& f) { f.dictionary->values = 1; }, kCorrupt, {"field=values"}},
                          {"more entries", [](auto& f) { f.dictionary->values = 3; }, kCorrupt, {"field=values"}},
                          {"many entries", [](auto& f) { f.dictionary->values = 1 << 30; }, kCorrupt, {"field=values"}},
                          {"its encoding", [](auto& f) { f.dictionary->encoding = 5; }, StatusCode::kUnimplemented,
                           {"encoding=5"}},
                          {"width", [](auto& f) { f.pages[0].body[6] = 33; }, kCorrupt, {"field=values"}},
                          {"cut", [](auto& f) { f.pages[0].body.resize(7); }, kCorrupt, {"field=values"}},
                          {"no indices", [](auto& f) { f.pages[0].body.resize(6); }, kCorrupt, {"field=values"}},
                          {"shorter", [](auto& f) { f.dictionary->stored_size = 4; }, kCorrupt, {"object=o"}},
                      });
  }
}

TEST(ParquetFile, NamesADictionaryThatIsNotWhereTheOffsetIndexLeavesRoomForIt) {
  ExpectLies(WithDictionary({1, 0, 1}),
             {
                 {"a data page", [](auto& f) { f.dictionary->type = 0; }, StatusCode::kCorrupt, {"is not the dictionary"}},
                 {"bytes behind it",
                  [](auto& f) {
                    f.dictionary->stored_size = f.dictionary->decoded_size = 17;
                    f.dictionary->body += "x";
                  },
                  StatusCode::kCorrupt, {"dictionary does not end where the first page begins"}},
             });
}

TEST(ParquetFile, ADictionaryWithoutEntriesNeedsNoBytes) {
  HandMadeFile file = ThreeRows();
  for (HandMadePage& page : file.pages) {
    page.type = 3;  // not compressed, whatever the codec
    page.body = page.body.substr(4);
    page.level_size = 2;
  }
  file.dictionary = HandMadePage();
  file.dictionary->type = 2;
  for (const std::int32_t codec : {0, 1, 2, 6, 7}) {
    file.codec = codec;
    EXPECT_TRUE(ReadAll(file).ok()) << ReadAll(file).ToString();
  }
}

TEST(ParquetFile, SaysHowMuchOfTheEndItNeeds) {
  const std::string bytes = ThreeRows().Bytes();
  const ByteSpan file = AsBytes(bytes);
  const auto needed = [&](std::size_t have) { return ParquetFile::TailNeeded("o", bytes.size(), file.last(have)); };
  const std::uint64_t all = *needed(bytes.size());
  const std::uint64_t index = 4 + ThreeRows().pages[0].Bytes().size() + ThreeRows().pages[1].Bytes().size();
  EXPECT_EQ(all, bytes.size() - index);
  EXPECT_EQ(*needed(0), 12u);
  const std::uint64_t footer = *needed(12);
  EXPECT_GT(footer, 12u);
  EXPECT_LT(footer, all);
  EXPECT_EQ(*needed(footer - 1), footer);
  EXPECT_EQ(*needed(footer), all);
  EXPECT_EQ(ParquetFile::Open("o", bytes.size(), file.last(footer)).status().code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(ParquetFile::Open("o", bytes.size(), file.last(all)).ok());
  EXPECT_EQ(ParquetFile::Open("o", 10, file).status().code(), StatusCode::kInvalidArgument);
  for (std::size_t size = 0; size < 12; ++size) {
    ExpectStatus(ParquetFile::Open("o", size, file.first(size)).status(), StatusCode::kCorrupt, {"object=o", "size="});
  }
  // The first magic is looked at where the end is all of the file.
  HandMadeFile other = ThreeRows();
  other.magic = "PAR2";
  const std::string begins_otherwise = other.Bytes();
  ExpectStatus(ParquetFile::Open("o", bytes.size(), AsBytes(begins_otherwise)).status(), StatusCode::kCorrupt,
               {"object=o", "field=magic", "offset=0"});
  ParquetLimits limits;
  limits.max_tail_bytes = footer - 1;
  ExpectStatus(ParquetFile::TailNeeded("o", bytes.size(), file, limits).status(), StatusCode::kResourceExhausted,
               {"object=o", "limit="});
}

TEST(ParquetFile, HoldsAFileWithoutRows) {
  const Result<Buffer> file = WriteWithArrow({}, PlainArrowOptions());
  ASSERT_TRUE(file.ok());
  const Result<ParquetFile> opened = OpenWhole(*file);
  ASSERT_TRUE(opened.ok()) << opened.status().ToString();
  EXPECT_EQ(opened->rows(), 0);
  EXPECT_EQ(opened->FindRow(0).status().code(), StatusCode::kNotFound);
  // A group without rows, of which the rest is not looked at.
  HandMadeFile empty;
  empty.data_offset = 0;
  empty.index_length = -1;
  const Result<ParquetFile> other = OpenWhole(Buffer(empty.Bytes()));
  ASSERT_TRUE(other.ok()) << other.status().ToString();
  EXPECT_EQ(other->row_groups().size(), 1u);
  EXPECT_EQ(other->FindRow(0).status().code(), StatusCode::kNotFound);
}

TEST(ParquetFile, ANullOfAnotherWriterIsDamage) {
  for (const bool version2 : {false, true}) {
    PlainArrowOptions options;
    options.null_row = 7;
    options.version2_pages = version2;
    const Result<Buffer> file = WriteWithArrow(SomeRows(20), options);
    ASSERT_TRUE(file.ok());
    const Result<ParquetFile> opened = OpenWhole(*file);
    ASSERT_TRUE(opened.ok());
    ExpectStatus(ReadRow(*opened, *file, 3).status(), StatusCode::kCorrupt, {"parquet row has no payload"});
  }
}

/// Every truncation and every flipped bit: an answer, or a refusal that names the object. Never a crash.
TEST(ParquetFile, SurvivesEveryFlippedBitAndEveryCut) {
  std::vector<Buffer> rows;
  for (const char* row : {"a", "", "bcd", "a", "a", "efghi"}) rows.push_back(Buffer(std::string(row)));
  for (int i = 0; i < 20; ++i) {
    PlainArrowOptions options;
    options.compression = static_cast<Compression>(i % 5);
    options.dictionary = i / 5 == 1;
    options.version2_pages = i / 5 == 2;
    options.offset_index = i / 5 != 3;
    options.checksums = false;
    const Result<Buffer> good = WriteWithArrow(rows, options);
    ASSERT_TRUE(good.ok());
    ParquetLimits limits;
    limits.max_page_bytes = 1 << 16;
    const auto read = [&](const Buffer& file) -> Status {
      LS_ASSIGN(const ParquetFile opened, OpenWhole(file, limits));
      LS_TRY(ReadRow(opened, file, 0).status());
      return ReadRow(opened, file, opened.rows() - 1).status();
    };
    ASSERT_TRUE(read(*good).ok());
    std::string bytes(good->text());
    std::size_t refused = 0;
    for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
      bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ 1 << bit % 8);
      const Status status = read(Buffer::CopyOf(bytes));
      bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ 1 << bit % 8);
      if (status.ok()) continue;
      ++refused;
      EXPECT_TRUE(status.code() == StatusCode::kCorrupt || status.code() == StatusCode::kUnimplemented ||
                  status.code() == StatusCode::kResourceExhausted || status.code() == StatusCode::kNotFound)
          << bit << ": " << status.ToString();
      EXPECT_NE(status.message().find("object=o"), std::string_view::npos) << bit << ": " << status.ToString();
    }
    EXPECT_GT(refused, bytes.size());
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      EXPECT_FALSE(read(Buffer::CopyOf(std::string_view(bytes).substr(0, size))).ok()) << size;
    }
  }
}

}  // namespace
}  // namespace lakestream
