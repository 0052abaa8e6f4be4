#include "base/invariant.h"

#include <cstdio>
#include <cstdlib>

namespace lakestream {

void DieInvariant(std::string_view condition, std::string_view why, std::source_location where) {
  std::fprintf(stderr, "lakestream: invariant broken at %s:%u: %.*s (%.*s)\n", where.file_name(),
               static_cast<unsigned>(where.line()), static_cast<int>(why.size()), why.data(),
               static_cast<int>(condition.size()), condition.data());
  std::fflush(stderr);
  std::abort();
}

}  // namespace lakestream
