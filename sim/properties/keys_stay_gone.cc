#include <fmt/format.h>

#include "sim/properties/log_view.h"

namespace lakestream::sim {
namespace {

/// The specification lets a late Put of step C3 make a key again that nobody reads. Here C3 is on the version that was
/// read, so that it never does, also in a log that was deleted.
Contradiction Check(const Evidence& evidence) {
  if (!IsCompacted(evidence)) return std::nullopt;
  LogView view;
  LogWatch watch;
  watch.before = [](const StoreEvent& event, const LogState& log) -> Contradiction {
    if (!event.of_log.index || event.change.removed) return std::nullopt;
    const IndexRecord& put = *event.of_log.index;
    if (log.Find(put) != nullptr) return std::nullopt;
    const bool again = put.parquet || (!log.deleted && put.end <= log.reached);
    if (!again) return std::nullopt;
    return fmt::format("log {}: the {} record that ends at {} is made at {}, where none is any more; the log reaches to {}",
                       log.log.value(), put.parquet ? "PARQUET" : "RAW", put.end.value(), event.place,
                       log.reached.value());
  };
  return Replay(evidence, view, watch);
}

const PropertyRegistration kRegistered(Property{
    "keys_stay_gone", "no index key comes back that a trim, a compaction or a deletion has removed (P15)",
    Check, Needs::kStores});

}  // namespace
}  // namespace lakestream::sim
