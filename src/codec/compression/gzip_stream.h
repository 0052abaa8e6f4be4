#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "lakestream/buffer.h"
#include "lakestream/status.h"

namespace lakestream {

// Gzip (RFC 1952) piece by piece, in bounded memory. compression.h is for bytes that are all there.

/// Makes one gzip member. Its bytes depend on what was written, not on the pieces in which it came. Keeps some 270 KiB.
/// Thread safety: one thread.
class GzipWriter {
 public:
  static constexpr int kUsualLevel = 6;

  /// Requires: `level` is 1 (fast) to 9 (small).
  explicit GzipWriter(int level = kUsualLevel);
  ~GzipWriter();

  /// Takes all the bytes, and appends to `out` what is compressed by now, perhaps nothing.
  /// Errors: resource_exhausted (no memory). Requires: Finish was not called.
  Status Write(ByteSpan bytes, std::string* out);
  /// Appends the rest of the member. Errors: as Write. Requires: called once.
  Status Finish(std::string* out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Reads gzip members in a row as one stream of bytes. Keeps some 50 KiB. Thread safety: one thread.
class GzipReader {
 public:
  GzipReader();
  ~GzipReader();

  /// Decompresses from the front of `input`, which it makes shorter by what it used, and fills `out` from its begin.
  /// Returns how many bytes it made: fewer than `out` holds only where `input` is used up, or the next call fails.
  /// Errors: corrupt, with codec= and reason=; resource_exhausted (no memory). After one it says the same again.
  Result<std::size_t> Read(ByteSpan* input, std::span<std::uint8_t> out);
  /// Ok where what was read so far is one member or more, all of them whole; otherwise corrupt, or what Read failed with.
  Status CheckEnd() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lakestream
