#include <algorithm>
#include <map>
#include <set>

#include "format/log_isolation.h"
#include "sim/probes/probe.h"
#include "sim/properties/property.h"

namespace lakestream::sim {
namespace {

bool CrashBetweenPutAndIndex(const Evidence& evidence) {
  std::set<std::string> indexed;
  for (const IndexPut& put : RawPuts(evidence)) indexed.insert(put.object);
  for (const Happening& happening : evidence.happenings) {
    if (happening.kind != Happening::Kind::kKilled) continue;
    for (const PutEvent& put : evidence.puts) {
      if (put.process == happening.process && put.place < happening.place && !indexed.contains(put.name)) return true;
    }
  }
  return false;
}

bool KilledWithAppendsUnderWay(const Evidence& evidence) {
  return std::any_of(evidence.operations.begin(), evidence.operations.end(), [](const Operation& operation) {
    return operation.kind == Operation::Kind::kAppend && !operation.ended;
  });
}

/// An append whose process was killed before it was answered, and that is in the log.
bool UnansweredYetThere(const Evidence& evidence) {
  std::set<AppendNumber> unanswered;
  for (const Operation& operation : evidence.operations) {
    if (operation.kind == Operation::Kind::kAppend && !operation.ended) unanswered.insert(operation.number);
  }
  for (const auto& [log, final] : evidence.final) {
    for (const FinalRecord& record : final.records) {
      for (const SeenEntry& entry : record.entries) {
        if (unanswered.contains(entry.number)) return true;
      }
    }
  }
  return false;
}

/// A put that took effect after its process had been killed.
bool PutAfterDeath(const Evidence& evidence) {
  std::map<std::string, std::string> by;
  for (const PutEvent& put : evidence.puts) by[put.name] = put.process;
  std::map<std::string, Place> died;
  for (const Happening& happening : evidence.happenings) {
    if (happening.kind == Happening::Kind::kKilled) died[happening.process] = happening.place;
  }
  for (const IndexPut& put : RawPuts(evidence)) {
    const auto process = by.find(put.object);
    if (process == by.end()) continue;
    const auto death = died.find(process->second);
    if (death != died.end() && death->second < put.place) return true;
  }
  return false;
}

bool ObjectOfManyLogs(const Evidence& evidence) {
  std::map<std::string, LogId> logs;
  for (const IndexPut& put : RawPuts(evidence)) {
    const auto [at, first] = logs.emplace(put.object, put.log);
    if (!first && at->second != put.log) return true;
  }
  return false;
}

bool TwoWritersOfOneLog(const Evidence& evidence) {
  std::map<std::string, std::string> by;
  for (const PutEvent& put : evidence.puts) by[put.name] = put.process;
  std::map<LogId, std::string> last;
  for (const IndexPut& put : RawPuts(evidence)) {
    const std::string& process = by[put.object];
    const auto [at, first] = last.emplace(put.log, process);
    if (!first && at->second != process) return true;
    at->second = process;
  }
  return false;
}

bool AppendFenced(const Evidence& evidence) {
  return std::any_of(evidence.operations.begin(), evidence.operations.end(), [](const Operation& operation) {
    return operation.ended && operation.status.code() == StatusCode::kFenced;
  });
}

bool DrainedUnderLoad(const Evidence& evidence) {
  for (const Deletion& deletion : evidence.deletions) {
    if (deletion.deleted == 0) continue;
    for (const Operation& append : evidence.operations) {
      if (append.kind == Operation::Kind::kAppend && append.log == deletion.log && append.began < deletion.drained &&
          (!append.ended || *append.ended > deletion.fenced)) {
        return true;
      }
    }
  }
  return false;
}

bool TrimCapped(const Evidence& evidence) {
  return std::any_of(evidence.operations.begin(), evidence.operations.end(), [](const Operation& trim) {
    return trim.kind == Operation::Kind::kTrim && trim.done() && trim.high > Offset(0) && trim.high <= trim.asked;
  });
}

bool ReadBelowMarker(const Evidence& evidence) {
  return std::any_of(evidence.operations.begin(), evidence.operations.end(), [](const Operation& read) {
    return read.done() && !read.entries.empty() && read.entries.front().offset > read.from;
  });
}

bool IsolatedAppend(const Evidence& evidence) {
  std::set<LogId> isolated;
  for (const StoreEvent& event : evidence.store) {
    if (event.of_log.index && isolated.contains(event.of_log.log)) return true;
    const std::optional<LogId> log = LogOfIsolationKey(event.change.record.key);
    if (!log) continue;
    if (event.change.removed) {
      isolated.erase(*log);
    } else {
      isolated.insert(*log);
    }
  }
  return false;
}

bool TailWoke(const Evidence& evidence) {
  for (const Operation& tail : evidence.operations) {
    if (tail.kind != Operation::Kind::kTail || !tail.done() || tail.entries.empty()) continue;
    for (const Operation& append : evidence.operations) {
      if (append.acknowledged && append.log == tail.log && append.began > tail.began && append.done() &&
          append.number == tail.entries.front().number) {
        return true;
      }
    }
  }
  return false;
}

const ProbeRegistration kRegistered[] = {
    ProbeRegistration({"crash_between_put_and_index", "a process dies with an object that nothing names yet",
                       CrashBetweenPutAndIndex}),
    ProbeRegistration({"killed_with_appends", "a process dies with appends under way", KilledWithAppendsUnderWay}),
    ProbeRegistration({"unanswered_yet_there", "an append that was never answered is in the log", UnansweredYetThere}),
    ProbeRegistration({"put_after_death", "an index put takes effect after its process has died", PutAfterDeath}),
    ProbeRegistration({"object_of_many_logs", "logs share an object", ObjectOfManyLogs}),
    ProbeRegistration({"isolated_append", "an entry is appended to a log that is isolated", IsolatedAppend}),
    ProbeRegistration({"two_writers_of_one_log", "two processes write to one log in turn", TwoWritersOfOneLog}),
    ProbeRegistration({"append_fenced", "an append is answered as fenced", AppendFenced}),
    ProbeRegistration({"drained_under_load", "a log is deleted while appends to it are under way", DrainedUnderLoad}),
    ProbeRegistration({"trim_capped", "a trim stops at the last record", TrimCapped}),
    ProbeRegistration({"read_below_marker", "a read begins where the trim marker is", ReadBelowMarker}),
    ProbeRegistration({"tail_woke", "a tail gets an entry whose append began later", TailWoke}),
};

}  // namespace
}  // namespace lakestream::sim
