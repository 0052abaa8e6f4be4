#include "objstore/wrap/fault_plan.h"

#include <algorithm>
#include <utility>

#include "base/invariant.h"

namespace lakestream {

Fault Fault::Fail(Status answer) {
  LS_INVARIANT(!answer.ok(), "a failure is not ok");
  Fault fault(FaultKind::kFail);
  fault.answer_ = std::move(answer);
  return fault;
}
Fault Fault::FailUnavailable() { return Fail(Unavailable("injected failure")); }
Fault Fault::Throttle() {
  Fault fault(FaultKind::kThrottle);
  fault.answer_ = Unavailable("the store asks to slow down");
  return fault;
}
Fault Fault::Exhaust() {
  Fault fault(FaultKind::kThrottle);
  fault.answer_ = ResourceExhausted("the store has no room for now");
  return fault;
}
Fault Fault::LoseAnswer() { return Fault(FaultKind::kLoseAnswer); }
Fault Fault::ApplyLate(Duration after) {
  Fault fault(FaultKind::kApplyLate);
  fault.after_ = after;
  return fault;
}
Fault Fault::Delay(Duration before, Duration after) {
  Fault fault(FaultKind::kDelay);
  fault.before_ = before;
  fault.after_ = after;
  return fault;
}
Fault Fault::ShortBody(std::uint64_t bytes) {
  Fault fault(FaultKind::kShortBody);
  fault.count_ = bytes;
  return fault;
}
Fault Fault::FlipByte(std::uint64_t offset) {
  Fault fault(FaultKind::kFlipByte);
  fault.count_ = offset;
  return fault;
}
Fault Fault::CutList(std::uint64_t objects) {
  Fault fault(FaultKind::kCutList);
  fault.count_ = objects;
  return fault;
}
Fault Fault::ShortPage(std::uint64_t objects) {
  Fault fault(FaultKind::kShortPage);
  fault.count_ = std::max<std::uint64_t>(objects, 1);
  return fault;
}
Fault Fault::StaleList(Duration age) {
  Fault fault(FaultKind::kStaleList);
  fault.after_ = age;
  return fault;
}

Fault Fault::Holding(std::shared_ptr<Hold::State> hold) {
  Fault fault(FaultKind::kHold);
  fault.hold_ = std::move(hold);
  return fault;
}

void FaultPlan::Randomize(FaultRates rates, Random& random) {
  SetChance([rates, &random, left = std::uint64_t{0}, burst = Fault::Throttle()](
                ObjectOp op, const std::vector<std::string>&) mutable {
    std::optional<Taken> taken;
    if (left > 0) {
      --left;
      taken = Taken{burst, std::string()};
    } else if (std::optional<Fault> drawn = Draw(rates, random, op)) {
      taken = Taken{*std::move(drawn), std::string()};
      if (taken->fault.kind() == FaultKind::kThrottle && rates.max_burst > 1) {
        burst = taken->fault;
        left = random.Below(static_cast<std::uint64_t>(rates.max_burst));
      }
    }
    return taken;
  });
}

std::optional<Fault> FaultPlan::Draw(const FaultRates& rates, Random& random, ObjectOp op) {
  const auto up_to = [&random](Duration most) {
    return Duration(static_cast<std::int64_t>(random.Below(static_cast<std::uint64_t>(most.count()) + 1)));
  };
  auto draw = static_cast<std::int64_t>(random.Below(10'000));
  const auto hit = [&draw](int rate) {
    draw -= rate;
    return draw < 0;
  };
  if (hit(rates.fail)) return Fault::FailUnavailable();
  if (hit(rates.throttle)) return random.Below(4) == 0 ? Fault::Exhaust() : Fault::Throttle();
  if (hit(rates.lose_answer)) return Fault::LoseAnswer();
  if (hit(rates.delay)) {
    const Duration before = up_to(rates.max_delay);
    return Fault::Delay(before, up_to(rates.max_delay));
  }
  if (ChangesStore(op) && hit(rates.apply_late)) return Fault::ApplyLate(up_to(rates.max_late));
  if (op == ObjectOp::kGet) {
    if (hit(rates.short_body)) return Fault::ShortBody(random.Below(64 << 10));
    if (hit(rates.flip_byte)) return Fault::FlipByte(random.Next());
  }
  if (op == ObjectOp::kList) {
    if (hit(rates.cut_list)) return Fault::CutList(random.Below(16));
    if (hit(rates.short_page)) return Fault::ShortPage(1 + random.Below(16));
    if (hit(rates.stale_list)) return Fault::StaleList(up_to(rates.max_late));
  }
  return std::nullopt;
}

}  // namespace lakestream
