#include "log/writer/append_queue.h"

#include <algorithm>
#include <limits>

#include "base/invariant.h"

namespace lakestream {
namespace {

/// A section's records and bytes stay below 2^31 (specification, "WAL objects"); a payload region too, with
/// room for the sections that are merged into the last object.
constexpr std::int64_t kSectionMost = std::int64_t{1} << 30;

}  // namespace

void AppendQueue::Count(OfLog& of_log, std::int64_t entries, std::int64_t bytes) {
  of_log.counts.entries += entries;
  of_log.counts.bytes += bytes;
  if (of_log.blocked) return;
  ready_.entries += entries;
  ready_.bytes += bytes;
}

void AppendQueue::Settle(Logs::iterator of_log) {
  const bool waits = of_log->second.counts.entries > 0;
  if (waits && !of_log->second.blocked) {
    ready_logs_.insert(of_log->first);
  } else {
    ready_logs_.erase(of_log->first);
  }
  if (!waits && !of_log->second.blocked) logs_.erase(of_log);
}

void AppendQueue::Add(PendingAppendPtr append) {
  const LogId log = append->request.log;
  const auto bytes = static_cast<std::int64_t>(append->request.payload.size());
  const auto of_log = logs_.try_emplace(log).first;
  of_log->second.appends.push_back(std::move(append));
  const bool first = of_log->second.counts.entries == 0;
  Count(of_log->second, 1, bytes);
  if (first) Settle(of_log);
}

bool AppendQueue::Remove(const PendingAppendPtr& append) {
  const auto of_log = logs_.find(append->request.log);
  if (of_log == logs_.end()) return false;
  std::deque<PendingAppendPtr>& appends = of_log->second.appends;
  const auto found = std::find(appends.begin(), appends.end(), append);
  if (found == appends.end()) return false;
  appends.erase(found);
  Count(of_log->second, -1, -static_cast<std::int64_t>(append->request.payload.size()));
  Settle(of_log);
  return true;
}

void AppendQueue::AddSection(SectionPtr section) {
  const auto of_log = logs_.try_emplace(section->log).first;
  LS_INVARIANT(!of_log->second.section, "one section of a log at a time looks for a new object");
  const auto entries = static_cast<std::int64_t>(section->entries.size());
  const std::int64_t bytes = section->bytes;
  of_log->second.section = std::move(section);
  Count(of_log->second, entries, bytes);
  Settle(of_log);
}

void AppendQueue::Block(LogId log) {
  const auto of_log = logs_.try_emplace(log).first;
  if (of_log->second.blocked) return;
  const Counts counts = of_log->second.counts;
  Count(of_log->second, -counts.entries, -counts.bytes);
  of_log->second.counts = counts;
  of_log->second.blocked = true;
  Settle(of_log);
}

void AppendQueue::Unblock(LogId log) {
  const auto of_log = logs_.find(log);
  if (of_log == logs_.end() || !of_log->second.blocked) return;
  const Counts counts = of_log->second.counts;
  of_log->second.blocked = false;
  of_log->second.counts = Counts();
  Count(of_log->second, counts.entries, counts.bytes);
  Settle(of_log);
}

SectionPtr AppendQueue::TakeSection(OfLog& of_log, LogId log) {
  if (of_log.section) {
    SectionPtr section = std::move(of_log.section);
    Count(of_log, -static_cast<std::int64_t>(section->entries.size()), -section->bytes);
    return section;
  }
  auto section = std::make_shared<Section>();
  section->log = log;
  while (!of_log.appends.empty()) {
    const PendingAppendPtr& next = of_log.appends.front();
    const auto bytes = static_cast<std::int64_t>(next->request.payload.size());
    const bool fits = section->records + next->request.records < std::numeric_limits<std::int32_t>::max() &&
                      section->bytes + bytes < kSectionMost;
    if (!section->entries.empty() && !fits) break;
    section->records += next->request.records;
    section->bytes += bytes;
    section->entries.push_back(std::move(of_log.appends.front()));
    of_log.appends.pop_front();
    Count(of_log, -1, -bytes);
  }
  return section;
}

std::vector<std::vector<SectionPtr>> AppendQueue::TakeFlush(std::int64_t target_bytes) {
  std::vector<std::vector<SectionPtr>> objects;
  std::vector<SectionPtr> sections;
  std::int64_t bytes = 0;
  const std::vector<LogId> logs(ready_logs_.begin(), ready_logs_.end());
  for (const LogId log : logs) {
    const auto of_log = logs_.find(log);
    sections.push_back(TakeSection(of_log->second, log));
    bytes += sections.back()->bytes;
    Settle(of_log);
    if (bytes >= target_bytes) {
      objects.push_back(std::move(sections));
      sections.clear();
      bytes = 0;
    }
  }
  // The rest goes into the last object, which would otherwise be followed by an under-full one. It stays
  // below 2^31 bytes: a section has at most 2^30, and all before it and the rest are under the target.
  if (!sections.empty() && objects.empty()) objects.emplace_back();
  for (SectionPtr& section : sections) objects.back().push_back(std::move(section));
  return objects;
}

std::vector<PendingAppendPtr> AppendQueue::TakeByCaller(LogId log, const std::set<CallerId>& callers) {
  std::vector<PendingAppendPtr> taken;
  const auto of_log = logs_.find(log);
  if (of_log == logs_.end()) return taken;
  std::deque<PendingAppendPtr> kept;
  for (PendingAppendPtr& append : of_log->second.appends) {
    if (callers.contains(append->request.caller)) {
      Count(of_log->second, -1, -static_cast<std::int64_t>(append->request.payload.size()));
      taken.push_back(std::move(append));
    } else {
      kept.push_back(std::move(append));
    }
  }
  of_log->second.appends.swap(kept);
  Settle(of_log);
  return taken;
}

std::vector<PendingAppendPtr> AppendQueue::TakeAllAppends() {
  std::vector<PendingAppendPtr> taken;
  for (auto of_log = logs_.begin(); of_log != logs_.end();) {
    const auto next = std::next(of_log);
    for (PendingAppendPtr& append : of_log->second.appends) {
      Count(of_log->second, -1, -static_cast<std::int64_t>(append->request.payload.size()));
      taken.push_back(std::move(append));
    }
    of_log->second.appends.clear();
    Settle(of_log);
    of_log = next;
  }
  return taken;
}

}  // namespace lakestream
