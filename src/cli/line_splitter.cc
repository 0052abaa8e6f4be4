#include "cli/line_splitter.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace lakestream {

LineSplitter::LineSplitter(Cut cut, std::int64_t max_line_bytes, std::size_t chunk_bytes)
    : cut_(cut), max_line_bytes_(static_cast<std::size_t>(max_line_bytes)), chunk_bytes_(chunk_bytes) {}

std::span<std::uint8_t> LineSplitter::Space() {
  if (end_ == capacity_) {
    // Lines already given share the old chunk, so it is left to them and never reused.
    const std::size_t partial = end_ - begin_;
    const std::size_t capacity = std::max(chunk_bytes_, 2 * partial);
    auto chunk = std::make_shared_for_overwrite<std::uint8_t[]>(capacity);
    if (partial > 0) std::memcpy(chunk.get(), chunk_.get() + begin_, partial);
    chunk_ = std::move(chunk);
    capacity_ = capacity;
    scanned_ -= begin_;
    begin_ = 0;
    end_ = partial;
  }
  return std::span<std::uint8_t>(chunk_.get() + end_, capacity_ - end_);
}

void LineSplitter::Filled(std::size_t count) { end_ += count; }

Result<std::optional<Buffer>> LineSplitter::Next() {
  const void* lf = nullptr;
  if (cut_ == Cut::kLines && scanned_ < end_) lf = std::memchr(chunk_.get() + scanned_, '\n', end_ - scanned_);
  const std::size_t line_end =
      lf == nullptr ? end_ : static_cast<std::size_t>(static_cast<const std::uint8_t*>(lf) - chunk_.get());
  if (line_end - begin_ > max_line_bytes_) {
    begin_ = scanned_ = end_;
    finished_ = false;
    return InvalidArgument(cut_ == Cut::kLines ? "the line is longer than an entry may be"
                                               : "the input is longer than an entry may be")
        .With("line", lines_ + 1)
        .With("max_bytes", max_line_bytes_);
  }
  if (lf != nullptr) return Take(line_end - begin_, 1);
  scanned_ = end_;
  const bool nothing_left = begin_ == end_ && (cut_ == Cut::kLines || lines_ > 0);
  if (!finished_ || nothing_left) return std::optional<Buffer>();
  ended_in_lf_ = false;
  return Take(line_end - begin_, 0);
}

std::optional<Buffer> LineSplitter::Take(std::size_t length, std::size_t skip) {
  Buffer line;
  if (length > 0) line = Buffer::Share(chunk_, ByteSpan(chunk_.get() + begin_, length));
  begin_ += length + skip;
  scanned_ = begin_;
  ++lines_;
  return line;
}

}  // namespace lakestream
