#include <algorithm>
#include <limits>

#include "sim/probes/probe.h"
#include "sim/properties/log_view.h"

namespace lakestream::sim {
namespace {

using model::CompactionStand;
using model::CompactionView;
using model::InstallEvent;
using model::InstallStep;

template <CompactionStand stand, CompactionView view = CompactionView::kLogLives>
bool Met(const Evidence& evidence) {
  return evidence.compaction_cells.next[static_cast<int>(stand)][static_cast<int>(view)] > 0;
}
template <InstallStep step, InstallEvent event>
bool Took(const Evidence& evidence) {
  return evidence.compaction_cells.install[static_cast<int>(step)][static_cast<int>(event)] > 0;
}

bool FenceMeetsAnInstallation(const Evidence& evidence) {
  constexpr CompactionView kFenced = CompactionView::kLogFenced;
  return Met<CompactionStand::kInstallingHere, kFenced>(evidence) ||
         Met<CompactionStand::kInstallingAlive, kFenced>(evidence) ||
         Met<CompactionStand::kInstallingEnded, kFenced>(evidence);
}

bool AnyOutcome(const Evidence& evidence, CompactionOutcome::Kind kind) {
  for (const CompactionPass& pass : evidence.passes) {
    for (const CompactionOutcome& outcome : pass.outcomes) {
      if (outcome.kind == kind) return true;
    }
  }
  return false;
}
bool TrimmedFirst(const Evidence& evidence) { return AnyOutcome(evidence, CompactionOutcome::Kind::kTrimmed); }

bool AnyRecord(const Evidence& evidence, bool (*wanted)(const StoreEvent& event)) {
  return std::any_of(evidence.store.begin(), evidence.store.end(), wanted);
}
bool ManyFiles(const Evidence& evidence) {
  return AnyRecord(evidence, [](const StoreEvent& event) {
    return event.of_log.index && event.of_log.index->parquet && event.of_log.index->files.size() > 1;
  });
}
bool Quarantined(const Evidence& evidence) {
  return AnyRecord(evidence, [](const StoreEvent& event) {
    return event.of_log.compaction && !event.of_log.compaction->quarantined.empty();
  });
}

bool Spilled(const Evidence& evidence) {
  return std::any_of(evidence.passes.begin(), evidence.passes.end(),
                     [](const CompactionPass& pass) { return pass.totals.scratch_bytes > 0; });
}

/// Compaction records that somebody else ended, or went on with.
bool GivenUpByAnother(const Evidence& evidence) {
  return Met<CompactionStand::kWorkingEnded>(evidence) || Met<CompactionStand::kWorkingLate>(evidence);
}

/// A process is killed while its compaction of a log stands in this state.
bool Killed(const Evidence& evidence, bool (*stands)(const LogState& log)) {
  auto happening = evidence.happenings.begin();
  bool met = false;
  LogView view;
  LogWatch watch;
  const auto look = [&](Place until) {
    for (; happening != evidence.happenings.end() && happening->place < until; ++happening) {
      if (happening->kind != Happening::Kind::kKilled) continue;
      for (const auto& [id, log] : view.logs) {
        if (!log.compaction) continue;
        const std::string* owner = OwnerOf(*log.compaction);
        const auto process = owner == nullptr ? evidence.compactor_sessions.end() : evidence.compactor_sessions.find(*owner);
        const bool killed = process != evidence.compactor_sessions.end() && process->second == happening->process;
        met |= killed && stands(log);
      }
    }
  };
  watch.before = [&](const StoreEvent& event, const LogState&) -> Contradiction {
    look(event.place);
    return std::nullopt;
  };
  (void)Replay(evidence, view, watch);
  look(std::numeric_limits<Place>::max());
  return met;
}
bool KilledInWorking(const Evidence& evidence) {
  return Killed(evidence, [](const LogState& log) {
    return std::holds_alternative<CompactionWorking>(log.compaction->state);
  });
}
/// Whether C3 of what is being installed is done, and C4 is not.
bool IsHalfDone(const LogState& log) {
  const CompactionInstalling* now = log.installing();
  const auto last = now == nullptr ? log.records.end() : log.records.find(now->range.end);
  if (last == log.records.end() || last->second.value() != now->value) return false;
  return log.records.upper_bound(now->range.start) != last;
}
bool KilledBeforeC3(const Evidence& evidence) {
  return Killed(evidence, [](const LogState& log) {
    const CompactionInstalling* now = log.installing();
    const auto last = now == nullptr ? log.records.end() : log.records.find(now->range.end);
    return last != log.records.end() && !last->second.parquet;
  });
}
bool KilledBetweenC3AndC4(const Evidence& evidence) { return Killed(evidence, IsHalfDone); }

/// By log and end: where its PARQUET record came.
using Installed = std::map<LogId, std::map<Offset, const StoreEvent*>>;
Installed AllInstalled(const Evidence& evidence) {
  Installed all;
  for (const StoreEvent& event : evidence.store) {
    const std::optional<IndexRecord>& index = event.of_log.index;
    if (index && index->parquet && !event.change.removed) all[event.of_log.log].emplace(index->end, &event);
  }
  return all;
}
/// The PARQUET record that held the offset when the call began; null where none did.
const StoreEvent* HeldBy(const Installed& all, const Operation& read, Offset offset) {
  const auto log = all.find(read.log);
  if (log == all.end()) return nullptr;
  const auto found = log->second.upper_bound(offset);
  if (found == log->second.end() || found->second->place > read.began) return nullptr;
  return found->second->of_log.index->start <= offset ? found->second : nullptr;
}
/// Whether a read got entries of a PARQUET record first, and such that nobody had compacted at its end.
bool ReadCrossed(const Evidence& evidence, bool into_raw) {
  const Installed all = AllInstalled(evidence);
  return std::any_of(evidence.operations.begin(), evidence.operations.end(), [&](const Operation& read) {
    if (!read.done() || read.entries.empty() || HeldBy(all, read, read.entries.front().offset) == nullptr) return false;
    if (!into_raw) return true;
    const auto& of_log = all.at(read.log);
    const auto behind = of_log.upper_bound(read.entries.back().offset);
    return behind == of_log.end() || behind->second->place > *read.ended;
  });
}
bool ReadCompacted(const Evidence& evidence) { return ReadCrossed(evidence, false); }
bool ReadFromCompactedIntoRaw(const Evidence& evidence) { return ReadCrossed(evidence, true); }

/// A record is compacted while a read that gets its entries is under way.
bool CompactedUnderARead(const Evidence& evidence) {
  const Installed all = AllInstalled(evidence);
  return std::any_of(evidence.operations.begin(), evidence.operations.end(), [&](const Operation& read) {
    const auto log = all.find(read.log);
    if (!read.done() || read.entries.empty() || log == all.end()) return false;
    const auto found = log->second.upper_bound(read.entries.front().offset);
    if (found == log->second.end()) return false;
    return found->second->place > read.began && found->second->place < *read.ended;
  });
}
/// What a trim takes while a read of the log is under way.
bool FilesGoUnderARead(const Evidence& evidence) {
  std::vector<const StoreEvent*> gone;
  for (const StoreEvent& event : evidence.store) {
    if (event.of_log.index && event.of_log.index->parquet && event.change.removed) gone.push_back(&event);
  }
  return std::any_of(evidence.operations.begin(), evidence.operations.end(), [&gone](const Operation& read) {
    if (read.kind != Operation::Kind::kRead || !read.ended) return false;
    return std::any_of(gone.begin(), gone.end(), [&read](const StoreEvent* event) {
      return event->of_log.log == read.log && event->place > read.began && event->place < *read.ended;
    });
  });
}

const ProbeRegistration kRegistered[] = {
    ProbeRegistration({"compacted_in_many_files", "a range becomes several files", ManyFiles}),
    ProbeRegistration({"compacted_read", "a read gets entries of a compacted record", ReadCompacted}),
    ProbeRegistration({"compacted_under_a_read", "a record is compacted while a read of it is under way",
                       CompactedUnderARead}),
    ProbeRegistration({"compaction_killed_working", "a compactor dies while it writes files", KilledInWorking}),
    ProbeRegistration({"compaction_killed_before_c3", "a compactor dies before C3 of an installation", KilledBeforeC3}),
    ProbeRegistration({"compaction_killed_half_done", "a compactor dies between C3 and C4", KilledBetweenC3AndC4}),
    ProbeRegistration({"compaction_taken_over", "an installation of one that has ended is gone on with",
                       Met<CompactionStand::kInstallingEnded>}),
    ProbeRegistration({"compaction_found_again", "a compactor finds an installation of its own that it knows nothing of",
                       Met<CompactionStand::kInstallingLost>}),
    ProbeRegistration({"compaction_of_a_late_owner", "an installation waits for its owner, which is late",
                       Met<CompactionStand::kInstallingLate>}),
    ProbeRegistration({"compaction_given_up", "work of one that has ended, or is late, is given up", GivenUpByAnother}),
    ProbeRegistration({"compaction_waits", "a compactor finds another one at work", Met<CompactionStand::kWorkingAlive>}),
    ProbeRegistration({"compaction_meets_a_fence", "a log that is deleted is being installed", FenceMeetsAnInstallation}),
    ProbeRegistration({"compaction_quarantines", "a record is quarantined", Quarantined}),
    ProbeRegistration({"compaction_spills", "fetched payloads do not fit into memory", Spilled}),
    ProbeRegistration({"install_lost_answer", "the answer to the Put of C3 is lost",
                       Took<InstallStep::kPutRecord, InstallEvent::kUnknown>}),
    ProbeRegistration({"install_put_late", "the Put of C3 finds another version: a trim, or itself, was there before",
                       Took<InstallStep::kPutRecord, InstallEvent::kConflict>}),
    ProbeRegistration({"install_key_gone", "C3 is skipped because its key is gone",
                       Took<InstallStep::kGetKey, InstallEvent::kKeyAbsent>}),
    ProbeRegistration({"install_repeated", "C3 was done before",
                       Took<InstallStep::kGetKey, InstallEvent::kKeyOurs>}),
    ProbeRegistration({"read_from_compacted_into_raw", "one read gets entries of compacted and of RAW records",
                       ReadFromCompactedIntoRaw}),
    ProbeRegistration({"files_go_under_a_read", "compacted files are trimmed while a read is under way",
                       FilesGoUnderARead}),
    ProbeRegistration({"trimmed_first", "a compactor hard-trims", TrimmedFirst}),
};

}  // namespace
}  // namespace lakestream::sim
