#include "metrics/metrics_server.h"

#include <prometheus/collectable.h>
#include <prometheus/exposer.h>

#include <exception>
#include <utility>
#include <vector>

#include "metrics/engine_families.h"
#include "runtime/event.h"
#include "runtime/wait.h"

namespace lakestream {
namespace {

using Families = std::vector<prometheus::MetricFamily>;

class EngineCollectable final : public prometheus::Collectable {
 public:
  EngineCollectable(Runtime& runtime, const Deployment& deployment, const Upkeep* upkeep)
      : runtime_(runtime), deployment_(deployment), upkeep_(upkeep) {}

  /// The library's threads have 100 KiB of stack, and the histograms alone are more: they are read on the runtime's.
  Families Collect() const override {
    const Future<Families> collected(runtime_.executor);
    runtime_.executor.Post([this, collected] { collected.Set(Read()); });
    return Wait(Take(collected));
  }

 private:
  Families Read() const {
    FamilyList families;
    AddDeployment(deployment_.stats(), &families);
    if (upkeep_ != nullptr) AddUpkeep(upkeep_->stats(), runtime_.Now(), &families);
    return families.Take();
  }

  static Task<Families> Take(Future<Families> collected) {
    co_await collected.Ready();
    co_return std::move(collected.value());
  }

  Runtime& runtime_;
  const Deployment& deployment_;
  const Upkeep* const upkeep_;
};

}  // namespace

struct MetricsServer::Parts {
  ListenAddress address;
  std::shared_ptr<EngineCollectable> engine;
  std::unique_ptr<prometheus::Exposer> exposer;  ///< goes first: its threads read the rest
};

Result<std::unique_ptr<MetricsServer>> MetricsServer::Start(Runtime& runtime, const ListenAddress& address,
                                                            const Deployment& deployment, const Upkeep* upkeep) {
  auto parts = std::make_unique<Parts>();
  parts->address = address;
  parts->engine = std::make_shared<EngineCollectable>(runtime, deployment, upkeep);
  try {
    parts->exposer = std::make_unique<prometheus::Exposer>(address.ToString());
    parts->exposer->RegisterCollectable(parts->engine);
    const std::vector<int> ports = parts->exposer->GetListeningPorts();
    if (!ports.empty()) parts->address.port = ports.front();
  } catch (const std::exception& why) {
    return Unavailable("metrics cannot be served there").With("address", address.ToString()).With("why", why.what());
  }
  return std::unique_ptr<MetricsServer>(new MetricsServer(std::move(parts)));
}

MetricsServer::MetricsServer(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
MetricsServer::~MetricsServer() = default;

const ListenAddress& MetricsServer::address() const { return parts_->address; }

}  // namespace lakestream
