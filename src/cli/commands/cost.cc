#include "cli/commands/cost.h"

#include <cstdint>

#include "base/try.h"
#include "cli/byte_source.h"
#include "cli/cost_tree.h"
#include "cli/exit_code.h"
#include "cli/tree_text.h"
#include "metrics/metrics_text.h"
#include "metrics/process_requests.h"
#include "runtime/wait.h"

namespace lakestream {
namespace {

/// More than what a process serves, by far.
constexpr std::uint64_t kMostBytes = std::uint64_t{16} << 20;

Result<model::ProcessRequests> ReadProcess(const std::string& file) {
  LS_ASSIGN(const ByteSource source, OpenFileSource(file));
  if (source.size > kMostBytes) {
    return InvalidArgument("metrics are not as long as that").With("bytes", source.size).With("file", file);
  }
  LS_ASSIGN(const Buffer bytes, source.fetch(0, source.size));
  const Result<std::vector<MetricSample>> samples = ParseMetricsText(bytes.text());
  if (!samples.ok()) return samples.status().With("file", file);
  const Result<model::ProcessRequests> process = RequestsOf(*samples);
  if (!process.ok()) return process.status().With("file", file);
  return process;
}

Result<JsonValue> OfProcesses(const CostOptions& options) {
  std::vector<model::ProcessRequests> processes;
  for (const std::string& file : options.metrics) {
    LS_ASSIGN(model::ProcessRequests process, ReadProcess(file));
    processes.push_back(std::move(process));
  }
  return RequestCostTree(processes, options.prices);
}

Result<JsonValue> OfDeployment(Environment& environment, const CostOptions& options) {
  LS_ASSIGN(Deployment * deployment, environment.Open(false));
  LS_ASSIGN(const SpaceSummary space, Wait(SummarizeSpace(deployment->metadata(), deployment->wal(), deployment->compacted(),
                                                         deployment->catalog(), OpContext())));
  return SpaceCostTree(space, options.prices);
}

}  // namespace

int RunCost(Environment& environment, const CostOptions& options) {
  const Result<JsonValue> tree = options.metrics.empty() ? OfDeployment(environment, options) : OfProcesses(options);
  if (!tree.ok()) {
    PrintError(tree.status());
    return ExitCodeFor(tree.status().code());
  }
  environment.out().Write(options.json ? DumpJson(*tree) + "\n" : TreeText(*tree));
  return kExitOk;
}

}  // namespace lakestream
