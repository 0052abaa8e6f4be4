#pragma once

#include <cstdint>

#include "lakestream/buffer.h"
#include "lakestream/types.h"

namespace lakestream::sim {

/// Names an append of a run; its payload says it again.
using AppendNumber = std::int64_t;

inline constexpr std::size_t kSmallestPayload = 16;

/// Bytes that no other append has: the number and the log, then filler that follows from both.
/// Requires: size >= kSmallestPayload.
Buffer MakePayload(AppendNumber number, LogId log, std::size_t size);

/// Whose payload these bytes are; -1 where they are nobody's, or not all of somebody's.
AppendNumber ReadPayload(ByteSpan bytes, LogId log);

}  // namespace lakestream::sim
