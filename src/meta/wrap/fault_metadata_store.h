#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "meta/metadata_store.h"
#include "meta/wrap/metadata_fault_plan.h"
#include "runtime/gate.h"

namespace lakestream {

/// Lets calls go wrong as the plan says and forwards the rest. Faithful: an answer is lost only after the store
/// has really done the call, and a call that goes on late reaches the store although nobody waits. Outlives the
/// sessions it opened. Thread safety: any thread.
class FaultMetadataStore final : public ForwardingMetadataStore {
 public:
  /// `inner` and `plan` outlive this.
  FaultMetadataStore(Runtime& runtime, MetadataStore& inner, MetadataFaultPlan& plan);
  /// For a caller that can be killed or frozen: calls that go on without it run on `far_runtime` and reach the same
  /// records by `far`.
  FaultMetadataStore(Runtime& runtime, MetadataStore& inner, MetadataFaultPlan& plan, Runtime& far_runtime,
                     MetadataStore& far);
  ~FaultMetadataStore() override;

  /// Lets go every call that is held and waits for all that goes on without its caller. No fault that needs that
  /// (holds, late calls) is possible afterwards. Outside the simulator, call it before destroying this.
  Task<void> Stop();

  /// Loses every session opened so far: none is provably alive any more, and the ephemeral records are gone when
  /// this returns.
  Task<Status> LoseSessions();
  /// While set, no session opened here is provably alive, though the store keeps it: what a slow heartbeat does.
  void SuspectSessions(bool suspect);

  Task<Result<std::vector<ReadAnswer>>> Read(OpContext context, std::vector<ReadRequest> requests) override;
  Task<Result<WriteAnswer>> Put(OpContext context, Partition partition, std::string key, Buffer value,
                                WriteGuard guard) override;
  Task<Result<WriteAnswer>> CreateIfAbsent(OpContext context, Partition partition, std::string key, Buffer value,
                                           WriteGuard guard) override;
  Task<Result<WriteAnswer>> CreateEphemeral(OpContext context, Partition partition, std::string key, Buffer value,
                                            std::shared_ptr<MetadataSession> session) override;
  Task<Result<WriteAnswer>> CompareAndSet(OpContext context, Partition partition, std::string key, Buffer value,
                                          std::int64_t version, WriteGuard guard) override;
  Task<Status> Delete(OpContext context, Partition partition, std::string key, WriteGuard guard) override;
  Task<Status> DeleteRange(OpContext context, Partition partition, std::string from, std::string to,
                           WriteGuard guard) override;
  Task<Result<KeyPage>> List(OpContext context, KeyRange range, std::string cursor, int limit) override;
  Task<Result<ScanPage>> Scan(OpContext context, KeyRange range, std::string cursor, int limit) override;
  Task<std::vector<Result<SequencedPutAnswer>>> SequencedPut(OpContext context,
                                                             std::vector<SequencedPutRequest> requests) override;
  Task<Result<std::shared_ptr<MetadataSession>>> OpenSession(OpContext context, Duration timeout) override;
  Task<Status> AwaitChange(OpContext context, Partition partition, std::uint64_t seen) override;
  /// As the inner store's, but no answer is definite.
  MetadataCapabilities capabilities() const override;

 private:
  class Session;
  using Answers = std::vector<Result<SequencedPutAnswer>>;
  struct Call {
    MetadataOp op;
    std::vector<std::string> keys;
    Status Lost() const;
  };
  /// Sends the call to the store that is given.
  template <class R>
  using Inner = std::function<Task<R>(MetadataStore&, OpContext)>;

  /// The answer of a call of which every part ends with this status.
  template <class R>
  static R Failure(const Call& call, const Status& status);
  template <class R>
  Task<R> Run(OpContext context, Call call, Inner<R> inner);
  /// A call that meets this fault with all its parts.
  template <class R>
  Task<R> Meet(OpContext context, Call call, MetadataFault fault, Inner<R> inner);
  template <class R>
  Task<R> RunDelayed(OpContext context, Call call, MetadataFault fault, Inner<R> inner);
  /// The call goes on by itself; the caller waits as long as its context lasts.
  template <class R>
  Task<R> RunApart(OpContext context, Call call, MetadataFault fault, Inner<R> inner);
  template <class R>
  Task<void> Held(std::shared_ptr<Hold::State> hold, OpContext context, Call call, Inner<R> inner, Future<R> answer);
  template <class R>
  Task<void> Late(Duration wait, OpContext context, Inner<R> inner);
  template <class Page>
  Task<Result<Page>> RunPage(OpContext context, MetadataOp op, KeyRange range, int limit,
                             std::function<Task<Result<Page>>(MetadataStore&, OpContext, int)> inner);
  /// The requests that the fault is for meet it, the others reach the store.
  Task<Answers> RunSplit(OpContext context, std::vector<SequencedPutRequest> requests,
                         MetadataFaultPlan::Taken taken);

  Runtime& runtime_;
  MetadataFaultPlan& plan_;
  Runtime& far_runtime_;
  MetadataStore& far_;
  Gate gate_;
  std::mutex mutex_;
  bool suspect_ = false;
  std::set<std::string> told_twice_;  ///< partitions whose last change is told once more
  std::vector<std::weak_ptr<Session>> sessions_;
};

}  // namespace lakestream
