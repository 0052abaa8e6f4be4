#include "log/fsck/fsck.h"

#include <utility>

#include "log/fsck/catalog_pass.h"
#include "log/fsck/compacted_check.h"
#include "log/fsck/fsck_job.h"
#include "log/fsck/index_pass.h"
#include "log/fsck/object_check.h"

namespace lakestream {

Task<Status> CompareObjects(FsckJob& job) {
  // Objects first: what is written meanwhile then has its object looked at by name, and the other way round an object
  // that was there has had all the time of the first pass to get its index records.
  Task<Status> objects = ReadObjects(job);
  LS_CO_TRY(co_await objects);
  Task<Status> compacted = ListCompacted(job);
  LS_CO_TRY(co_await compacted);
  Task<Status> compacting = MarkCompacting(job);
  LS_CO_TRY(co_await compacting);
  Task<Status> index = CheckIndex(job);
  co_return co_await index;
}

Task<Result<FsckTotals>> CheckDeployment(Runtime& runtime, FsckStores stores, OpContext context, FsckOptions options,
                                         FindingSink sink) {
  FsckJob job(runtime, stores, std::move(context), std::move(options), std::move(sink));
  Task<Status> compare = CompareObjects(job);
  LS_CO_TRY(co_await compare);
  Task<Status> unnamed = ReportUnnamedObjects(job);
  LS_CO_TRY(co_await unnamed);
  Task<Status> unnamed_compacted = ReportUnnamedCompacted(job);
  LS_CO_TRY(co_await unnamed_compacted);
  Task<Status> catalog = CheckCatalog(job);
  LS_CO_TRY(co_await catalog);
  co_return job.totals;
}

}  // namespace lakestream
