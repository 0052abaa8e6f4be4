#include <fmt/format.h>

#include "sim/properties/log_view.h"

namespace lakestream::sim {
namespace {

/// A PARQUET record that was installed below the marker may go with a trim that had still read a RAW one there.
bool InstalledBelowTheMarker(const IndexRecord& record, const std::map<std::string, Offset>& markers,
                             const StoreEvent* put) {
  const auto marker = markers.find(put->change.record.key);
  return marker != markers.end() && record.end <= marker->second;
}

Contradiction Check(const Evidence& evidence) {
  if (!IsCompacted(evidence)) return std::nullopt;
  std::map<std::string, Offset> markers;  // by index key: at the put of its PARQUET record
  LogView view;
  LogWatch watch;
  watch.before = [&](const StoreEvent& event, const LogState& log) -> Contradiction {
    if (!event.of_log.index || log.deleted) return std::nullopt;
    const IndexRecord& changed = *event.of_log.index;
    if (!event.change.removed) {
      if (changed.parquet) markers.emplace(event.change.record.key, log.marker);
      return std::nullopt;
    }
    if (log.IsRetired(changed)) return std::nullopt;
    if (changed.end > log.marker || changed.end >= log.reached) {
      return fmt::format("log {}: the record that ends at {} is trimmed at {}; the marker is {}, the log ends at {}",
                         log.log.value(), changed.end.value(), event.place, log.marker.value(), log.reached.value());
    }
    const LogState::Record* stands = log.Find(changed);
    if (stands == nullptr || InstalledBelowTheMarker(changed, markers, stands->put)) return std::nullopt;
    for (const std::string& key : ObjectsOf(log.log, changed)) {
      if (view.removed.contains(key)) continue;
      return fmt::format("log {}: the record that ends at {} is trimmed at {}, before its file {}", log.log.value(),
                         changed.end.value(), event.place, key);
    }
    return std::nullopt;
  };
  return Replay(evidence, view, watch);
}

const PropertyRegistration kRegistered(Property{
    "hard_trim_keeps",
    "a hard trim keeps what ends above the marker, and the last record; files go before the records that name them",
    Check, Needs::kStores});

}  // namespace
}  // namespace lakestream::sim
