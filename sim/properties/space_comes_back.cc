#include <fmt/format.h>

#include <set>

#include "sim/properties/name_view.h"
#include "sim/properties/property.h"

namespace lakestream::sim {
namespace {

constexpr std::string_view kRecordsOfPasses = "/lakestream/gc/";
/// The last pass, and its result.
constexpr std::size_t kMostRecords = 2;

Contradiction Check(const Evidence& evidence) {
  if (!evidence.all_collected) return std::nullopt;
  NameView view;
  std::set<std::string> records;
  for (const StoreEvent& event : evidence.store) {
    view.Apply(event);
    const std::string& key = event.change.record.key;
    if (!key.starts_with(kRecordsOfPasses)) continue;
    if (event.change.removed) records.erase(key);
    else records.insert(key);
  }
  for (const std::string& object : evidence.final_objects) {
    if (evidence.foreign.contains(object) || view.NamedBy(object) != nullptr) continue;
    return fmt::format("{} is there at the end, and nothing names it", object);
  }
  if (records.size() <= kMostRecords) return std::nullopt;
  return fmt::format("passes have left {} records, among them {}", records.size(), *records.begin());
}

const PropertyRegistration kRegistered(Property{
    "space_comes_back", "in the end no object is there that nothing names, and passes leave nothing behind (P18, P36)",
    Check, Needs::kStores});

}  // namespace
}  // namespace lakestream::sim
