#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "lakestream/buffer.h"
#include "lakestream/status.h"
#include "lakestream/task.h"

namespace lakestream {

/// Bytes that do not fit into memory and that nobody misses after a crash. Reads side by side, or one Append.
class ScratchFile {
 public:
  virtual ~ScratchFile() = default;
  /// Adds the bytes at the end; says where they begin. Errors: resource_exhausted (a full disk), unavailable.
  virtual Task<Result<std::uint64_t>> Append(BufferChain bytes) = 0;
  /// Errors: unavailable. Requires: bytes that were added.
  virtual Task<Result<Buffer>> Read(std::uint64_t offset, std::size_t length) = 0;
};

/// Where scratch files are. Thread safety: any thread.
class ScratchSpace {
 public:
  virtual ~ScratchSpace() = default;
  /// A new, empty file, which is gone with the object. Errors: unavailable, resource_exhausted.
  virtual Task<Result<std::unique_ptr<ScratchFile>>> Open() = 0;
};

/// Keeps them in memory after all: for the simulator, and for tests. Thread safety: any thread.
class MemoryScratchSpace final : public ScratchSpace {
 public:
  Task<Result<std::unique_ptr<ScratchFile>>> Open() override;
};

}  // namespace lakestream
