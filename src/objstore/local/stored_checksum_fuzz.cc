#include "objstore/local/stored_checksum.h"

#include <fmt/format.h>

#include "fuzz/fuzz_target.h"

// The input is a checksum's text, and a side file with whatever a crash or a hand left in it.

namespace lakestream {

void FuzzOne(ByteSpan input) {
  constexpr ino_t kOwn = 7;
  std::string text(AsText(input));
  if (const auto checksum = ObjectChecksum::Parse(text); FuzzAnswer("checksum", checksum.has_value())) {
    LS_INVARIANT(checksum->Text() == text, "a checksum has one text");
    const std::size_t blocks = checksum->blocks.size();
    LS_INVARIANT(blocks != 1 && blocks <= ObjectChecksum::kMaxBlocks, "one block has no text of its own");
    LS_INVARIANT(blocks == 0 || (checksum->size - 1) / checksum->block_bytes + 1 == blocks, "the blocks cover it");
  }
  const std::optional<ObjectChecksum> found = FindChecksumLine(text, kOwn);
  if (FuzzAnswer("side file", found.has_value()))
    LS_INVARIANT(text.find(found->Text() + " ") != std::string::npos, "the checksum stands in the file");
  // What this store adds counts, whatever stood there before.
  for (const std::string own : {"e3069283", "48117365:65537:65536:165c01035b57dc90"}) {
    text += fmt::format("\n{} {}\n", own, kOwn);
    LS_INVARIANT(FindChecksumLine(text, kOwn)->Text() == own, "the last line of the inode is the one");
  }
}

}  // namespace lakestream
