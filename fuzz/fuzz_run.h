#pragma once

#include <cstddef>
#include <cstdio>

#include "lakestream/buffer.h"

namespace lakestream {

// The part of the driver that libFuzzer and the corpus runner share.

/// The largest single allocation that an input of this size justifies. JSON and packed integers grow the most: a
/// byte of theirs becomes up to 256 bytes, and a growing vector asks for twice that. The constant is for the contexts of
/// decompressors.
constexpr std::size_t FuzzAllocationLimit(std::size_t input_bytes) { return (std::size_t{256} << 10) + 600 * input_bytes; }

/// Runs FuzzOne. In a build with AddressSanitizer, ends the process when one allocation was above the limit.
void RunFuzzInput(ByteSpan input);

/// Prints "fuzz: executions=N", and for each decoder "fuzz: decoder=NAME accepted=N rejected=N".
void PrintFuzzCounts(std::FILE* out);

/// Whether something ran, and each decoder accepted something: a target that only sees refusals tests little.
bool FuzzCountsHold();

}  // namespace lakestream
