#include "log/lease/lease_keeper.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "base/broken_rule.h"
#include "base/invariant.h"
#include "base/logging.h"
#include "base/try.h"
#include "format/log_records.h"
#include "log/isolation/isolation.h"
#include "log/lease/until_closed.h"
#include "runtime/gate.h"
#include "runtime/semaphore.h"

namespace lakestream {

struct HeldLease {
  HeldLease(std::uint64_t n, LogId l, std::string t, std::shared_ptr<MetadataSession> s)
      : serial(n), log(l), token(std::move(t)), session(std::move(s)) {}

  const std::uint64_t serial;
  const LogId log;
  const std::string token;
  const std::shared_ptr<MetadataSession> session;
  std::atomic<int> changes{0};  ///< under way
  std::atomic<bool> invalid{false};
  std::atomic<bool> fenced{false};
  std::atomic<bool> isolated{false};
  std::atomic<bool> kept{false};
  std::atomic<std::int64_t> last_used_ns{0};
  std::int64_t created_ms = 0;  ///< of its record; not changed once others see the lease
  MonotonicTime answered_at{};  ///< when the store told it
};

LeaseUse::LeaseUse(std::shared_ptr<HeldLease> lease) : lease_(std::move(lease)) {
  if (lease_) ++lease_->changes;
}
LeaseUse::LeaseUse(const LeaseUse& other) : LeaseUse(other.lease_) {}
LeaseUse& LeaseUse::operator=(LeaseUse other) noexcept {
  std::swap(lease_, other.lease_);
  return *this;
}
LeaseUse::~LeaseUse() {
  if (lease_) --lease_->changes;
}
bool LeaseUse::Usable() const { return lease_ && !lease_->invalid && lease_->session->ProvablyAlive(); }
bool LeaseUse::Fenced() const { return lease_ && lease_->fenced; }
bool LeaseUse::Isolated() const { return lease_ && lease_->isolated; }
std::uint64_t LeaseUse::serial() const { return lease_ ? lease_->serial : 0; }
const std::shared_ptr<MetadataSession>& LeaseUse::session() const { return lease_->session; }
std::int64_t LeaseUse::StoreMillis(MonotonicTime now) const {
  return lease_->created_ms + ToMillis(now - lease_->answered_at);
}
void LeaseUse::Invalidate() const { lease_->invalid = true; }
void LeaseUse::KeepForUnknownChange() const { lease_->kept = !Broken(Rule::kLeaseKeptForUnknownChange); }

namespace {

/// Leases in an order that no memory address decides.
struct BySerial {
  bool operator()(const std::shared_ptr<HeldLease>& a, const std::shared_ptr<HeldLease>& b) const {
    return a->serial < b->serial;
  }
};

constexpr int kFenceReadsPerPoll = 2000;
constexpr Duration kStoreCallTime = std::chrono::seconds(10);
constexpr Duration kReleaseRetryFirst = std::chrono::milliseconds(10);
constexpr Duration kReleaseRetryMost = std::chrono::seconds(1);

}  // namespace

struct LeaseKeeper::Parts {
  Parts(Runtime& r, MetadataStore& m, const WriterOptions& o)
      : runtime(r), meta(m), options(o), acquiring(r), gate(r) {}

  Runtime& runtime;
  MetadataStore& meta;
  const WriterOptions options;

  std::atomic<std::uint64_t> last_serial{0};
  std::mutex mutex;
  std::shared_ptr<MetadataSession> session;
  std::int64_t taken = 0;
  std::map<LogId, std::shared_ptr<HeldLease>> leases;
  /// Out of use, but their records may still stand.
  std::set<std::shared_ptr<HeldLease>, BySerial> leaving;
  LogId fence_cursor;
  std::vector<LogId> isolated;  ///< as last seen, in order
  std::map<LogId, std::shared_ptr<AsyncMutex>> taking;

  AsyncMutex acquiring;  ///< of the session
  std::stop_source stop;
  Gate gate;  ///< last, so that it goes first: its tasks use everything above

  OpContext CallContext() const {
    return OpContext().WithDeadline(runtime.Now() + kStoreCallTime).WithCancel(stop.get_token());
  }

  /// The use counts from inside the lock, so that no idle lease is given up while it is handed out.
  LeaseUse FindUsable(LogId log) {
    std::shared_ptr<HeldLease> useless;
    {
      const std::lock_guard lock(mutex);
      const auto found = leases.find(log);
      if (found == leases.end()) return LeaseUse();
      const std::shared_ptr<HeldLease>& lease = found->second;
      if (!lease->invalid && lease->session->ProvablyAlive()) {
        lease->last_used_ns = runtime.Now().time_since_epoch().count();
        return LeaseUse(lease);
      }
      useless = lease;
    }
    Retire(useless);
    return LeaseUse();
  }

  Task<Result<std::shared_ptr<MetadataSession>>> LiveSession(OpContext context) {
    LS_CO_ASSIGN(const AsyncMutex::Lock one_at_a_time, co_await acquiring.Acquire(context));
    {
      const std::lock_guard lock(mutex);
      if (session && session->ProvablyAlive()) co_return session;
    }
    LS_CO_ASSIGN(std::shared_ptr<MetadataSession> opened,
                 co_await meta.OpenSession(context, options.session_timeout));
    // Not only from the next poll on: a process may append once, and end. To share an object is no error, so one that
    // cannot look goes on.
    co_await LookForIsolation(context);
    const std::lock_guard lock(mutex);
    session = opened;
    co_return opened;
  }

  /// The store says that the session has ended, whatever own arithmetic says.
  void Forget(const std::shared_ptr<MetadataSession>& ended) {
    const std::lock_guard lock(mutex);
    if (session == ended) session = nullptr;
  }

  Task<Result<LeaseUse>> Take(OpContext context, LogId log) {
    LS_CO_ASSIGN(std::shared_ptr<MetadataSession> live, co_await LiveSession(context));
    std::string token = runtime.random.Uuid();
    const auto lease = std::make_shared<HeldLease>(++last_serial, log, token, live);
    const Partition partition = Partition::OfLog(log);
    Result<ReadAnswer> fence = ReadAnswer();
    if (Broken(Rule::kFenceReadAfterLease)) fence = co_await meta.Get(context, partition, WriteFenceKey(log));
    const Result<WriteAnswer> created = co_await meta.CreateEphemeral(
        context, partition, WriteLeaseKey(log, token), Buffer::CopyOf(token), live);
    if (!created.ok() && !Broken(Rule::kLeaseBeforeWrite)) {
      if (created.status().code() == StatusCode::kIndeterminate) Retire(lease);
      // Fenced here speaks of the session, not of the log: a retry gets a new session.
      if (created.status().code() == StatusCode::kFenced) Forget(live);
      if (created.status().code() == StatusCode::kFenced || created.status().code() == StatusCode::kIndeterminate) {
        co_return created.status().As(StatusCode::kUnavailable).With("log", log.value());
      }
      co_return created.status().With("log", log.value());
    }
    if (created.ok()) {
      lease->created_ms = created->created_ms;
      lease->answered_at = runtime.Now();
    }
    // The lease record stands before the fence is read: whoever fences the log sees the one or we see the other.
    if (!Broken(Rule::kFenceReadAfterLease) && !Broken(Rule::kFenceReadForLease)) {
      fence = co_await meta.Get(context, partition, WriteFenceKey(log));
    }
    if (Broken(Rule::kUnreadFenceIsAFence) && !fence.ok()) fence = ReadAnswer();
    if (!fence.ok() || fence->has_value()) {
      lease->fenced = fence.ok();
      Retire(lease);
      if (!fence.ok()) co_return fence.status().With("log", log.value());
      co_return Fenced("the log is being deleted").With("log", log.value());
    }
    lease->last_used_ns = runtime.Now().time_since_epoch().count();
    LeaseUse use(lease);
    std::shared_ptr<HeldLease> former;
    {
      const std::lock_guard lock(mutex);
      former = std::exchange(leases[log], lease);
      lease->isolated = std::binary_search(isolated.begin(), isolated.end(), log);
      ++taken;
    }
    if (former) Retire(former);
    co_return use;
  }

  Task<Result<LeaseUse>> TakeInTurn(OpContext context, LogId log, AsyncMutex& turn) {
    LS_CO_ASSIGN(const AsyncMutex::Lock one_at_a_time, co_await turn.Acquire(context));
    if (LeaseUse held = FindUsable(log)) co_return held;
    co_return co_await Take(std::move(context), log);
  }

  /// Takes a lease out of use. Its record is deleted once nothing is under way under it.
  void Retire(const std::shared_ptr<HeldLease>& lease) {
    {
      const std::lock_guard lock(mutex);
      const auto found = leases.find(lease->log);
      if (found != leases.end() && found->second == lease) leases.erase(found);
      lease->invalid = true;
      if (!leaving.insert(lease).second) return;
    }
    gate.Spawn(Release(lease));
  }

  Task<void> Release(std::shared_ptr<HeldLease> lease) {
    Duration pause = kReleaseRetryFirst;
    // Once the session has ended the store removes the record by itself.
    while (lease->session->ProvablyAlive()) {
      const bool changing = lease->changes > 0 && !Broken(Rule::kLeaseOutlivesItsChanges);
      if (!changing && !lease->kept) {
        const Status deleted = co_await meta.Delete(CallContext(), Partition::OfLog(lease->log),
                                                          WriteLeaseKey(lease->log, lease->token));
        if (deleted.ok() || Broken(Rule::kLeaseReleaseIsRepeated)) break;
      }
      const OpContext until_stopped = OpContext().WithCancel(stop.get_token());
      const Status slept = co_await SleepFor(runtime, until_stopped, pause);
      if (!slept.ok()) co_return;
      pause = std::min(pause * 2, kReleaseRetryMost);
    }
    const std::lock_guard lock(mutex);
    leaving.erase(lease);
  }

  Task<void> Background() {
    while (true) {
      const OpContext until_stopped = OpContext().WithCancel(stop.get_token());
      const Status slept = co_await SleepFor(runtime, until_stopped, options.fence_poll);
      if (!slept.ok()) co_return;
      if (!Broken(Rule::kHeldLeasesLookForFences)) co_await LookForFences();
      if (HoldsAny()) co_await LookForIsolation(CallContext());
      RetireIdle();
    }
  }

  Task<void> LookForFences() {
    std::vector<std::shared_ptr<HeldLease>> held;
    std::vector<ReadRequest> requests;
    {
      const std::lock_guard lock(mutex);
      auto next = leases.upper_bound(fence_cursor);
      if (next == leases.end()) next = leases.begin();
      for (; next != leases.end() && held.size() < kFenceReadsPerPoll; ++next) held.push_back(next->second);
      fence_cursor = next == leases.end() || held.empty() ? LogId(-1) : held.back()->log;
    }
    if (held.empty()) co_return;
    for (const std::shared_ptr<HeldLease>& lease : held) {
      requests.push_back(ReadRequest{Partition::OfLog(lease->log), WriteFenceKey(lease->log), KeyComparison::kEqual});
    }
    const Result<std::vector<ReadAnswer>> answers = co_await meta.Read(CallContext(), std::move(requests));
    if (!answers.ok()) co_return;
    for (std::size_t i = 0; i < held.size(); ++i) {
      if (!(*answers)[i].has_value()) continue;
      held[i]->fenced = true;
      Retire(held[i]);
    }
  }

  bool HoldsAny() {
    const std::lock_guard lock(mutex);
    return !leases.empty();
  }

  Task<void> LookForIsolation(OpContext context) {
    Task<Result<std::vector<LogId>>> list = ListIsolated(meta, std::move(context));
    Result<std::vector<LogId>> found = co_await list;
    if (!found.ok()) co_return;
    const std::lock_guard lock(mutex);
    const auto tell = [this](const std::vector<LogId>& logs, bool alone) {
      for (const LogId log : logs) {
        const auto lease = leases.find(log);
        if (lease != leases.end()) lease->second->isolated = alone;
      }
    };
    tell(isolated, false);
    isolated = *std::move(found);
    tell(isolated, true);
  }

  void RetireIdle() {
    std::vector<std::shared_ptr<HeldLease>> idle;
    {
      const std::lock_guard lock(mutex);
      const MonotonicTime before = runtime.Now() - options.lease_idle;
      for (const auto& [log, lease] : leases) {
        if (lease->changes == 0 && MonotonicTime(Duration(lease->last_used_ns)) < before) idle.push_back(lease);
      }
      for (const std::shared_ptr<HeldLease>& lease : idle) lease->invalid = true;
    }
    for (const std::shared_ptr<HeldLease>& lease : idle) Retire(lease);
  }
};

LeaseKeeper::LeaseKeeper(Runtime& runtime, MetadataStore& meta, const WriterOptions& options)
    : parts_(std::make_shared<Parts>(runtime, meta, options)) {}
LeaseKeeper::~LeaseKeeper() = default;

void LeaseKeeper::Start() { parts_->gate.Spawn(parts_->Background()); }

Task<Result<LeaseUse>> LeaseKeeper::Acquire(OpContext context, LogId log) {
  const std::shared_ptr<Parts> parts = parts_;
  if (LeaseUse held = parts->FindUsable(log)) co_return held;
  std::shared_ptr<AsyncMutex> turn;
  {
    const std::lock_guard lock(parts->mutex);
    std::shared_ptr<AsyncMutex>& entry = parts->taking[log];
    if (!entry) entry = std::make_shared<AsyncMutex>(parts->runtime);
    turn = entry;
  }
  Result<LeaseUse> taken = co_await parts->TakeInTurn(std::move(context), log, *turn);
  {
    const std::lock_guard lock(parts->mutex);
    // Whoever waits for the turn holds it too; with another mutex a second lease would be taken beside it.
    if (turn.use_count() == 2) parts->taking.erase(log);
  }
  co_return taken;
}

LeaseStats LeaseKeeper::stats() const {
  const std::lock_guard lock(parts_->mutex);
  LeaseStats stats;
  stats.held = static_cast<std::int64_t>(parts_->leases.size());
  stats.taken = parts_->taken;
  return stats;
}

Task<Status> LeaseKeeper::Stop(OpContext context) {
  const std::shared_ptr<Parts> parts = parts_;
  std::shared_ptr<MetadataSession> session;
  bool under_way = false;
  {
    const std::lock_guard lock(parts->mutex);
    session = parts->session;
    for (const auto& [log, lease] : parts->leases) under_way |= lease->changes > 0 || lease->kept;
    for (const std::shared_ptr<HeldLease>& lease : parts->leaving) under_way |= lease->changes > 0 || lease->kept;
  }
  parts->stop.request_stop();
  co_await parts->gate.Close();
  // The end of the session removes every lease record. Where a change may still happen, the records stay
  // until the process has ended and cannot make it any more.
  if (!session || under_way) co_return OkStatus();
  auto close = [session](OpContext c) { return session->Close(std::move(c)); };
  Task<Status> closing = UntilClosed(parts->runtime, std::move(context), std::move(close));
  co_return co_await closing;
}

}  // namespace lakestream
