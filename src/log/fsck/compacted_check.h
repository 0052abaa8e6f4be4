#pragma once

#include "log/fsck/fsck_job.h"

namespace lakestream {

// What stands below the compacted root, against what names it. The order matters: a file that is listed was named by a
// compaction record before, and an index record names it before that record lets it go.

/// Fills the job's table of compacted objects.
Task<Status> ListCompacted(FsckJob& job);

/// Marks what compaction records name, and tells of files that one is about to install and that are not there.
Task<Status> MarkCompacting(FsckJob& job);

/// Marks the files of a PARQUET record, and compares each with its companion and with the record, with `deep` every row.
/// Requires: `record` can be decoded, and its file index.
Task<Status> CheckCompactedRecord(FsckJob& job, MetadataRecord record);

/// Tells of the objects that nothing named. Requires: the index has been read.
Task<Status> ReportUnnamedCompacted(FsckJob& job);

}  // namespace lakestream
