#include "objstore/wrap/fault_plan.h"

#include <algorithm>
#include <utility>

#include "base/invariant.h"

namespace lakestream {

Event::SureAwaiter Hold::Reached() const { return state_->reached.Wait(); }
Event::SureAwaiter Hold::Done() const { return state_->done.Wait(); }
bool Hold::reached() const { return state_->reached.IsSet(); }
void Hold::Release() const { state_->released.Set(); }

void Hold::Release(Status answer) const {
  LS_INVARIANT(!answer.ok(), "a call ends early with an error only");
  LS_INVARIANT(!state_->released.IsSet(), "a call is let go once");
  state_->answer = std::move(answer);
  state_->released.Set();
}

std::string Hold::key() const {
  LS_INVARIANT(reached(), "the key is known once the call is held");
  return state_->key;
}

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

void FaultPlan::OnNext(ObjectOp op, std::string prefix, Fault fault, int times) {
  LS_INVARIANT(times >= 1, "a rule is for at least one call");
  const std::lock_guard lock(mutex_);
  rules_.push_back(Rule{op, std::move(prefix), std::move(fault), 0, times});
}

void FaultPlan::OnNth(ObjectOp op, std::string prefix, int n, Fault fault) {
  LS_INVARIANT(n >= 1, "calls are counted from 1");
  const std::lock_guard lock(mutex_);
  rules_.push_back(Rule{op, std::move(prefix), std::move(fault), n - 1, 1});
}

void FaultPlan::Always(ObjectOp op, std::string prefix, Fault fault) {
  const std::lock_guard lock(mutex_);
  rules_.push_back(Rule{op, std::move(prefix), std::move(fault), 0, 0});
}

Hold FaultPlan::HoldNext(ObjectOp op, std::string prefix, HoldPoint point) {
  Fault fault(FaultKind::kHold);
  fault.hold_ = std::make_shared<Hold::State>(runtime_.executor, point);
  const Hold hold(fault.hold_);
  const std::lock_guard lock(mutex_);
  std::erase_if(holds_, [](const std::weak_ptr<Hold::State>& held) { return held.expired(); });
  holds_.push_back(fault.hold_);
  rules_.push_back(Rule{op, std::move(prefix), std::move(fault), 0, 1});
  return hold;
}

void FaultPlan::Randomize(FaultRates rates, Random& random) {
  const std::lock_guard lock(mutex_);
  chance_ = Chance{rates, &random};
}

void FaultPlan::Heal() {
  const std::lock_guard lock(mutex_);
  rules_.clear();
  chance_.reset();
}

std::int64_t FaultPlan::injected(FaultKind kind) const {
  const std::lock_guard lock(mutex_);
  return injected_[static_cast<std::size_t>(kind)];
}

int FaultPlan::rules_left() const {
  const std::lock_guard lock(mutex_);
  return static_cast<int>(std::count_if(rules_.begin(), rules_.end(), [](const Rule& r) { return r.times != 0; }));
}

void FaultPlan::ReleaseAll() {
  std::vector<std::weak_ptr<Hold::State>> holds;
  {
    const std::lock_guard lock(mutex_);
    holds.swap(holds_);
  }
  for (const auto& held : holds) {
    if (const auto state = held.lock()) state->released.Set();
  }
}

std::optional<Fault> FaultPlan::Take(ObjectOp op, const std::vector<std::string>& keys) {
  const std::lock_guard lock(mutex_);
  std::optional<Fault> taken;
  for (auto rule = rules_.begin(); rule != rules_.end(); ++rule) {
    const auto matches = [&rule](const std::string& key) { return key.starts_with(rule->prefix); };
    if (rule->op != op || std::none_of(keys.begin(), keys.end(), matches)) continue;
    if (rule->skip > 0) {
      --rule->skip;
      continue;
    }
    taken = rule->fault;
    if (rule->times > 0 && --rule->times == 0) rules_.erase(rule);
    break;
  }
  if (!taken && chance_) taken = Draw(*chance_, op);
  if (taken) ++injected_[static_cast<std::size_t>(taken->kind())];
  return taken;
}

std::optional<Fault> FaultPlan::Draw(const Chance& chance, ObjectOp op) {
  const FaultRates& rates = chance.rates;
  Random& random = *chance.random;
  const auto up_to = [&random](Duration most) {
    return Duration(static_cast<std::int64_t>(random.Below(static_cast<std::uint64_t>(most.count()) + 1)));
  };
  auto draw = static_cast<std::int64_t>(random.Below(10'000));
  const auto hit = [&draw](int rate) {
    draw -= rate;
    return draw < 0;
  };
  if (hit(rates.fail)) return Fault::FailUnavailable();
  if (hit(rates.throttle)) return Fault::Throttle();
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
  }
  return std::nullopt;
}

}  // namespace lakestream
