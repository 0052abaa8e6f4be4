#include <fmt/format.h>

#include <algorithm>

#include "sim/properties/log_view.h"

namespace lakestream::sim {
namespace {

using Text = std::string_view;
constexpr Text kFine;

// What is wrong with a step from one state to another; nothing where it may be taken.

Text Step(const CompactionIdle& before, const CompactionIdle& after) {
  return after.next < before.next ? "its next offset goes back" : kFine;
}
Text Step(const CompactionIdle& before, const CompactionWorking& after) {
  return after.range.start < before.next ? "its range begins before the next offset" : kFine;
}
Text Step(const CompactionIdle&, const CompactionInstalling&) { return "nobody has named the files"; }

Text Step(const CompactionWorking& before, const CompactionIdle& after) {
  return after.next != before.range.start ? "another one's work is given up" : kFine;
}
Text Step(const CompactionWorking& before, const CompactionWorking& after) {
  if (after.owner != before.owner || after.range != before.range) return "another one's work is replaced";
  const bool kept = std::all_of(before.files.begin(), before.files.end(), [&after](const std::string& file) {
    return std::find(after.files.begin(), after.files.end(), file) != after.files.end();
  });
  return kept ? kFine : "a file is forgotten";
}
Text Step(const CompactionWorking& before, const CompactionInstalling& after) {
  if (after.owner != before.owner || after.range != before.range) return "another one's work is installed";
  CompactionRecord record;
  record.state = after;
  for (const std::string& file : FilesOf(record)) {
    if (std::find(before.files.begin(), before.files.end(), file) == before.files.end()) return "a file was not named";
  }
  return kFine;
}

Text Step(const CompactionInstalling& before, const CompactionIdle& after) {
  return after.next != before.range.end ? "another one's installation is ended" : kFine;
}
Text Step(const CompactionInstalling&, const CompactionWorking&) { return "an installation is given up"; }
Text Step(const CompactionInstalling& before, const CompactionInstalling& after) {
  const bool same = after.range == before.range && after.key.Encode() == before.key.Encode() && after.value == before.value;
  return same ? kFine : "another installation takes its place";
}

template <class Before>
Text Step(const Before&, const CompactionDropped&) {
  return kFine;
}
template <class After>
Text Step(const CompactionDropped&, const After&) {
  return "its log was deleted";
}
Text Step(const CompactionDropped&, const CompactionDropped&) { return kFine; }

Text Wrong(const StoreEvent& event, const LogState& log) {
  if (event.change.removed) return "it is removed";
  const std::optional<CompactionRecord>& after = event.of_log.compaction;
  if (!after) return "it cannot be read";
  const bool drops = std::holds_alternative<CompactionDropped>(after->state);
  if (drops && (!log.deleted || !log.records.empty())) return "its log was not deleted";
  CompactionRecord nothing;
  nothing.state = CompactionIdle();
  const CompactionRecord& before = log.compaction ? *log.compaction : nothing;
  const Text step = std::visit([](const auto& one, const auto& other) { return Step(one, other); }, before.state,
                               after->state);
  if (step != kFine) return step;
  // Of an installation; work may be given up when it is late.
  const std::string* owner = OwnerOf(*after);
  const bool taken = log.installing() != nullptr && owner != nullptr && *owner != log.installing()->owner;
  return taken && event.session_alive ? "it is taken from an owner that lives" : kFine;
}

/// By whom a file was named first.
struct Naming {
  LogId log;
  std::string owner;
  CompactionRange range;
};

Contradiction Check(const Evidence& evidence) {
  if (!IsCompacted(evidence)) return std::nullopt;
  std::map<std::string, Naming> namings;
  LogView view;
  LogWatch watch;
  watch.before = [&](const StoreEvent& event, const LogState& log) -> Contradiction {
    if (event.of_log.kind != LogChange::Kind::kCompaction) return std::nullopt;
    const Text wrong = Wrong(event, log);
    if (wrong != kFine) {
      return fmt::format("log {}: its compaction record goes from {} to {} at {}: {}", log.log.value(),
                         log.compaction ? CompactionStateName(*log.compaction) : "absent",
                         event.of_log.compaction ? CompactionStateName(*event.of_log.compaction) : "nothing",
                         event.place, wrong);
    }
    const auto* working = std::get_if<CompactionWorking>(&event.of_log.compaction->state);
    if (working == nullptr) return std::nullopt;
    for (const std::string& file : working->files) {
      const auto [first, fresh] = namings.emplace(file, Naming{log.log, working->owner, working->range});
      const Naming& naming = first->second;
      if (fresh || (naming.log == log.log && naming.owner == working->owner && naming.range == working->range)) continue;
      return fmt::format("log {}: {} is named at {} for {} to {}, and was named for log {} before", log.log.value(), file,
                         event.place, working->range.start.value(), working->range.end.value(), naming.log.value());
    }
    return std::nullopt;
  };
  return Replay(evidence, view, watch);
}

const PropertyRegistration kRegistered(Property{
    "compaction_record_swapped",
    "a compaction record takes the steps that it may take, each from what was read, and no file is named twice",
    Check, Needs::kStores});

}  // namespace
}  // namespace lakestream::sim
