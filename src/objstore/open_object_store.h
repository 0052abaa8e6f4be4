#pragma once

#include <memory>
#include <string_view>

#include "objstore/object_store.h"
#include "runtime/runtime.h"

namespace lakestream {

/// The store that a URL names: "memory:" (new and empty), or "file:///dir" (the directory is made where it
/// is missing). Blocks. Errors: invalid_argument (no such kind of URL); as LocalObjectStore::Open.
Result<std::unique_ptr<ObjectStore>> OpenObjectStore(Runtime& runtime, std::string_view url);

}  // namespace lakestream
