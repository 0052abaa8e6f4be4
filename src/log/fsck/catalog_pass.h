#pragma once

#include "log/fsck/fsck_job.h"

namespace lakestream {

/// Reads every key with "/": the records beside the index and the catalog, each by itself and with those it belongs
/// to. Then whether all log ids that were seen have been given out. Requires: objects and index have been read.
Task<Status> CheckCatalog(FsckJob& job);

}  // namespace lakestream
