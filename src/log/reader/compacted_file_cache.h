#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "format/companion.h"
#include "lakestream/buffer.h"
#include "lakestream/status.h"
#include "lakestream/task.h"
#include "log/reader/cache_budget.h"
#include "log/reader/single_flight.h"
#include "objstore/object_store.h"
#include "parquet/parquet_file.h"
#include "runtime/runtime.h"

namespace lakestream {

using CompanionPtr = std::shared_ptr<const Companion>;

/// The end of a compacted file, decoded. Never changes.
struct CompactedTail {
  ParquetFile file;
  Buffer whole;  ///< the file itself, where it is so short that all of it came along; else empty
};
using CompactedTailPtr = std::shared_ptr<const CompactedTail>;

/// Fetches companions and Parquet files from the compacted root, and keeps what it decoded as long as the budget allows:
/// each companion, each footer and each page goes on its own. Concurrent readers of one thing share one GET. One row,
/// with nothing kept, costs the companion (one GET where it has at most kCompanionPiece bytes), a HEAD, the file's end
/// (one GET of kParquetFirstTail) and one GET of its page. Thread safety: any thread.
class CompactedFileCache {
 public:
  static constexpr std::uint64_t kCompanionPiece = std::uint64_t{4} << 20;
  /// Pages that follow each other come in one GET up to so many bytes...
  static constexpr std::uint64_t kMostAtOnce = std::uint64_t{8} << 20;
  /// ... and in one of so many, more than was asked for, where a read begins at the row at which one ended: that reader
  /// goes on.
  static constexpr std::uint64_t kReadAhead = std::uint64_t{512} << 10;

  /// All outlive this.
  CompactedFileCache(Runtime& runtime, ObjectStore& store, CacheBudget& budget);

  /// The rows of the file `path`, from the companion beside it. `max_rows`: as many as the file can have.
  /// Errors: not_found, corrupt, unavailable.
  Task<Result<CompanionPtr>> Rows(OpContext context, std::string path, std::size_t max_rows);

  /// Errors: not_found; those of ParquetFile::Open; unavailable.
  Task<Result<CompactedTailPtr>> Tail(OpContext context, std::string path);

  /// The payloads of rows [first, first + count), each of the size that its row tells. Takes no more memory than they
  /// and one page. Requires: `rows` and `tail` are those of the path, with as many rows as each other, and have these.
  /// Errors: not_found, unavailable; those of ParquetFile::DecodeRows; corrupt where a payload has another size.
  Task<Result<std::vector<Buffer>>> Payloads(OpContext context, std::string path, CompanionPtr rows,
                                             CompactedTailPtr tail, std::int64_t first, std::int64_t count);

 private:
  /// A page's payloads: slices of one piece of memory.
  struct Page {
    std::int64_t first_row = 0;
    std::vector<Buffer> payloads;
    std::int64_t end() const { return first_row + static_cast<std::int64_t>(payloads.size()); }
  };
  using PagePtr = std::shared_ptr<const Page>;
  using Pages = std::vector<PagePtr>;

  /// One of the three.
  struct Item {
    CompanionPtr rows;
    CompactedTailPtr tail;
    PagePtr page;
    CacheBudget::Slot slot;
    std::array<std::int64_t, 4> ends{};  ///< of a tail: rows at which the last reads ended, the last one first
  };
  /// A path and a page's first row, or one of these.
  using Key = std::pair<std::string, std::int64_t>;
  static constexpr std::int64_t kRowsKey = -2;
  static constexpr std::int64_t kTailKey = -1;

  const Item* TouchLocked(const Key& key);
  void Keep(Key key, Item item, std::size_t bytes);
  CompanionPtr KeptRows(const std::string& path);
  CompactedTailPtr KeptTail(const std::string& path);
  /// What is kept around a row.
  struct Around {
    PagePtr page;                       ///< holds the row
    std::optional<std::int64_t> next;   ///< the first row of the next page that is there
  };
  Around KeptAround(const std::string& path, std::int64_t row);
  /// Whether a read of rows [first, end) begins where one of the last reads of the file ended.
  bool GoesOn(const std::string& path, std::int64_t first, std::int64_t end);

  Task<Result<CompanionPtr>> FetchRows(OpContext context, std::string path, std::size_t max_rows);
  Task<Result<CompactedTailPtr>> FetchTail(OpContext context, std::string path);
  Task<Result<Pages>> FetchPages(OpContext context, std::string path, CompanionPtr rows, CompactedTailPtr tail,
                                 ParquetPages pages);
  Task<Result<Buffer>> FetchRange(OpContext context, std::string path, CompactedTailPtr tail, ParquetRange range);

  Runtime& runtime_;
  ObjectStore& store_;
  SingleFlight<CompanionPtr> rows_in_flight_;
  SingleFlight<CompactedTailPtr> tails_in_flight_;
  SingleFlight<Pages> pages_in_flight_;
  CacheBudget& budget_;  ///< its mutex guards what follows
  std::map<Key, Item> items_;
};

}  // namespace lakestream
