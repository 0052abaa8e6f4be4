#pragma once

#include <mutex>

#include "log/compactor/compactor.h"

namespace lakestream {

/// Counts the cells that are taken. Thread safety: any thread.
class CellCounter {
 public:
  void Note(model::CompactionStand stand, model::CompactionView view) {
    const std::lock_guard lock(mutex_);
    ++cells_.next[static_cast<int>(stand)][static_cast<int>(view)];
  }
  void Note(model::InstallStep step, model::InstallEvent event) {
    const std::lock_guard lock(mutex_);
    ++cells_.install[static_cast<int>(step)][static_cast<int>(event)];
  }
  CompactionCells cells() const {
    const std::lock_guard lock(mutex_);
    return cells_;
  }

 private:
  mutable std::mutex mutex_;
  CompactionCells cells_;
};

}  // namespace lakestream
