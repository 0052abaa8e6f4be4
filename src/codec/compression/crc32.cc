#include "codec/compression/crc32.h"

#include <zlib.h>

namespace lakestream {

std::uint32_t Crc32(ByteSpan bytes) { return static_cast<std::uint32_t>(crc32_z(0, bytes.data(), bytes.size())); }

}  // namespace lakestream
