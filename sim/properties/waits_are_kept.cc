#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include "format/collection_records.h"
#include "runtime/sim/sim_runtime.h"
#include "sim/properties/name_view.h"
#include "sim/properties/property.h"

namespace lakestream::sim {
namespace {

/// Stored times are whole milliseconds.
constexpr Duration kRounding = std::chrono::milliseconds(4);

class Walk {
 public:
  explicit Walk(const Evidence& evidence) : evidence_(evidence) {}

  Contradiction Run() {
    std::size_t asked = 0;
    const auto until = [&](Place place) -> Contradiction {
      for (; asked < evidence_.collected.size() && evidence_.collected[asked].place < place; ++asked) {
        if (Contradiction found = Asked(evidence_.collected[asked])) return found;
      }
      return std::nullopt;
    };
    for (const StoreEvent& event : evidence_.store) {
      if (Contradiction found = until(event.place)) return found;
      view_.Apply(event);
      Take(event);
    }
    return until(std::numeric_limits<Place>::max());
  }

 private:
  void Take(const StoreEvent& event) {
    const std::string& key = event.change.record.key;
    // Written again before each batch of deletions, and given up by others after a grace; numbers do not come again.
    if (NumberOfCollectionPassKey(key) && !event.change.removed) began_.emplace(key, event.at);
    if (NumberOfCollectionResultKey(key) && !event.change.removed) ended_.push_back(EndOf(event));
  }

  /// When a pass had seen everything. It says so itself, by the clock that its machine's processes share: its record may come
  /// later. One that claims too early an end has found what was named or young then.
  static MonotonicTime EndOf(const StoreEvent& event) {
    const MetadataRecord& record = event.change.record;
    const auto result = DecodeCollectionResult(record.value.text(), record.key);
    if (!result.ok() || !result->boot) return event.at;
    const BootTime boot{std::chrono::milliseconds(result->boot->ms)};
    return std::min(event.at, MonotonicTime(boot.time_since_epoch() - kSimBootAhead));
  }

  /// Those before the place. A PUT that is applied late writes an object again, also one that was collected. A name is no
  /// younger for that: whoever asked for it gave it up long ago.
  void SeeObjects(Place place) {
    for (; seen_ < evidence_.objects.size() && evidence_.objects[seen_].place < place; ++seen_) {
      const ObjectEvent& event = evidence_.objects[seen_];
      if (!event.removed) written_.emplace(event.object, event.at);
    }
  }

  /// The pass that deletes it, and the one before.
  Contradiction Asked(const CollectedEvent& event) {
    SeeObjects(event.place);
    const auto began = began_.find(event.pass_key);
    if (began == began_.end()) {
      return fmt::format("{} is collected by {} at {}, in no pass", event.object, event.process, event.place);
    }
    const Duration grace = evidence_.times.grace;
    MonotonicTime eligible = MonotonicTime::min();
    if (const auto written = written_.find(event.object); written != written_.end()) eligible = written->second + grace;
    if (const std::optional<MonotonicTime> since = view_.NamelessSince(event.object)) {
      eligible = std::max(eligible, *since);
    }
    const bool waited = std::any_of(ended_.begin(), ended_.end(), [&](MonotonicTime ended) {
      return ended + kRounding >= eligible && began->second - ended + kRounding > grace;
    });
    if (waited) return std::nullopt;
    return fmt::format("{} is collected by {} at {}, in {}; no pass that ended longer than {} before that one began found it "
                       "old and unnamed",
                       event.object, event.process, event.place, event.pass_key, FormatDuration(grace));
  }

  const Evidence& evidence_;
  NameView view_;
  std::size_t seen_ = 0;  ///< of the objects' events
  std::map<std::string, MonotonicTime> written_;  ///< first
  std::map<std::string, MonotonicTime> began_;  ///< passes, by their keys
  std::vector<MonotonicTime> ended_;            ///< complete ones
};

Contradiction Check(const Evidence& evidence) { return Walk(evidence).Run(); }

const PropertyRegistration kRegistered(Property{
    "waits_are_kept",
    "what is collected was older than the grace and unnamed in an earlier complete pass, and waited for the grace (P17)",
    Check, Needs::kStores});

}  // namespace
}  // namespace lakestream::sim
