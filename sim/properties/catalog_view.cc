#include "sim/properties/catalog_view.h"

namespace lakestream::sim {

using Kind = CatalogChange::Kind;

void CatalogView::Apply(const StoreEvent& event) {
  const CatalogChange& change = event.catalog;
  const PartitionOfStream partition(change.stream, change.partition);
  switch (change.kind) {
    case Kind::kConfig:
      configs.erase(change.stream);
      if (change.config) configs.emplace(change.stream, *change.config);
      break;
    case Kind::kTombstone:
      if (!event.change.removed) tombstones.emplace(change.stream, event.place);
      break;
    case Kind::kMapping:
      mappings.erase(partition);
      if (!change.mapping) break;
      mappings.emplace(partition, *change.mapping);
      homes.emplace(change.mapping->log, partition);
      break;
    case Kind::kRecord:
      records.erase(partition);
      if (!change.record || !change.record->log) break;
      records.emplace(partition, *change.record->log);
      homes.emplace(*change.record->log, partition);
      break;
    default: ApplyLog(event);
  }
}

void CatalogView::ApplyLog(const StoreEvent& event) {
  const CatalogChange& change = event.catalog;
  const bool removed = event.change.removed;
  const auto note = [&](std::map<LogId, std::set<std::string>>& keys) {
    if (removed) {
      keys[change.log].erase(event.change.record.key);
    } else {
      keys[change.log].insert(event.change.record.key);
    }
  };
  // A lease that comes behind a fence is given up without use.
  if (change.kind == Kind::kLease && (removed || !fences.contains(change.log))) note(leases);
  if (change.kind == Kind::kIndex) note(index);
  if (change.kind == Kind::kFence) {
    if (removed) {
      fences.erase(change.log);
    } else {
      fences.insert(change.log);
    }
  }
  if (change.kind == Kind::kRegistration) {
    registrations.erase(change.log);
    if (change.registration) registrations.emplace(change.log, change.registration->key.value_or(""));
  }
}

}  // namespace lakestream::sim
