#include "log/gc/collector.h"

#include <utility>

#include "base/try.h"
#include "log/gc/collection_pass.h"
#include "log/gc/explanation.h"

namespace lakestream {

namespace {

constexpr int kMaxDeletesAtOnce = 1000;

Status CheckOptions(const CollectorOptions& options) {
  if (options.grace <= Duration::zero()) return InvalidArgument("grace is greater than 0");
  if (options.deletes_per_second < 1) return InvalidArgument("deletes_per_second is at least 1");
  if (options.deletes_at_once < 1 || options.deletes_at_once > kMaxDeletesAtOnce) {
    return InvalidArgument("deletes_at_once is from 1 to 1000");
  }
  return OkStatus();
}

}  // namespace

std::string_view CollectedOutcomeName(CollectedOutcome outcome) {
  switch (outcome) {
    case CollectedOutcome::kWouldBeDeleted: return "would be deleted";
    case CollectedOutcome::kDeleting: return "deleting";
    case CollectedOutcome::kDeleted: return "deleted";
    case CollectedOutcome::kUnknown: break;
  }
  return "unknown";
}

Task<Result<CollectionReport>> Collector::Pass(OpContext context, CollectionObserver observer) {
  LS_CO_TRY(CheckOptions(options_));
  CollectionPass pass(parts_, options_, std::move(context), std::move(observer), /*dry_run=*/false);
  Task<Result<CollectionReport>> run = pass.Run();
  co_return co_await run;
}

Task<Result<CollectionReport>> Collector::DryRun(OpContext context, CollectionObserver observer) {
  LS_CO_TRY(CheckOptions(options_));
  CollectionPass pass(parts_, options_, std::move(context), std::move(observer), /*dry_run=*/true);
  Task<Result<CollectionReport>> run = pass.Run();
  co_return co_await run;
}

Task<Result<ObjectOutlook>> Collector::Explain(OpContext context, std::string object) {
  LS_CO_TRY(CheckOptions(options_));
  Task<Result<ObjectOutlook>> explain = ExplainObject(parts_, options_, std::move(context), std::move(object));
  co_return co_await explain;
}

}  // namespace lakestream
