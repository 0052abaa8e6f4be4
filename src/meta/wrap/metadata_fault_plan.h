#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "meta/wrap/metadata_op.h"
#include "runtime/fault/fault_rules.h"

namespace lakestream {

enum class MetadataFaultKind {
  kFail,
  kLoseAnswer,
  kApplyLate,
  kDelay,
  kShortPage,
  kCutPages,
  kTearScan,
  kLoseSessions,
  kWatchLate,
  kWatchMissed,
  kWatchTwice,
  kHold,
};
inline constexpr int kMetadataFaultKinds = 12;

/// One thing that goes wrong with a call. A value.
class MetadataFault {
 public:
  /// The store does not see the call; the caller gets this status. Of a batch of sequenced puts only the
  /// requests that the rule names fail; the others reach the store.
  static MetadataFault Fail(Status answer);
  static MetadataFault FailUnavailable();
  /// The store does its work; the caller gets indeterminate for a write, unavailable for a read.
  static MetadataFault LoseAnswer();
  /// The caller gets no answer: when its context ends (at once, where it never does) a write is indeterminate.
  /// The store sees the call `after` later than that. A sequenced put is admitted before it gets lost.
  static MetadataFault ApplyLate(Duration after);
  /// The call takes this much longer on its way there and back. Of a batch of sequenced puts, as with a hold, this
  /// takes in every request of the partitions that the rule meets, so that those of one partition stay in order.
  static MetadataFault Delay(Duration before, Duration after = Duration::zero());
  /// List and Scan give at most this many (at least 1) and where to go on, as a store may.
  static MetadataFault ShortPage(int records);
  /// List and Scan give at most this many (at least 1) and say that it was the last page.
  static MetadataFault CutPages(int records);
  /// List and Scan give at most this many (at least 1) and where to go on, but only after so long: what others write
  /// meanwhile comes between two pages.
  static MetadataFault TearScan(int records, Duration between);
  /// Every session opened here is lost, and its ephemeral records are gone, before the call reaches the store.
  static MetadataFault LoseSessions();
  /// AwaitChange wakes this much later, but no later than its deadline.
  static MetadataFault WatchLate(Duration late);
  /// AwaitChange sees no change: it lasts until its deadline, at most a minute.
  static MetadataFault WatchMissed();
  /// The change is told twice: the next AwaitChange of the partition wakes at once.
  static MetadataFault WatchTwice();

  /// The call stands still: see MetadataFaultPlan::HoldNext.
  static MetadataFault Holding(std::shared_ptr<Hold::State> hold);

  MetadataFaultKind kind() const { return kind_; }

 private:
  friend class FaultMetadataStore;
  explicit MetadataFault(MetadataFaultKind kind) : kind_(kind) {}

  MetadataFaultKind kind_;
  Status answer_;
  Duration before_ = Duration::zero();
  Duration after_ = Duration::zero();
  int count_ = 0;
  std::shared_ptr<Hold::State> hold_;
};

/// How often calls go wrong by chance, each in 10 000 calls of an operation that it applies to.
struct MetadataFaultRates {
  int fail = 0;
  int lose_answer = 0;
  int apply_late = 0;
  int delay = 0;
  int short_page = 0;
  int cut_pages = 0;
  int lose_sessions = 0;  ///< at writes
  int watch_late = 0;
  int watch_missed = 0;
  int tear_scan = 0;
  int watch_twice = 0;
  Duration max_delay = std::chrono::seconds(1);  ///< drawn anew for each way, late watches and torn scans
  Duration max_late = std::chrono::seconds(60);
};

/// What goes wrong in a FaultMetadataStore. The keys of a rule: any request's key (Read), any request's prefix
/// (SequencedPut), the lower bound (DeleteRange, List, Scan), the session's id (CloseSession), the partition's name
/// (AwaitChange); OpenSession has the empty key. By chance a fault takes a whole batch of sequenced puts or the
/// requests of one prefix in it.
class MetadataFaultPlan : public FaultRules<MetadataOp, MetadataFault, kMetadataFaultKinds> {
 public:
  using FaultRules::FaultRules;

  /// From now on chance decides where no rule does. `random` outlives the plan.
  void Randomize(MetadataFaultRates rates, Random& random);

 private:
  friend class FaultMetadataStore;
  static std::optional<MetadataFault> Draw(const MetadataFaultRates& rates, Random& random, MetadataOp op);
};

}  // namespace lakestream
