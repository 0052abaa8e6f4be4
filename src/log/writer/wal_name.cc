#include "log/writer/wal_name.h"

#include <fmt/format.h>

namespace lakestream {

std::string WalObjectName(WallTime wall, std::string_view uuid, bool embedded) {
  const CivilTime t = ToCivil(wall);
  const std::string hour = fmt::format("{:04}/{:02}/{:02}/{:02}", t.year, t.month, t.day, t.hour);
  if (embedded) return fmt::format("{}/{:02}{:02}-{}", hour, t.minute, t.second, uuid);
  return fmt::format("{}/{:02}/{:02}/{}", hour, t.minute, t.second, uuid);
}

}  // namespace lakestream
