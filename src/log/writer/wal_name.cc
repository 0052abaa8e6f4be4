#include "log/writer/wal_name.h"

#include <fmt/format.h>

namespace lakestream {

namespace {

constexpr std::string_view kUuidForm = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";

/// `form` has a 0 for each digit, an x for each hexadecimal digit, and else what must stand there.
bool HasForm(std::string_view name, std::string_view form) {
  if (name.size() != form.size()) return false;
  for (std::size_t i = 0; i < form.size(); ++i) {
    const char c = name[i];
    const bool digit = c >= '0' && c <= '9';
    const bool right = form[i] == '0' ? digit : form[i] == 'x' ? digit || (c >= 'a' && c <= 'f') : c == form[i];
    if (!right) return false;
  }
  return true;
}

}  // namespace

std::string WalObjectName(WallTime wall, std::string_view uuid, bool embedded) {
  const CivilTime t = ToCivil(wall);
  const std::string hour = fmt::format("{:04}/{:02}/{:02}/{:02}", t.year, t.month, t.day, t.hour);
  if (embedded) return fmt::format("{}/{:02}{:02}-{}", hour, t.minute, t.second, uuid);
  return fmt::format("{}/{:02}/{:02}/{}", hour, t.minute, t.second, uuid);
}

bool IsWalObjectName(std::string_view name) {
  return HasForm(name, "0000/00/00/00/0000-" + std::string(kUuidForm)) ||
         HasForm(name, "0000/00/00/00/00/00/" + std::string(kUuidForm));
}

}  // namespace lakestream
