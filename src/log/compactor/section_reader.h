#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "format/entry_index.h"
#include "format/wal_object.h"
#include "lakestream/buffer.h"
#include "lakestream/status.h"
#include "lakestream/task.h"
#include "log/compactor/memory_gauge.h"
#include "objstore/object_store.h"
#include "runtime/op_context.h"

namespace lakestream {

/// The entries of one log in one WAL object, and the bytes that hold their payloads.
struct SectionPiece {
  std::vector<WalEntry> entries;   ///< as in the object's directory
  Buffer bytes;                    ///< a part of the payload region
  std::uint64_t bytes_begin = 0;   ///< where in the payload region

  Buffer PayloadOf(const WalEntry& entry) const {
    if (entry.payload_size == 0) return Buffer();
    return bytes.Slice(static_cast<std::uint64_t>(entry.payload_offset) - bytes_begin,
                       static_cast<std::size_t>(entry.payload_size));
  }
};

/// A section that an index record names. The record outlives the call.
struct WantedSection {
  LogId log;
  const EntryIndex* index = nullptr;
};

/// Reads sections of WAL objects for many logs at once: one GET of the whole object where that is a quarter wanted at
/// least, or small; else one of its head and one of the part with all that is wanted. A third comes only where what was
/// read is damaged, to see whether it really is. Thread safety: any thread.
class SectionReader {
 public:
  SectionReader(ObjectStore& wal, std::shared_ptr<MemoryGauge> gauge) : wal_(wal), gauge_(std::move(gauge)) {}

  struct Answer {
    std::vector<Result<SectionPiece>> pieces;  ///< one for each section, in the order asked
    std::int64_t gets = 0;
  };
  /// `wanted`: not empty; all of the object `name`. Errors of a piece: not_found, corrupt (the object, or what record
  /// and object say of each other), unavailable and what else the store gives.
  Task<Answer> Read(OpContext context, std::string name, std::vector<WantedSection> wanted);

 private:
  struct Fetched;
  Task<Result<Fetched>> FetchWhole(OpContext context, std::string name);
  Task<Result<Fetched>> FetchParts(OpContext context, std::string name, std::vector<WantedSection> wanted,
                                   std::int64_t* gets);

  ObjectStore& wal_;
  const std::shared_ptr<MemoryGauge> gauge_;
};

}  // namespace lakestream
