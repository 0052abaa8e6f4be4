#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "lakestream/buffer.h"
#include "lakestream/status.h"

namespace lakestream {

/// Cuts a stream of bytes into lines without copying them, except where a line crosses two chunks. Every
/// byte but LF belongs to its line, CR too. Holds one chunk: a little more than twice the longest line at
/// most. Thread safety: none.
class LineSplitter {
 public:
  enum class Cut {
    kLines,
    kWhole,  ///< the whole input is one "line", LF and all, and there is one even where it is empty
  };

  /// Lines up to `max_line_bytes` (1 or more, without the LF) are taken.
  LineSplitter(Cut cut, std::int64_t max_line_bytes, std::size_t chunk_bytes = std::size_t{256} << 10);

  /// Where the next bytes of the input go; never empty. Valid until the next call of Space.
  std::span<std::uint8_t> Space();
  /// `count` bytes were put there.
  void Filled(std::size_t count);
  /// There is no more input: what is left over is the last line.
  void Finish() { finished_ = true; }

  /// The next line without its LF, or nothing until there is more input. Shares the chunk's memory.
  /// Errors: invalid_argument with line= (a line is too long); the splitter then gives nothing more.
  Result<std::optional<Buffer>> Next();

  /// Lines given so far; the number of the line given last, from 1.
  std::int64_t lines() const { return lines_; }
  /// False when the last line given ended with the input instead of LF.
  bool ended_in_lf() const { return ended_in_lf_; }

 private:
  std::optional<Buffer> Take(std::size_t length, std::size_t skip);

  const Cut cut_;
  const std::size_t max_line_bytes_;
  const std::size_t chunk_bytes_;
  std::shared_ptr<std::uint8_t[]> chunk_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;  // of the line under way
  std::size_t scanned_ = 0;
  std::size_t end_ = 0;
  bool finished_ = false;
  bool ended_in_lf_ = true;
  std::int64_t lines_ = 0;
};

}  // namespace lakestream
