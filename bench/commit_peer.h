#pragma once

#include <cstdint>
#include <string>

#include "lakestream/status.h"
#include "runtime/posix/posix.h"

namespace lakestream::bench {

/// What a commit of LMDB asks of the disk, without LMDB: pieces of whole pages that do not touch each other, fdatasync,
/// then one page through a descriptor that writes synchronously. Overwrites a file of its own, so its size never
/// changes. Thread safety: none.
class CommitPeer {
 public:
  /// `directory` exists; a commit writes `bytes` in `pieces`, at least one. Errors: as ErrnoStatus.
  static Result<CommitPeer> Open(const std::string& directory, std::int64_t pieces, std::int64_t bytes);
  /// Errors: as ErrnoStatus.
  Status Commit();

 private:
  CommitPeer() = default;
  UniqueFd file_;
  UniqueFd synchronous_;
  std::int64_t pieces_ = 0;
  std::int64_t pages_ = 0;  ///< of all pieces
  std::string content_;     ///< of any of them
};

}  // namespace lakestream::bench
