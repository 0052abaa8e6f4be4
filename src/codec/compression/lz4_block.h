#pragma once

#include <cstdint>

#include "lakestream/buffer.h"
#include "lakestream/status.h"

namespace lakestream {

/// The original, of exactly `size` bytes, of one LZ4 block without any frame, all of which is used. A size that no
/// block of this length can have is refused before there is memory for it.
/// Errors: corrupt, with codec= and reason=; resource_exhausted. Thread safety: any thread.
Result<Buffer> DecompressLz4Block(ByteSpan bytes, std::uint64_t size);

}  // namespace lakestream
