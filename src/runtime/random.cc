#include "runtime/random.h"

#include <fmt/format.h>

#include "base/invariant.h"

namespace lakestream {

std::uint64_t Random::Below(std::uint64_t bound) {
  LS_INVARIANT(bound > 0, "a draw needs at least one outcome");
  // Draws from the last, incomplete run of `bound` values are thrown away, or small values would be favoured.
  const std::uint64_t limit = (~std::uint64_t{0} / bound) * bound;
  while (true) {
    const std::uint64_t draw = Next();
    if (draw < limit) return draw % bound;
  }
}

std::string Random::Uuid() {
  const std::uint64_t high = (Next() & ~std::uint64_t{0xf000}) | 0x4000;
  const std::uint64_t low = (Next() & ~(std::uint64_t{0xc0} << 56)) | (std::uint64_t{0x80} << 56);
  return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", high >> 32, (high >> 16) & 0xffff, high & 0xffff,
                     low >> 48, low & 0xffff'ffff'ffff);
}

}  // namespace lakestream
