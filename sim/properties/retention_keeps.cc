#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "sim/properties/log_view.h"

namespace lakestream::sim {
namespace {

/// An entry as retention knows it.
struct Kept {
  Offset end;
  std::int64_t cumulative_size = 0;  ///< up to its end
  std::int64_t created_ms = 0;
};
using Entries = std::map<Offset, Kept>;  ///< by start

/// The entries of a RAW record.
void AddEntries(const Evidence& evidence, const IndexRecord& record, LogId log, Entries& all) {
  const auto object = evidence.wal_entries.find(record.object);
  if (object == evidence.wal_entries.end()) return;
  const auto section = object->second.entries.find(log);
  if (section == object->second.entries.end()) return;
  Offset at = record.start;
  std::int64_t sum = record.cumulative_size - record.size;
  for (const SeenEntry& entry : section->second) {
    const Offset end = at + entry.records;
    sum += entry.size;
    all[at] = Kept{end, sum, record.created_ms};
    at = end;
  }
}

class Judge {
 public:
  explicit Judge(const model::RetentionRules& rules) : rules_(rules) {}

  void See(const StoreEvent& event) {
    if (event.change.record.created_ms >= store_ms_ + Since(event.at)) {
      store_ms_ = event.change.record.created_ms;
      told_ = event.at;
    }
  }

  /// An entry of a log that ends where `last` says.
  bool MayGo(const Kept& entry, const Kept& last, MonotonicTime at) const {
    if (rules_.bytes && last.cumulative_size - entry.cumulative_size >= *rules_.bytes) return true;
    if (rules_.records && last.end - entry.end >= *rules_.records) return true;
    return rules_.ms && store_ms_ + Since(at) - entry.created_ms >= *rules_.ms;
  }

 private:
  std::int64_t Since(MonotonicTime at) const { return ToMillis(at - told_) + 1; }

  const model::RetentionRules rules_;
  std::int64_t store_ms_ = 0;  ///< the latest time that the store gave
  MonotonicTime told_{};       ///< and when
};

Contradiction Check(const Evidence& evidence) {
  if (!evidence.retention.any()) return std::nullopt;
  Judge judge(evidence.retention);
  std::map<LogId, Entries> entries;
  LogView view;
  LogWatch watch;
  watch.before = [&](const StoreEvent& event, const LogState& log) -> Contradiction {
    Entries& of_log = entries[log.log];
    if (!event.change.removed && event.of_log.marker && !of_log.empty()) {
      const Kept& last = of_log.rbegin()->second;
      const auto first_kept = of_log.lower_bound(*event.of_log.marker);
      for (auto entry = of_log.lower_bound(log.marker); entry != first_kept; ++entry) {
        if (judge.MayGo(entry->second, last, event.at)) continue;
        return fmt::format("log {}: the marker goes from {} to {} at {}; the entry at {} is to be kept", log.log.value(),
                           log.marker.value(), event.of_log.marker->value(), event.place, entry->first.value());
      }
    }
    return std::nullopt;
  };
  watch.after = [&](const StoreEvent& event, const LogState& log) -> Contradiction {
    judge.See(event);
    if (event.change.removed || !event.of_log.index || event.of_log.index->parquet) return std::nullopt;
    AddEntries(evidence, *event.of_log.index, log.log, entries[log.log]);
    return std::nullopt;
  };
  return Replay(evidence, view, watch);
}

const PropertyRegistration kRegistered(Property{
    "retention_keeps", "retention lets no entry go that is to be kept", Check, Needs::kStores});

}  // namespace
}  // namespace lakestream::sim
