#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "lakestream/buffer.h"
#include "lakestream/status.h"
#include "parquet/footer.h"

namespace lakestream {

// Pages of the one column of a compacted file: a header, and what follows it (docs/format/compacted-parquet.md).

enum class ParquetPageType : std::uint8_t { kData = 0, kDictionary = 2, kDataV2 = 3 };

struct ParquetPageHeader {
  ParquetPageType type = ParquetPageType::kData;
  std::uint64_t header_size = 0;   ///< bytes, of the header itself
  std::uint64_t stored_size = 0;   ///< bytes that follow it
  std::uint64_t decoded_size = 0;  ///< bytes that they become
  std::optional<std::uint32_t> crc;
  std::int64_t values = 0;  ///< rows, or entries of a dictionary
  std::int32_t encoding = 0;
  // Of a data page.
  std::int32_t level_encoding = 0;
  std::uint64_t level_size = 0;  ///< version 2: bytes of the definition levels, which are never compressed
  bool compressed = true;        ///< version 2: the rest is, where the column has a codec

  bool is_data() const { return type != ParquetPageType::kDictionary; }
};

/// What all pages of a file have in common.
struct ParquetPageContext {
  std::string_view object;
  ParquetCodec codec = ParquetCodec::kNone;
  bool nullable = false;
  std::uint64_t max_page_bytes = 0;  ///< decompressed
};

/// Decodes the header with which `bytes` begin, at `base` of the object. Errors: corrupt, with object=, field= and
/// offset=; a page that ends beyond `bytes` is.
Result<ParquetPageHeader> DecodeParquetPageHeader(ByteSpan bytes, std::uint64_t base, std::string_view object);

/// The entries of a dictionary page, slices of what it decompresses to. `stored` are the bytes after its header, which
/// begin at `base`. Errors: as those of DecodeParquetDataPage.
Result<std::vector<Buffer>> DecodeParquetDictionary(const ParquetPageContext& context, const ParquetPageHeader& header,
                                                    const Buffer& stored, std::uint64_t base);

/// Appends the payloads of rows [first, first + count) of the page, counted from its first one: slices of what it
/// decompresses to, or of the dictionary. The whole page is checked. Requires: the rows are in the page.
/// Errors: corrupt, with object=, field= and offset=, for a checksum that differs, a size or a count that does not fit,
/// a null payload. resource_exhausted: a page that becomes larger than is allowed. unimplemented: an encoding that is
/// not read.
Status DecodeParquetDataPage(const ParquetPageContext& context, const ParquetPageHeader& header, const Buffer& stored,
                             std::uint64_t base, const std::vector<Buffer>& dictionary, std::int64_t first,
                             std::int64_t count, std::vector<Buffer>* payloads);

}  // namespace lakestream
