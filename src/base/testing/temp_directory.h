#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>

#include "base/invariant.h"

namespace lakestream {

/// A directory of its own for a test, removed with it.
class TempDirectory {
 public:
  TempDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "lakestream-XXXXXX").string();
    LS_INVARIANT(::mkdtemp(name.data()) != nullptr, "a test needs a directory");
    path_ = name;
  }
  TempDirectory(const TempDirectory&) = delete;
  TempDirectory& operator=(const TempDirectory&) = delete;
  ~TempDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace lakestream
