// Drops a stream, and has so much time for all of it.
//
// usage: drop_within DIR STREAM MILLISECONDS

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>

#include "base/try.h"
#include "log/deployment/deployment.h"
#include "log/deployment/deployment_config.h"
#include "runtime/thread_runtime.h"
#include "runtime/wait.h"

namespace lakestream {
namespace {

Status Run(char** argv) {
  ThreadRuntime threads{ThreadRuntimeOptions()};
  Runtime& runtime = threads.runtime();
  LS_ASSIGN(StreamIdentifier id, StreamIdentifier::Parse(argv[2]));
  LS_ASSIGN(const std::unique_ptr<Deployment> deployment,
            Wait(Deployment::Open(runtime, EmbeddedDeployment(argv[1]))));
  const OpContext in_time = OpContext().WithDeadline(runtime.Now() + std::chrono::milliseconds(std::atoll(argv[3])));
  const Result<StreamDropped> dropped = Wait(deployment->catalog().DropStream(in_time, std::move(id)));
  LS_TRY(Wait(deployment->Stop(OpContext())));
  LS_TRY(dropped.status());
  return dropped->found ? OkStatus() : NotFound("there is no such stream");
}

}  // namespace
}  // namespace lakestream

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: drop_within DIR STREAM MILLISECONDS\n");
    return 2;
  }
  const lakestream::Status status = lakestream::Run(argv);
  if (status.ok()) return 0;
  std::fprintf(stderr, "drop_within: %s\n", status.ToString().c_str());
  return 1;
}
