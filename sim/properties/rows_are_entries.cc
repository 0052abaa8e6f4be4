#include <fmt/format.h>

#include <set>

#include "sim/compacted_key.h"
#include "sim/properties/log_view.h"

namespace lakestream::sim {
namespace {

/// The entries that writers put into a log, by offset, as their records say them.
using Entries = std::map<Offset, SeenEntry>;

bool Same(const SeenEntry& a, const SeenEntry& b) {
  return a.offset == b.offset && a.records == b.records && a.number == b.number && a.size == b.size &&
         a.cumulative_size == b.cumulative_size && a.timestamp_ms == b.timestamp_ms;
}

/// With the sums and times that the compactor has to carry over.
Contradiction AddRaw(const Evidence& evidence, LogId log, const IndexRecord& record, Entries& entries) {
  const auto object = evidence.wal_entries.find(record.object);
  const bool known = object != evidence.wal_entries.end() && object->second.entries.contains(log);
  if (!known) return fmt::format("log {}: nobody wrote the entries of {}", log.value(), record.object);
  std::int64_t sum = record.cumulative_size - record.size;
  for (SeenEntry entry : object->second.entries.at(log)) {
    sum += entry.size;
    entry.offset = record.start + entry.offset.value();
    entry.cumulative_size = sum;
    entry.timestamp_ms = record.created_ms;
    entries[entry.offset] = entry;
  }
  return std::nullopt;
}

std::string In(const LogState& log, const StoreEvent& event) {
  return fmt::format("log {}: the record of {} to {}, installed at {}", log.log.value(),
                     event.of_log.index->start.value(), event.of_log.index->end.value(), event.place);
}

/// The rows of the record's files, one after the other, are the entries of its range; those that were trimmed may lack.
Contradiction CheckRows(const Evidence& evidence, const StoreEvent& event, const LogState& log,
                        const std::map<Offset, IndexRecord>& raw) {
  const IndexRecord& record = *event.of_log.index;
  Entries entries;
  for (auto at = raw.upper_bound(record.start); at != raw.end() && at->first <= record.end; ++at) {
    if (Contradiction found = AddRaw(evidence, log.log, at->second, entries)) return found;
  }
  std::set<Offset> there;
  Offset next = record.start;
  for (const CompactedFile& named : record.files) {
    const auto file = evidence.file_entries.find(CompactedKey(log.log, named.name));
    if (file == evidence.file_entries.end()) return In(log, event) + ": nobody wrote " + named.name;
    if (!file->second.trouble.empty()) return fmt::format("{}: {}: {}", In(log, event), named.name, file->second.trouble);
    const std::vector<SeenEntry>& rows = file->second.entries.at(log.log);
    for (const SeenEntry& row : rows) {
      const auto entry = entries.find(row.offset);
      if (row.offset < next || entry == entries.end() || !Same(entry->second, row)) {
        return fmt::format("{}: {} has a row {} from {} behind offset {}; the entry is {} from {}", In(log, event),
                           named.name, ToString(row), row.timestamp_ms, next.value(),
                           entry == entries.end() ? "none" : ToString(entry->second),
                           entry == entries.end() ? 0 : entry->second.timestamp_ms);
      }
      there.insert(row.offset);
      next = row.offset + row.records;
    }
    if (rows.empty() || next != named.last_offset + 1) {
      return fmt::format("{}: {} is to hold offset {} last, and ends at {}", In(log, event), named.name,
                         named.last_offset.value(), next.value());
    }
  }
  if (next != record.end) return fmt::format("{}: its files end at {}", In(log, event), next.value());
  for (const auto& [offset, entry] : entries) {
    if (offset + entry.records <= log.marker || there.contains(offset)) continue;
    return fmt::format("{}: no file has {}; the marker is {}", In(log, event), ToString(entry), log.marker.value());
  }
  return std::nullopt;
}

Contradiction Check(const Evidence& evidence) {
  if (!IsCompacted(evidence)) return std::nullopt;
  std::map<LogId, std::map<Offset, IndexRecord>> raw;  // all that there ever were, by end
  LogView view;
  LogWatch watch;
  watch.before = [&](const StoreEvent& event, const LogState& log) -> Contradiction {
    if (!event.of_log.index || event.change.removed || log.deleted) return std::nullopt;
    std::map<Offset, IndexRecord>& of_log = raw[log.log];
    if (event.of_log.index->parquet) return CheckRows(evidence, event, log, of_log);
    of_log.emplace(event.of_log.index->end, *event.of_log.index);
    return std::nullopt;
  };
  return Replay(evidence, view, watch);
}

const PropertyRegistration kRegistered(Property{
    "rows_are_entries",
    "the rows of compacted files are the entries that they replace: offsets, counts, bytes, sizes and times (P13)",
    Check, Needs::kStores});

}  // namespace
}  // namespace lakestream::sim
