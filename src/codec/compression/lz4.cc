#include <lz4frame.h>

#include <algorithm>

#include "codec/compression/codecs.h"

namespace lakestream::internal {
namespace {

constexpr Compression kCodec = Compression::kLz4;
constexpr std::uint64_t kSmallBlock = std::uint64_t{64} << 10;

class Lz4Context {
 public:
  Lz4Context() : ready_(!LZ4F_isError(LZ4F_createDecompressionContext(&context_, LZ4F_VERSION))) {}
  ~Lz4Context() {
    if (ready_) LZ4F_freeDecompressionContext(context_);
  }
  Lz4Context(const Lz4Context&) = delete;
  Lz4Context& operator=(const Lz4Context&) = delete;
  bool ready() const { return ready_; }
  LZ4F_dctx* get() const { return context_; }

 private:
  LZ4F_dctx* context_ = nullptr;
  const bool ready_;
};

/// Of the largest block that the frame may hold; the library makes room for one before it has seen any.
std::uint64_t BlockBytes(LZ4F_blockSizeID_t id) {
  switch (id) {
    case LZ4F_max256KB:
      return std::uint64_t{256} << 10;
    case LZ4F_max1MB:
      return std::uint64_t{1} << 20;
    case LZ4F_max4MB:
      return std::uint64_t{4} << 20;
    default:
      return kSmallBlock;
  }
}

/// Reads the frame's header; `taken` is then its size.
Status ReadHeader(LZ4F_dctx* context, ByteSpan bytes, std::uint64_t limit, std::size_t* taken) {
  LZ4F_frameInfo_t info = {};
  *taken = bytes.size();
  const std::size_t code = LZ4F_getFrameInfo(context, &info, bytes.data(), taken);
  if (LZ4F_isError(code)) return BadCompression(kCodec, LZ4F_getErrorName(code));
  if (info.frameType == LZ4F_skippableFrame) return BadCompression(kCodec, "the frame is one to skip");
  if (info.contentSize > limit || BlockBytes(info.blockSizeID) > std::max(limit, kSmallBlock)) {
    return TooMuchOutput(kCodec, limit);
  }
  return OkStatus();
}

}  // namespace

Status CompressLz4(ByteSpan bytes, std::string* out) {
  LZ4F_preferences_t preferences = LZ4F_INIT_PREFERENCES;
  // Kafka's Java clients read no others.
  preferences.frameInfo.blockMode = LZ4F_blockIndependent;
  const std::size_t before = out->size();
  out->resize(before + LZ4F_compressFrameBound(bytes.size(), &preferences));
  const std::size_t made =
      LZ4F_compressFrame(out->data() + before, out->size() - before, bytes.data(), bytes.size(), &preferences);
  out->resize(before + (LZ4F_isError(made) ? 0 : made));
  return LZ4F_isError(made) ? NoCodecMemory(kCodec) : OkStatus();
}

Result<Buffer> DecompressLz4(ByteSpan bytes, std::uint64_t limit) {
  const Lz4Context context;
  if (!context.ready()) return NoCodecMemory(kCodec);
  std::size_t taken = 0;
  if (const Status header = ReadHeader(context.get(), bytes, limit, &taken); !header.ok()) return header;
  GrowingOutput output(limit, 4 * bytes.size());
  while (true) {
    const std::span<std::uint8_t> space = output.Space();
    std::size_t made = space.size();
    std::size_t used = bytes.size() - taken;
    const std::size_t wanted = LZ4F_decompress(context.get(), space.data(), &made, bytes.data() + taken, &used, nullptr);
    if (LZ4F_isError(wanted)) return BadCompression(kCodec, LZ4F_getErrorName(wanted));
    taken += used;
    output.Filled(made);
    if (output.beyond_limit()) return TooMuchOutput(kCodec, limit);
    if (wanted == 0) break;
    if (taken == bytes.size() && made < space.size()) return BadCompression(kCodec, "the input ends too early");
  }
  if (taken != bytes.size()) return BadCompression(kCodec, "bytes follow the frame");
  return std::move(output).Take();
}

}  // namespace lakestream::internal
