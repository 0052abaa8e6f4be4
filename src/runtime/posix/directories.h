#pragma once

#include <string>

#include "lakestream/status.h"

namespace lakestream {

/// Makes the directory with all that is missing above it, durably: every directory above is synced, since one that a
/// killed process made may not be yet. Blocks. Errors: as ErrnoStatus.
Status MakeDirectories(const std::string& path);

/// Makes what was done to the entries of a directory durable. Blocks. Errors: as ErrnoStatus.
Status SyncDirectory(const std::string& path);

}  // namespace lakestream
