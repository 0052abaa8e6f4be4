#pragma once

#include <functional>
#include <string>

#include "format/index_key.h"
#include "lakestream/buffer.h"
#include "lakestream/status.h"
#include "meta/metadata_store.h"
#include "sim/evidence.h"

namespace lakestream::sim {

/// Gives a whole object.
using FetchObject = std::function<Result<Buffer>(const std::string& key)>;

/// What an index record and its section, or its compacted files, say, read with the format's decoders and past the
/// engine's reader. Requires: `key` is the record's.
FinalRecord ReadFinalRecord(const MetadataRecord& record, const IndexKey& key, const FetchObject& fetch_wal,
                            const FetchObject& fetch_compacted);

}  // namespace lakestream::sim
