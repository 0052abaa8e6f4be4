#include "codec/compression/compression.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <utility>

#include "codec/compression/codecs.h"

namespace lakestream {
namespace internal {
namespace {

constexpr std::size_t kSmallestOutput = 512;

}  // namespace

Status BadCompression(Compression compression, std::string_view reason) {
  return Corrupt("the bytes cannot be decompressed").With("codec", CompressionName(compression)).With("reason", reason);
}

Status TooMuchOutput(Compression compression, std::uint64_t limit) {
  return ResourceExhausted("the decompressed bytes are more than is taken")
      .With("codec", CompressionName(compression))
      .With("limit", limit);
}

Status NoCodecMemory(Compression compression) {
  return ResourceExhausted("there is no memory for a codec").With("codec", CompressionName(compression));
}

GrowingOutput::GrowingOutput(std::uint64_t limit, std::size_t first_guess)
    : limit_(static_cast<std::size_t>(std::min<std::uint64_t>(limit, std::numeric_limits<std::size_t>::max() / 2))),
      capacity_(std::min(std::max(first_guess, kSmallestOutput), limit_ + 1)) {
  bytes_ = std::make_shared_for_overwrite<std::uint8_t[]>(capacity_);
}

std::span<std::uint8_t> GrowingOutput::Space() {
  if (size_ == capacity_ && capacity_ <= limit_) {
    const std::size_t capacity = std::min(2 * capacity_, limit_ + 1);
    auto larger = std::make_shared_for_overwrite<std::uint8_t[]>(capacity);
    std::memcpy(larger.get(), bytes_.get(), size_);
    bytes_ = std::move(larger);
    capacity_ = capacity;
  }
  return std::span<std::uint8_t>(bytes_.get() + size_, capacity_ - size_);
}

Buffer GrowingOutput::Take() && {
  const ByteSpan filled(bytes_.get(), size_);
  return Buffer::Share(std::move(bytes_), filled);
}

}  // namespace internal

namespace {

constexpr std::array<std::string_view, kCompressions> kNames = {"none", "gzip", "snappy", "lz4", "zstd"};

}  // namespace

std::string_view CompressionName(Compression compression) { return kNames[static_cast<std::size_t>(compression)]; }

std::optional<Compression> FindCompression(std::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Compression>(found - kNames.begin());
}

Status Compress(Compression compression, ByteSpan bytes, std::string* out) {
  switch (compression) {
    case Compression::kNone:
      out->append(AsText(bytes));
      return OkStatus();
    case Compression::kGzip:
      return internal::CompressGzip(bytes, out);
    case Compression::kSnappy:
      return internal::CompressSnappy(bytes, out);
    case Compression::kLz4:
      return internal::CompressLz4(bytes, out);
    case Compression::kZstd:
      return internal::CompressZstd(bytes, out);
  }
  return Internal("there is no such compression");
}

Result<Buffer> Decompress(Compression compression, ByteSpan bytes, std::uint64_t limit) {
  switch (compression) {
    case Compression::kNone:
      if (bytes.size() > limit) return internal::TooMuchOutput(compression, limit);
      return Buffer::CopyOf(bytes);
    case Compression::kGzip:
      return internal::DecompressGzip(bytes, limit);
    case Compression::kSnappy:
      return internal::DecompressSnappy(bytes, limit);
    case Compression::kLz4:
      return internal::DecompressLz4(bytes, limit);
    case Compression::kZstd:
      return internal::DecompressZstd(bytes, limit);
  }
  return Internal("there is no such compression");
}

}  // namespace lakestream
