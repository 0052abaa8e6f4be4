#pragma once

#include <cstddef>
#include <string>

#include "lakestream/status.h"
#include "lakestream/task.h"
#include "lakestream/types.h"
#include "log/log_homes.h"
#include "log/reader/compacted_file_cache.h"
#include "log/reader/log_index.h"

namespace lakestream {

/// A file of a PARQUET record, found.
struct CompactedPlace {
  std::string path;              ///< its key below the compacted root
  std::string entry_serde_type;  ///< what its footer must say
};

/// Opens compacted files as an index record names them, and compares what they say with the record (specification,
/// "Reading a PARQUET record"). Thread safety: any thread.
/// not_found, of all its calls: something that the record names is not there.
class CompactedFiles {
 public:
  /// All outlive this.
  CompactedFiles(Runtime& runtime, ObjectStore& store, LogHomes& homes, CacheBudget& budget)
      : homes_(homes), cache_(runtime, store, budget) {}

  /// Where file `i` of the record lies. Errors: corrupt (a file index that cannot be read), those of LogHomes.
  Task<Result<CompactedPlace>> Find(OpContext context, LogId log, IndexRecordPtr record, std::size_t i);

  /// The rows of file `i`, which lies at `path`: those that the record tells of.
  Task<Result<CompanionPtr>> Rows(OpContext context, IndexRecordPtr record, std::size_t i, std::string path);

  /// The file's end. Errors: unimplemented, with entry_serde_type=, where that is not the place's.
  Task<Result<CompactedTailPtr>> Tail(OpContext context, CompactedPlace place);

  /// As CompactedFileCache::Payloads.
  Task<Result<std::vector<Buffer>>> Payloads(OpContext context, std::string path, CompanionPtr rows,
                                             CompactedTailPtr tail, model::RowRange range);

 private:
  LogHomes& homes_;
  CompactedFileCache cache_;
};

}  // namespace lakestream
