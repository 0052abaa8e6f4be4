#pragma once

#include <cstdint>
#include <string>

#include "lakestream/status.h"

namespace lakestream {

/// Checks every record of a copy that LmdbMetadataStore::CopyTo made, as CheckStore, and gives their number. Changes
/// nothing and makes no file beside it. Blocks. Requires: nobody has the file open. Errors: not_found, corrupt.
Result<std::uint64_t> VerifyLmdbCopy(const std::string& file);

}  // namespace lakestream
