#include <fmt/format.h>

#include "sim/properties/catalog_view.h"
#include "sim/properties/property.h"

namespace lakestream::sim {
namespace {

constexpr std::string_view kTopicMark = "-topic-id-";

Contradiction TwoOfOneTopic(const Evidence& evidence) {
  CatalogView view;
  for (const StoreEvent& event : evidence.store) {
    view.Apply(event);
    const CatalogChange& named = event.catalog;
    const std::size_t mark = named.stream.rfind(kTopicMark);
    if (named.kind != CatalogChange::Kind::kConfig || mark == std::string::npos) continue;
    const auto config = view.configs.find(named.stream);
    if (config == view.configs.end() || config->second.state != ProvisioningState::kActive) continue;
    const std::string topic = named.stream.substr(0, mark);
    for (const auto& [stream, other] : view.configs) {
      if (stream == named.stream || stream.rfind(kTopicMark) != mark || !stream.starts_with(topic)) continue;
      if (other.state != ProvisioningState::kActive || view.tombstones.contains(stream)) continue;
      return fmt::format("at {} {} is made, and {} is there", event.place, named.stream, stream);
    }
  }
  return std::nullopt;
}

/// Two creations of one name that were both answered well made one stream.
Contradiction TwoCreated(const Evidence& evidence) {
  std::map<std::string, const CatalogCall*> made;
  for (const CatalogCall& call : evidence.catalog) {
    if (call.kind != CatalogCall::Kind::kCreate || !call.done()) continue;
    const auto [first, fresh] = made.emplace(call.stream, &call);
    if (!fresh && first->second->logs != call.logs) return ToString(*first->second) + "; " + ToString(call);
  }
  return std::nullopt;
}

Contradiction Check(const Evidence& evidence) {
  Contradiction topics = TwoOfOneTopic(evidence);
  return topics ? topics : TwoCreated(evidence);
}

const PropertyRegistration kRegistered(
    Property{"one_stream_of_a_name", "at any time one stream at most has a name", Check, Needs::kStores});

}  // namespace
}  // namespace lakestream::sim
