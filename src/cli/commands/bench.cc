#include "cli/commands/bench.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <filesystem>
#include <vector>

#include "base/try.h"
#include "bench/benchmark.h"
#include "bench/surroundings.h"
#include "cli/exit_code.h"
#include "cli/stop_signals.h"
#include "runtime/thread_runtime.h"

namespace lakestream {
namespace {

using bench::Benchmark;

/// The folder that holds the deployment, so that benchmarks see its disk; without one, where temporary files go.
std::string DefaultParent(const std::string& deployment) {
  std::error_code ignored;
  const std::filesystem::path path = std::filesystem::absolute(deployment, ignored);
  if (std::filesystem::exists(path, ignored)) {
    return (path.has_filename() ? path : path.parent_path()).parent_path().string();
  }
  const char* const named = std::getenv("TMPDIR");
  return named != nullptr && *named != '\0' ? named : "/tmp";
}

class TemporaryFolder {
 public:
  static Result<TemporaryFolder> Make(const std::string& parent) {
    std::string path = parent + "/lakestream-bench-XXXXXX";
    if (mkdtemp(path.data()) != nullptr) return TemporaryFolder(std::move(path));
    return Unavailable("no temporary folder can be made; name another place with --dir").With("in", parent);
  }
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, std::string())) {}
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

Result<std::vector<const Benchmark*>> Chosen(const std::string& name) {
  std::vector<const Benchmark*> chosen;
  std::string names = "all";
  for (const Benchmark& benchmark : bench::Benchmarks()) {
    names += std::string(", ") + benchmark.name;
    if (name == "all" || name == benchmark.name) chosen.push_back(&benchmark);
  }
  if (!chosen.empty()) return chosen;
  return InvalidArgument("there is no benchmark \"" + name + "\"; there are " + names + "; see \"lakestream help bench\"");
}

class BenchRun {
 public:
  BenchRun(Output& out, const BenchCommandOptions& options) : out_(out), options_(options) {}

  Status Run() {
    LS_ASSIGN(const std::vector<const Benchmark*> chosen, Chosen(options_.name));
    const std::string parent = options_.directory.empty() ? DefaultParent(options_.deployment) : options_.directory;
    LS_ASSIGN(const TemporaryFolder folder, TemporaryFolder::Make(parent));
    WriteHead(parent);
    Status outcome;
    for (const Benchmark* benchmark : chosen) {
      outcome = RunOne(*benchmark, folder.path());
      if (!outcome.ok()) break;
    }
    if (outcome.ok() && chosen.size() > 1 && judged() && !options_.json) out_.Write("\nBudgets\n" + budgets_);
    if (options_.json) {
      head_.Add("benchmarks", std::move(reports_));
      out_.Write(DumpJson(head_) + "\n");
    }
    return outcome;
  }

  int signal() const { return signals_.received(); }

 private:
  bool judged() const { return options_.scale == 1; }

  void WriteHead(const std::string& parent) {
    const bench::Surroundings surroundings = bench::Surroundings::Read();
    const std::string place = fmt::format("{} ({})", parent, bench::FileSystemName(parent));
    head_ = surroundings.Json();
    head_.Add("command", JsonValue::String(options_.command)).Add("place", JsonValue::String(place));
    if (options_.json) return;
    out_.Write(fmt::format("{}\n{}in {}\n", options_.command, surroundings.Text(), place));
    if (!judged()) out_.Write(fmt::format("{} of the full work: no budget is judged\n", options_.scale));
    out_.Flush();
  }

  Status RunOne(const Benchmark& benchmark, const std::string& directory) {
    bench::BenchOptions options;
    options.directory = directory;
    options.scale = options_.scale;
    options.damage = options_.damage;
    options.objects = options_.objects;
    options.records = options_.records;
    options.stopped = [this] { return signals_.received() != 0; };
    const MonotonicTime before = clock_.runtime().Now();
    bench::BenchReport report;
    const Status status = benchmark.run(options, &report);
    const Duration took = clock_.runtime().Now() - before;
    if (!status.ok()) return status.With("benchmark", benchmark.name);
    if (options_.json) {
      JsonValue json = report.Json(judged());
      json.Add("name", JsonValue::String(benchmark.name)).Add("milliseconds", JsonValue::Int(ToMillis(took)));
      reports_.Append(std::move(json));
      return OkStatus();
    }
    budgets_ += bench::BudgetLines(benchmark.name, report);
    out_.Write(fmt::format("\n{}: {}\n{}   {:.1f} s, {} checked\n", benchmark.name, benchmark.what,
                           report.Text(judged()), static_cast<double>(ToMillis(took)) / 1000, report.checked()));
    out_.Flush();
    return OkStatus();
  }

  Output& out_;
  const BenchCommandOptions& options_;
  const StopSignals signals_;
  ThreadRuntime clock_{ThreadRuntimeOptions()};
  std::string budgets_;  ///< a line for each
  JsonValue head_ = JsonValue::Object();
  JsonValue reports_ = JsonValue::Array();
};

}  // namespace

int RunBench(Output& out, const BenchCommandOptions& options) {
  BenchRun run(out, options);
  const Status status = run.Run();
  if (status.ok()) return kExitOk;
  PrintError(status);
  if (status.code() == StatusCode::kCancelled && run.signal() != 0) return kExitSignalBase + run.signal();
  return ExitCodeFor(status.code());
}

}  // namespace lakestream
