#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "bench/append_load.h"
#include "bench/null_object_store.h"
#include "lakestream/status.h"
#include "log/reader/log_reader.h"
#include "meta/metadata_store.h"

namespace lakestream::bench {

/// Compares what a load had acknowledged with what stands in the metadata store and what the null store took: the
/// index records of each log follow each other from 0 to exactly the acknowledged entries, and each object's header,
/// size and checksum are those of the entries that its records name. Gives the number of entries. Blocks; not for the
/// runtime's threads. Errors: corrupt.
Result<std::int64_t> CheckLedger(MetadataStore& meta, const NullObjectStore& objects,
                                 const std::vector<const AppendLoad*>& loads);

/// Reads every log of the load from its start and compares each entry with what was appended. Gives the number of
/// entries. Blocks; not for the runtime's threads. Errors: corrupt, what a read gave.
Result<std::int64_t> CheckByReading(LogReader& reader, const AppendLoad& load);

}  // namespace lakestream::bench
