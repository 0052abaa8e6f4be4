#pragma once

#include "log/fsck/fsck_job.h"

namespace lakestream {

/// Reads every key without "/", which are the index records, in order: each record by itself, with the one before it,
/// and with the section that it names. Requires: the job's table is sealed.
Task<Status> CheckIndex(FsckJob& job);

}  // namespace lakestream
