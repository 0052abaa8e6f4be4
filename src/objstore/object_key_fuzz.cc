#include <filesystem>

#include "fuzz/fuzz_target.h"
#include "objstore/object_store.h"

namespace lakestream {

void FuzzOne(ByteSpan input) {
  const std::string key(AsText(input));
  if (!FuzzAnswer("object key", CheckObjectKey(key), {StatusCode::kInvalidArgument})) return;
  LS_INVARIANT(key.find('\0') == std::string::npos && key.size() <= 1024, "a file system takes its parts");
  const std::filesystem::path path = std::filesystem::path("/root") / key;
  LS_INVARIANT(path.lexically_normal() == path && path.string() == "/root/" + key, "a key stays below the root");
}

}  // namespace lakestream
