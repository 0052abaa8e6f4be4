#include "sim/properties/property.h"

#include <fmt/format.h>

#include <algorithm>

namespace lakestream::sim {
namespace {

std::vector<Property>& Registered() {
  static std::vector<Property> properties;
  return properties;
}

}  // namespace

PropertyRegistration::PropertyRegistration(Property property) { Registered().push_back(property); }

const std::vector<Property>& AllProperties() {
  std::vector<Property>& properties = Registered();
  std::sort(properties.begin(), properties.end(),
            [](const Property& a, const Property& b) { return std::string_view(a.name) < b.name; });
  return properties;
}

const Property* FindProperty(std::string_view name) {
  for (const Property& property : AllProperties()) {
    if (name == property.name) return &property;
  }
  return nullptr;
}

void ShownOffsets::Add(LogId log, Place place, Offset offset, const Operation* by) {
  by_log_[log].push_back({place, offset, by});
}

void ShownOffsets::Finish() {
  for (auto& [log, shown] : by_log_) {
    std::sort(shown.begin(), shown.end(), [](const Shown& a, const Shown& b) { return a.place < b.place; });
    for (std::size_t i = 1; i < shown.size(); ++i) {
      if (shown[i - 1].offset <= shown[i].offset) continue;
      shown[i].offset = shown[i - 1].offset;
      shown[i].by = shown[i - 1].by;
    }
  }
}

const ShownOffsets::Shown* ShownOffsets::GreatestBefore(LogId log, Place place) const {
  const auto found = by_log_.find(log);
  if (found == by_log_.end()) return nullptr;
  const auto after = std::lower_bound(found->second.begin(), found->second.end(), place,
                                      [](const Shown& shown, Place p) { return shown.place < p; });
  return after == found->second.begin() ? nullptr : &*std::prev(after);
}

bool IsDeleted(const Evidence& evidence, LogId log) {
  return std::any_of(evidence.deletions.begin(), evidence.deletions.end(),
                     [log](const Deletion& deletion) { return deletion.log == log; });
}

std::vector<Sighting> AllSightings(const Evidence& evidence) {
  std::vector<Sighting> all;
  for (const Operation& operation : evidence.operations) {
    if (!operation.done()) continue;
    if (operation.acknowledged) all.push_back({operation.log, &*operation.acknowledged, &operation, nullptr});
    for (const SeenEntry& entry : operation.entries) all.push_back({operation.log, &entry, &operation, nullptr});
  }
  for (const auto& [log, final] : evidence.final) {
    for (const FinalRecord& record : final.records) {
      for (const SeenEntry& entry : record.entries) all.push_back({log, &entry, nullptr, &record});
    }
  }
  return all;
}

std::string Where(const Sighting& sighting) {
  if (sighting.by != nullptr) return ToString(*sighting.by);
  return fmt::format("log {} at the end, record ending at {}", sighting.log.value(), sighting.in->end.value());
}

std::map<AppendNumber, const Operation*> AppendsByNumber(const Evidence& evidence) {
  std::map<AppendNumber, const Operation*> appends;
  for (const Operation& operation : evidence.operations) {
    if (operation.kind == Operation::Kind::kAppend) appends.emplace(operation.number, &operation);
  }
  return appends;
}

std::vector<IndexPut> IndexPuts(const Evidence& evidence) {
  std::vector<IndexPut> puts;
  for (const StoreEvent& event : evidence.store) {
    if (event.change.removed || !event.of_log.index) continue;
    IndexPut put;
    static_cast<IndexRecord&>(put) = *event.of_log.index;
    put.place = event.place;
    put.at = event.at;
    put.log = event.of_log.log;
    puts.push_back(std::move(put));
  }
  return puts;
}

std::vector<IndexPut> RawPuts(const Evidence& evidence) {
  std::vector<IndexPut> puts = IndexPuts(evidence);
  std::erase_if(puts, [](const IndexPut& put) { return put.parquet; });
  return puts;
}

const PutEvent* PutOf(const Evidence& evidence, const std::string& object) {
  for (const PutEvent& put : evidence.puts) {
    if (put.name == object) return &put;
  }
  return nullptr;
}

bool HadTrouble(const Evidence& evidence, const std::string& process, MonotonicTime from, MonotonicTime to) {
  return std::any_of(evidence.happenings.begin(), evidence.happenings.end(), [&](const Happening& happening) {
    return happening.process == process && happening.at >= from && happening.at <= to;
  });
}

std::vector<MarkerPut> MarkerPuts(const Evidence& evidence) {
  std::vector<MarkerPut> puts;
  for (const StoreEvent& event : evidence.store) {
    if (event.of_log.marker) puts.push_back({event.place, event.of_log.log, *event.of_log.marker});
  }
  return puts;
}

ShownOffsets PossibleMarkers(const Evidence& evidence) {
  ShownOffsets markers;
  for (const MarkerPut& put : MarkerPuts(evidence)) markers.Add(put.log, put.place, put.marker);
  for (const Operation& trim : evidence.operations) {
    if (!evidence.real || trim.kind != Operation::Kind::kTrim || !trim.may_have_happened()) continue;
    markers.Add(trim.log, trim.began, trim.done() ? trim.high : trim.asked + 1, &trim);
  }
  markers.Finish();
  return markers;
}

}  // namespace lakestream::sim
