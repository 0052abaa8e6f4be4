#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "format/index_key.h"
#include "sim/properties/property.h"

namespace lakestream::sim {
namespace {

/// The ends of all records that a log ever had, each with the log's size up to it, since it was deleted last.
using Ends = std::map<Offset, std::int64_t>;

/// A writer's record begins where the log ends; a compactor's where a record ended, and ends with one.
bool Follows(const IndexPut& put, const Ends& ends) {
  const auto before = put.parquet ? ends.find(put.start) : std::prev(ends.end());
  if (before == ends.end() || before->first != put.start) return false;
  if (before->second + put.size != put.cumulative_size) return false;
  const auto same = ends.find(put.end);
  return !put.parquet || (same != ends.end() && same->second == put.cumulative_size);
}

/// When logs that are being deleted had no record left. That may be more than once: a deletion that was applied twice
/// also takes what landed between.
std::map<LogId, std::vector<Place>> EmptiedLogs(const Evidence& evidence) {
  std::map<LogId, std::vector<Place>> emptied;
  std::map<LogId, std::set<std::string>> keys;
  for (const StoreEvent& event : evidence.store) {
    const std::string& key = event.change.record.key;
    const Result<IndexKey> index = IndexKey::Decode(key);
    if (!index.ok() || !IsDeleted(evidence, index->log)) continue;
    std::set<std::string>& of_log = keys[index->log];
    if (!event.change.removed) {
      of_log.insert(key);
    } else if (of_log.erase(key) > 0 && of_log.empty()) {
      emptied[index->log].push_back(event.place);
    }
  }
  return emptied;
}

Contradiction CheckPuts(const Evidence& evidence) {
  std::map<LogId, Ends> logs;
  std::map<LogId, Place> latest;  // put
  const std::map<LogId, std::vector<Place>> begun_anew = EmptiedLogs(evidence);
  for (const IndexPut& put : IndexPuts(evidence)) {
    Ends& ends = logs[put.log];
    const Place before = std::exchange(latest[put.log], put.place);
    const auto anew = begun_anew.find(put.log);
    // While a log is being deleted its first record after the deletion begins at 0 again.
    const auto between = [&](Place deleted) { return before < deleted && put.place > deleted; };
    if (anew != begun_anew.end() && std::any_of(anew->second.begin(), anew->second.end(), between)) ends.clear();
    ends.emplace(Offset(0), 0);
    if (!Follows(put, ends)) {
      return fmt::format("log {}: a {} record of {} to {} with cumulative size {} and {} bytes of its own was put at {}; "
                         "the log ended at {} with {}",
                         put.log.value(), put.parquet ? "PARQUET" : "RAW", put.start.value(), put.end.value(),
                         put.cumulative_size, put.size, put.place, ends.rbegin()->first.value(), ends.rbegin()->second);
    }
    ends.emplace(put.end, put.cumulative_size);
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
    // What was trimmed before the record was compacted is not in its files.
    const bool cut = record.compacted && !record.entries.empty() && record.entries.front().offset <= final.marker;
    if (cut) next = std::max(next, record.entries.front().offset);
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
