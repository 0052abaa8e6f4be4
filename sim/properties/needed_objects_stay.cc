#include <fmt/format.h>

#include <limits>
#include <set>

#include "sim/properties/name_view.h"
#include "sim/properties/property.h"

namespace lakestream::sim {
namespace {

/// Stored times are whole milliseconds.
constexpr Duration kRounding = std::chrono::milliseconds(2);

class Walk {
 public:
  explicit Walk(const Evidence& evidence) : evidence_(evidence) {}

  Contradiction Run() {
    for (const StoreEvent& event : evidence_.store) {
      if (Contradiction found = Until(event.place)) return found;
      view_.Apply(event);
      if (Contradiction found = NamedAgain(event)) return found;
    }
    return Until(std::numeric_limits<Place>::max());
  }

 private:
  /// Deletions that were asked for. What is unnamed then and never named again is so when it goes, too.
  Contradiction Until(Place place) {
    for (; asked_ < evidence_.collected.size() && evidence_.collected[asked_].place < place; ++asked_) {
      if (Contradiction found = Asked(evidence_.collected[asked_])) return found;
    }
    return std::nullopt;
  }

  Contradiction Asked(const CollectedEvent& event) {
    collected_.insert(event.object);
    if (const std::string* record = view_.NamedBy(event.object)) {
      return fmt::format("{} is collected by {} at {}; {} names it", event.object, event.process, event.place, *record);
    }
    const std::optional<MonotonicTime> since = view_.NamelessSince(event.object);
    if (!since || event.at - *since + kRounding > evidence_.times.grace) return std::nullopt;
    return fmt::format("{} is collected by {} at {}, {} after its last index record went; readers have {}", event.object,
                       event.process, event.place, FormatDuration(event.at - *since),
                       FormatDuration(evidence_.times.grace));
  }

  /// What a writer or a compactor had under way all the time.
  Contradiction NamedAgain(const StoreEvent& event) {
    if (event.change.removed) return std::nullopt;
    for (const std::string& object : NameView::NamedIn(event.of_log)) {
      if (!collected_.contains(object)) continue;
      return fmt::format("{} names {} at {}, which was collected", event.change.record.key, object, event.place);
    }
    return std::nullopt;
  }

  const Evidence& evidence_;
  NameView view_;
  std::set<std::string> collected_;
  std::size_t asked_ = 0;
};

Contradiction Check(const Evidence& evidence) { return Walk(evidence).Run(); }

const PropertyRegistration kRegistered(Property{
    "needed_objects_stay",
    "nothing is collected that a record names or will name, or that readers may still have found in one (P17)", Check,
    Needs::kStores});

}  // namespace
}  // namespace lakestream::sim
