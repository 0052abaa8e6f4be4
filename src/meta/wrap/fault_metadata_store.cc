#include "meta/wrap/fault_metadata_store.h"

#include <algorithm>
#include <atomic>
#include <set>
#include <string>
#include <utility>

#include "base/invariant.h"
#include "base/try.h"
#include "meta/checks.h"
#include "runtime/when_all.h"

namespace lakestream {

class FaultMetadataStore::Session final : public MetadataSession {
 public:
  Session(FaultMetadataStore& store, std::shared_ptr<MetadataSession> inner)
      : store_(store), inner_(std::move(inner)) {}

  const std::string& id() const override { return inner_->id(); }
  bool ProvablyAlive() const override {
    if (lost_) return false;
    {
      const std::lock_guard lock(store_.mutex_);
      if (store_.suspect_) return false;
    }
    return inner_->ProvablyAlive();
  }
  Task<Status> Close(OpContext context) override {
    Call call{MetadataOp::kCloseSession, {id()}};
    return store_.Run<Status>(std::move(context), std::move(call),
                              [session = inner_](MetadataStore&, OpContext c) { return session->Close(std::move(c)); });
  }
  Task<Status> Lose() {
    lost_ = true;
    return inner_->Close(OpContext());
  }

 private:
  FaultMetadataStore& store_;
  const std::shared_ptr<MetadataSession> inner_;
  std::atomic<bool> lost_{false};
};

Status FaultMetadataStore::Call::Lost() const {
  const Status lost = ChangesStore(op) ? Indeterminate("the answer was lost") : Unavailable("the answer was lost");
  return lost.With("op", MetadataOpName(op)).With("key", keys.empty() ? std::string() : keys.front());
}

FaultMetadataStore::FaultMetadataStore(Runtime& runtime, MetadataStore& inner, MetadataFaultPlan& plan)
    : FaultMetadataStore(runtime, inner, plan, runtime, inner) {}
FaultMetadataStore::FaultMetadataStore(Runtime& runtime, MetadataStore& inner, MetadataFaultPlan& plan,
                                       Runtime& far_runtime, MetadataStore& far)
    : ForwardingMetadataStore(inner),
      runtime_(runtime),
      plan_(plan),
      far_runtime_(far_runtime),
      far_(far),
      gate_(far_runtime) {}
FaultMetadataStore::~FaultMetadataStore() = default;

Task<void> FaultMetadataStore::Stop() {
  plan_.ReleaseAll();
  co_await gate_.Close();
}

Task<Status> FaultMetadataStore::LoseSessions() {
  std::vector<std::weak_ptr<Session>> sessions;
  {
    const std::lock_guard lock(mutex_);
    sessions.swap(sessions_);
  }
  for (const std::weak_ptr<Session>& weak : sessions) {
    const std::shared_ptr<Session> session = weak.lock();
    if (session) LS_CO_TRY(co_await session->Lose());
  }
  co_return OkStatus();
}

void FaultMetadataStore::SuspectSessions(bool suspect) {
  const std::lock_guard lock(mutex_);
  suspect_ = suspect;
}

template <class R>
R FaultMetadataStore::Failure(const Call& call, const Status& status) {
  if constexpr (std::is_same_v<R, Answers>) {
    return Answers(call.keys.size(), Result<SequencedPutAnswer>(status));
  } else {
    return R(status);
  }
}

template <class R>
Task<R> FaultMetadataStore::Run(OpContext context, Call call, Inner<R> inner) {
  const Status alive = context.Check(runtime_.Now());
  if (!alive.ok()) co_return Failure<R>(call, alive);
  const std::optional<MetadataFaultPlan::Taken> taken = plan_.Take(call.op, call.keys);
  if (!taken) co_return co_await inner(this->inner(), std::move(context));
  co_return co_await Meet<R>(std::move(context), std::move(call), taken->fault, std::move(inner));
}

template <class R>
Task<R> FaultMetadataStore::Meet(OpContext context, Call call, MetadataFault fault, Inner<R> inner) {
  switch (fault.kind()) {
    case MetadataFaultKind::kFail:
      co_return Failure<R>(call, fault.answer_);
    case MetadataFaultKind::kLoseAnswer: {
      // The answer, whatever it says, is what gets lost.
      [[maybe_unused]] const R answer = co_await inner(this->inner(), std::move(context));
      co_return Failure<R>(call, call.Lost());
    }
    case MetadataFaultKind::kDelay:
      co_return co_await RunDelayed<R>(std::move(context), std::move(call), std::move(fault), std::move(inner));
    case MetadataFaultKind::kApplyLate:
    case MetadataFaultKind::kHold:
      co_return co_await RunApart<R>(std::move(context), std::move(call), std::move(fault), std::move(inner));
    case MetadataFaultKind::kLoseSessions: {
      const Status lost = co_await LoseSessions();
      if (!lost.ok()) co_return Failure<R>(call, Unavailable(lost.message()));
      break;
    }
    case MetadataFaultKind::kShortPage:
    case MetadataFaultKind::kCutPages:
    case MetadataFaultKind::kTearScan:
    case MetadataFaultKind::kWatchLate:
    case MetadataFaultKind::kWatchMissed:
    case MetadataFaultKind::kWatchTwice:
      break;
  }
  co_return co_await inner(this->inner(), std::move(context));
}

template <class R>
Task<R> FaultMetadataStore::RunDelayed(OpContext context, Call call, MetadataFault fault, Inner<R> inner) {
  const Status there = co_await SleepFor(runtime_, context, fault.before_);
  if (!there.ok()) co_return Failure<R>(call, there);
  R answer = co_await inner(this->inner(), context);
  const Status back = co_await SleepFor(runtime_, context, fault.after_);
  if (back.ok()) co_return answer;
  co_return Failure<R>(call, ChangesStore(call.op) ? call.Lost() : back);
}

template <class R>
Task<R> FaultMetadataStore::RunApart(OpContext context, Call call, MetadataFault fault, Inner<R> inner) {
  OpContext apart;
  apart.trace_id = context.trace_id;
  const Future<R> answer(runtime_.executor);
  bool started = false;
  if (fault.kind() == MetadataFaultKind::kHold) {
    fault.hold_->key = call.keys.empty() ? std::string() : call.keys.front();
    started = gate_.Spawn(Held<R>(fault.hold_, apart, call, std::move(inner), answer));
  } else {
    const bool endless = context.deadline == MonotonicTime::max() && !context.cancel.stop_possible();
    const MonotonicTime now = runtime_.Now();
    if (context.deadline == MonotonicTime::max()) context.deadline = now;
    const Duration wait = std::max(context.deadline - now, Duration::zero()) + fault.after_;
    started = gate_.Spawn(Late<R>(wait, apart, std::move(inner)));
    if (started && endless) co_return Failure<R>(call, call.Lost());
  }
  LS_INVARIANT(started, "no call is held or late once the store was stopped");
  const Status waited = co_await answer.Ready(std::move(context));
  if (waited.ok()) co_return std::move(answer.value());
  co_return Failure<R>(call, ChangesStore(call.op) ? call.Lost() : waited);
}

template <class R>
Task<void> FaultMetadataStore::Held(std::shared_ptr<Hold::State> hold, OpContext context, Call call,
                                    Inner<R> inner, Future<R> answer) {
  if (hold->point == HoldPoint::kBeforeApply) {
    hold->reached.Set();
    co_await hold->released.Wait();
    if (hold->answer) {
      answer.Set(Failure<R>(call, *hold->answer));
      hold->done.Set();
      co_return;
    }
  }
  R result = co_await inner(far_, std::move(context));
  if (hold->point == HoldPoint::kAfterApply) {
    hold->reached.Set();
    co_await hold->released.Wait();
    if (hold->answer) result = Failure<R>(call, *hold->answer);
  }
  answer.Set(std::move(result));
  hold->done.Set();
}

template <class R>
Task<void> FaultMetadataStore::Late(Duration wait, OpContext context, Inner<R> inner) {
  const Status slept = co_await SleepFor(far_runtime_, context, wait);
  LS_INVARIANT(slept.ok(), "nothing ends a late call's sleep early");
  [[maybe_unused]] const R answer = co_await inner(far_, std::move(context));
}

Task<Result<std::vector<ReadAnswer>>> FaultMetadataStore::Read(OpContext context, std::vector<ReadRequest> requests) {
  Call call{MetadataOp::kRead, {}};
  for (const ReadRequest& request : requests) call.keys.push_back(request.key);
  return Run<Result<std::vector<ReadAnswer>>>(
      std::move(context), std::move(call),
      [requests = std::move(requests)](MetadataStore& store, OpContext c) { return store.Read(std::move(c), requests); });
}

Task<Result<WriteAnswer>> FaultMetadataStore::Put(OpContext context, Partition partition, std::string key,
                                                  Buffer value, WriteGuard guard) {
  Call call{MetadataOp::kPut, {key}};
  return Run<Result<WriteAnswer>>(std::move(context), std::move(call),
                                  [partition, key, value, guard](MetadataStore& store, OpContext c) {
                                    return store.Put(std::move(c), partition, key, value, guard);
                                  });
}

Task<Result<WriteAnswer>> FaultMetadataStore::CreateIfAbsent(OpContext context, Partition partition, std::string key,
                                                             Buffer value, WriteGuard guard) {
  Call call{MetadataOp::kCreateIfAbsent, {key}};
  return Run<Result<WriteAnswer>>(std::move(context), std::move(call),
                                  [partition, key, value, guard](MetadataStore& store, OpContext c) {
                                    return store.CreateIfAbsent(std::move(c), partition, key, value, guard);
                                  });
}

Task<Result<WriteAnswer>> FaultMetadataStore::CreateEphemeral(OpContext context, Partition partition, std::string key,
                                                              Buffer value,
                                                              std::shared_ptr<MetadataSession> session) {
  Call call{MetadataOp::kCreateEphemeral, {key}};
  return Run<Result<WriteAnswer>>(std::move(context), std::move(call),
                                  [partition, key, value, session](MetadataStore& store, OpContext c) {
                                    return store.CreateEphemeral(std::move(c), partition, key, value, session);
                                  });
}

Task<Result<WriteAnswer>> FaultMetadataStore::CompareAndSet(OpContext context, Partition partition, std::string key,
                                                            Buffer value, std::int64_t version, WriteGuard guard) {
  Call call{MetadataOp::kCompareAndSet, {key}};
  return Run<Result<WriteAnswer>>(
      std::move(context), std::move(call), [partition, key, value, version, guard](MetadataStore& store, OpContext c) {
        return store.CompareAndSet(std::move(c), partition, key, value, version, guard);
      });
}

Task<Status> FaultMetadataStore::Delete(OpContext context, Partition partition, std::string key, WriteGuard guard) {
  Call call{MetadataOp::kDelete, {key}};
  return Run<Status>(std::move(context), std::move(call), [partition, key, guard](MetadataStore& store, OpContext c) {
    return store.Delete(std::move(c), partition, key, guard);
  });
}

Task<Status> FaultMetadataStore::DeleteRange(OpContext context, Partition partition, std::string from, std::string to,
                                             WriteGuard guard) {
  Call call{MetadataOp::kDeleteRange, {from}};
  return Run<Status>(std::move(context), std::move(call), [partition, from, to, guard](MetadataStore& store, OpContext c) {
    return store.DeleteRange(std::move(c), partition, from, to, guard);
  });
}

template <class Page>
Task<Result<Page>> FaultMetadataStore::RunPage(OpContext context, MetadataOp op, KeyRange range, int limit,
                                               std::function<Task<Result<Page>>(MetadataStore&, OpContext, int)> inner) {
  LS_CO_TRY(context.Check(runtime_.Now()));
  Call call{op, {range.from}};
  const std::optional<MetadataFaultPlan::Taken> taken = plan_.Take(op, call.keys);
  if (!taken) co_return co_await inner(this->inner(), std::move(context), limit);
  const MetadataFaultKind kind = taken->fault.kind();
  const bool shortened = kind == MetadataFaultKind::kShortPage || kind == MetadataFaultKind::kCutPages ||
                         kind == MetadataFaultKind::kTearScan;
  // A limit that the store refuses stays one.
  if (shortened && limit <= kMaxMetadataPageLimit) limit = std::min(limit, taken->fault.count_);
  Inner<Result<Page>> page = [inner, limit](MetadataStore& store, OpContext c) {
    return inner(store, std::move(c), limit);
  };
  Result<Page> answer = co_await Meet<Result<Page>>(context, std::move(call), taken->fault, std::move(page));
  if (answer.ok() && kind == MetadataFaultKind::kTearScan) {
    LS_CO_TRY(co_await SleepFor(runtime_, std::move(context), taken->fault.after_));
  }
  if (answer.ok() && kind == MetadataFaultKind::kCutPages) answer->next.reset();
  co_return answer;
}

Task<Result<KeyPage>> FaultMetadataStore::List(OpContext context, KeyRange range, std::string cursor, int limit) {
  return RunPage<KeyPage>(std::move(context), MetadataOp::kList, range, limit,
                          [range, cursor](MetadataStore& store, OpContext c, int at_most) {
                            return store.List(std::move(c), range, cursor, at_most);
                          });
}

Task<Result<ScanPage>> FaultMetadataStore::Scan(OpContext context, KeyRange range, std::string cursor, int limit) {
  return RunPage<ScanPage>(std::move(context), MetadataOp::kScan, range, limit,
                           [range, cursor](MetadataStore& store, OpContext c, int at_most) {
                             return store.Scan(std::move(c), range, cursor, at_most);
                           });
}

Task<std::vector<Result<SequencedPutAnswer>>> FaultMetadataStore::SequencedPut(
    OpContext context, std::vector<SequencedPutRequest> requests) {
  Call call{MetadataOp::kSequencedPut, {}};
  for (const SequencedPutRequest& request : requests) call.keys.push_back(request.prefix);
  const Status alive = context.Check(runtime_.Now());
  if (!alive.ok()) co_return Failure<Answers>(call, alive);
  std::optional<MetadataFaultPlan::Taken> taken = plan_.Take(call.op, call.keys);
  if (!taken) co_return co_await inner().SequencedPut(std::move(context), std::move(requests));
  co_return co_await RunSplit(std::move(context), std::move(requests), std::move(*taken));
}

Task<std::vector<Result<SequencedPutAnswer>>> FaultMetadataStore::RunSplit(OpContext context,
                                                                           std::vector<SequencedPutRequest> requests,
                                                                           MetadataFaultPlan::Taken taken) {
  Answers answers(requests.size(), Result<SequencedPutAnswer>(Internal("no answer")));
  Call call{MetadataOp::kSequencedPut, {}};
  std::vector<SequencedPutRequest> hit;
  std::vector<SequencedPutRequest> spared;
  std::vector<std::size_t> places;
  std::vector<std::size_t> spared_places;
  // What is only slow is still done in the order of its partition: the others of a partition that it meets go with it.
  std::set<std::string> slow_partitions;
  if (taken.fault.kind() == MetadataFaultKind::kDelay || taken.fault.kind() == MetadataFaultKind::kHold) {
    for (const SequencedPutRequest& request : requests) {
      if (request.prefix.starts_with(taken.prefix)) slow_partitions.insert(request.partition.name());
    }
  }
  for (std::size_t i = 0; i < requests.size(); ++i) {
    SequencedPutRequest& request = requests[i];
    if (!request.prefix.starts_with(taken.prefix) && !slow_partitions.contains(request.partition.name())) {
      spared.push_back(std::move(request));
      spared_places.push_back(i);
      continue;
    }
    if (taken.fault.kind() == MetadataFaultKind::kApplyLate && request.admit) {
      const Status admitted = request.admit();
      if (!admitted.ok()) {
        answers[i] = admitted;
        continue;
      }
      request.admit = nullptr;
    }
    call.keys.push_back(request.prefix);
    hit.push_back(std::move(request));
    places.push_back(i);
  }
  std::vector<Task<Answers>> parts;
  if (!hit.empty()) {
    Inner<Answers> put = [hit = std::move(hit)](MetadataStore& store, OpContext c) {
      return store.SequencedPut(std::move(c), hit);
    };
    parts.push_back(Meet<Answers>(context, std::move(call), std::move(taken.fault), std::move(put)));
  }
  if (!spared.empty()) parts.push_back(inner().SequencedPut(context, std::move(spared)));
  std::vector<Answers> ends = co_await WhenAll(runtime_, std::move(parts));
  places.insert(places.end(), spared_places.begin(), spared_places.end());
  std::size_t next = 0;
  for (Answers& part : ends) {
    for (Result<SequencedPutAnswer>& answer : part) answers[places[next++]] = std::move(answer);
  }
  co_return answers;
}

Task<Result<std::shared_ptr<MetadataSession>>> FaultMetadataStore::OpenSession(OpContext context, Duration timeout) {
  using Opened = Result<std::shared_ptr<MetadataSession>>;
  Call call{MetadataOp::kOpenSession, {std::string()}};
  Inner<Opened> open = [timeout](MetadataStore& store, OpContext c) { return store.OpenSession(std::move(c), timeout); };
  Task<Opened> run = Run<Opened>(std::move(context), std::move(call), std::move(open));
  LS_CO_ASSIGN(std::shared_ptr<MetadataSession> inner_session, co_await run);
  const auto session = std::make_shared<Session>(*this, std::move(inner_session));
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(sessions_, [](const std::weak_ptr<Session>& weak) { return weak.expired(); });
    sessions_.push_back(session);
  }
  std::shared_ptr<MetadataSession> wrapped = session;
  co_return wrapped;
}

Task<Status> FaultMetadataStore::AwaitChange(OpContext context, Partition partition, std::uint64_t seen) {
  const std::vector<std::string> keys(1, partition.name());
  {
    const std::lock_guard lock(mutex_);
    if (told_twice_.erase(partition.name()) > 0) co_return OkStatus();
  }
  const std::optional<MetadataFaultPlan::Taken> taken = plan_.Take(MetadataOp::kAwaitChange, keys);
  const MetadataFaultKind kind = taken ? taken->fault.kind() : MetadataFaultKind::kDelay;
  if (kind == MetadataFaultKind::kFail) co_return taken->fault.answer_;
  Status ended;
  if (kind == MetadataFaultKind::kWatchMissed) {
    ended = co_await SleepFor(runtime_, context, std::chrono::minutes(1));
  } else {
    ended = co_await inner().AwaitChange(context, partition, seen);
  }
  if (ended.ok() && kind == MetadataFaultKind::kWatchLate) {
    ended = co_await SleepFor(runtime_, std::move(context), taken->fault.after_);
  }
  if (ended.ok() && kind == MetadataFaultKind::kWatchTwice) {
    const std::lock_guard lock(mutex_);
    told_twice_.insert(partition.name());
  }
  co_return ended.code() == StatusCode::kDeadlineExceeded ? OkStatus() : ended;
}

MetadataCapabilities FaultMetadataStore::capabilities() const {
  MetadataCapabilities capabilities = ForwardingMetadataStore::capabilities();
  capabilities.definite_answers = false;
  return capabilities;
}

}  // namespace lakestream
