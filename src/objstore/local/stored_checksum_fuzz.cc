#include "objstore/local/stored_checksum.h"

#include <fmt/format.h>

#include "fuzz/fuzz_target.h"

// The input is a side file, with whatever a crash or a hand left in it.

namespace lakestream {

void FuzzOne(ByteSpan input) {
  constexpr ino_t kOwn = 7;
  std::string text(AsText(input));
  const std::optional<std::uint32_t> found = FindChecksumLine(text, kOwn);
  if (FuzzAnswer("side file", found.has_value()))
    LS_INVARIANT(text.find(fmt::format("{:08x} ", *found)) != std::string::npos, "the checksum stands in the file");
  // What this store adds counts, whatever stood there before.
  text += fmt::format("\n{:08x} {}\n", 0xe3069283u, kOwn);
  LS_INVARIANT(FindChecksumLine(text, kOwn) == 0xe3069283u, "the last line of the inode is the one");
}

}  // namespace lakestream
