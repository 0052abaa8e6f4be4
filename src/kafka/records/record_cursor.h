#pragma once

#include <cstddef>
#include <cstdint>

#include "kafka/records/batch_header.h"
#include "kafka/records/record.h"
#include "lakestream/buffer.h"
#include "lakestream/status.h"

namespace lakestream::kafka {

/// The records of one batch, one after another. Uncompressed records are not copied. Thread safety: one thread.
class RecordCursor {
 public:
  /// Requires: CheckBatch took `header` and `bytes`, which outlive the cursor. `offset` is given to the first record.
  /// Errors: corrupt, resource_exhausted (decompression).
  static Result<RecordCursor> Open(ByteSpan bytes, const BatchHeader& header, std::int64_t offset,
                                   const BatchSource& source);

  std::int32_t remaining() const { return count_ - next_; }

  /// Reads the next record over `record`, whose views live as long as the cursor and the bytes. The last one must end
  /// where the batch ends. Requires: remaining() > 0.
  /// Errors: corrupt, with object=, field=, offset= and record= (its place in the batch, from 0).
  Status Next(Record* record);

 private:
  RecordCursor(const BatchHeader& header, std::int64_t offset, const BatchSource& source)
      : header_(header), offset_(offset), source_(source), count_(header.record_count) {}

  Status Corrupted(std::string_view sentence, std::string_view field, std::size_t at) const;
  Status WithPlace(const Status& status, std::size_t at) const;

  const BatchHeader header_;
  const std::int64_t offset_;  // of the first record
  const BatchSource source_;
  Buffer uncompressed_;  // empty where the batch is not compressed
  ByteSpan records_;
  std::size_t at_ = 0;
  std::int32_t count_;
  std::int32_t next_ = 0;
};

}  // namespace lakestream::kafka
