#include "parquet/parquet_file.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "fuzz/fuzz_target.h"

// The input is a whole file, which is read as a reader does: a first tail, what is asked for then, and some rows.

namespace lakestream {
namespace {

constexpr ParquetLimits kLimits = {.max_page_bytes = 8 << 10, .max_tail_bytes = 64 << 10};
constexpr std::int64_t kMostRows = 100;

void CheckFooter(const ParquetFile& file, ByteSpan input) {
  std::int64_t rows = 0;
  for (const ParquetRowGroup& group : file.row_groups()) {
    LS_INVARIANT(group.first_row == rows && group.rows >= 0, "row groups make up the rows");
    rows += group.rows;
    LS_INVARIANT(group.rows == 0 || group.chunk.offset >= 4, "the chunk lies behind the magic");
    LS_INVARIANT(group.chunk.end() <= input.size(), "and in the file");
    std::uint64_t end = group.chunk.offset;
    for (const ParquetPageLocation& page : group.pages) {
      LS_INVARIANT(page.range.offset >= end && page.range.end() <= group.chunk.end(), "pages lie in the chunk");
      LS_INVARIANT(page.first_row >= 0 && page.first_row < group.rows, "and hold rows of the group");
      end = page.range.end();
    }
  }
  LS_INVARIANT(rows == file.rows(), "row groups make up the file");
}

void CheckRows(const ParquetFile& file, ByteSpan input, std::int64_t first) {
  const Result<ParquetPages> pages = file.FindRows(first, kMostRows, input.size());
  LS_INVARIANT(pages.ok() && pages->first_row <= first && first - pages->first_row < pages->rows, "the row is found");
  const ParquetRange dictionary = pages->dictionary.value_or(ParquetRange());
  LS_INVARIANT(pages->data.end() <= input.size() && dictionary.end() <= input.size(), "what to read is in the file");
  const std::int64_t count = std::min(kMostRows, pages->first_row + pages->rows - first);
  const Buffer data = Buffer::CopyOf(input.subspan(pages->data.offset, pages->data.length));
  const Buffer entries = Buffer::CopyOf(input.subspan(dictionary.offset, dictionary.length));
  const Result<std::vector<Buffer>> rows = file.DecodeRows(*pages, data, entries, first, count);
  if (!FuzzAnswer("rows", rows.status(),
                  {StatusCode::kCorrupt, StatusCode::kUnimplemented, StatusCode::kResourceExhausted}, {"object=o"})) {
    return;
  }
  LS_INVARIANT(std::cmp_equal(rows->size(), count), "each row has a payload");
  for (const Buffer& row : *rows) {
    LS_INVARIANT(row.size() <= kLimits.max_page_bytes, "a payload lies in a page");
    LS_INVARIANT(Buffer::CopyOf(row.span()) == row, "its bytes are there");
  }
  // The same row alone, from its own pages.
  const Result<ParquetPages> own = file.FindRow(first);
  LS_INVARIANT(own.ok() && own->data.offset == pages->data.offset, "one row begins where many do");
  const Result<std::vector<Buffer>> one =
      file.DecodeRows(*own, data.Slice(0, own->data.length), entries, first, 1);
  LS_INVARIANT(one.ok() && one->size() == 1 && one->front() == rows->front(), "one row is the same as among others");
}

}  // namespace

void FuzzOne(ByteSpan input) {
  std::uint64_t have = std::min<std::uint64_t>(input.size(), 16);
  while (true) {
    const Result<std::uint64_t> needed = ParquetFile::TailNeeded("o", input.size(), input.last(have), kLimits);
    if (!FuzzAnswer("tail", needed.status(),
                    {StatusCode::kCorrupt, StatusCode::kUnimplemented, StatusCode::kResourceExhausted}, {"object=o"})) {
      return;
    }
    LS_INVARIANT(*needed <= input.size(), "no more is asked for than there is");
    if (*needed <= have) break;
    have = *needed;
  }
  const Result<ParquetFile> file = ParquetFile::Open("o", input.size(), input.last(have), kLimits);
  if (!FuzzAnswer("footer", file.status(), {StatusCode::kCorrupt}, {"object=o", "field=", "offset="})) return;
  CheckFooter(*file, input);
  if (file->rows() == 0) return;
  CheckRows(*file, input, 0);
  CheckRows(*file, input, file->rows() / 2);
  CheckRows(*file, input, file->rows() - 1);
}

}  // namespace lakestream
