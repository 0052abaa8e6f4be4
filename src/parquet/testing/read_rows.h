#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/try.h"
#include "parquet/parquet_file.h"

namespace lakestream {

/// Opens a file called "o" as a reader would: a small first tail, then what is asked for.
inline Result<ParquetFile> OpenWhole(const Buffer& file, const ParquetLimits& limits = {}) {
  std::uint64_t have = std::min<std::uint64_t>(file.size(), 64);
  for (int round = 0; round < 4; ++round) {
    const ByteSpan tail = file.span().last(have);
    LS_ASSIGN(const std::uint64_t needed, ParquetFile::TailNeeded("o", file.size(), tail, limits));
    if (needed <= have) return ParquetFile::Open("o", file.size(), tail, limits);
    have = needed;
  }
  return Internal("the end of a file never suffices");
}

/// The rows from `first` on that their pages hold, at most `count`.
inline Result<std::vector<Buffer>> ReadSome(const ParquetFile& opened, const Buffer& file, std::int64_t first,
                                            std::int64_t count, std::uint64_t max_bytes) {
  LS_ASSIGN(const ParquetPages pages, opened.FindRows(first, count, max_bytes));
  const Buffer dictionary = pages.dictionary.has_value()
                                ? file.Slice(pages.dictionary->offset, pages.dictionary->length)
                                : Buffer();
  return opened.DecodeRows(pages, file.Slice(pages.data.offset, pages.data.length), dictionary, first,
                           std::min(count, pages.first_row + pages.rows - first));
}

inline Result<Buffer> ReadRow(const ParquetFile& opened, const Buffer& file, std::int64_t row) {
  LS_ASSIGN(const std::vector<Buffer> rows, ReadSome(opened, file, row, 1, 0));
  if (rows.size() != 1) return Internal("not one row");
  return rows[0];
}

/// The file holds these rows, whether they are read one by one or many at a time.
inline void ExpectRows(const Buffer& file, const std::vector<Buffer>& rows) {
  const Result<ParquetFile> opened = OpenWhole(file);
  ASSERT_TRUE(opened.ok()) << opened.status().ToString();
  ASSERT_EQ(opened->rows(), static_cast<std::int64_t>(rows.size()));
  const std::size_t step = rows.size() / 50 + 1;
  for (std::size_t row = 0; row < rows.size(); row += step) {
    const Result<Buffer> found = ReadRow(*opened, file, static_cast<std::int64_t>(row));
    ASSERT_TRUE(found.ok()) << row << ": " << found.status().ToString();
    ASSERT_EQ(found->text(), rows[row].text()) << row;
  }
  for (std::size_t row = 0; row < rows.size();) {
    const auto found = ReadSome(*opened, file, static_cast<std::int64_t>(row), opened->rows(), 10'000);
    ASSERT_TRUE(found.ok()) << row << ": " << found.status().ToString();
    ASSERT_FALSE(found->empty());
    for (const Buffer& payload : *found) ASSERT_EQ(payload.text(), rows[row++].text()) << row - 1;
  }
}

}  // namespace lakestream
