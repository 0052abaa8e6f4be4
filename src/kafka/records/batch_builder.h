#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "codec/compression/compression.h"
#include "kafka/records/record.h"
#include "lakestream/buffer.h"
#include "lakestream/status.h"

namespace lakestream::kafka {

/// What a batch says of its producer; the defaults are one that is not idempotent.
struct BatchProducer {
  std::int64_t id = -1;
  std::int16_t epoch = -1;
  std::int32_t base_sequence = -1;
};

/// Builds record batches of magic 2, with base offset 0 and create times. Thread safety: one thread.
class BatchBuilder {
 public:
  explicit BatchBuilder(Compression compression, BatchProducer producer = BatchProducer());

  /// Copies a record into the batch. `timestamp_ms` is -1 (none) or more.
  /// Errors: invalid_argument (timestamp, length of a field); resource_exhausted: the batch holds as much as one can, and
  /// stays as it was.
  Status Append(std::int64_t timestamp_ms, std::optional<std::string_view> key, std::optional<std::string_view> value,
                std::span<const RecordHeader> headers = {});

  std::int32_t record_count() const { return count_; }
  /// Of the batch, before it is compressed.
  std::size_t size_bytes() const { return bytes_.size(); }

  /// The batch. The builder is then empty and builds the next one. Requires: record_count() > 0.
  /// Errors: resource_exhausted (what is compressed is too much for one batch).
  Result<Buffer> Finish();

 private:
  void WriteHeader(std::string* batch) const;
  void Clear();

  const Compression compression_;
  const BatchProducer producer_;
  std::string bytes_;  // room for the header, then the records
  std::size_t last_bytes_ = 0;  // of the last batch
  std::int32_t count_ = 0;
  std::int64_t base_timestamp_ = -1;
  std::int64_t max_timestamp_ = -1;
};

}  // namespace lakestream::kafka
