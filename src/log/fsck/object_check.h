#pragma once

#include <optional>
#include <string>

#include "format/entry_index.h"
#include "format/index_key.h"
#include "format/wal_object.h"
#include "log/fsck/fsck_job.h"

namespace lakestream {

/// The header of an object of `size` bytes. Errors: corrupt; as ObjectStore::Get.
Task<Result<WalHeader>> FetchWalHeader(ObjectStore& store, OpContext context, std::string key, std::uint64_t size);

/// Reads every object's header, and with `deep` every byte, and fills the job's table. An object that is removed
/// meanwhile is passed over.
Task<Status> ReadObjects(FsckJob& job);

/// Tells of the objects that were read and that no index record named. Requires: the index has been read.
Task<Status> ReportUnnamedObjects(FsckJob& job);

/// An index record whose section is not in the table.
struct NamedSection {
  std::string record_key;
  std::int64_t record_version = 0;
  IndexKey key;
  EntryIndex index;
};
/// Looks at the object itself, then at the record again, and tells what is wrong.
Task<Status> CheckNamedSection(FsckJob& job, NamedSection named);

}  // namespace lakestream
