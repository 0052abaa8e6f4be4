#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sim/properties/property.h"

namespace lakestream::sim {

/// What the metadata store says of a log at one place of a history.
struct LogState {
  struct Record : IndexRecord {
    const StoreEvent* put = nullptr;  ///< that gave it its present value

    const std::string& key() const { return put->change.record.key; }
    std::string_view value() const { return put->change.record.value.text(); }
  };

  LogId log;
  bool deleted = false;              ///< somebody deletes it, sooner or later: nothing has to stay
  std::map<Offset, Record> records;  ///< by end
  Offset reached;                    ///< the greatest end that a record ever had, since there were none
  Offset marker;
  std::optional<CompactionRecord> compaction;

  /// Of a compaction record in `installing`; else null.
  const CompactionInstalling* installing() const;
  /// The record at a key as it is; null where there is none.
  const Record* Find(const IndexRecord& record) const;
  /// Step C4 of what is being installed takes it away: what replaces it is there, or was trimmed.
  bool IsRetired(const IndexRecord& record) const;
};

/// All logs at one place of a history, and the compacted objects that are there.
struct LogView {
  std::map<LogId, LogState> logs;
  std::set<std::string> objects;
  std::set<std::string> written;  ///< ever
  std::set<std::string> removed;  ///< ever
};

/// Who wants to be told while a history is gone through; each may be empty. What one of them says ends it.
struct LogWatch {
  std::function<Contradiction(const StoreEvent&, const LogState& before)> before;
  std::function<Contradiction(const StoreEvent&, const LogState& after)> after;
  std::function<Contradiction(const CompactedEvent&)> object;  ///< before it happens
};

/// Goes through all changes of logs' records and of compacted objects, each in its place; `view` is what is there.
Contradiction Replay(const Evidence& evidence, LogView& view, const LogWatch& watch);

/// The keys of a compacted file and its companion.
std::vector<std::string> ObjectsOf(LogId log, const std::string& file);
/// Of all files of a PARQUET record.
std::vector<std::string> ObjectsOf(LogId log, const IndexRecord& record);

/// Whether compaction or hard trims took a part in the run.
bool IsCompacted(const Evidence& evidence);

}  // namespace lakestream::sim
