#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "objstore/memory/memory_object_store.h"
#include "sim/evidence.h"

namespace lakestream::sim {

/// Writes down what becomes of compacted objects, and what objects of both kinds hold, for those who judge compaction.
class ObjectWatch {
 public:
  /// All outlive this, and the stores tell it of every change from now on.
  ObjectWatch(Evidence& evidence, std::function<Place()> next_place, MemoryObjectStore& wal,
              MemoryObjectStore& compacted);
  /// A process begins to upload a compacted object.
  void Asked(const std::string& key);

 private:
  void Written(const std::string& key, const Buffer& bytes);

  Evidence& evidence_;
  const std::function<Place()> next_place_;
  struct Halves {
    std::optional<Buffer> file;
    std::optional<Buffer> companion;
  };
  std::map<std::string, Halves> halves_;  ///< by name, without its ending
};

}  // namespace lakestream::sim
