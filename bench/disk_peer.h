#pragma once

#include <cstdint>
#include <string>

#include "lakestream/status.h"
#include "runtime/posix/posix.h"

namespace lakestream::bench {

/// One sequential writer of durable files without any of this project's code in between: create, write, fsync, link,
/// fsync of the directory, and the next one. Thread safety: none.
class DiskPeer {
 public:
  /// `directory` exists. Errors: as ErrnoStatus.
  static Result<DiskPeer> Open(const std::string& directory);
  /// Errors: as ErrnoStatus; unimplemented where the file system has no unnamed files.
  Status WriteObject(std::size_t bytes);

 private:
  explicit DiskPeer(UniqueFd directory) : directory_(std::move(directory)) {}
  UniqueFd directory_;
  std::string content_;
  std::int64_t files_ = 0;
};

}  // namespace lakestream::bench
