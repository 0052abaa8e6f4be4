#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "objstore/wrap/object_op.h"
#include "runtime/fault/fault_rules.h"

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
  kStaleList,
  kHold,
};
inline constexpr int kFaultKinds = 11;

/// One thing that goes wrong with a call. A value.
class Fault {
 public:
  /// The store does not see the call; the caller gets this status.
  static Fault Fail(Status answer);
  static Fault FailUnavailable();
  /// unavailable, as a store that asks to slow down. The store does nothing.
  static Fault Throttle();
  /// resource_exhausted, as a store that has no room for now. The store does nothing.
  static Fault Exhaust();
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

  /// List lacks the objects of its page that were made within so long, by the store's own clock.
  static Fault StaleList(Duration age);

  /// The call stands still: see FaultPlan::HoldNext.
  static Fault Holding(std::shared_ptr<Hold::State> hold);

  FaultKind kind() const { return kind_; }

 private:
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
  int throttle = 0;  ///< begins a burst
  int lose_answer = 0;
  int apply_late = 0;
  int delay = 0;
  int short_body = 0;
  int flip_byte = 0;
  int cut_list = 0;
  int short_page = 0;
  int stale_list = 0;
  Duration max_delay = std::chrono::seconds(1);  ///< drawn anew for each way
  Duration max_late = std::chrono::seconds(60);  ///< and how stale a listing is at most
  int max_burst = 1;  ///< so many calls in a row are throttled; those of one burst get the same answer
};

/// What goes wrong in a FaultObjectStore. The keys of a rule: List: its prefix; Delete: any of its keys.
class FaultPlan : public FaultRules<ObjectOp, Fault, kFaultKinds> {
 public:
  using FaultRules::FaultRules;

  /// From now on chance decides where no rule does. `random` outlives the plan.
  void Randomize(FaultRates rates, Random& random);

 private:
  friend class FaultObjectStore;
  static std::optional<Fault> Draw(const FaultRates& rates, Random& random, ObjectOp op);
};

}  // namespace lakestream
