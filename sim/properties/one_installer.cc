#include <fmt/format.h>

#include "sim/properties/log_view.h"

namespace lakestream::sim {
namespace {

std::string StateOf(const LogState& log) {
  return log.compaction ? std::string(CompactionStateName(*log.compaction)) : "absent";
}

/// Steps C3 and C4 belong to the one installation that the log's compaction record names.
Contradiction IndexChange(const StoreEvent& event, const LogState& log) {
  const IndexRecord& changed = *event.of_log.index;
  const CompactionInstalling* now = log.installing();
  if (!event.change.removed && changed.parquet) {
    if (now != nullptr && now->key.Encode() == event.change.record.key &&
        now->value == event.change.record.value.text()) {
      return std::nullopt;
    }
    return fmt::format("log {}: {} to {} is installed at {}, and the compaction record is {}", log.log.value(),
                       changed.start.value(), changed.end.value(), event.place,
                       now == nullptr ? StateOf(log) : "that of another installation");
  }
  // Below the marker a hard trim removes what it likes.
  if (!event.change.removed || changed.end <= log.marker || log.IsRetired(changed)) return std::nullopt;
  return fmt::format("log {}: the record that ends at {} is removed at {}, above the marker {}, and {}", log.log.value(),
                     changed.end.value(), event.place, log.marker.value(),
                     now == nullptr ? "nothing is being installed" : "what is being installed does not replace it, or not yet");
}

/// Who leaves `installing` behind has done C3 and C4.
Contradiction Finished(const StoreEvent& event, const LogState& log) {
  const CompactionInstalling* before = log.installing();
  const std::optional<CompactionRecord>& after = event.of_log.compaction;
  if (before == nullptr || (after && std::holds_alternative<CompactionInstalling>(after->state))) return std::nullopt;
  const auto last = log.records.find(before->range.end);
  if (last != log.records.end() && last->second.value() != before->value) {
    return fmt::format("log {}: {} to {} is left at {}, and not installed", log.log.value(),
                       before->range.start.value(), before->range.end.value(), event.place);
  }
  const auto rest = log.records.upper_bound(before->range.start);
  if (rest == log.records.end() || rest->first >= before->range.end) return std::nullopt;
  return fmt::format("log {}: {} to {} is left at {}, and the record that ends at {} is still there", log.log.value(),
                     before->range.start.value(), before->range.end.value(), event.place, rest->first.value());
}

Contradiction Check(const Evidence& evidence) {
  if (!IsCompacted(evidence)) return std::nullopt;
  LogView view;
  LogWatch watch;
  watch.before = [](const StoreEvent& event, const LogState& log) -> Contradiction {
    if (log.deleted) return std::nullopt;
    if (event.of_log.index) return IndexChange(event, log);
    return event.of_log.kind == LogChange::Kind::kCompaction ? Finished(event, log) : std::nullopt;
  };
  return Replay(evidence, view, watch);
}

const PropertyRegistration kRegistered(Property{
    "one_installer", "from C3 to C4 of an installation nothing else is installed, and none is left half done (P15)",
    Check, Needs::kStores});

}  // namespace
}  // namespace lakestream::sim
