#include <fmt/format.h>

#include <algorithm>

#include "format/index_key.h"
#include "sim/properties/property.h"

namespace lakestream::sim {
namespace {

Contradiction CheckPuts(const Evidence& evidence) {
  std::map<LogId, IndexPut> last;
  std::map<LogId, std::vector<Place>> begun_anew;
  for (const Deletion& deletion : evidence.deletions) begun_anew[deletion.log].push_back(deletion.deleted);
  for (const IndexPut& put : IndexPuts(evidence)) {
    auto before = last.find(put.log);
    const auto anew = begun_anew.find(put.log);
    // While a log is being deleted its first record after the deletion begins at 0 again.
    const auto between = [&](Place deleted) { return before->second.place < deleted && put.place > deleted; };
    if (before != last.end() && anew != begun_anew.end() &&
        std::any_of(anew->second.begin(), anew->second.end(), between)) {
      last.erase(before);
      before = last.end();
    }
    const Offset expected = before == last.end() ? Offset(0) : before->second.end;
    const std::int64_t bytes = before == last.end() ? 0 : before->second.cumulative_size;
    if (put.start != expected || put.cumulative_size != bytes + put.size) {
      return fmt::format("log {}: a record of {} to {} with cumulative size {} and {} bytes of its own was put at {}; "
                         "the one before it ends at {} with {}",
                         put.log.value(), put.start.value(), put.end.value(), put.cumulative_size, put.size, put.place,
                         expected.value(), bytes);
    }
    last[put.log] = put;
  }
  return std::nullopt;
}

/// What is there at the end, without a hole from the trim marker on.
Contradiction CheckFinal(LogId log, const FinalLog& final) {
  Offset end = final.marker;
  const FinalRecord* before = nullptr;
  for (const FinalRecord& record : final.records) {
    if (before == nullptr ? record.start > end : record.start != end) {
      return fmt::format("log {}: at the end a record of {} to {} follows offset {}", log.value(), record.start.value(),
                         record.end.value(), end.value());
    }
    Offset next = record.start;
    for (const SeenEntry& entry : record.entries) {
      if (entry.offset != next) {
        return fmt::format("log {}: at the end {} follows offset {}", log.value(), ToString(entry), next.value());
      }
      next = next + entry.records;
    }
    if (!record.entries.empty() && next != record.end) {
      return fmt::format("log {}: the entries of the record of {} to {} end at {}", log.value(), record.start.value(),
                         record.end.value(), next.value());
    }
    end = record.end;
    before = &record;
  }
  return std::nullopt;
}

Contradiction Check(const Evidence& evidence) {
  if (Contradiction found = CheckPuts(evidence)) return found;
  for (const auto& [log, final] : evidence.final) {
    if (IsDeleted(evidence, log)) continue;
    if (Contradiction found = CheckFinal(log, final)) return found;
  }
  return std::nullopt;
}

const PropertyRegistration kRegistered(Property{
    "contiguity", "each index record begins where the one before it ends, in records and in bytes (P3, P10, P24)",
    Check});

}  // namespace
}  // namespace lakestream::sim
