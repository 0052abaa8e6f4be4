#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <unistd.h>

#include <fmt/format.h>

#include <string_view>
#include <utility>
#include <variant>

#include "base/logging.h"
#include "cli/arguments.h"
#include "cli/exit_code.h"
#include "cli/output.h"
#include "cli/tree_text.h"
#include "runtime/thread_runtime.h"

namespace lakestream {
namespace {

/// A descriptor 0, 1 or 2 that the caller closed would be given to the next file opened, and then a message
/// could land in a database.
void FillStandardDescriptors() {
  int fd = 0;
  do {
    fd = open("/dev/null", O_RDONLY);
  } while (fd >= 0 && fd <= STDERR_FILENO);
  if (fd >= 0) close(fd);
}

/// glibc hands large memory back to the kernel as soon as it is free, and fresh pages cost more than reading a file
/// into them. So up to 64 MiB of what is free stay, in each of two arenas: every thread could have its own.
void KeepFreeMemory() {
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 64 << 20);
  mallopt(M_ARENA_MAX, 2);
}

/// What reading a memory-mapped file gives where the file was cut or the disk cannot read it.
void OnBusError(int) {
  constexpr std::string_view kLine =
      "lakestream: a metadata file is shorter than it was, or the disk cannot read it; bring it back from a backup\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kLine.data(), kLine.size());
  _exit(kExitCorrupt);
}

int Run(Environment& environment, const StreamCreateOptions& options) { return RunStreamCreate(environment, options); }
int Run(Environment& environment, const StreamListOptions& options) { return RunStreamList(environment, options); }
int Run(Environment& environment, const StreamDescribeOptions& options) {
  return RunStreamDescribe(environment, options);
}
int Run(Environment& environment, const StreamGrowOptions& options) { return RunStreamGrow(environment, options); }
int Run(Environment& environment, const StreamSetOptions& options) { return RunStreamSet(environment, options); }
int Run(Environment& environment, const StreamIsolateOptions& options) { return RunStreamIsolate(environment, options); }
int Run(Environment& environment, const StreamDropOptions& options) { return RunStreamDrop(environment, options); }
int Run(Environment& environment, const StreamPurgeOptions& options) { return RunStreamPurge(environment, options); }
int Run(Environment& environment, const AppendOptions& options) { return RunAppend(environment, options); }
int Run(Environment& environment, const ReadOptions& options) { return RunRead(environment, options); }
int Run(Environment& environment, const TrimOptions& options) { return RunTrim(environment, options); }
int Run(Environment& environment, const InspectWalOptions& options) { return RunInspectWal(environment, options); }
int Run(Environment& environment, const InspectIndexOptions& options) { return RunInspectIndex(environment, options); }
int Run(Environment& environment, const InspectMetaOptions& options) { return RunInspectMeta(environment, options); }
int Run(Environment& environment, const InspectBatchOptions& options) { return RunInspectBatch(environment, options); }
int Run(Environment& environment, const InspectCompactedOptions& options) {
  return RunInspectCompacted(environment, options);
}
int Run(Environment& environment, const InspectCompanionOptions& options) {
  return RunInspectCompanion(environment, options);
}
int Run(Environment& environment, const CompactCommandOptions& options) { return RunCompact(environment, options); }
int Run(Environment& environment, const RetainCommandOptions& options) { return RunRetain(environment, options); }
int Run(Environment& environment, const GcCommandOptions& options) { return RunGc(environment, options); }
int Run(Environment& environment, const RunCommandOptions& options) { return RunUpkeep(environment, options); }
int Run(Environment& environment, const CostOptions& options) { return RunCost(environment, options); }
int Run(Environment& environment, const FsckCommandOptions& options) { return RunFsck(environment, options); }
int Run(Environment& environment, const BackupOptions& options) { return RunBackup(environment, options); }
int Run(Environment& environment, const RestoreOptions& options) { return RunRestore(environment, options); }
int Run(Environment& environment, const HoldListOptions& options) { return RunHoldList(environment, options); }
int Run(Environment& environment, const HoldAddOptions& options) { return RunHoldAdd(environment, options); }
int Run(Environment& environment, const HoldReleaseOptions& options) { return RunHoldRelease(environment, options); }

/// The exit code of a command whose output is to be complete.
int Flushed(Output& out, int code) {
  out.Flush();
  if (out.status().ok() || code != kExitOk) return code;
  PrintError(out.status());
  return kExitFailed;
}

/// Log lines look like all other lines on standard error: a sentence, then pairs.
void LogToStandardError(LogLevel least, const Clock& clock) {
  SetLogSink(least, [&clock](LogLevel level, std::string_view message) {
    PrintNote(fmt::format("{} level={} time={}", message, LogLevelName(level), UtcText(ToMillis(clock.Wall()))));
  });
}

template <class Options>
int RunOnThreads(Output& out, CommonOptions common, const Options& options) {
  ThreadRuntime threads{ThreadRuntimeOptions()};
  LogToStandardError(common.log_level, threads.runtime().clock);
  Environment environment(threads.runtime(), out, std::move(common));
  const int code = Flushed(out, Run(environment, options));
  const Status closed = environment.Close();
  if (!closed.ok()) {
    // A thread that waits for another process's lock cannot be joined; the outcome is known and told.
    PrintError(closed);
    _exit(code);
  }
  return code;
}

int Main(int argc, const char* const* argv) {
  FillStandardDescriptors();
  KeepFreeMemory();
  signal(SIGPIPE, SIG_IGN);
  signal(SIGBUS, OnBusError);
  Output out(STDOUT_FILENO);
  Result<Invocation> invocation = ParseArguments(argc, argv);
  if (!invocation.ok()) {
    PrintError(invocation.status());
    return kExitWrongUse;
  }
  return std::visit(
      [&](const auto& options) {
        using Options = std::decay_t<decltype(options)>;
        if constexpr (std::is_same_v<Options, HelpOptions>) {
          return Flushed(out, RunHelp(out, options));
        } else if constexpr (std::is_same_v<Options, VersionOptions>) {
          return Flushed(out, RunVersion(out, options));
        } else if constexpr (std::is_same_v<Options, CompletionOptions>) {
          return Flushed(out, RunCompletion(out, options));
        } else if constexpr (std::is_same_v<Options, BenchCommandOptions>) {
          return Flushed(out, RunBench(out, options));
        } else {
          return RunOnThreads(out, std::move(invocation->common), options);
        }
      },
      invocation->command);
}

}  // namespace
}  // namespace lakestream

int main(int argc, char** argv) { return lakestream::Main(argc, argv); }
