#include <fmt/format.h>

#include <algorithm>

#include "sim/properties/catalog_view.h"
#include "sim/properties/property.h"

namespace lakestream::sim {
namespace {

bool Begins(const std::vector<LogId>& longer, const std::vector<LogId>& shorter) {
  return shorter.size() <= longer.size() && std::equal(shorter.begin(), shorter.end(), longer.begin());
}

/// What was answered: a later answer begins as an earlier one, and is as long.
Contradiction Answers(const Evidence& evidence) {
  std::map<std::string, std::vector<const CatalogCall*>> seen;
  for (const CatalogCall& call : evidence.catalog) {
    if (call.done() && !call.logs.empty()) seen[call.stream].push_back(&call);
  }
  for (const auto& [stream, calls] : seen) {
    for (const CatalogCall* one : calls) {
      for (const CatalogCall* other : calls) {
        const bool after = one->ended && other->began > *one->ended;
        const bool agree = after ? Begins(other->logs, one->logs)
                                 : Begins(other->logs, one->logs) || Begins(one->logs, other->logs);
        if (!agree) return ToString(*one) + "; " + ToString(*other);
      }
    }
  }
  for (const CatalogCall& call : evidence.catalog) {
    if (call.kind == CatalogCall::Kind::kGrow && call.done() && call.grown < call.partitions) return ToString(call);
    // A change that ran into damage half-way says so as its cause.
    const bool corrupt = call.ended && (call.status.code() == StatusCode::kCorrupt ||
                                        call.status.message().find("cause=corrupt") != std::string_view::npos);
    if (corrupt && evidence.lost_records.empty()) return ToString(call);
  }
  return std::nullopt;
}

/// What is stored: whoever reads an active config finds all its partitions.
Contradiction Stored(const Evidence& evidence) {
  CatalogView view;
  for (const StoreEvent& event : evidence.store) {
    const CatalogChange& named = event.catalog;
    const auto before = view.configs.find(named.stream);
    const std::int32_t had = before == view.configs.end() ? 0 : before->second.partitions;
    view.Apply(event);
    if (named.kind != CatalogChange::Kind::kConfig || event.change.removed) continue;
    const auto config = view.configs.find(named.stream);
    if (config == view.configs.end() || config->second.state != ProvisioningState::kActive) continue;
    if (config->second.partitions < had) {
      return fmt::format("{} has {} partitions, and {} from {} on", named.stream, had, config->second.partitions,
                         event.place);
    }
    for (std::int32_t i = 0; i < config->second.partitions; ++i) {
      if (view.records.contains({named.stream, i})) continue;
      return fmt::format("{} has {} partitions from {} on, of which partition {} is not there", named.stream,
                         config->second.partitions, event.place, i);
    }
  }
  return std::nullopt;
}

Contradiction Check(const Evidence& evidence) {
  Contradiction answers = Answers(evidence);
  return answers ? answers : Stored(evidence);
}

const PropertyRegistration kRegistered(Property{
    "layout_only_grows", "the partitions of a stream are seen all or none, keep their logs, and only grow",
    Check, Needs::kStores});

}  // namespace
}  // namespace lakestream::sim
