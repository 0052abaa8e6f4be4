#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "format/companion.h"
#include "format/entry_index.h"
#include "format/file_index.h"
#include "format/index_key.h"
#include "format/wal_object.h"
#include "lakestream/status.h"
#include "lakestream/types.h"

// What a reader decides (specification, "Reading" and "Logs, entries and offsets"), without asking any store.

namespace lakestream::model {

/// What an index record covers.
struct IndexSpan {
  Offset start;
  Offset end;                        ///< exclusive
  std::int64_t bytes = 0;            ///< payload bytes of the record
  std::int64_t cumulative_size = 0;  ///< payload bytes of the log up to `end`
  friend bool operator==(const IndexSpan&, const IndexSpan&) = default;
};

/// Errors: corrupt (the record begins below offset 0, or holds more bytes than the log).
Result<IndexSpan> SpanOf(const IndexKey& key, const EntryIndex& index);

/// How the record with the smallest end offset above some offset answers for the offset wanted.
enum class Cover {
  kEnd,      ///< no such record: the wanted offset is at or past the log's end
  kCovers,   ///< it holds the wanted offset
  kPassed,   ///< it ends at or below the wanted offset: look again from there
  kGap,      ///< it starts above the wanted offset: no answer
};
Cover JudgeCover(const std::optional<IndexSpan>& found, Offset wanted);

/// corrupt, naming object, log and field, unless the record tells of its object and section what is true.
/// `region_bytes`: the object's payload region.
Status CheckSection(const EntryIndex& index, const WalSection& section, std::uint64_t region_bytes);

struct PlannedEntry {
  Offset offset;
  std::int32_t records = 0;
  std::int32_t payload_offset = 0;   ///< from the start of the payload region
  std::int32_t payload_size = 0;
  std::int64_t cumulative_size = 0;  ///< of the log, up to and including this entry
  friend bool operator==(const PlannedEntry&, const PlannedEntry&) = default;
};

/// What is left of the bounds of one read. The first entry of all is taken even where it passes them.
class ReadAllowance {
 public:
  ReadAllowance(std::int64_t records, std::int64_t bytes) : records_(records), bytes_(bytes) {}
  /// Takes the entry, or is full from now on.
  bool Take(std::int64_t records, std::int64_t bytes);
  /// Nothing more can be taken.
  bool full() const { return full_ || records_ <= 0 || bytes_ <= 0; }
  std::int64_t records() const { return records_; }
  std::int64_t bytes() const { return bytes_; }

 private:
  std::int64_t records_;
  std::int64_t bytes_;
  bool taken_any_ = false;
  bool full_ = false;
};

/// The section's entries that end above `wanted`, as far as the allowance goes.
/// Requires: the section passed CheckSection against the record that covers `span`.
std::vector<PlannedEntry> PlanEntries(const IndexSpan& span, const WalSection& section, Offset wanted,
                                      ReadAllowance& allowance);

/// A part of the payload region.
struct PayloadRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;  ///< exclusive
  friend bool operator==(const PayloadRange&, const PayloadRange&) = default;
};

/// The ranges to fetch for these entries, ascending: payloads closer together than `max_gap` bytes come in one.
std::vector<PayloadRange> PlanRanges(const std::vector<PlannedEntry>& entries, std::uint64_t max_gap);

// Of a PARQUET record (specification, "Reading a PARQUET record").

/// How many offsets of the record its file i can hold: as many rows, at most.
/// Requires: CheckFileIndexRange takes the files, and i is one of them.
std::int64_t OffsetsOfFile(const IndexSpan& span, const FileIndex& files, std::size_t i);

/// corrupt, naming object, field and offset, unless the rows of file i are those that the record tells of: one at
/// least; they begin where the file before ends (the first one may begin later, where the compaction left out what was
/// trimmed) and end with the last offset that the file index names; their cumulative sizes begin and end with the
/// record's. `object` names the companion in messages. Requires: as OffsetsOfFile.
Status CheckFileRows(const IndexSpan& span, const FileIndex& files, std::size_t i, const Companion& rows,
                     std::string_view object);

/// Rows of a compacted file, one after another.
struct RowRange {
  std::size_t first = 0;
  std::size_t count = 0;
  friend bool operator==(const RowRange&, const RowRange&) = default;
};

/// The rows from the one that holds `wanted` on, as far as the allowance goes. Requires: the rows hold `wanted`.
RowRange PlanRows(const Companion& rows, Offset wanted, ReadAllowance& allowance);

}  // namespace lakestream::model
