#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/invariant.h"
#include "runtime/fault/hold.h"
#include "runtime/runtime.h"

namespace lakestream {

/// Which calls of a store go wrong, and how: rules of a test, then chance. The first rule that matches a call takes
/// it. A rule names an operation and a prefix of the call's keys. `F` is a value with kind() and
/// F::Holding(hold state); the kinds are numbered below `kKinds`. Thread safety: any thread.
template <class Op, class F, int kKinds>
class FaultRules {
 public:
  using Kind = decltype(std::declval<const F&>().kind());

  explicit FaultRules(Runtime& runtime) : runtime_(runtime) {}

  /// The next `times` calls that match.
  void OnNext(Op op, std::string prefix, F fault, int times = 1) {
    LS_INVARIANT(times >= 1, "a rule is for at least one call");
    Add(Rule{op, std::move(prefix), std::move(fault), 0, times});
  }
  /// The n-th call that matches from now on; 1 is the next. Counts calls that no earlier rule takes.
  void OnNth(Op op, std::string prefix, int n, F fault) {
    LS_INVARIANT(n >= 1, "calls are counted from 1");
    Add(Rule{op, std::move(prefix), std::move(fault), n - 1, 1});
  }
  /// Every call that matches, until Heal.
  void Always(Op op, std::string prefix, F fault) { Add(Rule{op, std::move(prefix), std::move(fault), 0, 0}); }
  Hold HoldNext(Op op, std::string prefix, HoldPoint point) {
    const auto state = std::make_shared<Hold::State>(runtime_.executor, point);
    {
      const std::lock_guard lock(mutex_);
      std::erase_if(holds_, [](const std::weak_ptr<Hold::State>& held) { return held.expired(); });
      holds_.push_back(state);
    }
    OnNext(op, std::move(prefix), F::Holding(state));
    return Hold(state);
  }
  /// No rules and no chance from now on. Calls that are held stay held.
  void Heal() {
    const std::lock_guard lock(mutex_);
    rules_.clear();
    chance_ = nullptr;
  }

  /// How many calls have met this fault.
  std::int64_t injected(Kind kind) const {
    const std::lock_guard lock(mutex_);
    return injected_[static_cast<std::size_t>(kind)];
  }
  /// Rules that no call has met yet: a test that expects all of its faults to happen checks for 0.
  int rules_left() const {
    const std::lock_guard lock(mutex_);
    return static_cast<int>(std::count_if(rules_.begin(), rules_.end(), [](const Rule& r) { return r.times != 0; }));
  }

 protected:
  struct Taken {
    F fault;
    std::string prefix;  ///< the keys of a batch that it is for
  };
  using Chance = std::function<std::optional<Taken>(Op op, const std::vector<std::string>& keys)>;

  void SetChance(Chance chance) {
    const std::lock_guard lock(mutex_);
    chance_ = std::move(chance);
  }
  /// What this call meets.
  std::optional<Taken> Take(Op op, const std::vector<std::string>& keys) {
    const std::lock_guard lock(mutex_);
    std::optional<Taken> taken = TakeRule(op, keys);
    if (!taken && chance_) taken = chance_(op, keys);
    if (taken) ++injected_[static_cast<std::size_t>(taken->fault.kind())];
    return taken;
  }
  void ReleaseAll() {
    std::vector<std::weak_ptr<Hold::State>> holds;
    {
      const std::lock_guard lock(mutex_);
      holds.swap(holds_);
    }
    for (const auto& held : holds) {
      if (const auto state = held.lock()) state->released.Set();
    }
  }

 private:
  struct Rule {
    Op op;
    std::string prefix;
    F fault;
    int skip;
    int times;  // 0: without end
  };

  void Add(Rule rule) {
    const std::lock_guard lock(mutex_);
    rules_.push_back(std::move(rule));
  }
  std::optional<Taken> TakeRule(Op op, const std::vector<std::string>& keys) {
    for (auto rule = rules_.begin(); rule != rules_.end(); ++rule) {
      const auto matches = [&rule](const std::string& key) { return key.starts_with(rule->prefix); };
      if (rule->op != op || std::none_of(keys.begin(), keys.end(), matches)) continue;
      if (rule->skip > 0) {
        --rule->skip;
        continue;
      }
      Taken taken{rule->fault, rule->prefix};
      if (rule->times > 0 && --rule->times == 0) rules_.erase(rule);
      return taken;
    }
    return std::nullopt;
  }

  Runtime& runtime_;
  mutable std::mutex mutex_;
  std::list<Rule> rules_;
  Chance chance_;
  std::array<std::int64_t, kKinds> injected_{};
  std::vector<std::weak_ptr<Hold::State>> holds_;
};

}  // namespace lakestream
