#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/logging.h"
#include "cli/output.h"
#include "lakestream/status.h"
#include "log/deployment/deployment.h"
#include "log/upkeep/upkeep.h"
#include "metrics/listen_address.h"
#include "metrics/metrics_server.h"
#include "runtime/runtime.h"

namespace lakestream {

struct CommonOptions {
  std::string deployment;  ///< a folder, or a file that ends in .toml
  bool deployment_named = false;  ///< by the option, not by the environment or the default
  bool quiet = false;      ///< on standard error only what went wrong
  LogLevel log_level = LogLevel::kWarning;
  std::optional<ListenAddress> metrics;  ///< where metrics are served
};

/// What a command works with. Thread safety: none; commands run on the main thread.
class Environment {
 public:
  Environment(Runtime& runtime, Output& out, CommonOptions options);

  Runtime& runtime() { return runtime_; }
  MonotonicTime started() const { return started_; }  ///< when the command began
  Output& out() { return out_; }
  bool quiet() const { return options_.quiet; }
  /// Serves metrics of the opened deployment, and of its jobs where there are some, from now on and until Close or
  /// EndMetrics, where the command line asks for that. Errors: unavailable.
  Status ServeMetrics(Deployment& deployment, const Upkeep* upkeep = nullptr);
  /// Before what was given goes.
  void EndMetrics() { metrics_.reset(); }
  bool deployment_named() const { return options_.deployment_named; }

  /// Opens the deployment; it stays open until Close. With `create`, it is made where there is none.
  /// Errors: not_found names the place and says what makes a deployment there.
  Result<Deployment*> Open(bool create);
  /// To look inside, even where the metadata is damaged. Nothing may be written.
  Result<Deployment*> OpenUnchecked();

  /// The configuration that names the deployment, where one does.
  std::optional<std::string> ConfigFile() const;

  /// A stream of the opened deployment, by its text form.
  Result<StreamMetadata> LoadStream(Deployment& deployment, const std::string& name);

  /// The streams of these text forms, each of which must be there.
  Result<std::vector<StreamIdentifier>> FindStreams(Deployment& deployment, const std::vector<std::string>& names);

  /// Stops the deployment. When that fails, threads may be stuck that must not be waited for.
  Status Close();

 private:
  Result<Deployment*> Open(DeploymentOptions located, bool create);

  Runtime& runtime_;
  Output& out_;
  const CommonOptions options_;
  const MonotonicTime started_;
  std::unique_ptr<Deployment> deployment_;
  std::unique_ptr<MetricsServer> metrics_;
};

/// Where the deployment that a command line names is: a folder, or a configuration.
Result<DeploymentOptions> LocateDeployment(const std::string& name);

/// The partition a command works on: `wanted`, or the only one. Errors: not_found (it has no such
/// partition), invalid_argument (it has several and none was named).
Result<int> ChoosePartition(const StreamMetadata& stream, std::optional<int> wanted);

/// ok, or not_found with the partitions there are.
Status CheckPartition(const StreamMetadata& stream, int partition);

}  // namespace lakestream
