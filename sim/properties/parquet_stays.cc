#include <fmt/format.h>

#include "sim/properties/log_view.h"

namespace lakestream::sim {
namespace {

Contradiction Before(const StoreEvent& event, const LogState& log) {
  if (!event.of_log.index || log.deleted) return std::nullopt;
  const IndexRecord& changed = *event.of_log.index;
  if (event.change.removed) {
    if (!changed.parquet || changed.end <= log.marker) return std::nullopt;
    return fmt::format("log {}: the PARQUET record that ends at {} is removed at {}; the marker is {}", log.log.value(),
                       changed.end.value(), event.place, log.marker.value());
  }
  const LogState::Record* stands = log.Find(changed);
  if (stands != nullptr && stands->parquet && stands->value() != event.change.record.value.text()) {
    return fmt::format("log {}: the PARQUET record that ends at {} is replaced at {}", log.log.value(),
                       changed.end.value(), event.place);
  }
  if (!changed.parquet || stands == nullptr || stands->parquet) return std::nullopt;
  for (auto at = log.records.upper_bound(changed.start); at != log.records.end() && at->first < changed.end; ++at) {
    if (!at->second.parquet) continue;
    return fmt::format("log {}: {} to {} is installed at {}, across the PARQUET record that ends at {}",
                       log.log.value(), changed.start.value(), changed.end.value(), event.place, at->first.value());
  }
  return std::nullopt;
}

Contradiction Check(const Evidence& evidence) {
  if (!IsCompacted(evidence)) return std::nullopt;
  LogView view;
  LogWatch watch;
  watch.before = Before;
  return Replay(evidence, view, watch);
}

const PropertyRegistration kRegistered(Property{
    "parquet_stays", "no compaction replaces or removes a PARQUET record; only trims and deletions remove one (P14)",
    Check, Needs::kStores});

}  // namespace
}  // namespace lakestream::sim
