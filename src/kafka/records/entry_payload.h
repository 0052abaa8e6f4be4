#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kafka/records/batch_header.h"
#include "kafka/records/record.h"
#include "kafka/records/record_cursor.h"
#include "lakestream/buffer.h"
#include "lakestream/status.h"

// The payload of an entry of binding kafka: record batches, one after another and nothing else (specification,
// Appendix A, "Entry payloads"). docs/format/record-batch.md has the bytes.

namespace lakestream::kafka {

struct BatchSummary {
  BatchHeader header;
  std::int64_t first_record = 0;           ///< how many records of the payload lie before it
  std::int64_t largest_timestamp_ms = -1;  ///< of its records, as they are
};

struct PayloadSummary {
  std::vector<BatchSummary> batches;
  std::int64_t record_count = 0;  ///< of all batches; the entry's record count must be this
};

/// Checks a payload down to each field of each record. `source` is the payload's place. With `so_far` it gets what was
/// read before the failure, too; of the batch that is wrong, the header where it could be read.
/// Errors: corrupt, resource_exhausted, unimplemented; with batch= (its place in the payload, from 0).
Result<PayloadSummary> CheckPayload(ByteSpan payload, const BatchSource& source, PayloadSummary* so_far = nullptr);

/// Walks the records of a payload. Thread safety: one thread.
class PayloadReader {
 public:
  /// The payload outlives the reader. `offset` is the entry's. Records below `from` are passed over, and batches that
  /// lie below it are not decompressed.
  PayloadReader(ByteSpan payload, std::int64_t offset, std::int64_t from, const BatchSource& source)
      : payload_(payload), offset_(offset), from_(from), source_(source) {}

  /// Reads the next record over `record`, or returns false at the end. Its views live until the next call.
  /// Errors: as of CheckPayload. After an error there is nothing more to read.
  Result<bool> Next(Record* record);

  /// Of the record after the last that was read or passed over; at the end, where the next entry begins.
  std::int64_t next_offset() const { return offset_; }

 private:
  Status OpenBatch();

  const ByteSpan payload_;
  std::int64_t offset_;
  const std::int64_t from_;
  const BatchSource source_;
  std::size_t at_ = 0;
  int batch_ = -1;  // opened last
  std::optional<RecordCursor> cursor_;
};

/// The same batches with the offsets of an entry that begins at `offset`: the first eight bytes of each batch are new, all
/// others are shared. No checksum covers them. Errors: as of CheckPayload, whose checks of records are not made;
/// unimplemented for a compressed message of magic 0, which holds offsets inside.
Result<BufferChain> AssignOffsets(const Buffer& payload, std::int64_t offset, const BatchSource& source);

}  // namespace lakestream::kafka
