#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

#include "lakestream/status.h"
#include "objstore/local/object_checksum.h"

namespace lakestream {

/// Where the checksum of an object is kept: its text in the file's extended attribute `user.lakestream.crc32c`. Where
/// the file system has no such attributes, a file `{name}.crc32c` beside the object holds a line `{text} {inode}` for
/// each attempt to create the object: two that create it at once each add a line, and the one whose file became the
/// object is found by its inode.
inline constexpr const char* kChecksumAttribute = "user.lakestream.crc32c";
inline constexpr std::string_view kSideFileSuffix = ".crc32c";

/// Sets the attribute of an open file, with fewer and larger blocks where it has no room for all of them. False where
/// the file system has no attributes. Errors: as ErrnoStatus.
Result<bool> SetChecksumAttribute(int fd, ObjectChecksum checksum, const std::string& key);

/// Adds a line to the side file; on ok the line and the side file's name are durable. Errors: as ErrnoStatus.
Status AppendSideFile(int directory, const std::string& name, const ObjectChecksum& checksum, ino_t inode);

/// What a side file says of the object in the file `inode`: the last line of this inode; where there is none (a
/// copied tree has other inodes), a single line is enough. Pure.
std::optional<ObjectChecksum> FindChecksumLine(std::string_view text, ino_t inode);

/// The checksum of an open object, from the attribute or from the side file, which `root` and `key` find.
/// None where neither has one. Errors: corrupt (the attribute is no checksum); as ErrnoStatus.
Result<std::optional<ObjectChecksum>> ReadChecksum(int fd, ino_t inode, int root, const std::string& key);

}  // namespace lakestream
