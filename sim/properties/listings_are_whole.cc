#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "sim/properties/catalog_view.h"
#include "sim/properties/property.h"

namespace lakestream::sim {
namespace {

/// When a stream was active: from one place until before the other.
struct Active {
  Place from = 0;
  Place until = std::numeric_limits<Place>::max();
};

std::map<std::string, std::vector<Active>> ActiveTimes(const Evidence& evidence) {
  std::map<std::string, std::vector<Active>> times;
  std::map<std::string, Place> since;
  for (const StoreEvent& event : evidence.store) {
    const CatalogChange& named = event.catalog;
    if (named.kind != CatalogChange::Kind::kConfig) continue;
    const bool active = named.config && named.config->state == ProvisioningState::kActive;
    if (active) {
      since.emplace(named.stream, event.place);
    } else if (const auto begun = since.find(named.stream); begun != since.end()) {
      times[named.stream].push_back({begun->second, event.place});
      since.erase(begun);
    }
  }
  for (const auto& [stream, from] : since) times[stream].push_back({from});
  return times;
}

Contradiction Check(const Evidence& evidence) {
  const std::map<std::string, std::vector<Active>> times = ActiveTimes(evidence);
  for (const CatalogCall& call : evidence.catalog) {
    if (call.kind != CatalogCall::Kind::kList || !call.done()) continue;
    const std::set<std::string> listed(call.listed.begin(), call.listed.end());
    if (listed.size() != call.listed.size()) return fmt::format("{}: a stream is listed twice", ToString(call));
    for (const std::string& stream : listed) {
      const auto found = times.find(stream);
      const bool was = found != times.end() &&
                       std::any_of(found->second.begin(), found->second.end(), [&call](const Active& active) {
                         return active.from < *call.ended && active.until > call.began;
                       });
      if (!was) return fmt::format("{}: {} is listed as active, and was not meanwhile", ToString(call), stream);
    }
    for (const auto& [stream, all] : times) {
      const bool stayed = std::any_of(all.begin(), all.end(), [&call](const Active& active) {
        return active.from < call.began && active.until > *call.ended;
      });
      if (stayed && !listed.contains(stream)) {
        return fmt::format("{}: {} was active all the time, and is not listed", ToString(call), stream);
      }
    }
  }
  return std::nullopt;
}

const PropertyRegistration kRegistered(Property{
    "listings_are_whole", "a list has every stream that stays active meanwhile, once, and none that never is",
    Check, Needs::kStores});

}  // namespace
}  // namespace lakestream::sim
