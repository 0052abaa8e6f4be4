#pragma once

#include <string>
#include <string_view>

#include "lakestream/status.h"
#include "lakestream/types.h"
#include "log/reader/log_index.h"

namespace lakestream {

/// not_found, for what a record names and the store does not have.
Status MissingObject(std::string_view object);

/// What to make of an object that a record names and that is not there. Whoever compacts or trims removes records, and
/// then their objects: so the marker and the record are read again, and only where they still name it is it damage
/// (specification, "Reading").
class MissingTwice {
 public:
  /// Looks after which records change faster than they can be followed.
  static constexpr int kMostLooks = 8;

  /// How often something was missing.
  int looks() const { return looks_; }

  /// ok where not_found calls for another look; else the error to be given.
  /// `record`: the first one that was read, `wanted`: the offset that was wanted of it.
  Status Judge(const Status& status, const IndexRecord& record, LogId log, Offset wanted);

 private:
  int looks_ = 0;
  std::string missing_;  ///< key and location of the record that named it
};

}  // namespace lakestream
