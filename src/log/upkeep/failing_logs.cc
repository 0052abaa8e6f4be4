#include "log/upkeep/failing_logs.h"

namespace lakestream {

void FailingLogs::Note(const CompactionOutcome& outcome) {
  if (outcome.kind != CompactionOutcome::Kind::kStuck) {
    logs_.erase(outcome.log);
    return;
  }
  Failing& log = logs_[outcome.log];
  log.pinned_bytes = outcome.pinned_bytes;
  log.retry_at = outcome.retry_at;
  log.told = true;
}

void FailingLogs::EndPass(MonotonicTime started) {
  std::erase_if(logs_, [started](const auto& log) { return !log.second.told && log.second.retry_at <= started; });
  for (auto& [log, failing] : logs_) failing.told = false;
}

std::int64_t FailingLogs::pinned_bytes() const {
  std::int64_t sum = 0;
  for (const auto& [log, failing] : logs_) sum += failing.pinned_bytes;
  return sum;
}

}  // namespace lakestream
