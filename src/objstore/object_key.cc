#include <string_view>

#include "objstore/object_store.h"

namespace lakestream {

Status CheckObjectKey(std::string_view key) {
  if (key.empty() || key.size() > 1024) return InvalidArgument("an object key has 1 to 1024 bytes").With("key", key);
  for (const char c : key) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      return InvalidArgument("an object key holds no control characters").With("key", key);
    }
  }
  std::string_view rest = key;
  while (true) {
    const std::size_t slash = rest.find('/');
    const std::string_view part = rest.substr(0, slash);
    if (part.empty() || part == "." || part == "..") {
      return InvalidArgument("no part of an object key is empty, . or ..").With("key", key);
    }
    if (slash == std::string_view::npos) return OkStatus();
    rest.remove_prefix(slash + 1);
  }
}

Status CheckListLimit(int limit) {
  if (limit >= 1 && limit <= 10'000) return OkStatus();
  return InvalidArgument("a listing has a limit of 1 to 10000").With("limit", limit);
}

}  // namespace lakestream
