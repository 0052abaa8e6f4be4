#include <fmt/format.h>

#include <algorithm>
#include <compare>

#include "sim/properties/catalog_view.h"
#include "sim/properties/property.h"

namespace lakestream::sim {
namespace {

using Kind = CatalogChange::Kind;

/// What of a stream can be there besides tombstones and fences.
struct Rest {
  Kind kind = Kind::kConfig;
  std::int64_t number = 0;  ///< mapping, record: the partition; registration, index: the log

  auto operator<=>(const Rest&) const = default;
};

std::string ToString(const Rest& rest) {
  switch (rest.kind) {
    case Kind::kMapping: return fmt::format("mapping {}", rest.number);
    case Kind::kRecord: return fmt::format("partition {}", rest.number);
    case Kind::kRegistration: return fmt::format("registration {}", rest.number);
    case Kind::kIndex: return fmt::format("records of log {}", rest.number);
    default: return "its config";
  }
}

bool Stands(const CatalogView& view, const std::string& stream, const Rest& rest) {
  const CatalogView::PartitionOfStream partition(stream, static_cast<std::int32_t>(rest.number));
  const LogId log(rest.number);
  switch (rest.kind) {
    case Kind::kMapping: {
      const auto mapping = view.mappings.find(partition);
      return mapping != view.mappings.end() && !mapping->second.tombstone;
    }
    case Kind::kRecord: return view.records.contains(partition);
    case Kind::kRegistration: return view.registrations.contains(log);
    case Kind::kIndex: {
      const auto records = view.index.find(log);
      return records != view.index.end() && !records->second.empty();
    }
    default: return view.configs.contains(stream);
  }
}

/// What is left of the streams at one place of a history.
class Leftovers {
 public:
  explicit Leftovers(const Evidence& evidence) {
    for (const std::string& key : evidence.lost_records) {
      const CatalogChange named = CatalogChange::OfKey(key);
      if (named.kind == Kind::kMapping) lost_.insert({named.stream, named.partition});
    }
  }

  const CatalogView& view() const { return view_; }

  void Apply(const StoreEvent& event) {
    view_.Apply(event);
    const CatalogChange& named = event.catalog;
    if (named.kind == Kind::kConfig) NoteConfig(named.stream, event.place);
    // Only so does something end: it is removed, or its mapping becomes a tombstone.
    if (!event.change.removed && named.kind != Kind::kMapping) return;
    const auto home = view_.homes.find(named.log);
    const bool of_log = named.stream.empty() && home != view_.homes.end();
    const auto standing = standing_.find(of_log ? home->second.first : named.stream);
    if (standing == standing_.end()) return;
    std::erase_if(standing->second.rest, [&](const Rest& rest) { return !Stands(view_, standing->first, rest); });
  }

  /// All that is there of a stream.
  std::set<Rest> Of(const std::string& stream) const {
    std::set<Rest> all;
    const auto add = [&](Kind kind, std::int64_t number) {
      const Rest rest{kind, number};
      if (Stands(view_, stream, rest)) all.insert(rest);
    };
    add(Kind::kConfig, 0);
    for (const auto& [partition, mapping] : view_.mappings) {
      if (partition.first == stream) add(Kind::kMapping, partition.second);
    }
    for (const auto& [partition, log] : view_.records) {
      if (partition.first == stream) add(Kind::kRecord, partition.second);
    }
    for (const auto& [log, home] : view_.homes) {
      // A log whose mapping was taken away before its partition was there is found by nobody.
      if (home.first != stream || lost_.contains(home)) continue;
      add(Kind::kRegistration, log.value());
      add(Kind::kIndex, log.value());
    }
    return all;
  }

  /// What a drop that is answered well now has left. It looks for the config behind the tombstone, and sees one that came
  /// before, or that it has gone. Whatever stood when that became DROPPED was there to be found; what a slow call makes
  /// again after that is for a sweep to find.
  std::optional<Rest> After(const CatalogCall& drop) const {
    const auto tombstone = view_.tombstones.find(drop.stream);
    const Place looked = tombstone == view_.tombstones.end() ? drop.began : std::max(drop.began, tombstone->second);
    const auto standing = standing_.find(drop.stream);
    const bool left = standing != standing_.end() && standing->second.came < looked && !standing->second.rest.empty();
    if (left) return *standing->second.rest.begin();
    const auto config = configs_.find(drop.stream);
    if (config != configs_.end() && config->second < looked) return Rest();
    return std::nullopt;
  }

 private:
  void NoteConfig(const std::string& stream, Place place) {
    const auto config = view_.configs.find(stream);
    const bool gone = config == view_.configs.end();
    const Place came = configs_.emplace(stream, place).first->second;
    if (gone) configs_.erase(stream);
    // A config that goes without a state DROPPED says as much.
    if (!gone && config->second.state != ProvisioningState::kDropped) return;
    if (!standing_.contains(stream)) standing_.emplace(stream, Standing{came, Of(stream)});
  }

  /// What stands of a stream ever since its config became DROPPED, or went.
  struct Standing {
    Place came = 0;  ///< the config
    std::set<Rest> rest;
  };

  std::set<CatalogView::PartitionOfStream> lost_;  ///< whose mapping was taken away
  CatalogView view_;
  std::map<std::string, Place> configs_;            ///< since when each is there
  std::map<std::string, Standing> standing_;
};

Contradiction Check(const Evidence& evidence) {
  if (evidence.catalog.empty()) return std::nullopt;
  std::vector<const CatalogCall*> drops;
  for (const CatalogCall& call : evidence.catalog) {
    if (call.kind == CatalogCall::Kind::kDrop && call.done()) drops.push_back(&call);
  }
  std::sort(drops.begin(), drops.end(),
            [](const CatalogCall* a, const CatalogCall* b) { return *a->ended < *b->ended; });
  Leftovers left(evidence);
  auto event = evidence.store.begin();
  for (const CatalogCall* drop : drops) {
    for (; event != evidence.store.end() && event->place < *drop->ended; ++event) left.Apply(*event);
    if (const std::optional<Rest> rest = left.After(*drop)) {
      return fmt::format("{}; there is still {}", ToString(*drop), ToString(*rest));
    }
  }
  for (; event != evidence.store.end(); ++event) left.Apply(*event);
  // At the end nothing at all, whatever came late.
  for (const auto& [stream, place] : left.view().tombstones) {
    const std::set<Rest> rest = left.Of(stream);
    if (rest.empty()) continue;
    return fmt::format("{} was dropped at {}; at the end there is still {}", stream, place, ToString(*rest.begin()));
  }
  return std::nullopt;
}

const PropertyRegistration kRegistered(
    Property{"drop_leaves_nothing", "a drop that was answered well leaves tombstones and fences",
    Check, Needs::kStores});

}  // namespace
}  // namespace lakestream::sim
