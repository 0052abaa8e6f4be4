#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "codec/compression/compression.h"
#include "lakestream/buffer.h"
#include "lakestream/status.h"

namespace lakestream {

// Files of one column "payload" through Arrow alone: the peer of the benchmark, and another writer and reader for the
// tests. Nothing else uses it. Thread safety: any thread.

struct PlainArrowOptions {
  std::string record_name = "schema";
  Compression compression = Compression::kNone;
  int zstd_level = 1;
  std::int64_t page_bytes = std::int64_t{64} << 10;
  std::int64_t row_group_rows = std::int64_t{1} << 30;
  std::int64_t batch_rows = 1;  ///< rows that Arrow gets at once; it looks at the page's size after each
  bool dictionary = false;
  bool offset_index = true;
  bool checksums = true;
  bool version2_pages = false;
  bool required = false;     ///< the column is not nullable
  std::int64_t null_row = -1;  ///< its payload is null
};

Result<Buffer> WriteWithArrow(const std::vector<Buffer>& payloads, const PlainArrowOptions& options);

/// What Arrow has taken in this process.
struct ArrowMemory {
  std::int64_t from_malloc = 0;         ///< bytes at present
  std::int64_t from_own_allocator = 0;  ///< bytes ever, where that is another one than malloc
};
ArrowMemory MemoryOfArrow();

/// All payloads; of a null "null".
Result<std::vector<std::string>> ReadWithArrow(const Buffer& file);

}  // namespace lakestream
