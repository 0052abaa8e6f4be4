#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lakestream/buffer.h"
#include "lakestream/status.h"
#include "parquet/footer.h"

namespace lakestream {

/// How much of a file's end to read first: of this project's files, with pages and row groups of the usual sizes, all
/// that Open needs.
inline constexpr std::uint64_t kParquetFirstTail = std::uint64_t{32} << 10;

struct ParquetLimits {
  /// Of one page, decompressed. The largest entry must fit.
  std::uint64_t max_page_bytes = std::uint64_t{256} << 20;
  /// Of the file's end that Open asks for. A footer beyond it is refused; an offset index beyond it is done without.
  std::uint64_t max_tail_bytes = std::uint64_t{16} << 20;
};

/// Which bytes to read for some rows: pages in a row, of one row group.
struct ParquetPages {
  std::size_t row_group = 0;
  std::int64_t first_row = 0;              ///< in the file: the first one that these pages hold
  std::int64_t rows = 0;                   ///< that they hold
  ParquetRange data;                       ///< the pages
  std::optional<ParquetRange> dictionary;  ///< to be read too; the same for all pages of the row group
};

/// A compacted file (specification, "Parquet files"), as far as its end tells: footer and offset indexes. Does no I/O:
/// it says which bytes it needs, and decodes what it is given. A file of another writer without offset index, or with
/// a dictionary, is read too. Everything that the bytes claim is checked; none of them is trusted.
/// Thread safety: the const methods, from any thread.
class ParquetFile {
 public:
  /// How many of the file's last bytes Open needs; at most tail.size() when these are enough. Never more than
  /// `file_size`. Errors: as those of Open. Requires: tail.size() <= file_size.
  static Result<std::uint64_t> TailNeeded(std::string_view object, std::uint64_t file_size, ByteSpan tail,
                                          const ParquetLimits& limits = {});

  /// `object` names the file in messages. `tail` are its last bytes.
  /// Errors: corrupt, with object=, field= and offset=, for what is no such file (footer.h); unimplemented for an
  /// encrypted file or another codec; resource_exhausted for a footer beyond max_tail_bytes; invalid_argument where
  /// TailNeeded asks for more.
  static Result<ParquetFile> Open(std::string_view object, std::uint64_t file_size, ByteSpan tail,
                                  const ParquetLimits& limits = {});

  std::int64_t rows() const { return footer_.rows; }
  const std::vector<ParquetRowGroup>& row_groups() const { return footer_.row_groups; }
  /// Of the schema; the Avro record's name.
  const std::string& root_name() const { return footer_.root_name; }
  const std::string& created_by() const { return footer_.created_by; }
  const std::map<std::string, std::string, std::less<>>& keys() const { return footer_.keys; }
  /// A key of the footer, for example "entrySerDeType"; null where it is not there. Lives as long as this.
  const std::string* FindKey(std::string_view name) const;
  /// About what this object takes, for a cache.
  std::size_t MemoryBytes() const;

  /// The page that holds a row; of a row group without offset index, all its pages. Errors: not_found, with rows=.
  Result<ParquetPages> FindRow(std::int64_t row) const { return FindRows(row, 1, 0); }
  /// The pages for `count` rows from `first` on, as many as one row group and `max_bytes` allow, but at least one: a
  /// caller goes on at first_row + rows. Requires: count >= 1.
  Result<ParquetPages> FindRows(std::int64_t first, std::int64_t count, std::uint64_t max_bytes) const;

  /// The payloads of rows [first, first + count), which `pages` hold. `data` and `dictionary` are the bytes of its two
  /// ranges (without one: an empty buffer). Payloads share the memory of the page that they lie in, which is `data`
  /// itself where there is no compression. Only pages with one of the rows are decompressed.
  /// Errors: corrupt, with object=, field= and offset=, for bytes that are not those pages, a checksum that differs, a
  /// count or a size that does not fit, a row without payload; resource_exhausted for a page above max_page_bytes;
  /// unimplemented for an encoding that is not read; invalid_argument for rows or pages that are not of this file.
  Result<std::vector<Buffer>> DecodeRows(const ParquetPages& pages, const Buffer& data, const Buffer& dictionary,
                                         std::int64_t first, std::int64_t count) const;

 private:
  ParquetFile(std::string_view object, const ParquetLimits& limits, ParquetFooter footer)
      : object_(object), limits_(limits), footer_(std::move(footer)) {}

  std::string object_;
  ParquetLimits limits_;
  ParquetFooter footer_;
};

}  // namespace lakestream
