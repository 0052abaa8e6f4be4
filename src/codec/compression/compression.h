#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "lakestream/buffer.h"
#include "lakestream/status.h"

namespace lakestream {

/// How bytes are compressed. The numbers are those of a Kafka record batch.
enum class Compression : std::uint8_t { kNone = 0, kGzip = 1, kSnappy = 2, kLz4 = 3, kZstd = 4 };
inline constexpr int kCompressions = 5;

/// "none", "gzip", "snappy", "lz4", "zstd".
std::string_view CompressionName(Compression compression);
/// By its name; nothing where there is none of it.
std::optional<Compression> FindCompression(std::string_view name);

/// Appends the compressed form of `bytes`: one gzip member, one raw snappy block, one LZ4 frame or one zstd frame, each
/// with its library's default effort. kNone appends the bytes as they are.
/// Errors: resource_exhausted (snappy takes less than 4 GiB; a library has no memory).
Status Compress(Compression compression, ByteSpan bytes, std::string* out);

/// The original of `bytes`, all of which is used, and which is at most `limit` bytes long. Memory follows what was really
/// produced and never what the input claims: at most four times the output or 64 times the input, never more than
/// `limit`; and what the libraries keep (below 256 KiB; LZ4 up to three of its blocks, each at most `limit` or 64 KiB).
/// Takes several gzip members and zstd frames in a row; snappy raw and in the frames of snappy-java; one LZ4 frame.
/// Errors: corrupt, with codec= and reason=; resource_exhausted with codec= and limit=. Thread safety: any thread.
Result<Buffer> Decompress(Compression compression, ByteSpan bytes, std::uint64_t limit);

}  // namespace lakestream
