#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "log/gc/candidate_list.h"
#include "log/gc/collector.h"
#include "log/gc/object_names.h"
#include "log/gc/object_table.h"

namespace lakestream {

/// One pass, from its start to its end. Thread safety: none.
class CollectionPass {
 public:
  CollectionPass(CollectorParts parts, const CollectorOptions& options, OpContext context, CollectionObserver observer,
                 bool dry_run)
      : parts_(parts),
        options_(options),
        context_(std::move(context)),
        observer_(std::move(observer)),
        dry_run_(dry_run) {}

  Task<Result<CollectionReport>> Run();

 private:
  struct Page {
    ObjectRoot root;
    std::vector<ObjectInfo> objects;
  };
  using Visit = Task<Status> (CollectionPass::*)(Page page);

  // Before the pass: what drops have left.
  Task<Status> FinishDrops();

  // The steps, in their order.
  Task<Status> Begin();
  Task<Status> FindWhatIsNamed();
  Task<Status> Publish();
  Task<Status> DeleteGarbage();
  Task<Status> RemoveLeftovers();
  Task<Status> Tidy();

  Task<Status> ReadClocks();
  Task<Result<WallTime>> AskClock(ObjectRoot root);
  Task<Status> CreatePassRecord();
  Task<Status> ReadHolds();

  /// All objects, root after root, each in order.
  Task<Status> ListAll(Visit visit);
  Task<Status> TakeListed(Page page);
  Task<Status> Choose(const CandidateBase& base);
  Task<Status> ChooseFrom(Page page);
  /// The candidate of the base that this object is; goes past those before it, which are there no more.
  Task<Result<std::optional<CollectionCandidate>>> BaseCandidate(std::string object);
  Task<Status> AdvanceBase();
  Task<Status> Discard();
  Task<Status> Weigh(ObjectRoot root, const ObjectInfo& info, std::uint64_t reference,
                     std::optional<CollectionCandidate> known);

  Task<Status> DeleteBatch(ObjectRoot root, std::vector<CollectionCandidate> batch);
  void Tell(const CollectionCandidate& candidate, CollectedOutcome outcome) const;
  /// Notes how a step ended that a pass is incomplete without, and says whether to go on.
  Status Take(const Status& step, bool model::PassFacts::*fact);

  ObjectStore& Store(ObjectRoot root) { return root == ObjectRoot::kWal ? parts_.wal : parts_.compacted; }
  CollectedRoot& Found(ObjectRoot root) { return root == ObjectRoot::kWal ? report_.wal : report_.compacted; }
  ObjectTable& Table(ObjectRoot root) { return tables_[static_cast<std::size_t>(root)]; }
  Duration AgeOf(ObjectRoot root, const ObjectInfo& info) const;
  Duration WaitedSince(WallTime since) const;
  std::optional<BootStamp> StampNow() const;

  const CollectorParts parts_;
  const CollectorOptions& options_;
  const OpContext context_;
  const CollectionObserver observer_;
  const bool dry_run_;

  CollectionReport report_;
  model::PassFacts facts_;
  Status first_flaw_;
  std::array<WallTime, kObjectRoots> object_clocks_{};
  BootTime boot_{};        ///< when it started
  CandidateBase base_;     ///< read at the start
  std::array<ObjectTable, kObjectRoots> tables_;

  // While candidates are chosen.
  std::optional<CandidateReader> reader_;
  std::optional<CandidateWriter> writer_;  ///< none in a dry run
  bool base_is_gone_ = false;  ///< its candidates could not be read to the end
  WallTime base_ended_{};
  Duration ran_ahead_{};

  std::int64_t published_ = 0;   ///< the number of this pass's result
  std::int64_t superseded_ = 0;  ///< the pass whose result came before; 0: none
  MonotonicTime next_delete_{};
  bool stopped_by_hold_ = false;
};

}  // namespace lakestream
