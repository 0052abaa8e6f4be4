#include "format/companion.h"

#include <algorithm>

#include "base/try.h"
#include "format/row_metadata.h"

namespace lakestream {

namespace {

/// The first position whose number is not below `wanted`. Requires: the numbers do not descend.
std::size_t LowerBound(const PackedNumbers& numbers, std::int64_t wanted) {
  std::size_t low = 0;
  std::size_t high = numbers.size();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (numbers[middle] < wanted) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace

Status Companion::Add(const LogEntryHeader& header) {
  LS_TRY(CheckEntryHeader(header));
  const std::size_t row = rows();
  if (row > 0 && header.offset != end()) {
    return InvalidArgument("a row does not begin where the one before it ends")
        .With("field", "offset")
        .With("value", header.offset.value())
        .With("end_before", end_);
  }
  const std::int64_t size_before = header.cumulative_size - header.entry_size;
  if (row > 0 && size_before != sizes_[row - 1]) {
    return InvalidArgument("cumulative sizes of two rows do not add up")
        .With("field", "cumulativeSize")
        .With("value", header.cumulative_size)
        .With("entry_size", header.entry_size)
        .With("size_before", sizes_[row - 1]);
  }
  if (row == 0) base_size_ = size_before;
  const bool back = row > 0 && header.timestamp_ms < times_[row - 1];
  if (back && latest_.size() == 0) {
    for (std::size_t i = 0; i < row; ++i) latest_.Append(times_[i]);
  }
  if (latest_.size() > 0) latest_.Append(std::max(latest_[row - 1], header.timestamp_ms));
  offsets_.Append(header.offset.value());
  sizes_.Append(header.cumulative_size);
  times_.Append(header.timestamp_ms);
  end_ = header.end().value();
  return OkStatus();
}

LogEntryHeader Companion::HeaderOf(std::size_t row) const {
  const std::int64_t end = row + 1 == rows() ? end_ : offsets_[row + 1];
  LogEntryHeader header;
  header.offset = OffsetOf(row);
  header.number_of_records = static_cast<std::int32_t>(end - offsets_[row]);
  header.timestamp_ms = times_[row];
  header.cumulative_size = sizes_[row];
  header.entry_size = static_cast<std::int32_t>(sizes_[row] - (row == 0 ? base_size_ : sizes_[row - 1]));
  return header;
}

std::optional<std::size_t> Companion::FindOffset(Offset offset) const {
  if (rows() == 0 || offset < start() || offset >= end()) return std::nullopt;
  const std::size_t at = LowerBound(offsets_, offset.value());
  return at < rows() && offsets_[at] == offset.value() ? at : at - 1;
}

std::size_t Companion::FindTime(std::int64_t timestamp_ms) const {
  return LowerBound(latest_.size() > 0 ? latest_ : times_, timestamp_ms);
}

void Companion::ShrinkToFit() {
  for (PackedNumbers* numbers : {&offsets_, &sizes_, &times_, &latest_}) numbers->ShrinkToFit();
}

std::size_t Companion::MemoryBytes() const {
  return offsets_.MemoryBytes() + sizes_.MemoryBytes() + times_.MemoryBytes() + latest_.MemoryBytes();
}

JsonValue Describe(const Companion& companion) {
  JsonValue rows = JsonValue::Array();
  for (std::size_t i = 0; i < companion.rows(); ++i) {
    const LogEntryHeader header = companion.HeaderOf(i);
    rows.Append(JsonValue::Object()
                    .Add("offset", JsonValue::Int(header.offset.value()))
                    .Add("numberOfMessages", JsonValue::Int(header.number_of_records))
                    .Add("writtenTimestamp", JsonValue::Int(header.timestamp_ms))
                    .Add("entrySize", JsonValue::Int(header.entry_size))
                    .Add("cumulativeSize", JsonValue::Int(header.cumulative_size)));
  }
  return rows;
}

}  // namespace lakestream
