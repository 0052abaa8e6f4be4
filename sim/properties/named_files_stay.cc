#include <fmt/format.h>

#include <algorithm>

#include "sim/properties/log_view.h"

namespace lakestream::sim {
namespace {

CompactionRange RangeOf(const CompactionRecord& record) {
  if (const auto* working = std::get_if<CompactionWorking>(&record.state)) return working->range;
  if (const auto* installing = std::get_if<CompactionInstalling>(&record.state)) return installing->range;
  return CompactionRange();
}

/// Whether the log's compaction record names the object now.
bool Names(const LogState& log, const std::string& key) {
  if (!log.compaction) return false;
  const std::vector<std::string> files = FilesOf(*log.compaction);
  return std::any_of(files.begin(), files.end(), [&](const std::string& file) {
    const std::vector<std::string> keys = ObjectsOf(log.log, file);
    return std::find(keys.begin(), keys.end(), key) != keys.end();
  });
}

Contradiction Check(const Evidence& evidence) {
  if (!IsCompacted(evidence)) return std::nullopt;
  std::map<std::string, LogId> named;  // ever, and whose compaction record did
  LogView view;
  LogWatch watch;
  watch.after = [&](const StoreEvent& event, const LogState& log) -> Contradiction {
    if (!event.of_log.compaction) return std::nullopt;
    for (const std::string& file : FilesOf(*event.of_log.compaction)) {
      for (std::string& key : ObjectsOf(log.log, file)) named.emplace(std::move(key), log.log);
    }
    return std::nullopt;
  };
  watch.object = [&](const CompactedEvent& event) -> Contradiction {
    const auto by = named.find(event.key);
    if (by == named.end()) {
      return fmt::format("{} is uploaded at {}, and no compaction record has named it", event.key, event.place);
    }
    if (event.kind != CompactedEvent::Kind::kRemoved) return std::nullopt;
    const LogState& log = view.logs.at(by->second);
    if (log.deleted || !Names(log, event.key) || RangeOf(*log.compaction).end <= log.marker) return std::nullopt;
    return fmt::format("{} is removed at {}; the compaction record of log {} names it", event.key, event.place,
                       log.log.value());
  };
  return Replay(evidence, view, watch);
}

const PropertyRegistration kRegistered(Property{
    "named_files_stay",
    "a compaction record names files before they are uploaded, and as long as it does they are no garbage",
    Check, Needs::kStores});

}  // namespace
}  // namespace lakestream::sim
