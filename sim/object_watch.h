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
  /// Where it is, and when.
  struct Moment {
    Place place = 0;
    MonotonicTime at;
  };
  /// All outlive this, and the stores tell it of every change from now on. `collects`: whether objects may go for being
  /// garbage, so that all of them are written down.
  ObjectWatch(Evidence& evidence, std::function<Moment()> next, bool collects, MemoryObjectStore& wal,
              MemoryObjectStore& compacted);
  /// A process begins to upload a compacted object.
  void Asked(const std::string& key);

 private:
  void Written(const std::string& key, const Buffer& bytes);
  void Note(const Moment& moment, std::string object, const Buffer* bytes);

  Evidence& evidence_;
  const std::function<Moment()> next_;
  const bool collects_;
  struct Halves {
    std::optional<Buffer> file;
    std::optional<Buffer> companion;
  };
  std::map<std::string, Halves> halves_;  ///< by name, without its ending
};

}  // namespace lakestream::sim
