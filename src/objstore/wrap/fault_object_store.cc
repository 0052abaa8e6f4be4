#include "objstore/wrap/fault_object_store.h"

#include <algorithm>
#include <utility>

#include "base/invariant.h"
#include "base/try.h"

namespace lakestream {
namespace {

template <class R>
void Spoil(FaultKind, std::uint64_t, R&) {}

void Spoil(FaultKind kind, std::uint64_t count, Result<Buffer>& answer) {
  if (!answer.ok() || answer->empty()) return;
  const std::size_t size = answer->size();
  if (kind == FaultKind::kShortBody) answer = answer->Slice(0, std::min<std::uint64_t>(count, size));
  if (kind == FaultKind::kFlipByte) {
    std::string bytes(answer->text());
    bytes[count % size] = static_cast<char>(bytes[count % size] ^ 0x10);
    answer = Buffer(std::move(bytes));
  }
}

void Spoil(FaultKind kind, std::uint64_t count, Result<ListPage>& answer) {
  if (kind != FaultKind::kCutList && kind != FaultKind::kShortPage) return;
  if (!answer.ok() || answer->objects.size() <= count) return;
  answer->objects.resize(count);
  answer->next.reset();
  if (kind == FaultKind::kShortPage) answer->next = answer->objects.back().key;
}

template <class R>
void Age(WallTime, R&) {}
void Age(WallTime newest, Result<ListPage>& answer) {
  if (!answer.ok()) return;
  std::erase_if(answer->objects, [newest](const ObjectInfo& object) { return object.modified > newest; });
}

}  // namespace

Status FaultObjectStore::Call::Lost() const {
  const Status lost = ChangesStore(op) ? Indeterminate("the answer was lost") : Unavailable("the answer was lost");
  return lost.With("op", ObjectOpName(op)).With("key", keys.empty() ? std::string() : keys.front());
}

FaultObjectStore::FaultObjectStore(Runtime& runtime, ObjectStore& inner, FaultPlan& plan)
    : FaultObjectStore(runtime, inner, plan, runtime, inner) {}
FaultObjectStore::FaultObjectStore(Runtime& runtime, ObjectStore& inner, FaultPlan& plan, Runtime& far_runtime,
                                   ObjectStore& far)
    : ForwardingObjectStore(inner),
      runtime_(runtime),
      plan_(plan),
      far_runtime_(far_runtime),
      far_(far),
      gate_(far_runtime) {}
FaultObjectStore::~FaultObjectStore() = default;

Task<void> FaultObjectStore::Stop() {
  plan_.ReleaseAll();
  co_await gate_.Close();
}

template <class R>
Task<R> FaultObjectStore::Run(OpContext context, Call call, Inner<R> inner) {
  LS_CO_TRY(context.Check(runtime_.Now()));
  const std::optional<FaultPlan::Taken> taken = plan_.Take(call.op, call.keys);
  if (!taken) co_return co_await inner(this->inner(), std::move(context));
  const Fault& fault = taken->fault;
  switch (fault.kind()) {
    case FaultKind::kFail:
    case FaultKind::kThrottle: co_return fault.answer_;
    case FaultKind::kLoseAnswer: {
      // The answer, whatever it says, is what gets lost.
      [[maybe_unused]] const R answer = co_await inner(this->inner(), std::move(context));
      co_return call.Lost();
    }
    case FaultKind::kDelay:
      co_return co_await RunDelayed<R>(std::move(context), std::move(call), fault, std::move(inner));
    case FaultKind::kApplyLate:
    case FaultKind::kHold:
      co_return co_await RunApart<R>(std::move(context), std::move(call), fault, std::move(inner));
    case FaultKind::kShortBody:
    case FaultKind::kFlipByte:
    case FaultKind::kCutList:
    case FaultKind::kStaleList:
    case FaultKind::kShortPage: break;
  }
  R answer = co_await inner(this->inner(), std::move(context));
  Spoil(fault.kind(), fault.count_, answer);
  if (fault.kind() == FaultKind::kStaleList) Age(far_runtime_.clock.Wall() - fault.after_, answer);
  co_return answer;
}

template <class R>
Task<R> FaultObjectStore::RunDelayed(OpContext context, Call call, Fault fault, Inner<R> inner) {
  LS_CO_TRY(co_await SleepFor(runtime_, context, fault.before_));
  R answer = co_await inner(this->inner(), context);
  const Status back = co_await SleepFor(runtime_, context, fault.after_);
  if (back.ok()) co_return answer;
  if (ChangesStore(call.op)) co_return call.Lost();
  co_return back;
}

template <class R>
Task<R> FaultObjectStore::RunApart(OpContext context, Call call, Fault fault, Inner<R> inner) {
  OpContext apart;
  apart.trace_id = context.trace_id;
  const Future<R> answer(runtime_.executor);
  bool started = false;
  if (fault.kind() == FaultKind::kHold) {
    fault.hold_->key = call.keys.empty() ? std::string() : call.keys.front();
    started = gate_.Spawn(Held<R>(fault.hold_, apart, std::move(inner), answer));
  } else {
    // A caller without a deadline would wait for ever; it loses its answer at once.
    const MonotonicTime now = runtime_.Now();
    if (context.deadline == MonotonicTime::max()) context.deadline = now;
    const Duration wait = std::max(context.deadline - now, Duration::zero()) + fault.after_;
    started = gate_.Spawn(Late<R>(wait, apart, std::move(inner)));
  }
  LS_INVARIANT(started, "no call is held or late once the store was stopped");
  const Status waited = co_await answer.Ready(std::move(context));
  if (waited.ok()) co_return std::move(answer.value());
  if (ChangesStore(call.op)) co_return call.Lost();
  co_return waited;
}

template <class R>
Task<void> FaultObjectStore::Held(std::shared_ptr<Hold::State> hold, OpContext context, Inner<R> inner,
                                  Future<R> answer) {
  if (hold->point == HoldPoint::kBeforeApply) {
    hold->reached.Set();
    co_await hold->released.Wait();
    if (hold->answer) {
      answer.Set(R(*hold->answer));
      hold->done.Set();
      co_return;
    }
  }
  R result = co_await inner(far_, std::move(context));
  if (hold->point == HoldPoint::kAfterApply) {
    hold->reached.Set();
    co_await hold->released.Wait();
    if (hold->answer) result = R(*hold->answer);
  }
  answer.Set(std::move(result));
  hold->done.Set();
}

template <class R>
Task<void> FaultObjectStore::Late(Duration wait, OpContext context, Inner<R> inner) {
  const Status slept = co_await SleepFor(far_runtime_, context, wait);
  LS_INVARIANT(slept.ok(), "nothing ends a late call's sleep early");
  [[maybe_unused]] const R answer = co_await inner(far_, std::move(context));
}

Task<Status> FaultObjectStore::Put(OpContext context, std::string key, BufferChain bytes, PutMode mode) {
  Call call{ObjectOp::kPut, {key}};
  return Run<Status>(std::move(context), std::move(call),
                     [key, bytes = std::move(bytes), mode](ObjectStore& store, OpContext c) {
                       return store.Put(std::move(c), key, bytes, mode);
                     });
}

Task<Result<Buffer>> FaultObjectStore::Get(OpContext context, std::string key, ByteRange range) {
  Call call{ObjectOp::kGet, {key}};
  return Run<Result<Buffer>>(std::move(context), std::move(call), [key, range](ObjectStore& store, OpContext c) {
    return store.Get(std::move(c), key, range);
  });
}

Task<Result<ObjectInfo>> FaultObjectStore::Head(OpContext context, std::string key) {
  Call call{ObjectOp::kHead, {key}};
  return Run<Result<ObjectInfo>>(std::move(context), std::move(call),
                                 [key](ObjectStore& store, OpContext c) { return store.Head(std::move(c), key); });
}

Task<Result<ListPage>> FaultObjectStore::List(OpContext context, std::string prefix, std::string start_after,
                                              int limit) {
  Call call{ObjectOp::kList, {prefix}};
  Inner<Result<ListPage>> list = [prefix, start_after, limit](ObjectStore& store, OpContext c) {
    return store.List(std::move(c), prefix, start_after, limit);
  };
  return Run<Result<ListPage>>(std::move(context), std::move(call), std::move(list));
}

Task<Status> FaultObjectStore::Delete(OpContext context, std::vector<std::string> keys) {
  Call call{ObjectOp::kDelete, keys};
  return Run<Status>(std::move(context), std::move(call),
                     [keys](ObjectStore& store, OpContext c) { return store.Delete(std::move(c), keys); });
}

Task<Result<ObjectLeftovers>> FaultObjectStore::RemoveLeftovers(OpContext context, WallTime before) {
  Call call{ObjectOp::kRemoveLeftovers, {""}};
  return Run<Result<ObjectLeftovers>>(
      std::move(context), std::move(call),
      [before](ObjectStore& store, OpContext c) { return store.RemoveLeftovers(std::move(c), before); });
}

/// Shares what it wraps with calls that go on without their caller.
class FaultObjectStore::Upload final : public ObjectUpload {
 public:
  Upload(FaultObjectStore& store, std::string key, std::unique_ptr<ObjectUpload> inner)
      : store_(store), key_(std::move(key)), inner_(std::move(inner)) {}

  Task<Status> Append(OpContext context, BufferChain bytes) override {
    Call call{ObjectOp::kAppend, {key_}};
    return store_.Run<Status>(std::move(context), std::move(call),
                              [upload = inner_, bytes = std::move(bytes)](ObjectStore&, OpContext c) {
                                return upload->Append(std::move(c), bytes);
                              });
  }
  Task<Status> Complete(OpContext context) override {
    Call call{ObjectOp::kComplete, {key_}};
    Inner<Status> complete = [upload = inner_](ObjectStore&, OpContext c) { return upload->Complete(std::move(c)); };
    return store_.Run<Status>(std::move(context), std::move(call), std::move(complete));
  }
  Task<Status> Abort(OpContext context) override {
    Call call{ObjectOp::kAbort, {key_}};
    Inner<Status> abort = [upload = inner_](ObjectStore&, OpContext c) { return upload->Abort(std::move(c)); };
    return store_.Run<Status>(std::move(context), std::move(call), std::move(abort));
  }

 private:
  FaultObjectStore& store_;
  const std::string key_;
  const std::shared_ptr<ObjectUpload> inner_;
};

Task<Result<std::unique_ptr<ObjectUpload>>> FaultObjectStore::StartUpload(OpContext context, std::string key,
                                                                          PutMode mode) {
  using Started = Result<std::unique_ptr<ObjectUpload>>;
  Call call{ObjectOp::kStartUpload, {key}};
  Inner<Started> start = [key, mode](ObjectStore& store, OpContext c) {
    return store.StartUpload(std::move(c), key, mode);
  };
  Task<Started> run = Run<Started>(std::move(context), std::move(call), std::move(start));
  LS_CO_ASSIGN(std::unique_ptr<ObjectUpload> upload, co_await run);
  std::unique_ptr<ObjectUpload> wrapped = std::make_unique<Upload>(*this, std::move(key), std::move(upload));
  co_return wrapped;
}

ObjectStoreCapabilities FaultObjectStore::capabilities() const {
  ObjectStoreCapabilities capabilities = ForwardingObjectStore::capabilities();
  capabilities.definite_answers = false;
  return capabilities;
}

}  // namespace lakestream
