#include "objstore/open_object_store.h"

#include <string>
#include <utility>

#include "base/try.h"
#include "objstore/local/local_object_store.h"
#include "objstore/memory/memory_object_store.h"

namespace lakestream {

Result<std::unique_ptr<ObjectStore>> OpenObjectStore(Runtime& runtime, std::string_view url) {
  constexpr std::string_view kFile = "file://";
  if (url == "memory:") return std::unique_ptr<ObjectStore>(std::make_unique<MemoryObjectStore>(runtime));
  if (url.starts_with(kFile)) {
    const std::string_view path = url.substr(kFile.size());
    if (!path.starts_with('/')) {
      return InvalidArgument("a file URL has three slashes and an absolute path").With("url", url);
    }
    LocalObjectStoreOptions options;
    options.directory = std::string(path);
    options.create = true;
    LS_ASSIGN(std::unique_ptr<LocalObjectStore> local, LocalObjectStore::Open(runtime, std::move(options)));
    return std::unique_ptr<ObjectStore>(std::move(local));
  }
  return InvalidArgument("an object store is memory: or file:///directory").With("url", url);
}

}  // namespace lakestream
