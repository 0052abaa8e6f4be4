#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "objstore/object_store.h"

namespace lakestream {

/// The folder of the store's own files, at the top.
inline constexpr std::string_view kTempFolder = ".tmp";

/// The regular files below `root` as a page of objects. Reads each directory that can hold one of them, and
/// keeps only as many names as the page needs. Without checksums. Blocks. Errors: as ErrnoStatus.
Result<ListPage> ListFiles(int root, const std::string& prefix, const std::string& start_after, std::size_t limit);

}  // namespace lakestream
