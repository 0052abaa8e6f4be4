#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "lakestream/status.h"
#include "lakestream/types.h"

namespace lakestream::sim {

/// One call of a client to the catalog. Names are "namespace/name".
struct CatalogCall {
  enum class Kind { kCreate, kLoad, kList, kGrow, kSet, kDrop, kSweep };

  Kind kind = Kind::kLoad;
  std::string process;
  std::string asked;   ///< the name that was asked for; of a topic without its id
  std::string stream;  ///< the stream that answered; empty where none is known
  int partitions = 0;  ///< create, grow: what was asked
  std::int64_t began = 0;
  std::optional<std::int64_t> ended;
  Status status;  ///< once ended

  std::vector<LogId> logs;               ///< create, load
  int grown = 0;                         ///< grow: how many there are then
  std::optional<std::int64_t> revision;  ///< set: what was asked for
  bool changed = false;                  ///< set
  std::vector<std::string> listed;       ///< list: streams that are active
  std::int64_t late_logs = 0;            ///< sweep, as the rest
  std::int64_t finished_drops = 0;
  std::int64_t rest = 0;
  std::int64_t held = 0;

  bool done() const { return ended.has_value() && status.ok(); }
};

const char* CatalogKindName(CatalogCall::Kind kind);
/// One line for people.
std::string ToString(const CatalogCall& call);

}  // namespace lakestream::sim
