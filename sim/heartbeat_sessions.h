#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "meta/memory/memory_metadata_backend.h"
#include "meta/metadata_store.h"
#include "runtime/gate.h"

namespace lakestream::sim {

/// The far side: which sessions were heard of, and when. Ends those that were silent for too long.
class HeartbeatServer {
 public:
  HeartbeatServer(Runtime& runtime, std::shared_ptr<MemoryMetadataBackend> backend);
  /// Looks for silent sessions until its runtime goes.
  void Start();
  /// False where the session has ended.
  bool Heard(const std::string& session, Duration timeout);

 private:
  struct Known {
    MonotonicTime heard;
    Duration timeout{};
  };
  Task<void> Watch();

  Runtime& runtime_;
  std::shared_ptr<MemoryMetadataBackend> backend_;
  std::map<std::string, Known> sessions_;
  Gate gate_;
};

/// Sessions as a remote store has them: kept by heartbeats, which travel like every other call; provably alive while
/// the last answered one was sent less than two thirds of the time-out ago, by boottime. Writes are not guarded.
class HeartbeatMetadataStore final : public ForwardingMetadataStore {
 public:
  /// `inner`, through which the heartbeats go, and `server` outlive this.
  HeartbeatMetadataStore(Runtime& runtime, MetadataStore& inner, HeartbeatServer& server);
  Task<Result<std::shared_ptr<MetadataSession>>> OpenSession(OpContext context, Duration timeout) override;
  MetadataCapabilities capabilities() const override;

 private:
  class Session;
  Task<void> Beat(std::shared_ptr<Session> session);

  Runtime& runtime_;
  HeartbeatServer& server_;
  Gate gate_;
};

}  // namespace lakestream::sim
