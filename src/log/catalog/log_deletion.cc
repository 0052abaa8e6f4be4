#include "log/catalog/log_deletion.h"

#include <functional>
#include <utility>

#include "base/broken_rule.h"
#include "base/try.h"
#include "format/index_key.h"
#include "format/log_records.h"

namespace lakestream {

Task<Status> LogDeletion::Fence(OpContext context) {
  if (Broken(Rule::kFenceBeforeDrain)) co_return OkStatus();
  Task<Result<std::string>> fence = access_.CreateOrRead(std::move(context), Partition::OfLog(log_),
                                                         WriteFenceKey(log_), std::string(kWriteFenceValue));
  co_return (co_await fence).status();
}

Task<Status> LogDeletion::Drain(OpContext context, DrainOptions options) {
  if (Broken(Rule::kDrainBeforeDelete)) co_return OkStatus();
  if (Broken(Rule::kSweepAsksForLeases) && options.timeout == Duration(0)) co_return OkStatus();
  Runtime& runtime = access_.runtime();
  const MonotonicTime last = runtime.Now() + options.timeout;
  while (true) {
    Task<Result<bool>> look = Leased(context);
    LS_CO_ASSIGN(const bool leased, co_await look);
    if (!leased) co_return OkStatus();
    if (runtime.Now() >= last) break;
    Task<Status> sleep = SleepFor(runtime, context, options.poll);
    LS_CO_TRY(co_await sleep);
  }
  if (Broken(Rule::kFenceStaysWhenNotDrained)) {
    LS_CO_TRY(co_await access_.meta().Delete(context, Partition::OfLog(log_), WriteFenceKey(log_), WriteGuard()));
  }
  co_return PreconditionFailed("a log that is being deleted still has a writer").With("log", log_.value());
}

Task<Status> LogDeletion::DeleteIndex(OpContext context) {
  const std::function<Task<Status>()> remove = [&] {
    return access_.meta().DeleteRange(context, Partition::OfLog(log_), FirstIndexKey(log_), LastIndexKey(log_),
                                      WriteGuard());
  };
  Task<Status> removal = UntilAnswered(access_.runtime(), context, remove);
  co_return co_await removal;
}

Task<Result<bool>> LogDeletion::Leased(OpContext context) {
  const KeyBounds leases = WriteLeaseKeys(log_);
  Task<Result<bool>> look = AnyKey(std::move(context), leases.first, leases.end);
  co_return co_await look;
}

Task<Result<bool>> LogDeletion::Indexed(OpContext context) {
  Task<Result<bool>> look = AnyKey(std::move(context), FirstIndexKey(log_), LastIndexKey(log_));
  co_return co_await look;
}

Task<Result<bool>> LogDeletion::AnyKey(OpContext context, std::string from, std::string to) {
  KeyRange range;
  range.partition = Partition::OfLog(log_);
  range.from = std::move(from);
  range.to = std::move(to);
  std::string cursor;
  while (true) {
    LS_CO_ASSIGN(const KeyPage page, co_await access_.meta().List(context, range, cursor, 1));
    if (!page.keys.empty()) co_return true;
    if (!page.next) co_return false;
    cursor = *page.next;
  }
}

}  // namespace lakestream
