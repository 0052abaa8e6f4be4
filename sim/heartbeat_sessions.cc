#include "sim/heartbeat_sessions.h"

#include <utility>

#include "base/try.h"

namespace lakestream::sim {
namespace {

constexpr Duration kLook = std::chrono::milliseconds(200);

}  // namespace

HeartbeatServer::HeartbeatServer(Runtime& runtime, std::shared_ptr<MemoryMetadataBackend> backend)
    : runtime_(runtime), backend_(std::move(backend)), gate_(runtime) {}

void HeartbeatServer::Start() { gate_.Spawn(Watch()); }

bool HeartbeatServer::Heard(const std::string& session, Duration timeout) {
  if (!backend_->SessionAlive(session)) return false;
  sessions_[session] = Known{runtime_.Now(), timeout};
  return true;
}

Task<void> HeartbeatServer::Watch() {
  while (true) {
    const Status slept = co_await SleepFor(runtime_, OpContext(), kLook);
    if (!slept.ok()) co_return;
    for (auto at = sessions_.begin(); at != sessions_.end();) {
      if (runtime_.Now() - at->second.heard <= at->second.timeout) {
        ++at;
        continue;
      }
      backend_->ExpireSession(at->first);
      at = sessions_.erase(at);
    }
  }
}

class HeartbeatMetadataStore::Session final : public MetadataSession {
 public:
  Session(Runtime& runtime, std::shared_ptr<MetadataSession> inner, Duration timeout)
      : runtime_(runtime), inner_(std::move(inner)), timeout_(timeout), sent_(runtime.clock.Boot()) {}

  const std::string& id() const override { return inner_->id(); }
  bool ProvablyAlive() const override {
    return !over_ && inner_->ProvablyAlive() && runtime_.clock.Boot() - sent_ < timeout_ * 2 / 3;
  }
  Task<Status> Close(OpContext context) override {
    over_ = true;
    co_return co_await inner_->Close(std::move(context));
  }

  bool over() const { return over_; }
  void Ended() { over_ = true; }
  Duration timeout() const { return timeout_; }
  /// A heartbeat that was sent then was answered; one that comes too late proves nothing any more.
  void Answered(BootTime sent) {
    if (!ProvablyAlive()) over_ = true;
    if (!over_) sent_ = std::max(sent_, sent);
  }

 private:
  Runtime& runtime_;
  const std::shared_ptr<MetadataSession> inner_;
  const Duration timeout_;
  BootTime sent_;
  bool over_ = false;
};

HeartbeatMetadataStore::HeartbeatMetadataStore(Runtime& runtime, MetadataStore& inner, HeartbeatServer& server)
    : ForwardingMetadataStore(inner), runtime_(runtime), server_(server), gate_(runtime) {}

Task<Result<std::shared_ptr<MetadataSession>>> HeartbeatMetadataStore::OpenSession(OpContext context,
                                                                                   Duration timeout) {
  const BootTime sent = runtime_.clock.Boot();
  LS_CO_ASSIGN(std::shared_ptr<MetadataSession> opened, co_await inner().OpenSession(std::move(context), timeout));
  (void)server_.Heard(opened->id(), timeout);
  const auto session = std::make_shared<Session>(runtime_, std::move(opened), timeout);
  session->Answered(sent);
  gate_.Spawn(Beat(session));
  std::shared_ptr<MetadataSession> wrapped = session;
  co_return wrapped;
}

Task<void> HeartbeatMetadataStore::Beat(std::shared_ptr<Session> session) {
  while (!session->over()) {
    const Status slept = co_await SleepFor(runtime_, OpContext(), session->timeout() / 6);
    if (!slept.ok() || session->over()) co_return;
    const BootTime sent = runtime_.clock.Boot();
    const OpContext soon = OpContext().WithDeadline(runtime_.Now() + session->timeout() / 3);
    const Result<ReadAnswer> answer =
        co_await inner().Get(soon, Partition::Named("heartbeat"), "/heartbeat/" + session->id());
    if (!answer.ok()) continue;
    if (!server_.Heard(session->id(), session->timeout())) {
      session->Ended();
      co_return;
    }
    session->Answered(sent);
  }
}

MetadataCapabilities HeartbeatMetadataStore::capabilities() const {
  MetadataCapabilities capabilities = ForwardingMetadataStore::capabilities();
  capabilities.guarded_writes = false;
  return capabilities;
}

}  // namespace lakestream::sim
