#include "bench/engine.h"

#include <utility>

#include "base/try.h"
#include "log/deployment/deployment_config.h"
#include "runtime/wait.h"

namespace lakestream::bench {
namespace {

constexpr Duration kStopTime = std::chrono::seconds(60);

OpContext StopContext(Runtime& runtime) { return OpContext().WithDeadline(runtime.Now() + kStopTime); }

}  // namespace

Result<std::unique_ptr<Engine>> Engine::Start(Runtime& runtime, MetadataStore& meta, ObjectStore& wal,
                                              WriterOptions options) {
  std::unique_ptr<Engine> engine(new Engine(runtime, meta, options));
  LS_ASSIGN(engine->writer_, LogWriter::Open(runtime, meta, wal, engine->leases_, std::move(options)));
  engine->leases_.Start();
  engine->writer_->Start();
  return engine;
}

Engine::~Engine() { (void)Stop(); }

Status Engine::Stop() {
  if (std::exchange(stopped_, true) || !writer_) return OkStatus();
  const Status writer = Wait(writer_->Stop(StopContext(runtime_)));
  const Status leases = Wait(leases_.Stop(StopContext(runtime_)));
  return writer.ok() ? leases : writer;
}

Result<std::unique_ptr<LmdbMetadataStore>> OpenLmdb(Runtime& runtime, const std::string& directory) {
  LmdbOptions options;
  options.directory = directory;
  options.create = true;
  return Wait(LmdbMetadataStore::Open(runtime, OpContext(), std::move(options)));
}

Result<std::unique_ptr<LocalObjectStore>> OpenLocal(Runtime& runtime, const std::string& directory) {
  LocalObjectStoreOptions options;
  options.directory = directory;
  options.create = true;
  return LocalObjectStore::Open(runtime, std::move(options));
}

Result<std::unique_ptr<Embedded>> Embedded::Open(Runtime& runtime, const std::string& directory,
                                                 WriterOptions options) {
  DeploymentOptions embedded = EmbeddedDeployment(directory);
  embedded.create = true;
  embedded.writer = std::move(options);
  LS_ASSIGN(std::unique_ptr<Deployment> deployment, Wait(Deployment::Open(runtime, std::move(embedded))));
  return std::unique_ptr<Embedded>(new Embedded(runtime, std::move(deployment)));
}

Embedded::~Embedded() { (void)Stop(); }

Status Embedded::Stop() {
  if (std::exchange(stopped_, true)) return OkStatus();
  return Wait(deployment_->Stop(StopContext(runtime_)));
}

}  // namespace lakestream::bench
