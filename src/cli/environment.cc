#include "cli/environment.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "base/logging.h"
#include "base/try.h"
#include "log/catalog/stream_lister.h"
#include "log/deployment/deployment_config.h"
#include "runtime/wait.h"

namespace lakestream {
namespace {

// Longer than a PUT and an index put may take together, so that Stop ends by itself.
constexpr Duration kStopDeadline = std::chrono::seconds(90);

bool IsConfig(const std::string& name) { return name.ends_with(".toml"); }

}  // namespace

Environment::Environment(Runtime& runtime, Output& out, CommonOptions options)
    : runtime_(runtime), out_(out), options_(std::move(options)), started_(runtime.Now()) {}

Result<DeploymentOptions> LocateDeployment(const std::string& name) {
  if (IsConfig(name)) return LoadDeploymentConfig(name);
  std::error_code error;
  if (std::filesystem::is_regular_file(name, error)) {
    return InvalidArgument("a deployment is a folder, or a configuration whose name ends in .toml")
        .With("deployment", name);
  }
  return EmbeddedDeployment(name);
}

std::optional<std::string> Environment::ConfigFile() const {
  if (IsConfig(options_.deployment)) return options_.deployment;
  return std::nullopt;
}

Result<Deployment*> Environment::Open(bool create) {
  LS_ASSIGN(DeploymentOptions located, LocateDeployment(options_.deployment));
  return Open(std::move(located), create);
}

Result<Deployment*> Environment::OpenUnchecked() {
  LS_ASSIGN(DeploymentOptions located, LocateDeployment(options_.deployment));
  located.check_metadata = false;
  return Open(std::move(located), false);
}

Result<Deployment*> Environment::Open(DeploymentOptions located, bool create) {
  located.create = false;
  Result<std::unique_ptr<Deployment>> opened = Wait(Deployment::Open(runtime_, located));
  if (!opened.ok() && opened.status().code() == StatusCode::kNotFound) {
    if (!create) {
      return NotFound("there is no deployment; make one with \"lakestream stream create NAME\"")
          .With("deployment", options_.deployment);
    }
    located.create = true;
    opened = Wait(Deployment::Open(runtime_, located));
    if (opened.ok() && !quiet()) PrintNote("made a new deployment in " + options_.deployment);
  }
  if (!opened.ok()) return opened.status();
  deployment_ = *std::move(opened);
  Log(LogLevel::kInfo,
      fmt::format("opened the deployment deployment={} id={}", options_.deployment, deployment_->id()));
  return deployment_.get();
}

Result<StreamMetadata> Environment::LoadStream(Deployment& deployment, const std::string& name) {
  LS_ASSIGN(StreamIdentifier id, StreamIdentifier::Parse(name));
  Result<StreamMetadata> stream = Wait(deployment.catalog().LoadStream(OpContext(), std::move(id)));
  if (!stream.ok() && stream.status().code() == StatusCode::kNotFound) {
    return NotFound("there is no such stream; see \"lakestream stream list\"").With("stream", name);
  }
  return stream;
}

Result<std::vector<StreamIdentifier>> Environment::FindStreams(Deployment& deployment,
                                                               const std::vector<std::string>& names) {
  std::vector<StreamIdentifier> ids;
  for (const std::string& name : names) {
    LS_TRY(LoadStream(deployment, name).status());
    LS_ASSIGN(StreamIdentifier id, StreamIdentifier::Parse(name));
    ids.push_back(std::move(id));
  }
  return ids;
}

Status Environment::ServeMetrics(Deployment& deployment, const Upkeep* upkeep) {
  if (!options_.metrics) return OkStatus();
  LS_ASSIGN(metrics_, MetricsServer::Start(runtime_, *options_.metrics, deployment, upkeep));
  const std::string address = metrics_->address().ToString();
  if (!quiet()) PrintNote("metrics are served at http://" + address + "/metrics");
  return OkStatus();
}

Status Environment::Close() {
  EndMetrics();
  if (!deployment_) return OkStatus();
  const OpContext context = OpContext().WithDeadline(runtime_.Now() + kStopDeadline);
  LS_TRY(Wait(deployment_->Stop(context)));
  deployment_.reset();
  return OkStatus();
}

Status CheckPartition(const StreamMetadata& stream, int partition) {
  if (static_cast<std::size_t>(partition) < stream.logs.size()) return OkStatus();
  return NotFound("the stream has no such partition")
      .With("stream", LogicalIdOf(stream).ToString())
      .With("partition", partition)
      .With("last_partition", stream.logs.size() - 1);
}

Result<int> ChoosePartition(const StreamMetadata& stream, std::optional<int> wanted) {
  if (!wanted && stream.logs.size() == 1) return 0;
  if (!wanted) {
    return InvalidArgument("the stream has several partitions; name one with --partition")
        .With("stream", LogicalIdOf(stream).ToString())
        .With("last_partition", stream.logs.size() - 1);
  }
  LS_TRY(CheckPartition(stream, *wanted));
  return *wanted;
}

}  // namespace lakestream
