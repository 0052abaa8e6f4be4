#pragma once

#include <functional>

#include "objstore/object_store.h"
#include "objstore/wrap/fault_plan.h"
#include "runtime/gate.h"

namespace lakestream {

/// Lets calls go wrong as the plan says and forwards the rest. Faithful: an answer is lost only after the
/// store has really done the call, and a call that goes on late reaches the store although nobody waits.
/// Outlives the uploads it started. Thread safety: any thread.
class FaultObjectStore final : public ForwardingObjectStore {
 public:
  /// `inner` and `plan` outlive this.
  FaultObjectStore(Runtime& runtime, ObjectStore& inner, FaultPlan& plan);
  /// For a caller that can be killed or frozen: calls that go on without it run on `far_runtime` and reach
  /// the same objects by `far`.
  FaultObjectStore(Runtime& runtime, ObjectStore& inner, FaultPlan& plan, Runtime& far_runtime, ObjectStore& far);
  ~FaultObjectStore() override;

  /// Lets go every call that is held and waits for all that goes on without its caller. No fault that needs
  /// that (holds, late calls) is possible afterwards. Outside the simulator, call it before destroying this.
  Task<void> Stop();

  Task<Status> Put(OpContext context, std::string key, BufferChain bytes, PutMode mode) override;
  Task<Result<Buffer>> Get(OpContext context, std::string key, ByteRange range) override;
  Task<Result<ObjectInfo>> Head(OpContext context, std::string key) override;
  Task<Result<ListPage>> List(OpContext context, std::string prefix, std::string start_after, int limit) override;
  Task<Status> Delete(OpContext context, std::vector<std::string> keys) override;
  Task<Result<std::unique_ptr<ObjectUpload>>> StartUpload(OpContext context, std::string key, PutMode mode) override;
  Task<Result<ObjectLeftovers>> RemoveLeftovers(OpContext context, WallTime before) override;
  /// As the inner store's, but no answer is definite.
  ObjectStoreCapabilities capabilities() const override;

 private:
  class Upload;
  struct Call {
    ObjectOp op;
    std::vector<std::string> keys;
    Status Lost() const;
  };
  /// Sends the call to the store that is given.
  template <class R>
  using Inner = std::function<Task<R>(ObjectStore&, OpContext)>;

  template <class R>
  Task<R> Run(OpContext context, Call call, Inner<R> inner);
  template <class R>
  Task<R> RunDelayed(OpContext context, Call call, Fault fault, Inner<R> inner);
  /// The call goes on by itself; the caller waits as long as its context lasts.
  template <class R>
  Task<R> RunApart(OpContext context, Call call, Fault fault, Inner<R> inner);
  template <class R>
  Task<void> Held(std::shared_ptr<Hold::State> hold, OpContext context, Inner<R> inner, Future<R> answer);
  template <class R>
  Task<void> Late(Duration wait, OpContext context, Inner<R> inner);

  Runtime& runtime_;
  FaultPlan& plan_;
  Runtime& far_runtime_;
  ObjectStore& far_;
  Gate gate_;
};

}  // namespace lakestream
