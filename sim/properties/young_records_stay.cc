#include <fmt/format.h>

#include "sim/properties/log_view.h"

namespace lakestream::sim {
namespace {

/// Stored times are whole milliseconds.
constexpr Duration kRounding = std::chrono::milliseconds(1);

Contradiction Young(const StoreEvent& event, const LogState& log, const LogState::Record& raw, Duration settle_time) {
  const Duration age = event.at - raw.put->at;
  if (raw.parquet || age + kRounding >= settle_time) return std::nullopt;
  return fmt::format("log {}: the record of {} to {} was put at {} and is {} at {}, {} later", log.log.value(),
                     raw.start.value(), raw.end.value(), raw.put->place, event.change.removed ? "removed" : "replaced",
                     event.place, FormatDuration(age));
}

Contradiction Check(const Evidence& evidence) {
  if (evidence.settle_time == Duration(0) || !IsCompacted(evidence)) return std::nullopt;
  LogView view;
  LogWatch watch;
  watch.before = [&](const StoreEvent& event, const LogState& log) -> Contradiction {
    if (!event.of_log.index || log.deleted) return std::nullopt;
    const LogState::Record* stands = log.Find(*event.of_log.index);
    if (stands == nullptr) return std::nullopt;
    return Young(event, log, *stands, evidence.settle_time);
  };
  return Replay(evidence, view, watch);
}

const PropertyRegistration kRegistered(Property{
    "young_records_stay", "no record goes or changes that a writer may still look for because its answer was lost",
    Check, Needs::kStores});

}  // namespace
}  // namespace lakestream::sim
