#pragma once

#include <memory>
#include <string>
#include <utility>

#include "runtime/runtime.h"
#include "runtime/scratch.h"

namespace lakestream {

/// Scratch files without a name in a directory that exists: the kernel removes them with their last descriptor, whatever
/// becomes of the process. Nothing is synced. Thread safety: any thread.
class FileScratchSpace final : public ScratchSpace {
 public:
  FileScratchSpace(Runtime& runtime, std::string directory) : runtime_(runtime), directory_(std::move(directory)) {}
  /// Errors: as ErrnoStatus.
  Task<Result<std::unique_ptr<ScratchFile>>> Open() override;

 private:
  Runtime& runtime_;
  const std::string directory_;
};

}  // namespace lakestream
