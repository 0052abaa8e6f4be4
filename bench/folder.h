#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lakestream/status.h"

namespace lakestream::bench {

/// A new folder below another one, which goes with this object, with all that is in it.
class Folder {
 public:
  /// Errors: unavailable.
  static Result<Folder> Make(const std::string& parent, const std::string& name);
  Folder(Folder&& other) noexcept : path_(std::exchange(other.path_, std::string())) {}
  Folder& operator=(Folder&&) = delete;
  ~Folder();
  const std::string& path() const { return path_; }

 private:
  explicit Folder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

struct FoundFile {
  std::string path;
  std::size_t bytes = 0;
};
/// Every file below a folder, by path.
std::vector<FoundFile> FilesBelow(const std::string& folder);

/// Changes the last byte of a file. Errors: unavailable.
Status DamageFile(const std::string& path);

}  // namespace lakestream::bench
