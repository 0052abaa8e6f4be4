#include <fmt/format.h>

#include "sim/properties/catalog_view.h"
#include "sim/properties/property.h"

namespace lakestream::sim {
namespace {

using Kind = CatalogChange::Kind;

/// The stream whose log or partition is taken away by this; empty for anything else.
std::string Takes(const CatalogView& view, const StoreEvent& event) {
  const CatalogChange& named = event.catalog;
  const auto home = view.homes.find(named.log);
  if (named.kind == Kind::kRecord && event.change.removed) return named.stream;
  if (named.kind == Kind::kFence && !event.change.removed && home != view.homes.end()) return home->second.first;
  return std::string();
}

/// When partition records were written, configs came, and streams were dropped.
struct Places {
  std::map<CatalogView::PartitionOfStream, Place> written;
  std::map<std::string, Place> came;  ///< of the config that is there
  std::map<std::string, Place> dropped;

  void Note(const CatalogView& view, const CatalogChange& named, const StoreEvent& event) {
    if (named.kind == Kind::kRecord) written[{named.stream, named.partition}] = event.place;
    if (named.kind != Kind::kConfig) return;
    const auto config = view.configs.find(named.stream);
    if (config == view.configs.end()) {
      came.erase(named.stream);
      return;
    }
    came.emplace(named.stream, event.place);
    if (config->second.state == ProvisioningState::kDropped) dropped.emplace(named.stream, event.place);
  }
};

/// A partition of the stream that is there since before it was dropped; nothing where all of these are gone.
std::optional<std::int32_t> LeftBehind(const CatalogView& view, const Places& places, const std::string& stream) {
  const auto dropped = places.dropped.find(stream);
  for (const auto& [partition, log] : view.records) {
    if (partition.first != stream) continue;
    if (dropped == places.dropped.end() || places.written.at(partition) < dropped->second) return partition.second;
  }
  return std::nullopt;
}

/// A creation's put of the config landed behind the tombstone: that never becomes a stream. What takes its partitions
/// did not know of it: a sweep that had looked before, or a call of the drop that was late itself.
bool CameTooLate(const CatalogView& view, const Places& places, const std::string& stream) {
  const auto tombstone = view.tombstones.find(stream);
  return tombstone != view.tombstones.end() && places.came.at(stream) > tombstone->second &&
         view.configs.at(stream).state == ProvisioningState::kProvisioning;
}

Contradiction Check(const Evidence& evidence) {
  CatalogView view;
  Places places;
  for (const StoreEvent& event : evidence.store) {
    const std::string taken = Takes(view, event);
    const auto config = view.configs.find(taken);
    const bool standing = config != view.configs.end() && config->second.state != ProvisioningState::kDropped;
    if (!taken.empty() && standing && !CameTooLate(view, places, taken)) {
      return fmt::format("{} is written or removed at {}, and {} is not dropped", event.change.record.key, event.place,
                         taken);
    }
    const CatalogChange& named = event.catalog;
    if (named.kind == Kind::kConfig && event.change.removed) {
      const std::optional<std::int32_t> left = LeftBehind(view, places, named.stream);
      if (left) {
        return fmt::format("the config of {} is removed at {} before partition {}", named.stream, event.place, *left);
      }
    }
    view.Apply(event);
    places.Note(view, named, event);
  }
  return std::nullopt;
}

const PropertyRegistration kRegistered(Property{
    "dropped_before_deleted", "a stream is dropped before its logs go, and its config goes after them",
    Check, Needs::kStores});

}  // namespace
}  // namespace lakestream::sim
