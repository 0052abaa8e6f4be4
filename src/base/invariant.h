#pragma once

#include <source_location>
#include <string_view>

namespace lakestream {

/// Ends the process with the place and the message on standard error.
[[noreturn]] void DieInvariant(std::string_view condition, std::string_view why,
                               std::source_location where = std::source_location::current());

}  // namespace lakestream

/// What must hold, checked in every build. For this project's own mistakes only: what a user, a store or a
/// file can get wrong is a Status.
#define LS_INVARIANT(condition, why)                          \
  do {                                                        \
    if (!(condition)) [[unlikely]]                            \
      ::lakestream::DieInvariant(#condition, (why));          \
  } while (false)
