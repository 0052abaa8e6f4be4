#include "meta/wrap/metadata_fault_plan.h"

#include <algorithm>
#include <utility>

#include "base/invariant.h"

namespace lakestream {

Event::SureAwaiter MetadataHold::Reached() const { return state_->reached.Wait(); }
Event::SureAwaiter MetadataHold::Done() const { return state_->done.Wait(); }
bool MetadataHold::reached() const { return state_->reached.IsSet(); }
void MetadataHold::Release() const { state_->released.Set(); }

void MetadataHold::Release(Status answer) const {
  LS_INVARIANT(!answer.ok(), "a call ends early with an error only");
  LS_INVARIANT(!state_->released.IsSet(), "a call is let go once");
  state_->answer = std::move(answer);
  state_->released.Set();
}

std::string MetadataHold::key() const {
  LS_INVARIANT(reached(), "the key is known once the call is held");
  return state_->key;
}

MetadataFault MetadataFault::Fail(Status answer) {
  LS_INVARIANT(!answer.ok(), "a failure is not ok");
  MetadataFault fault(MetadataFaultKind::kFail);
  fault.answer_ = std::move(answer);
  return fault;
}
MetadataFault MetadataFault::FailUnavailable() { return Fail(Unavailable("injected failure")); }
MetadataFault MetadataFault::LoseAnswer() { return MetadataFault(MetadataFaultKind::kLoseAnswer); }
MetadataFault MetadataFault::ApplyLate(Duration after) {
  MetadataFault fault(MetadataFaultKind::kApplyLate);
  fault.after_ = after;
  return fault;
}
MetadataFault MetadataFault::Delay(Duration before, Duration after) {
  MetadataFault fault(MetadataFaultKind::kDelay);
  fault.before_ = before;
  fault.after_ = after;
  return fault;
}
MetadataFault MetadataFault::ShortPage(int records) {
  MetadataFault fault(MetadataFaultKind::kShortPage);
  fault.count_ = std::max(records, 1);
  return fault;
}
MetadataFault MetadataFault::CutPages(int records) {
  MetadataFault fault(MetadataFaultKind::kCutPages);
  fault.count_ = std::max(records, 1);
  return fault;
}
MetadataFault MetadataFault::LoseSessions() { return MetadataFault(MetadataFaultKind::kLoseSessions); }
MetadataFault MetadataFault::WatchLate(Duration late) {
  MetadataFault fault(MetadataFaultKind::kWatchLate);
  fault.after_ = late;
  return fault;
}
MetadataFault MetadataFault::WatchMissed() { return MetadataFault(MetadataFaultKind::kWatchMissed); }

void MetadataFaultPlan::OnNext(MetadataOp op, std::string prefix, MetadataFault fault, int times) {
  LS_INVARIANT(times >= 1, "a rule is for at least one call");
  const std::lock_guard lock(mutex_);
  rules_.push_back(Rule{op, std::move(prefix), std::move(fault), 0, times});
}

void MetadataFaultPlan::OnNth(MetadataOp op, std::string prefix, int n, MetadataFault fault) {
  LS_INVARIANT(n >= 1, "calls are counted from 1");
  const std::lock_guard lock(mutex_);
  rules_.push_back(Rule{op, std::move(prefix), std::move(fault), n - 1, 1});
}

void MetadataFaultPlan::Always(MetadataOp op, std::string prefix, MetadataFault fault) {
  const std::lock_guard lock(mutex_);
  rules_.push_back(Rule{op, std::move(prefix), std::move(fault), 0, 0});
}

MetadataHold MetadataFaultPlan::HoldNext(MetadataOp op, std::string prefix, MetadataHold::Point point) {
  MetadataFault fault(MetadataFaultKind::kHold);
  fault.hold_ = std::make_shared<MetadataHold::State>(runtime_.executor, point);
  const MetadataHold hold(fault.hold_);
  const std::lock_guard lock(mutex_);
  std::erase_if(holds_, [](const std::weak_ptr<MetadataHold::State>& held) { return held.expired(); });
  holds_.push_back(fault.hold_);
  rules_.push_back(Rule{op, std::move(prefix), std::move(fault), 0, 1});
  return hold;
}

void MetadataFaultPlan::Randomize(MetadataFaultRates rates, Random& random) {
  const std::lock_guard lock(mutex_);
  chance_ = Chance{rates, &random};
}

void MetadataFaultPlan::Heal() {
  const std::lock_guard lock(mutex_);
  rules_.clear();
  chance_.reset();
}

std::int64_t MetadataFaultPlan::injected(MetadataFaultKind kind) const {
  const std::lock_guard lock(mutex_);
  return injected_[static_cast<std::size_t>(kind)];
}

int MetadataFaultPlan::rules_left() const {
  const std::lock_guard lock(mutex_);
  return static_cast<int>(std::count_if(rules_.begin(), rules_.end(), [](const Rule& r) { return r.times != 0; }));
}

void MetadataFaultPlan::ReleaseAll() {
  std::vector<std::weak_ptr<MetadataHold::State>> holds;
  {
    const std::lock_guard lock(mutex_);
    holds.swap(holds_);
  }
  for (const auto& held : holds) {
    if (const auto state = held.lock()) state->released.Set();
  }
}

std::optional<MetadataFaultPlan::Taken> MetadataFaultPlan::Take(MetadataOp op, const std::vector<std::string>& keys) {
  const std::lock_guard lock(mutex_);
  std::optional<Taken> taken;
  for (auto rule = rules_.begin(); rule != rules_.end(); ++rule) {
    const auto matches = [&rule](const std::string& key) { return key.starts_with(rule->prefix); };
    if (rule->op != op || std::none_of(keys.begin(), keys.end(), matches)) continue;
    if (rule->skip > 0) {
      --rule->skip;
      continue;
    }
    taken = Taken{rule->fault, rule->prefix};
    if (rule->times > 0 && --rule->times == 0) rules_.erase(rule);
    break;
  }
  if (!taken && chance_) {
    const std::optional<MetadataFault> drawn = Draw(*chance_, op);
    if (drawn) taken = Taken{*drawn, std::string()};
    if (drawn && op == MetadataOp::kSequencedPut && keys.size() > 1 && chance_->random->Below(2) == 0) {
      taken->prefix = keys[chance_->random->Below(keys.size())];
    }
  }
  if (taken) ++injected_[static_cast<std::size_t>(taken->fault.kind())];
  return taken;
}

std::optional<MetadataFault> MetadataFaultPlan::Draw(const Chance& chance, MetadataOp op) {
  const MetadataFaultRates& rates = chance.rates;
  Random& random = *chance.random;
  const auto up_to = [&random](Duration most) {
    return Duration(static_cast<std::int64_t>(random.Below(static_cast<std::uint64_t>(most.count()) + 1)));
  };
  auto draw = static_cast<std::int64_t>(random.Below(10'000));
  const auto hit = [&draw](int rate) {
    draw -= rate;
    return draw < 0;
  };
  if (op == MetadataOp::kAwaitChange) {
    if (hit(rates.watch_late)) return MetadataFault::WatchLate(up_to(rates.max_delay));
    if (hit(rates.watch_missed)) return MetadataFault::WatchMissed();
    return std::nullopt;
  }
  if (hit(rates.fail)) return MetadataFault::FailUnavailable();
  if (hit(rates.lose_answer)) return MetadataFault::LoseAnswer();
  if (hit(rates.delay)) {
    const Duration before = up_to(rates.max_delay);
    return MetadataFault::Delay(before, up_to(rates.max_delay));
  }
  if (ChangesStore(op)) {
    if (hit(rates.apply_late)) return MetadataFault::ApplyLate(up_to(rates.max_late));
    if (hit(rates.lose_sessions)) return MetadataFault::LoseSessions();
  }
  if (op == MetadataOp::kList || op == MetadataOp::kScan) {
    if (hit(rates.short_page)) return MetadataFault::ShortPage(1 + static_cast<int>(random.Below(16)));
    if (hit(rates.cut_pages)) return MetadataFault::CutPages(1 + static_cast<int>(random.Below(16)));
  }
  return std::nullopt;
}

}  // namespace lakestream
