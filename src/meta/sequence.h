#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "lakestream/status.h"

namespace lakestream {

/// The key that a sequenced put looks strictly below for the greatest key so far.
std::string SequenceUpperBound(std::string_view prefix);

/// The key that a sequenced put creates (specification, "Offset index keys"). `greatest` is the greatest key of
/// the shard strictly below SequenceUpperBound(prefix), whatever its prefix; one that does not begin with
/// "{prefix}-" means that the sequence is empty. Parts that are not there count as 0. Pure.
/// Errors: invalid_argument where a sum leaves the range of std::int64_t; corrupt where a key that begins with
/// "{prefix}-" is not one or two groups of 20 digits.
Result<std::string> NextSequencedKey(std::string_view prefix, std::optional<std::string_view> greatest,
                                     std::int64_t first_delta, std::int64_t second_delta);

}  // namespace lakestream
