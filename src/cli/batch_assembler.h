#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/append_window.h"
#include "codec/compression/compression.h"
#include "kafka/records/batch_builder.h"
#include "lakestream/status.h"

namespace lakestream {

struct BatchingOptions {
  std::optional<std::string> key;  ///< of every record; nothing: null
  std::vector<std::pair<std::string, std::string>> headers;
  Compression compression = Compression::kNone;
  std::optional<std::int32_t> lines;  ///< so many in each batch; nothing: as many as have come
};

/// Makes record batches of lines, one under way for each partition. Thread safety: none.
class BatchAssembler {
 public:
  /// `sink` gets each batch when it is full.
  BatchAssembler(int partitions, BatchingOptions options, std::function<void(AppendPiece)> sink);

  /// Errors: invalid_argument, resource_exhausted: the line is in no batch.
  Status Add(int partition, std::int64_t line, std::string_view text, std::int64_t timestamp_ms);

  /// Hands over the batches that are not full; those that wait for a number of lines only at the end of the input.
  Status Flush(bool at_end);

  /// Longer lines would not fit into an entry of `max_entry_bytes` with all that is around them.
  static std::int64_t LongestLine(const BatchingOptions& options, std::int64_t max_entry_bytes);

 private:
  struct Open {
    kafka::BatchBuilder builder;
    std::int64_t first_line = 0;
    std::int64_t bytes = 0;  // of the lines
  };

  Status Close(int partition, Open* open);

  // The default of Kafka's own limit, max.message.bytes, is a little more.
  static constexpr std::size_t kFullBytes = 1'000'000;

  const BatchingOptions options_;
  const std::size_t around_line_;
  const std::function<void(AppendPiece)> sink_;
  std::vector<kafka::RecordHeader> headers_;
  std::vector<Open> open_;  // by partition
};

}  // namespace lakestream
