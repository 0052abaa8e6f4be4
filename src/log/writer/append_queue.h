#pragma once

#include <deque>
#include <map>
#include <set>
#include <vector>

#include "log/writer/section.h"

namespace lakestream {

/// Appends and sections that wait for an object, by log. Guarded by the writer's mutex.
class AppendQueue {
 public:
  void Add(PendingAppendPtr append);
  /// Takes it out again; false when it is in a section already.
  bool Remove(const PendingAppendPtr& append);
  /// Puts back a section that needs a new object, before everything else of its log.
  void AddSection(SectionPtr section);

  /// A blocked log keeps its place but is in no flush.
  void Block(LogId log);
  void Unblock(LogId log);

  /// What the next flush would take.
  std::int64_t ready_entries() const { return ready_.entries; }
  std::int64_t ready_bytes() const { return ready_.bytes; }
  std::int64_t ready_logs() const { return static_cast<std::int64_t>(ready_logs_.size()); }
  bool empty() const { return logs_.empty(); }

  /// Takes everything that is ready, cut in log-id order into objects of at least `target_bytes` each
  /// (except that a smaller rest alone makes one object). A log gives one section at most, so what it has
  /// behind a section of its own stays queued.
  std::vector<std::vector<SectionPtr>> TakeFlush(std::int64_t target_bytes);

  /// Takes out the appends of a log that come from one of these callers.
  std::vector<PendingAppendPtr> TakeByCaller(LogId log, const std::set<CallerId>& callers);
  /// Takes out every append that is in no section yet.
  std::vector<PendingAppendPtr> TakeAllAppends();

 private:
  struct Counts {
    std::int64_t entries = 0;
    std::int64_t bytes = 0;
  };
  struct OfLog {
    std::deque<PendingAppendPtr> appends;
    SectionPtr section;
    Counts counts;
    bool blocked = false;
  };
  using Logs = std::map<LogId, OfLog>;

  void Count(OfLog& of_log, std::int64_t entries, std::int64_t bytes);
  void Settle(Logs::iterator of_log);
  SectionPtr TakeSection(OfLog& of_log, LogId log);

  Logs logs_;
  std::set<LogId> ready_logs_;
  Counts ready_;
};

}  // namespace lakestream
