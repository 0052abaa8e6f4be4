#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "objstore/local/object_checksum.h"
#include "objstore/object_store.h"

namespace lakestream {

/// Reads a part of an open file of `size` bytes, and gives it only after it was checked: every block that the part
/// touches is read to its ends and compared. Where the checksum has no blocks the whole object is read and compared,
/// where there is no checksum nothing is. Needs memory for the part and kReadPieceBytes more, whatever the size of the
/// object. Blocks. Errors: corrupt (names the key, and of a damaged block offset and size), resource_exhausted; as
/// ErrnoStatus.
Result<Buffer> ReadChecked(int fd, std::uint64_t size, const std::optional<ObjectChecksum>& checksum, ByteRange range,
                           const std::string& key);

inline constexpr std::uint64_t kReadPieceBytes = 64 << 10;

}  // namespace lakestream
