#pragma once

#include <array>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "meta/wrap/metadata_op.h"
#include "runtime/runtime.h"

namespace lakestream {

enum class MetadataFaultKind {
  kFail,
  kLoseAnswer,
  kApplyLate,
  kDelay,
  kShortPage,
  kCutPages,
  kLoseSessions,
  kWatchLate,
  kWatchMissed,
  kHold,
};
inline constexpr int kMetadataFaultKinds = 10;

/// A call that stands still until the test lets it go. Its caller waits no longer than its context lasts:
/// then a write is indeterminate for it, and what is let go on later still reaches the store. Copies share
/// the call. Thread safety: any thread.
class MetadataHold {
 public:
  enum class Point {
    kBeforeApply,  ///< the store has not seen the call, nor asked `admit`
    kAfterApply,   ///< the store has answered, the caller does not know
  };

  /// co_await hold.Reached(): the call has come to its hold point.
  Event::SureAwaiter Reached() const;
  /// co_await hold.Done(): the call is over, whether its caller still waits or not.
  Event::SureAwaiter Done() const;
  bool reached() const;
  /// Lets the call go on.
  void Release() const;
  /// Ends the call with this answer. Before applying: the store never sees it. Requires: not ok.
  void Release(Status answer) const;
  /// The key of the call. Requires: reached().
  std::string key() const;

 private:
  friend class MetadataFault;
  friend class MetadataFaultPlan;
  friend class FaultMetadataStore;
  struct State {
    State(Executor& executor, Point p) : point(p), reached(executor), released(executor), done(executor) {}
    const Point point;
    std::string key;  // written before reached is set
    Event reached;
    std::optional<Status> answer;  // written before released is set
    Event released;
    Event done;
  };
  explicit MetadataHold(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

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
  /// The call takes this much longer on its way there and back.
  static MetadataFault Delay(Duration before, Duration after = Duration::zero());
  /// List and Scan give at most this many (at least 1) and where to go on, as a store may.
  static MetadataFault ShortPage(int records);
  /// List and Scan give at most this many (at least 1) and say that it was the last page.
  static MetadataFault CutPages(int records);
  /// Every session opened here is lost, and its ephemeral records are gone, before the call reaches the store.
  static MetadataFault LoseSessions();
  /// AwaitChange wakes this much later, but no later than its deadline.
  static MetadataFault WatchLate(Duration late);
  /// AwaitChange sees no change: it lasts until its deadline, at most a minute.
  static MetadataFault WatchMissed();

  MetadataFaultKind kind() const { return kind_; }

 private:
  friend class MetadataFaultPlan;
  friend class FaultMetadataStore;
  explicit MetadataFault(MetadataFaultKind kind) : kind_(kind) {}

  MetadataFaultKind kind_;
  Status answer_;
  Duration before_ = Duration::zero();
  Duration after_ = Duration::zero();
  int count_ = 0;
  std::shared_ptr<MetadataHold::State> hold_;
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
  Duration max_delay = std::chrono::seconds(1);  ///< drawn anew for each way, and for late watches
  Duration max_late = std::chrono::seconds(60);
};

/// What goes wrong in a FaultMetadataStore: rules of a test, then chance. The first rule that matches a call
/// takes it. A rule names an operation and a prefix of the key: of any request's key (Read), of any request's
/// prefix (SequencedPut), of the lower bound (DeleteRange, List, Scan), of the session's id (CloseSession), of
/// the partition's name (AwaitChange); OpenSession has the empty key. By chance a fault takes a whole batch of
/// sequenced puts or the requests of one prefix in it. Thread safety: any thread.
class MetadataFaultPlan {
 public:
  explicit MetadataFaultPlan(Runtime& runtime) : runtime_(runtime) {}

  /// The next `times` calls that match.
  void OnNext(MetadataOp op, std::string prefix, MetadataFault fault, int times = 1);
  /// The n-th call that matches from now on; 1 is the next. Counts calls that no earlier rule takes.
  void OnNth(MetadataOp op, std::string prefix, int n, MetadataFault fault);
  /// Every call that matches, until Heal.
  void Always(MetadataOp op, std::string prefix, MetadataFault fault);
  MetadataHold HoldNext(MetadataOp op, std::string prefix, MetadataHold::Point point);
  /// From now on chance decides where no rule does. `random` outlives the plan.
  void Randomize(MetadataFaultRates rates, Random& random);
  /// No rules and no chance from now on. Calls that are held stay held.
  void Heal();

  /// How many calls have met this fault.
  std::int64_t injected(MetadataFaultKind kind) const;
  /// Rules that no call has met yet: a test that expects all of its faults to happen checks for 0.
  int rules_left() const;

 private:
  friend class FaultMetadataStore;
  struct Rule {
    MetadataOp op;
    std::string prefix;
    MetadataFault fault;
    int skip;
    int times;  // 0: without end
  };
  struct Chance {
    MetadataFaultRates rates;
    Random* random;
  };
  struct Taken {
    MetadataFault fault;
    std::string prefix;  // the requests of a batch that it is for
  };
  std::optional<Taken> Take(MetadataOp op, const std::vector<std::string>& keys);
  static std::optional<MetadataFault> Draw(const Chance& chance, MetadataOp op);
  void ReleaseAll();

  Runtime& runtime_;
  mutable std::mutex mutex_;
  std::list<Rule> rules_;
  std::optional<Chance> chance_;
  std::array<std::int64_t, kMetadataFaultKinds> injected_{};
  std::vector<std::weak_ptr<MetadataHold::State>> holds_;
};

}  // namespace lakestream
