#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "lakestream/status.h"
#include "runtime/posix/posix.h"

namespace lakestream {

/// A folder that is filled beside its place, as "{path}.partial", and stands there whole or not at all. Whoever fills
/// it holds a lock on it, so that what a killed process left is told from what is being written. All calls block.
/// Thread safety: none.
class NewFolder {
 public:
  /// Makes the empty partial folder, also where a killed process left one. Errors: already_exists (there is something
  /// at `path`), unavailable (another process fills it now); as ErrnoStatus.
  static Result<std::unique_ptr<NewFolder>> Begin(std::string path);

  /// Where to write meanwhile.
  const std::string& partial() const { return partial_; }
  /// Writes a whole file of it, durably.
  Status WriteFile(std::string_view name, std::string_view bytes);
  /// Copies a whole file into it, durably.
  Status CopyFile(const std::string& from, std::string_view name);
  /// Syncs the folder and gives it its name, durably. Errors: as Begin; indeterminate where only the last sync failed.
  Status Finish();
  /// Removes what was written; a finished folder stays. The destructor does not.
  void Abandon();

 private:
  explicit NewFolder(std::string path);

  const std::string path_;
  const std::string partial_;
  UniqueFd lock_;
  bool finished_ = false;
};

/// A whole file. Blocks. Errors: not_found; as ErrnoStatus.
Result<std::string> ReadWholeFile(const std::string& path);

}  // namespace lakestream
