#pragma once

#include <array>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "objstore/wrap/object_op.h"
#include "runtime/runtime.h"

namespace lakestream {

enum class FaultKind {
  kFail,
  kThrottle,
  kLoseAnswer,
  kApplyLate,
  kDelay,
  kShortBody,
  kFlipByte,
  kCutList,
  kShortPage,
  kHold,
};
inline constexpr int kFaultKinds = 10;

enum class HoldPoint {
  kBeforeApply,  ///< the store has not seen the call
  kAfterApply,   ///< the store has answered, the caller does not know
};

/// A call that stands still until the test lets it go. Its caller waits no longer than its context lasts:
/// then a write is indeterminate for it, and what is let go on later still reaches the store. Copies share
/// the call. Thread safety: any thread.
class Hold {
 public:
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
  friend class Fault;
  friend class FaultPlan;
  friend class FaultObjectStore;
  struct State {
    State(Executor& executor, HoldPoint p) : point(p), reached(executor), released(executor), done(executor) {}
    const HoldPoint point;
    std::string key;  // written before reached is set
    Event reached;
    std::optional<Status> answer;  // written before released is set
    Event released;
    Event done;
  };
  explicit Hold(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

/// One thing that goes wrong with a call. A value.
class Fault {
 public:
  /// The store does not see the call; the caller gets this status.
  static Fault Fail(Status answer);
  static Fault FailUnavailable();
  /// unavailable, as a store that asks to slow down. The store does nothing.
  static Fault Throttle();
  /// The store does its work; the caller gets indeterminate for a write, unavailable for a read.
  static Fault LoseAnswer();
  /// The caller gets no answer: when its context ends (at once, where it never does) a write is
  /// indeterminate. The store sees the call `after` later than that.
  static Fault ApplyLate(Duration after);
  /// The call takes this much longer on its way there and back.
  static Fault Delay(Duration before, Duration after = Duration::zero());
  /// Get gives at most this many bytes.
  static Fault ShortBody(std::uint64_t bytes);
  /// Get gives a byte with a flipped bit: the one at `offset` modulo the size of the answer.
  static Fault FlipByte(std::uint64_t offset);
  /// List gives this many objects of its page and says that it was the last page.
  static Fault CutList(std::uint64_t objects);
  /// List gives this many objects of its page (at least 1) and where to go on, as a store may.
  static Fault ShortPage(std::uint64_t objects);

  FaultKind kind() const { return kind_; }

 private:
  friend class FaultPlan;
  friend class FaultObjectStore;
  explicit Fault(FaultKind kind) : kind_(kind) {}

  FaultKind kind_;
  Status answer_;
  Duration before_ = Duration::zero();
  Duration after_ = Duration::zero();
  std::uint64_t count_ = 0;
  std::shared_ptr<Hold::State> hold_;
};

/// How often calls go wrong by chance, each in 10 000 calls of an operation that it applies to.
struct FaultRates {
  int fail = 0;
  int throttle = 0;
  int lose_answer = 0;
  int apply_late = 0;
  int delay = 0;
  int short_body = 0;
  int flip_byte = 0;
  int cut_list = 0;
  int short_page = 0;
  Duration max_delay = std::chrono::seconds(1);  ///< drawn anew for each way
  Duration max_late = std::chrono::seconds(60);
};

/// What goes wrong in a FaultObjectStore: rules of a test, then chance. The first rule that matches a call
/// takes it. A rule names an operation and a prefix of the key (List: of its prefix; Delete: of any of its
/// keys). Thread safety: any thread.
class FaultPlan {
 public:
  explicit FaultPlan(Runtime& runtime) : runtime_(runtime) {}

  /// The next `times` calls that match.
  void OnNext(ObjectOp op, std::string prefix, Fault fault, int times = 1);
  /// The n-th call that matches from now on; 1 is the next. Counts calls that no earlier rule takes.
  void OnNth(ObjectOp op, std::string prefix, int n, Fault fault);
  /// Every call that matches, until Heal.
  void Always(ObjectOp op, std::string prefix, Fault fault);
  Hold HoldNext(ObjectOp op, std::string prefix, HoldPoint point);
  /// From now on chance decides where no rule does. `random` outlives the plan.
  void Randomize(FaultRates rates, Random& random);
  /// No rules and no chance from now on. Calls that are held stay held.
  void Heal();

  /// How many calls have met this fault.
  std::int64_t injected(FaultKind kind) const;
  /// Rules that no call has met yet: a test that expects all of its faults to happen checks for 0.
  int rules_left() const;

 private:
  friend class FaultObjectStore;
  struct Rule {
    ObjectOp op;
    std::string prefix;
    Fault fault;
    int skip;
    int times;  // 0: without end
  };
  struct Chance {
    FaultRates rates;
    Random* random;
  };
  std::optional<Fault> Take(ObjectOp op, const std::vector<std::string>& keys);
  static std::optional<Fault> Draw(const Chance& chance, ObjectOp op);
  void ReleaseAll();

  Runtime& runtime_;
  mutable std::mutex mutex_;
  std::list<Rule> rules_;
  std::optional<Chance> chance_;
  std::array<std::int64_t, kFaultKinds> injected_{};
  std::vector<std::weak_ptr<Hold::State>> holds_;
};

}  // namespace lakestream
