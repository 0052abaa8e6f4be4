#include "cli/commands/fsck.h"

#include <fmt/format.h>

#include <string>

#include "base/try.h"
#include "cli/counted.h"
#include "cli/exit_code.h"
#include "cli/progress.h"
#include "format/json.h"
#include "log/fsck/fsck.h"
#include "runtime/wait.h"

namespace lakestream {
namespace {

/// Writes findings as they come, so that any number of them needs no memory.
class Report {
 public:
  Report(Output& out, bool json) : out_(out), json_(json) {
    if (json_) out_.Write("{\"findings\":[");
  }

  void Add(const Finding& finding) {
    if (json_) {
      out_.Write((any() ? ",\n" : "\n") + DumpJson(FindingJson(finding)));
    } else {
      out_.Write((IsDamage(finding.kind) ? "damage: " : "note: ") + FindingText(finding) + "\n");
    }
    ++(IsDamage(finding.kind) ? damage_ : notes_);
  }

  /// Of a check that came to its end.
  void End(const FsckTotals& totals) {
    if (json_) {
      JsonValue json = JsonValue::Object();
      const auto add = [&json](std::string_view name, std::uint64_t value) {
        json.Add(name, JsonValue::Int(static_cast<std::int64_t>(value)));
      };
      add("damage", damage_);
      add("notes", notes_);
      add("records", totals.records);
      add("index_records", totals.index_records);
      add("logs", totals.logs);
      add("objects", totals.objects);
      add("sections", totals.sections);
      add("compacted_objects", totals.compacted_objects);
      add("bytes_read", totals.bytes_read);
      // The members go on where the list of findings ends.
      out_.Write((any() ? "\n]," : "],") + DumpJson(json).substr(1) + "\n");
      return;
    }
    out_.Write(fmt::format("{} ({} of {}) and {} with {}", Counted(totals.records, "record"),
                           Counted(totals.index_records, "index record"), Counted(totals.logs, "log"),
                           Counted(totals.objects, "object"), Counted(totals.sections, "section")));
    if (totals.compacted_objects > 0) out_.Write(fmt::format(", {} compacted", totals.compacted_objects));
    out_.Write(": ");
    out_.Write(damage_ == 0 ? std::string("nothing is damaged") : fmt::format("damaged in {}", Counted(damage_, "place")));
    out_.Write(notes_ == 0 ? std::string("\n") : fmt::format("; {}\n", Counted(notes_, "note")));
  }

  /// Of one that did not.
  void Abandon(const Status& why) {
    if (!json_) return;
    JsonValue json = JsonValue::Object();
    json.Add("error", JsonValue::String(why.message()));
    out_.Write((any() ? "\n]," : "],") + DumpJson(json).substr(1) + "\n");
  }

  std::uint64_t damage() const { return damage_; }

 private:
  bool any() const { return damage_ + notes_ > 0; }

  Output& out_;
  const bool json_;
  std::uint64_t damage_ = 0;
  std::uint64_t notes_ = 0;
};

Result<FsckTotals> Check(Environment& environment, const FsckCommandOptions& options, Report& report) {
  LS_ASSIGN(Deployment * deployment, environment.OpenUnchecked());
  const auto store_damaged = [&](const Status& why) {
    report.Add(Finding(FindingKind::kMetadataStore).With("why", why.message()));
    return FsckTotals();
  };
  // What a damaged store gives must not be relied on, so nothing else is told of it.
  const Status verified = Wait(deployment->VerifyMetadata(OpContext())).status();
  if (verified.code() == StatusCode::kCorrupt) return store_damaged(verified);
  if (!verified.ok() && verified.code() != StatusCode::kUnimplemented) return verified;
  FsckOptions check;
  check.deep = options.deep;
  check.times = deployment->options().times;
  Progress progress(environment, /*writes_output=*/false);
  check.progress = [&](const FsckTotals& so_far) { progress.ShowCheck(so_far); };
  const auto add = [&](const Finding& finding) {
    progress.Clear();
    report.Add(finding);
    // What is on the terminal stands in the order in which it was written.
    if (progress.shown()) environment.out().Flush();
  };
  const FsckStores stores{deployment->metadata(), deployment->wal(), deployment->compacted(), deployment->homes()};
  const Result<FsckTotals> checked = Wait(CheckDeployment(environment.runtime(), stores, OpContext(), check, add));
  if (checked.status().code() == StatusCode::kCorrupt) return store_damaged(checked.status());
  return checked;
}

}  // namespace

int RunFsck(Environment& environment, const FsckCommandOptions& options) {
  Report report(environment.out(), options.json);
  const Result<FsckTotals> totals = Check(environment, options, report);
  if (!totals.ok()) {
    report.Abandon(totals.status());
    environment.out().Flush();
    PrintError(totals.status());
    return ExitCodeFor(totals.status().code());
  }
  report.End(*totals);
  return report.damage() == 0 ? kExitOk : kExitCorrupt;
}

}  // namespace lakestream
