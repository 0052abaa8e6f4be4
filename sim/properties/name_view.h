#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/evidence.h"

namespace lakestream::sim {

/// Which records name an object, at one place of a history. Objects are called as in ObjectEvent.
class NameView {
 public:
  /// The next change of the metadata store.
  void Apply(const StoreEvent& event);

  /// The record that names it now; null where none does.
  const std::string* NamedBy(const std::string& object) const;
  /// When the last index record went that named it; none where one does, or none ever has.
  std::optional<MonotonicTime> NamelessSince(const std::string& object) const;
  /// What a change names: an index record, or a compaction record.
  static std::vector<std::string> NamedIn(const LogChange& change);

 private:
  void Forget(const std::string& record, MonotonicTime at, bool index);

  std::map<std::string, std::vector<std::string>> by_record_;
  std::map<std::string, std::set<std::string>> names_;  ///< of an object: the records
  std::map<std::string, MonotonicTime> nameless_since_;
};

}  // namespace lakestream::sim
