#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "sim/properties/log_view.h"

namespace lakestream::sim {
namespace {

/// Looks the offsets from the marker on up as a reader does: in the first record that ends above each.
Contradiction Resolve(const LogState& log, Offset from, Offset to, Place place) {
  Offset offset = std::max(from, log.marker);
  while (offset < to) {
    const auto found = log.records.upper_bound(offset);
    if (found == log.records.end() || found->second.start > offset) {
      return fmt::format("log {}: no record holds offset {} from {} on; the marker is {}, the log ends at {}",
                         log.log.value(), offset.value(), place, log.marker.value(), log.reached.value());
    }
    offset = found->first;
  }
  return std::nullopt;
}

/// What a DeleteRange has removed so far. It is one step: nobody sees the log in between.
class Removed {
 public:
  bool Continues(const StoreEvent& event) const {
    const bool index = event.of_log.index && event.change.removed;
    return open_ && index && event.of_log.log == log_ && event.place == last_ + 1;
  }
  void Add(const StoreEvent& event) {
    const IndexRecord& record = *event.of_log.index;
    start_ = open_ ? std::min(start_, record.start) : record.start;
    end_ = open_ ? std::max(end_, record.end) : record.end;
    log_ = event.of_log.log;
    last_ = event.place;
    open_ = true;
  }
  Contradiction Settle(const LogView& view) {
    return std::exchange(open_, false) ? Resolve(view.logs.at(log_), start_, end_, last_) : std::nullopt;
  }

 private:
  bool open_ = false;
  LogId log_;
  Place last_ = 0;
  Offset start_;
  Offset end_;
};

/// The offsets that are looked up in another record now.
Contradiction AfterPut(const StoreEvent& event, const LogState& log) {
  const IndexRecord& put = *event.of_log.index;
  const auto at = log.records.find(put.end);
  const Offset before = at == log.records.begin() ? Offset(0) : std::prev(at)->first;
  return Resolve(log, std::min(before, put.start), put.end, event.place);
}

/// Below the marker nobody reads, and files may be gone.
Contradiction FilesAreThere(const StoreEvent& event, const LogState& log, const LogView& view) {
  for (const std::string& key : ObjectsOf(log.log, *event.of_log.index)) {
    const bool hidden = event.of_log.index->end <= log.marker;
    if (hidden ? view.written.contains(key) : view.objects.contains(key)) continue;
    return fmt::format("log {}: the record that ends at {} is installed at {}, and {} is not there", log.log.value(),
                       event.of_log.index->end.value(), event.place, key);
  }
  return std::nullopt;
}

Contradiction Check(const Evidence& evidence) {
  if (!IsCompacted(evidence)) return std::nullopt;  // contiguity says as much
  Removed removed;
  std::map<std::string, std::pair<LogId, Offset>> names;  // and the end of the record that named each
  LogView view;
  LogWatch watch;
  watch.before = [&](const StoreEvent& event, const LogState&) -> Contradiction {
    return removed.Continues(event) ? std::nullopt : removed.Settle(view);
  };
  watch.after = [&](const StoreEvent& event, const LogState& log) -> Contradiction {
    if (!event.of_log.index || log.deleted) return std::nullopt;
    if (event.change.removed) {
      removed.Add(event);
      return std::nullopt;
    }
    if (Contradiction found = AfterPut(event, log)) return found;
    if (!event.of_log.index->parquet) return std::nullopt;
    for (std::string& key : ObjectsOf(log.log, *event.of_log.index)) {
      names[std::move(key)] = {log.log, event.of_log.index->end};
    }
    return FilesAreThere(event, log, view);
  };
  watch.object = [&](const CompactedEvent& event) -> Contradiction {
    const auto named = names.find(event.key);
    if (event.kind != CompactedEvent::Kind::kRemoved || named == names.end()) return std::nullopt;
    const LogState& log = view.logs.at(named->second.first);
    const Offset end = named->second.second;
    const auto record = log.records.find(end);
    if (end <= log.marker || record == log.records.end() || !record->second.parquet) return std::nullopt;
    return fmt::format("{} is removed at {}; the record of log {} that ends at {} names it", event.key, event.place,
                       log.log.value(), end.value());
  };
  Contradiction found = Replay(evidence, view, watch);
  return found ? found : removed.Settle(view);
}

const PropertyRegistration kRegistered(Property{
    "always_readable", "at any moment each offset from the marker on has its record, and each record its files (P12)",
    Check, Needs::kStores});

}  // namespace
}  // namespace lakestream::sim
