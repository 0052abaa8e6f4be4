#include "meta/wrap/metadata_fault_plan.h"

#include <algorithm>
#include <utility>

#include "base/invariant.h"

namespace lakestream {

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
MetadataFault MetadataFault::TearScan(int records, Duration between) {
  MetadataFault fault(MetadataFaultKind::kTearScan);
  fault.count_ = std::max(records, 1);
  fault.after_ = between;
  return fault;
}
MetadataFault MetadataFault::LoseSessions() { return MetadataFault(MetadataFaultKind::kLoseSessions); }
MetadataFault MetadataFault::WatchLate(Duration late) {
  MetadataFault fault(MetadataFaultKind::kWatchLate);
  fault.after_ = late;
  return fault;
}
MetadataFault MetadataFault::WatchMissed() { return MetadataFault(MetadataFaultKind::kWatchMissed); }
MetadataFault MetadataFault::WatchTwice() { return MetadataFault(MetadataFaultKind::kWatchTwice); }

MetadataFault MetadataFault::Holding(std::shared_ptr<Hold::State> hold) {
  MetadataFault fault(MetadataFaultKind::kHold);
  fault.hold_ = std::move(hold);
  return fault;
}

void MetadataFaultPlan::Randomize(MetadataFaultRates rates, Random& random) {
  SetChance([rates, &random](MetadataOp op, const std::vector<std::string>& keys) {
    std::optional<Taken> taken;
    if (std::optional<MetadataFault> drawn = Draw(rates, random, op)) {
      taken = Taken{*std::move(drawn), std::string()};
      if (op == MetadataOp::kSequencedPut && keys.size() > 1 && random.Below(2) == 0) {
        taken->prefix = keys[random.Below(keys.size())];
      }
    }
    return taken;
  });
}

std::optional<MetadataFault> MetadataFaultPlan::Draw(const MetadataFaultRates& rates, Random& random,
                                                  MetadataOp op) {
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
    if (hit(rates.watch_twice)) return MetadataFault::WatchTwice();
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
    if (hit(rates.tear_scan)) {
      const int records = 1 + static_cast<int>(random.Below(4));
      return MetadataFault::TearScan(records, up_to(rates.max_delay));
    }
  }
  return std::nullopt;
}

}  // namespace lakestream
