#include <fmt/format.h>

#include <map>

#include "format/log_isolation.h"
#include "sim/properties/property.h"

namespace lakestream::sim {
namespace {

/// While a log was isolated.
struct Isolation {
  MonotonicTime from;
  MonotonicTime to = MonotonicTime::max();
};

std::map<LogId, std::vector<Isolation>> Isolations(const Evidence& evidence) {
  std::map<LogId, std::vector<Isolation>> isolations;
  for (const StoreEvent& event : evidence.store) {
    const std::optional<LogId> log = LogOfIsolationKey(event.change.record.key);
    if (!log) continue;
    if (event.change.removed) {
      isolations[*log].back().to = event.at;
    } else {
      isolations[*log].push_back(Isolation{event.at});
    }
  }
  return isolations;
}

Contradiction Check(const Evidence& evidence) {
  const std::map<LogId, std::vector<Isolation>> isolations = Isolations(evidence);
  if (isolations.empty()) return std::nullopt;
  std::map<std::string, std::set<LogId>> logs_of;
  for (const IndexPut& put : RawPuts(evidence)) logs_of[put.object].insert(put.log);
  for (const PutEvent& object : evidence.puts) {
    const auto logs = logs_of.find(object.name);
    if (logs == logs_of.end() || logs->second.size() < 2) continue;
    for (const LogId log : logs->second) {
      const auto of_log = isolations.find(log);
      if (of_log == isolations.end()) continue;
      for (const Isolation& isolation : of_log->second) {
        if (object.at <= isolation.from + evidence.isolation_seen_within || object.at >= isolation.to) continue;
        if (HadTrouble(evidence, object.process, isolation.from - kLongestTrouble, object.at)) continue;
        return fmt::format("log {} is isolated; {} later {} puts {}, which it shares with another one, at {}", log.value(),
                           FormatDuration(object.at - isolation.from), object.process, object.name, object.place);
      }
    }
  }
  return std::nullopt;
}

const PropertyRegistration kRegistered(
    Property{"isolated_share_nothing", "writers put an isolated log's entries into objects of their own",
             Check, Needs::kStores});

}  // namespace
}  // namespace lakestream::sim
