#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/try.h"
#include "bench/benchmark.h"
#include "bench/command_process.h"
#include "bench/engine.h"
#include "bench/folder.h"
#include "bench/rounds.h"
#include "runtime/thread_runtime.h"
#include "runtime/wait.h"

namespace lakestream::bench {
namespace {

constexpr std::size_t kLineBytes = 1024;
constexpr int kPartitions = 4;
constexpr std::array<int, 3> kProcesses = {1, 2, 4};
const char* const kStream = "processes";

/// Differs for each process and number, and starts with both.
std::string LineOf(int process, std::int64_t number) {
  const std::string unit = fmt::format("{} {} ", process, number);
  std::string line;
  while (line.size() < kLineBytes) line += unit;
  line.resize(kLineBytes);
  return line;
}

Status WriteInput(const std::string& path, int process, std::int64_t lines, bool damage) {
  std::FILE* const file = std::fopen(path.c_str(), "w");
  if (file == nullptr) return Unavailable("an input of the benchmark cannot be written").With("path", path);
  for (std::int64_t number = 0; number < lines; ++number) {
    std::string line = LineOf(process, number);
    if (damage && number == lines / 2) line.back() ^= 1;
    line += '\n';
    std::fwrite(line.data(), 1, line.size(), file);
  }
  const bool failed = std::ferror(file) != 0;
  const bool closed = std::fclose(file) == 0;
  return !failed && closed ? OkStatus() : Unavailable("an input of the benchmark cannot be written").With("path", path);
}

/// What the processes appended: each line once, and those of a process in a partition in their order.
class Check {
 public:
  Check(int processes, std::int64_t lines)
      : lines_(lines), seen_(static_cast<std::size_t>(processes * lines)), processes_(processes) {}

  void BeginPartition() { last_.assign(static_cast<std::size_t>(processes_), -1); }

  Status Take(std::string_view payload) {
    int process = -1;
    std::int64_t number = -1;
    const char* const end = payload.data() + payload.size();
    const char* const blank = std::from_chars(payload.data(), end, process).ptr;
    if (blank != end) std::from_chars(blank + 1, end, number);
    const bool known = process >= 0 && process < processes_ && number >= 0 && number < lines_;
    if (!known || payload != LineOf(process, number)) return Corrupt("an entry is none that was appended");
    std::int64_t& last = last_[static_cast<std::size_t>(process)];
    const auto place = static_cast<std::size_t>(process * lines_ + number);
    if (seen_[place] || number <= last) {
      return Corrupt("an entry is doubled, or in the wrong order").With("number", number);
    }
    seen_[place] = true;
    last = number;
    ++count_;
    return OkStatus();
  }
  std::int64_t count() const { return count_; }

 private:
  const std::int64_t lines_;
  std::vector<bool> seen_;
  const int processes_;
  std::vector<std::int64_t> last_;
  std::int64_t count_ = 0;
};

Status CheckLogs(Runtime& runtime, const std::string& directory, int processes, std::int64_t lines) {
  LS_ASSIGN(const std::unique_ptr<Embedded> embedded, Embedded::Open(runtime, directory));
  Deployment& deployment = embedded->deployment();
  LS_ASSIGN(const StreamIdentifier id, StreamIdentifier::Parse(kStream));
  LS_ASSIGN(const StreamMetadata stream, Wait(deployment.catalog().LoadStream(OpContext(), id)));
  Check check(processes, lines);
  for (const LogId log : stream.logs) {
    check.BeginPartition();
    Offset next(0);
    while (true) {
      LS_ASSIGN(const LogRead read, Wait(deployment.reader().Read(OpContext(), log, next, ReadBounds())));
      if (read.entries.empty()) break;
      for (const LogEntry& entry : read.entries) LS_TRY(check.Take(entry.payload.text()));
      next = read.next;
    }
  }
  if (check.count() != processes * lines) return Corrupt("entries are missing").With("found", check.count());
  return embedded->Stop();
}

class Processes {
 public:
  Processes(Runtime& runtime, const BenchOptions& options, std::string directory)
      : runtime_(runtime), options_(options), directory_(std::move(directory)), lines_(Scaled(options, 50'000, 200)) {}

  std::int64_t lines() const { return lines_; }

  Status MakeInputs() {
    for (int i = 0; i < kProcesses.back(); ++i) {
      LS_TRY(WriteInput(InputOf(i), i, lines_, options_.damage && i == 0));
    }
    return OkStatus();
  }

  /// Entries a second of so many processes on a new deployment, from the start of the first to the end of the last.
  Result<double> Run(int processes) {
    LS_ASSIGN(const Folder folder, Folder::Make(directory_, "deployment"));
    {
      LS_ASSIGN(const std::unique_ptr<Embedded> embedded, Embedded::Open(runtime_, folder.path()));
      LS_ASSIGN(const StreamIdentifier id, StreamIdentifier::Parse(kStream));
      auto create = embedded->deployment().catalog().CreateStream(OpContext(), id, kPartitions, {});
      LS_TRY(Wait(std::move(create)).status());
      LS_TRY(embedded->Stop());
    }
    const MonotonicTime before = runtime_.Now();
    std::vector<std::unique_ptr<CommandProcess>> started;
    for (int i = 0; i < processes; ++i) {
      std::vector<std::string> arguments = {"append", kStream, "-q", "--deployment", folder.path()};
      LS_ASSIGN(auto process, CommandProcess::Start(options_.command, std::move(arguments), InputOf(i)));
      started.push_back(std::move(process));
    }
    for (const auto& process : started) LS_TRY(process->Finish());
    const double seconds = std::chrono::duration<double>(runtime_.Now() - before).count();
    LS_TRY(CheckLogs(runtime_, folder.path(), processes, lines_));
    checked_ += processes * lines_;
    return static_cast<double>(processes * lines_) / seconds;
  }
  std::int64_t checked() const { return checked_; }

 private:
  std::string InputOf(int process) const { return fmt::format("{}/input-{}", directory_, process); }

  Runtime& runtime_;
  const BenchOptions& options_;
  const std::string directory_;
  const std::int64_t lines_;
  std::int64_t checked_ = 0;
};

}  // namespace

Status RunProcesses(const BenchOptions& options, BenchReport* report) {
  ThreadRuntime threads{ThreadRuntimeOptions()};
  LS_ASSIGN(const Folder folder, Folder::Make(options.directory, "processes"));
  Processes processes(threads.runtime(), options, folder.path());
  LS_TRY(processes.MakeInputs());
  std::array<std::vector<double>, kProcesses.size()> rates;
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t i = 0; i < kProcesses.size(); ++i) {
      LS_TRY(CheckStopped(options));
      LS_ASSIGN(const double rate, processes.Run(kProcesses[i]));
      rates[i].push_back(rate);
    }
  }
  report->Checked(processes.checked());
  const double alone = MedianOf(rates[0]);
  report->Add("one process", alone / 1000, "k entries/s");
  for (std::size_t i = 1; i < kProcesses.size(); ++i) {
    const double rate = MedianOf(rates[i]);
    report->Add(fmt::format("{} processes, together", kProcesses[i]), rate / 1000, "k entries/s");
    report->AtLeast(fmt::format("{} processes / one", kProcesses[i]), rate / alone, 0.8, "");
  }
  report->Note(fmt::format("each process: lakestream append of {} lines of 1 KiB to {} partitions, from start to end",
                           processes.lines(), kPartitions));
  return OkStatus();
}

}  // namespace lakestream::bench
