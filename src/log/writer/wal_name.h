#pragma once

#include <string>
#include <string_view>

#include "base/time.h"

namespace lakestream {

/// The name of a WAL object begun at `wall` (UTC): yyyy/MM/dd/HH/mm/ss/{uuid}, or, where `embedded`,
/// yyyy/MM/dd/HH/{mmss}-{uuid}. The first form is the one that the reference's collector can parse (specification,
/// Appendix E, "Reclamation"); it cannot parse the second. The UUID makes the name unique.
std::string WalObjectName(WallTime wall, std::string_view uuid, bool embedded);

/// Whether a name has one of the two forms, with a UUID in lower case.
bool IsWalObjectName(std::string_view name);

}  // namespace lakestream
