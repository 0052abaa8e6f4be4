#include "sim/judge_history.h"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <map>

#include "sim/history_text.h"
#include "sim/properties/property.h"

namespace lakestream::sim {
namespace {

void PrintCalls(const Evidence& evidence) {
  std::map<Operation::Kind, std::map<std::string, std::int64_t>> outcomes;
  for (const Operation& operation : evidence.operations) {
    const std::string outcome =
        !operation.ended ? "unanswered" : std::string(StatusCodeName(operation.status.code()));
    ++outcomes[operation.kind][outcome];
  }
  for (const auto& [kind, counts] : outcomes) {
    fmt::print("calls {:6}", KindName(kind));
    for (const auto& [outcome, count] : counts) fmt::print(" {} {}", outcome, count);
    fmt::print("\n");
  }
}

}  // namespace

int JudgeHistory(const std::string& path) {
  std::ifstream file(path);
  if (!file) {
    fmt::print(stderr, "lakestream-sim: \"{}\" cannot be read\n", path);
    return 2;
  }
  const Result<RealHistory> read = ReadHistory(file);
  if (!read.ok()) {
    fmt::print(stderr, "lakestream-sim: \"{}\" is no history: {}\n", path, read.status().message());
    return 2;
  }
  const Evidence& evidence = read->evidence;
  int judged = 0;
  int failed = 0;
  std::string names;
  std::string left_out;
  for (const Property& property : AllProperties()) {
    if (!CanBeJudged(property, evidence)) {
      left_out += ' ' + std::string(property.name);
      continue;
    }
    ++judged;
    names += ' ' + std::string(property.name);
    if (const Contradiction found = property.check(evidence)) {
      ++failed;
      fmt::print("FAILED history={} property={}: {}\n", path, property.name, *found);
    }
  }
  std::int64_t records = 0;
  std::int64_t entries = 0;
  for (const auto& [log, final] : evidence.final) {
    records += static_cast<std::int64_t>(final.records.size());
    for (const FinalRecord& record : final.records) entries += static_cast<std::int64_t>(record.entries.size());
  }
  PrintCalls(evidence);
  fmt::print("{} processes, {} killed, {} of one thread; {} lines, {} cut by a kill\n", read->processes, read->killed,
             read->processes - static_cast<std::int64_t>(evidence.many_threads.size()), read->lines, read->cut_lines);
  fmt::print("at the end {} logs, {} index records, {} entries\n", evidence.final.size(), records, entries);
  fmt::print("judged {} of {} properties, {} failed\njudged:{}\nnot judged:{}\n", judged, AllProperties().size(), failed,
             names, left_out);
  return failed > 0 ? 1 : 0;
}

}  // namespace lakestream::sim
