#include <fmt/format.h>

#include "sim/properties/property.h"

namespace lakestream::sim {
namespace {

Contradiction Check(const Evidence& evidence) {
  std::map<std::pair<LogId, Offset>, const Operation*> by_offset;
  for (const Operation& append : evidence.operations) {
    if (append.kind != Operation::Kind::kAppend || !append.done() || IsDeleted(evidence, append.log)) continue;
    const SeenEntry& told = *append.acknowledged;
    if (told.offset < Offset(0) || told.records != append.records || told.size != append.size) {
      return fmt::format("{} was for {} records and {} B", ToString(append), append.records, append.size);
    }
    const auto [at, first] = by_offset.emplace(std::make_pair(append.log, told.offset), &append);
    if (!first) return fmt::format("{}; {}", ToString(*at->second), ToString(append));
  }
  const Operation* before = nullptr;
  for (const auto& [key, append] : by_offset) {
    if (before != nullptr && before->log == append->log &&
        before->acknowledged->offset + before->records > append->acknowledged->offset) {
      return fmt::format("{} overlaps {}", ToString(*before), ToString(*append));
    }
    before = append;
  }
  return std::nullopt;
}

const PropertyRegistration kRegistered(
    Property{"real_offsets", "no two acknowledged entries share an offset (P9, P24)", Check});

}  // namespace
}  // namespace lakestream::sim
