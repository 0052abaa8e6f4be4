#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lakestream/status.h"

namespace lakestream {

/// The words that IntegratedIntCompressor.compress of JavaFastPFOR 0.2.1 returns (specification, "Entry
/// offsets" and Appendix D). Meant for increasing non-negative values; any others round-trip too. A block
/// whose deltas need 32 bits holds its values as they are, which Appendix D does not say.
/// Requires: at most 2^31 - 1 values.
std::vector<std::uint32_t> FastPforEncode(std::span<const std::int32_t> values);

/// Takes exactly what FastPforEncode writes. Errors: corrupt (field=, word=) for a length above max_values or
/// not borne out by the words, a block width above 32 or wider than its deltas, missing or trailing words,
/// non-zero padding. Allocates at most 4 bytes for each of max_values, and at most 512 for each word.
Result<std::vector<std::int32_t>> FastPforDecode(std::span<const std::uint32_t> words, std::size_t max_values);

}  // namespace lakestream
