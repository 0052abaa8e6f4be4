#pragma once

#include <cstdint>
#include <string_view>

namespace lakestream {

// What the writer and the decoder of companion files share.

/// Stands where the length of the next block would: the offset map follows.
inline constexpr std::int32_t kCompanionSentinel = 0x7fffffff;

// A row as it is written: these three, with the metadata in Base64 and the offset in decimal between them.
inline constexpr std::string_view kRowBegin = R"({"metadata":")";
inline constexpr std::string_view kRowMiddle = R"(","offset":")";
inline constexpr std::string_view kRowEnd = R"("})";

}  // namespace lakestream
