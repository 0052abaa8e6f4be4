#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "codec/compression/compression.h"
#include "lakestream/buffer.h"
#include "lakestream/status.h"
#include "lakestream/task.h"
#include "log/log_entry.h"
#include "log/log_homes.h"
#include "objstore/object_store.h"
#include "runtime/runtime.h"

namespace lakestream {

/// Writes one compacted file and its companion (specification, "Compacted objects"): in one PUT each, or the file in
/// parts where it is larger than one. Memory: up to two parts, and the rows of the companion. One caller at a time.
class CompactedFileWriter {
 public:
  struct Options {
    std::int64_t part_bytes = std::int64_t{8} << 20;
    Compression compression = Compression::kZstd;
    int zstd_level = 1;
  };

  /// `name`: of the file, below `home`. The store outlives the writer. Errors: invalid_argument (a home that no file
  /// can be written for).
  static Result<std::unique_ptr<CompactedFileWriter>> Open(Runtime& runtime, ObjectStore& store, const Options& options,
                                                           const LogHome& home, std::string name);
  ~CompactedFileWriter();

  /// Adds entries, each at the end of the one before. Errors: of the store, resource_exhausted, invalid_argument (not
  /// such entries); the file is lost then.
  Task<Status> Add(OpContext context, std::vector<LogEntry> entries);
  /// Completes both objects. Requires: at least one entry. Errors: as those of Add.
  Task<Status> Finish(OpContext context);
  /// Removes what was uploaded of a file that is not finished, as far as that can be done now.
  Task<void> Abandon(OpContext context);

  const std::string& name() const { return name_; }
  std::int64_t bytes() const { return bytes_; }  ///< uploaded, of both

 private:
  struct Rows;
  CompactedFileWriter(Runtime& runtime, ObjectStore& store, const Options& options, const LogHome& home,
                      std::string name, std::shared_ptr<Rows> rows);
  Task<Status> UploadPart(OpContext context, Buffer part);

  Runtime& runtime_;
  ObjectStore& store_;
  const Options options_;
  const std::string name_;
  const std::string key_;
  const std::string companion_key_;
  std::shared_ptr<Rows> rows_;  ///< shared with what runs on the blocking pool, which may outlive this
  std::unique_ptr<ObjectUpload> upload_;
  std::int64_t bytes_ = 0;
};

}  // namespace lakestream
