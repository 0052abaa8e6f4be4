#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "format/collection_records.h"
#include "lakestream/status.h"
#include "lakestream/task.h"
#include "meta/metadata_store.h"

namespace lakestream {

/// The candidates of the last complete pass, as the metadata store has them.
struct CandidateBase {
  std::int64_t number = 0;  ///< of the result; 0: there is none yet
  std::optional<CollectionResultRecord> result;  ///< none also where it cannot be read: waiting starts again
  std::int64_t ended_ms = 0;  ///< when that pass ended, by the metadata store
};
Task<Result<CandidateBase>> ReadCandidateBase(MetadataStore& meta, OpContext context);

/// Reads the candidates of one pass in order, a record at a time. Thread safety: none.
class CandidateReader {
 public:
  CandidateReader(MetadataStore& meta, OpContext context, std::int64_t pass, std::int32_t records)
      : meta_(meta), context_(std::move(context)), pass_(pass), records_(records) {}

  /// Goes to the first one, or the next one. Errors: not_found (another collector has removed them), corrupt.
  Task<Status> Advance();
  /// Null at the end, and before the first Advance.
  const CollectionCandidate* current() const { return at_ < page_.size() ? &page_[at_] : nullptr; }

 private:
  MetadataStore& meta_;
  const OpContext context_;
  const std::int64_t pass_;
  const std::int32_t records_;
  std::int32_t next_ = 0;
  std::vector<CollectionCandidate> page_;
  std::size_t at_ = 0;
};

/// Writes the candidates of one pass, a record at a time. They count for nobody before Publish. Thread safety: none.
class CandidateWriter {
 public:
  CandidateWriter(MetadataStore& meta, OpContext context, std::int64_t pass)
      : meta_(meta), context_(std::move(context)) {
    result_.pass = pass;
  }

  /// In ascending order.
  Task<Status> Add(CollectionCandidate candidate);
  /// Ends the pass: what was added is what counts from now on. False where another collector was first with a result of
  /// this number.
  Task<Result<bool>> Publish(std::int64_t number, std::optional<BootStamp> boot);
  /// Takes back what was added.
  Task<Status> Discard();

  const CollectionResultRecord& result() const { return result_; }

 private:
  Task<Status> Flush();

  MetadataStore& meta_;
  const OpContext context_;
  CollectionResultRecord result_;
  std::vector<CollectionCandidate> page_;
};

/// The partition of all records of passes.
inline Partition CollectionHome() { return Partition::Named(kCollectionPartition); }

}  // namespace lakestream
