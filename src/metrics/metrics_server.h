#pragma once

#include <memory>

#include "lakestream/status.h"
#include "log/deployment/deployment.h"
#include "log/upkeep/upkeep.h"
#include "metrics/listen_address.h"
#include "runtime/runtime.h"

namespace lakestream {

/// Serves what the parts of this process count, at http://HOST:PORT/metrics in the text form of Prometheus. Everything is
/// read when it is asked for. docs/metrics.md names all of it. Its threads are those of its library.
class MetricsServer {
 public:
  /// `upkeep`: none where this process has no background jobs. All of them outlive this. Errors: unavailable (the
  /// address is not this machine's, or somebody listens there already).
  static Result<std::unique_ptr<MetricsServer>> Start(Runtime& runtime, const ListenAddress& address,
                                                      const Deployment& deployment, const Upkeep* upkeep);
  ~MetricsServer();

  /// With the port that was free, where any was asked for.
  const ListenAddress& address() const;

 private:
  struct Parts;
  explicit MetricsServer(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace lakestream
