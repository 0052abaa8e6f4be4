#include "cli/batch_assembler.h"

#include <algorithm>

#include "base/try.h"

namespace lakestream {
namespace {

// More than the header of a batch, and what a codec adds to bytes that it cannot compress.
constexpr std::int64_t kAroundBatch = std::int64_t{64} << 10;
constexpr std::size_t kRecordNumbers = 36;  // a record's lengths, deltas and attributes at most
constexpr std::size_t kHeaderNumbers = 10;

/// What a record is at most besides its line.
std::size_t AroundLine(const BatchingOptions& options) {
  std::size_t bytes = kRecordNumbers + options.key.value_or("").size();
  for (const auto& [key, value] : options.headers) bytes += kHeaderNumbers + key.size() + value.size();
  return bytes;
}

}  // namespace

BatchAssembler::BatchAssembler(int partitions, BatchingOptions options, std::function<void(AppendPiece)> sink)
    : options_(std::move(options)), around_line_(AroundLine(options_)), sink_(std::move(sink)) {
  for (const auto& [key, value] : options_.headers) headers_.push_back(kafka::RecordHeader{key, value});
  open_.reserve(static_cast<std::size_t>(partitions));
  for (int i = 0; i < partitions; ++i) open_.push_back(Open{kafka::BatchBuilder(options_.compression)});
}

Status BatchAssembler::Add(int partition, std::int64_t line, std::string_view text, std::int64_t timestamp_ms) {
  Open& open = open_[static_cast<std::size_t>(partition)];
  if (open.builder.record_count() > 0 && open.builder.size_bytes() + text.size() + around_line_ > kFullBytes) {
    LS_TRY(Close(partition, &open));
  }
  std::optional<std::string_view> key;
  if (options_.key) key = *options_.key;
  const Status added = open.builder.Append(timestamp_ms, key, text, headers_);
  if (!added.ok()) return added.With("line", line);
  if (open.builder.record_count() == 1) open.first_line = line;
  open.bytes += static_cast<std::int64_t>(text.size());
  return open.builder.record_count() == options_.lines ? Close(partition, &open) : OkStatus();
}

Status BatchAssembler::Flush(bool at_end) {
  if (options_.lines && !at_end) return OkStatus();
  for (std::size_t i = 0; i < open_.size(); ++i) {
    if (open_[i].builder.record_count() > 0) LS_TRY(Close(static_cast<int>(i), &open_[i]));
  }
  return OkStatus();
}

Status BatchAssembler::Close(int partition, Open* open) {
  AppendPiece piece;
  piece.partition = partition;
  piece.line = open->first_line;
  piece.records = open->builder.record_count();
  piece.bytes = std::exchange(open->bytes, 0);
  LS_ASSIGN(piece.payload, open->builder.Finish());
  sink_(std::move(piece));
  return OkStatus();
}

std::int64_t BatchAssembler::LongestLine(const BatchingOptions& options, std::int64_t max_entry_bytes) {
  const std::int64_t around = kAroundBatch + static_cast<std::int64_t>(AroundLine(options));
  return std::max<std::int64_t>(max_entry_bytes - max_entry_bytes / 100 - around, 1);
}

}  // namespace lakestream
