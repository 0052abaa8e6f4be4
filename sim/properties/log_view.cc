#include "sim/properties/log_view.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "sim/compacted_key.h"

namespace lakestream::sim {
namespace {

std::set<LogId> DeletedLogs(const Evidence& evidence) {
  std::set<LogId> deleted;
  for (const Deletion& deletion : evidence.deletions) deleted.insert(deletion.log);
  return deleted;
}

void Apply(const StoreEvent& event, LogState& log) {
  const LogChange& change = event.of_log;
  if (change.marker) log.marker = *change.marker;
  if (change.kind == LogChange::Kind::kCompaction) log.compaction = change.compaction;
  if (!change.index) return;
  const IndexRecord& record = *change.index;
  if (event.change.removed) {
    if (log.Find(record) != nullptr) log.records.erase(record.end);
    if (log.records.empty()) log.reached = Offset(0);
    return;
  }
  LogState::Record& stored = log.records[record.end];
  static_cast<IndexRecord&>(stored) = record;
  stored.put = &event;
  log.reached = std::max(log.reached, record.end);
}

void Apply(const CompactedEvent& event, LogView& view) {
  if (event.kind == CompactedEvent::Kind::kWritten) {
    view.objects.insert(event.key);
    view.written.insert(event.key);
  } else if (event.kind == CompactedEvent::Kind::kRemoved) {
    view.objects.erase(event.key);
    view.removed.insert(event.key);
  }
}

}  // namespace

const CompactionInstalling* LogState::installing() const {
  return compaction ? std::get_if<CompactionInstalling>(&compaction->state) : nullptr;
}

const LogState::Record* LogState::Find(const IndexRecord& record) const {
  const auto found = records.find(record.end);
  const bool same = found != records.end() && found->second.cumulative_size == record.cumulative_size;
  return same ? &found->second : nullptr;
}

bool LogState::IsRetired(const IndexRecord& record) const {
  const CompactionInstalling* now = installing();
  if (now == nullptr || record.end <= now->range.start || record.end >= now->range.end) return false;
  const auto last = records.find(now->range.end);
  return last == records.end() || last->second.value() == now->value;
}

Contradiction Replay(const Evidence& evidence, LogView& view, const LogWatch& watch) {
  const std::set<LogId> deleted = DeletedLogs(evidence);
  auto object = evidence.compacted.begin();
  const auto objects_until = [&](Place place) -> Contradiction {
    for (; object != evidence.compacted.end() && object->place < place; ++object) {
      if (watch.object) {
        if (Contradiction found = watch.object(*object)) return found;
      }
      Apply(*object, view);
    }
    return std::nullopt;
  };
  for (const StoreEvent& event : evidence.store) {
    if (event.of_log.kind == LogChange::Kind::kNone) continue;
    if (Contradiction found = objects_until(event.place)) return found;
    LogState& log = view.logs[event.of_log.log];
    log.log = event.of_log.log;
    log.deleted = deleted.contains(log.log);
    if (watch.before) {
      if (Contradiction found = watch.before(event, log)) return found;
    }
    Apply(event, log);
    if (watch.after) {
      if (Contradiction found = watch.after(event, log)) return found;
    }
  }
  return objects_until(std::numeric_limits<Place>::max());
}

std::vector<std::string> ObjectsOf(LogId log, const std::string& file) {
  return {CompactedKey(log, file), CompactedKey(log, CompanionNameOf(file))};
}

std::vector<std::string> ObjectsOf(LogId log, const IndexRecord& record) {
  std::vector<std::string> keys;
  for (const CompactedFile& file : record.files) {
    for (std::string& key : ObjectsOf(log, file.name)) keys.push_back(std::move(key));
  }
  return keys;
}

bool IsCompacted(const Evidence& evidence) {
  if (!evidence.compacted.empty()) return true;
  const std::set<LogId> deleted = DeletedLogs(evidence);
  return std::any_of(evidence.store.begin(), evidence.store.end(), [&deleted](const StoreEvent& event) {
    if (event.of_log.kind == LogChange::Kind::kCompaction) return true;
    if (!event.of_log.index) return false;
    return event.of_log.index->parquet || (event.change.removed && !deleted.contains(event.of_log.log));
  });
}

}  // namespace lakestream::sim
