#pragma once

#include <cstdint>

#include "lakestream/buffer.h"

namespace lakestream {

/// CRC-32 (IEEE), as in gzip and in Kafka's old messages. crc32c.h is another polynomial.
std::uint32_t Crc32(ByteSpan bytes);

}  // namespace lakestream
