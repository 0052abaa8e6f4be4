#include "codec/compression/gzip_stream.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>

#include "base/invariant.h"
#include "codec/compression/codecs.h"

namespace lakestream {

namespace {

constexpr int kGzipOnly = 16;  // added to the window's bits: with gzip's header and trailer, not zlib's
constexpr int kMemoryLevel = 8;
constexpr std::size_t kOutputStep = std::size_t{16} << 10;

/// zlib counts in 32 bits.
uInt Piece(std::size_t bytes) {
  return static_cast<uInt>(std::min<std::size_t>(bytes, std::numeric_limits<uInt>::max()));
}

Bytef* InputOf(ByteSpan bytes) { return const_cast<Bytef*>(bytes.data()); }

}  // namespace

struct GzipWriter::State {
  explicit State(int level)
      : ready(deflateInit2(&stream, level, Z_DEFLATED, MAX_WBITS + kGzipOnly, kMemoryLevel, Z_DEFAULT_STRATEGY) ==
              Z_OK) {}

  z_stream stream = {};
  const bool ready;
  bool finished = false;
  std::array<char, kOutputStep> output;  ///< not cleared first: a small batch takes few microseconds

  ~State() {
    if (ready) deflateEnd(&stream);
  }

  /// Deflates what next_in holds, to the end of the member with Z_FINISH.
  Status Run(int flush, std::string* out) {
    for (;;) {
      stream.next_out = reinterpret_cast<Bytef*>(output.data());
      stream.avail_out = Piece(kOutputStep);
      const int code = deflate(&stream, flush);
      out->append(output.data(), kOutputStep - stream.avail_out);
      if (code == Z_STREAM_END) return OkStatus();
      // Z_BUF_ERROR alone says that there was nothing to do.
      if (code != Z_OK && code != Z_BUF_ERROR) return Internal("gzip did not take its input");
      if (stream.avail_out == 0) continue;
      if (flush == Z_FINISH) return Internal("gzip did not end its output");
      return OkStatus();
    }
  }
};

GzipWriter::GzipWriter(int level) : state_(std::make_unique<State>(level)) {}
GzipWriter::~GzipWriter() = default;

Status GzipWriter::Write(ByteSpan bytes, std::string* out) {
  LS_INVARIANT(!state_->finished, "nothing is written after the end");
  if (!state_->ready) return internal::NoCodecMemory(Compression::kGzip);
  while (!bytes.empty()) {
    const std::size_t count = Piece(bytes.size());
    state_->stream.next_in = InputOf(bytes);
    state_->stream.avail_in = static_cast<uInt>(count);
    const Status run = state_->Run(Z_NO_FLUSH, out);
    if (!run.ok()) return run;
    bytes = bytes.subspan(count);
  }
  return OkStatus();
}

Status GzipWriter::Finish(std::string* out) {
  LS_INVARIANT(!state_->finished, "a member ends once");
  state_->finished = true;
  if (!state_->ready) return internal::NoCodecMemory(Compression::kGzip);
  state_->stream.avail_in = 0;
  return state_->Run(Z_FINISH, out);
}

struct GzipReader::State {
  z_stream stream = {};
  const bool ready = inflateInit2(&stream, MAX_WBITS + kGzipOnly) == Z_OK;
  bool at_end = false;  ///< of a member
  Status failed;        ///< what the next call says, after one that still made bytes

  ~State() {
    if (ready) inflateEnd(&stream);
  }

  /// Fills `out` as far as the input goes; what was made before an error counts.
  Status Run(ByteSpan* input, std::span<std::uint8_t> out, std::size_t* made) {
    if (!ready) return internal::NoCodecMemory(Compression::kGzip);
    while (*made < out.size()) {
      if (at_end) {
        if (input->empty()) return OkStatus();
        if (inflateReset(&stream) != Z_OK) return internal::NoCodecMemory(Compression::kGzip);
        at_end = false;
      }
      stream.next_in = InputOf(*input);
      stream.avail_in = Piece(input->size());
      stream.next_out = out.data() + *made;
      stream.avail_out = Piece(out.size() - *made);
      const uInt offered = stream.avail_in;
      const uInt room = stream.avail_out;
      const int code = inflate(&stream, Z_NO_FLUSH);
      *input = input->subspan(offered - stream.avail_in);
      *made += room - stream.avail_out;
      if (code == Z_STREAM_END) {
        at_end = true;
        continue;
      }
      if (code == Z_MEM_ERROR) return internal::NoCodecMemory(Compression::kGzip);
      // Z_BUF_ERROR alone says that there was nothing to do.
      if (code != Z_OK && code != Z_BUF_ERROR) {
        return internal::BadCompression(Compression::kGzip, stream.msg == nullptr ? "the input is no gzip" : stream.msg);
      }
      if (input->empty() && stream.avail_out > 0) return OkStatus();
    }
    return OkStatus();
  }
};

GzipReader::GzipReader() : state_(std::make_unique<State>()) {}
GzipReader::~GzipReader() = default;

Result<std::size_t> GzipReader::Read(ByteSpan* input, std::span<std::uint8_t> out) {
  std::size_t made = 0;
  state_->failed = state_->failed.ok() ? state_->Run(input, out, &made) : state_->failed;
  if (made == 0 && !state_->failed.ok()) return state_->failed;
  return made;
}

Status GzipReader::CheckEnd() const {
  if (!state_->failed.ok() || state_->at_end) return state_->failed;
  return internal::BadCompression(Compression::kGzip, "the input ends too early");
}

}  // namespace lakestream
