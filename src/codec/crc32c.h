#pragma once

#include <cstdint>

#include "lakestream/buffer.h"

namespace lakestream {

/// CRC-32C (Castagnoli). `seed` is the checksum of the bytes before these:
/// Crc32c(b, Crc32c(a)) is the checksum of a followed by b. Uses SSE 4.2 where the processor has it.
std::uint32_t Crc32c(ByteSpan bytes, std::uint32_t seed = 0);

/// The checksum of a followed by b, from the checksum of each and the number of bytes of b.
std::uint32_t Crc32cCombine(std::uint32_t first, std::uint32_t second, std::uint64_t second_bytes);

namespace internal {
/// The table form, for processors without the instruction.
std::uint32_t Crc32cPortable(ByteSpan bytes, std::uint32_t seed);
bool HasCrc32cInstruction();
}  // namespace internal

}  // namespace lakestream
