#include "parquet/parquet_file.h"

#include <algorithm>
#include <utility>

#include "base/try.h"
#include "codec/byte_reader.h"
#include "parquet/page.h"

namespace lakestream {

namespace {

constexpr std::string_view kMagic = "PAR1";
constexpr std::string_view kEncryptedMagic = "PARE";
/// The length of the footer, and the magic behind it.
constexpr std::uint64_t kEndBytes = 8;
/// Magic, an empty footer, the end.
constexpr std::uint64_t kSmallestFile = 4 + kEndBytes;

/// Where the footer's metadata lies.
Result<ParquetRange> FindFooter(std::string_view object, std::uint64_t file_size, ByteSpan tail,
                                const ParquetLimits& limits) {
  if (file_size < kSmallestFile) {
    return CorruptAt("parquet file is too short", object, "magic", 0).With("size", file_size);
  }
  const std::uint64_t end = file_size - kEndBytes;
  const std::string_view last = AsText(tail.last(kEndBytes));
  if (last.substr(4) == kEncryptedMagic) return Unimplemented("parquet file is encrypted").With("object", object);
  if (last.substr(4) != kMagic) return CorruptAt("parquet file does not end with its magic", object, "magic", end + 4);
  if (tail.size() == file_size && AsText(tail.first(kMagic.size())) != kMagic) {
    return CorruptAt("parquet file does not begin with its magic", object, "magic", 0);
  }
  std::uint64_t length = 0;
  for (int i = 3; i >= 0; --i) length = length << 8 | static_cast<std::uint8_t>(last[static_cast<std::size_t>(i)]);
  if (length > end - kMagic.size()) {
    return CorruptAt("parquet footer is longer than its file", object, "footer_length", end).With("length", length);
  }
  if (length + kEndBytes > limits.max_tail_bytes) {
    return ResourceExhausted("parquet footer is longer than is allowed")
        .With("object", object)
        .With("length", length)
        .With("limit", limits.max_tail_bytes);
  }
  return ParquetRange{end - length, length};
}

struct TailContents {
  std::uint64_t needed = 0;              ///< bytes of the tail
  std::optional<ParquetFooter> footer;   ///< where it lies in the tail
};

/// The footer without the contents of its offset indexes; those that are out of reach are forgotten.
Result<TailContents> ReadFooter(std::string_view object, std::uint64_t file_size, ByteSpan tail,
                                const ParquetLimits& limits) {
  TailContents contents;
  contents.needed = std::min(file_size, kSmallestFile);
  if (tail.size() < contents.needed) return contents;
  LS_ASSIGN(const ParquetRange place, FindFooter(object, file_size, tail, limits));
  contents.needed = file_size - place.offset;
  if (tail.size() < contents.needed) return contents;
  const ByteSpan bytes = tail.subspan(tail.size() - contents.needed, place.length);
  LS_ASSIGN(contents.footer, DecodeParquetFooter(bytes, place.offset, object));
  for (ParquetRowGroup& group : contents.footer->row_groups) {
    if (!group.offset_index.has_value()) continue;
    const std::uint64_t reach = file_size - group.offset_index->offset;
    if (reach > limits.max_tail_bytes) {
      group.offset_index.reset();
    } else {
      contents.needed = std::max(contents.needed, reach);
    }
  }
  return contents;
}

/// Walks the pages of some rows, and decodes those with rows that are wanted.
class PageWalk {
 public:
  PageWalk(const ParquetPageContext& context, const ParquetPages& pages, const Buffer& data, std::int64_t first,
           std::int64_t count)
      : context_(context), pages_(pages), data_(data), first_(first), count_(count) {
    payloads_.reserve(static_cast<std::size_t>(std::min<std::int64_t>(count, kReserved)));
  }

  /// The dictionary of the column, apart from the pages.
  Status TakeDictionary(const Buffer& bytes, std::uint64_t base) {
    LS_ASSIGN(const ParquetPageHeader header, DecodeParquetPageHeader(bytes.span(), base, context_.object));
    if (header.is_data()) return Fail("parquet page is not the dictionary", "type", base);
    if (header.header_size + header.stored_size != bytes.size()) {
      return Fail("parquet dictionary does not end where the first page begins", "compressed_page_size", base);
    }
    return DecodeDictionary(header, bytes, base);
  }

  /// Pages [from, to) of a group whose offset index tells their sizes and rows.
  Status WalkIndexed(const ParquetRowGroup& group, std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      const ParquetPageLocation& page = group.pages[i];
      const std::int64_t next_row = i + 1 < group.pages.size() ? group.pages[i + 1].first_row : group.rows;
      // Between pages there may be bytes of nobody.
      at_ = page.range.offset - pages_.data.offset;
      LS_ASSIGN(const ParquetPageHeader header, ReadHeader());
      const std::uint64_t size = header.header_size + header.stored_size;
      if (!header.is_data() || size != page.range.length || header.values != next_row - page.first_row) {
        return Fail("parquet page is not what the offset index says", "page_header", Offset())
            .With("size", size)
            .With("expected_size", page.range.length)
            .With("rows", header.values)
            .With("expected_rows", next_row - page.first_row);
      }
      LS_TRY(TakePage(header));
    }
    return OkStatus();
  }

  /// All pages of a column chunk.
  Status WalkChunk() {
    while (at_ < data_.size()) {
      LS_ASSIGN(const ParquetPageHeader header, ReadHeader());
      if (!header.is_data()) {
        if (at_ > 0) return Fail("parquet dictionary is not the first page", "type", Offset());
        LS_TRY(DecodeDictionary(header, data_, Offset()));
        at_ = header.header_size + header.stored_size;
      } else {
        LS_TRY(TakePage(header));
      }
    }
    return OkStatus();
  }

  Result<std::vector<Buffer>> Finish() && {
    if (row_ != pages_.first_row + pages_.rows) {
      return Fail("parquet pages do not make up the rows of their group", "num_values", pages_.data.offset)
          .With("rows", row_ - pages_.first_row)
          .With("expected", pages_.rows);
    }
    return std::move(payloads_);
  }

 private:
  static constexpr std::int64_t kReserved = 1024;

  std::uint64_t Offset() const { return pages_.data.offset + at_; }
  Status Fail(std::string_view sentence, std::string_view field, std::uint64_t offset) const {
    return CorruptAt(sentence, context_.object, field, offset);
  }
  Result<ParquetPageHeader> ReadHeader() const {
    return DecodeParquetPageHeader(data_.span().subspan(at_), Offset(), context_.object);
  }

  Status DecodeDictionary(const ParquetPageHeader& header, const Buffer& bytes, std::uint64_t base) {
    const Buffer stored = bytes.Slice(header.header_size, header.stored_size);
    LS_ASSIGN(dictionary_, DecodeParquetDictionary(context_, header, stored, base));
    return OkStatus();
  }

  /// Decodes the page at `at_` where it has rows that are wanted, and goes on behind it.
  Status TakePage(const ParquetPageHeader& header) {
    std::int64_t end = 0;
    if (__builtin_add_overflow(row_, header.values, &end) || end > pages_.first_row + pages_.rows) {
      return Fail("parquet pages do not make up the rows of their group", "num_values", Offset())
          .With("rows", header.values);
    }
    const std::int64_t from = std::max(row_, first_);
    const std::int64_t to = std::min(end, first_ + count_);
    if (from < to) {
      const Buffer stored = data_.Slice(at_ + header.header_size, header.stored_size);
      LS_TRY(DecodeParquetDataPage(context_, header, stored, Offset(), dictionary_, from - row_, to - from,
                                   &payloads_));
    }
    row_ = end;
    at_ += header.header_size + header.stored_size;
    return OkStatus();
  }

  const ParquetPageContext& context_;
  const ParquetPages& pages_;
  const Buffer& data_;
  const std::int64_t first_;
  const std::int64_t count_;
  std::size_t at_ = 0;                     ///< in the data
  std::int64_t row_ = pages_.first_row;    ///< of the next page's first
  std::vector<Buffer> dictionary_;
  std::vector<Buffer> payloads_;
};

}  // namespace

Result<std::uint64_t> ParquetFile::TailNeeded(std::string_view object, std::uint64_t file_size, ByteSpan tail,
                                              const ParquetLimits& limits) {
  LS_ASSIGN(const TailContents contents, ReadFooter(object, file_size, tail, limits));
  return contents.needed;
}

Result<ParquetFile> ParquetFile::Open(std::string_view object, std::uint64_t file_size, ByteSpan tail,
                                      const ParquetLimits& limits) {
  if (tail.size() > file_size) return InvalidArgument("tail is longer than its file").With("object", object);
  LS_ASSIGN(TailContents contents, ReadFooter(object, file_size, tail, limits));
  if (contents.needed > tail.size()) {
    return InvalidArgument("more of the parquet file's end is needed")
        .With("object", object)
        .With("bytes", contents.needed);
  }
  ParquetFile file(object, limits, *std::move(contents.footer));
  for (ParquetRowGroup& group : file.footer_.row_groups) {
    if (!group.offset_index.has_value()) continue;
    const std::uint64_t at = group.offset_index->offset - (file_size - tail.size());
    LS_ASSIGN(group.pages, DecodeParquetOffsetIndex(tail.subspan(at, group.offset_index->length),
                                                    group.offset_index->offset, group, file.object_));
  }
  return file;
}

const std::string* ParquetFile::FindKey(std::string_view name) const {
  const auto it = footer_.keys.find(name);
  return it == footer_.keys.end() ? nullptr : &it->second;
}

std::size_t ParquetFile::MemoryBytes() const {
  std::size_t bytes = sizeof(*this) + object_.size();
  for (const ParquetRowGroup& group : footer_.row_groups) {
    bytes += sizeof(group) + group.pages.size() * sizeof(ParquetPageLocation);
  }
  for (const auto& [key, value] : footer_.keys) bytes += key.size() + value.size() + 128;
  return bytes;
}

Result<ParquetPages> ParquetFile::FindRows(std::int64_t first, std::int64_t count, std::uint64_t max_bytes) const {
  if (first < 0 || first >= footer_.rows) {
    return NotFound("parquet file has no such row").With("object", object_).With("row", first).With("rows", rows());
  }
  // The last group that begins at the row or before it: those of no rows come before it.
  const auto after =
      std::upper_bound(footer_.row_groups.begin(), footer_.row_groups.end(), first,
                       [](std::int64_t row, const ParquetRowGroup& group) { return row < group.first_row; });
  ParquetPages found;
  found.row_group = static_cast<std::size_t>(after - footer_.row_groups.begin()) - 1;
  const ParquetRowGroup& group = footer_.row_groups[found.row_group];
  if (group.pages.empty()) {
    found.first_row = group.first_row;
    found.rows = group.rows;
    found.data = group.chunk;
    return found;
  }
  const std::int64_t in_group = first - group.first_row;
  const std::int64_t end = in_group + std::min(count, group.rows - in_group);
  auto page = std::upper_bound(group.pages.begin(), group.pages.end(), in_group,
                               [](std::int64_t row, const ParquetPageLocation& p) { return row < p.first_row; });
  found.first_row = group.first_row + (page - 1)->first_row;
  found.data = (page - 1)->range;
  while (page != group.pages.end() && page->first_row < end && page->range.end() - found.data.offset <= max_bytes) {
    found.data.length = page->range.end() - found.data.offset;
    ++page;
  }
  found.rows = group.first_row + (page == group.pages.end() ? group.rows : page->first_row) - found.first_row;
  const std::uint64_t first_page = group.pages.front().range.offset;
  if (first_page > group.chunk.offset) {
    found.dictionary = ParquetRange{group.chunk.offset, first_page - group.chunk.offset};
  }
  return found;
}

Result<std::vector<Buffer>> ParquetFile::DecodeRows(const ParquetPages& pages, const Buffer& data,
                                                    const Buffer& dictionary, std::int64_t first,
                                                    std::int64_t count) const {
  // What FindRows would say of the same pages: nothing else is taken.
  LS_ASSIGN(const ParquetPages own, FindRows(pages.first_row, pages.rows, pages.data.length));
  if (own.first_row != pages.first_row || own.rows != pages.rows || own.data != pages.data) {
    return InvalidArgument("pages are not of this parquet file").With("object", object_).With("row", pages.first_row);
  }
  if (count < 0 || first < own.first_row || count > own.rows - (first - own.first_row)) {
    return InvalidArgument("rows do not lie in these pages").With("object", object_).With("row", first);
  }
  const std::uint64_t dictionary_bytes = own.dictionary.has_value() ? own.dictionary->length : 0;
  if (data.size() != own.data.length || dictionary.size() != dictionary_bytes) {
    return CorruptAt("parquet range has another length than was asked for", object_, "range", own.data.offset)
        .With("size", data.size())
        .With("expected", own.data.length);
  }
  const ParquetRowGroup& group = footer_.row_groups[own.row_group];
  const ParquetPageContext context{object_, group.codec, footer_.nullable, limits_.max_page_bytes};
  PageWalk walk(context, own, data, first, count);
  if (own.dictionary.has_value()) LS_TRY(walk.TakeDictionary(dictionary, own.dictionary->offset));
  if (group.pages.empty()) {
    LS_TRY(walk.WalkChunk());
  } else {
    const auto from = std::lower_bound(
        group.pages.begin(), group.pages.end(), own.first_row - group.first_row,
        [](const ParquetPageLocation& page, std::int64_t row) { return page.first_row < row; });
    const auto to = std::upper_bound(
        from, group.pages.end(), own.data.end() - 1,
        [](std::uint64_t offset, const ParquetPageLocation& page) { return offset < page.range.offset; });
    LS_TRY(walk.WalkIndexed(group, static_cast<std::size_t>(from - group.pages.begin()),
                            static_cast<std::size_t>(to - group.pages.begin())));
  }
  return std::move(walk).Finish();
}

}  // namespace lakestream
