#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "log/compactor/compacted_file_writer.h"
#include "log/compactor/memory_gauge.h"
#include "log/compactor/range_work.h"
#include "log/compactor/section_reader.h"
#include "model/file_split.h"
#include "runtime/scratch.h"

namespace lakestream {

/// The entries of one range on their way into its files: pieces come in any order, and go in the order of their offsets.
/// One caller at a time.
class RangeSpool {
 public:
  /// All outlive this. `batch_bytes`: payload that one visit of the blocking pool writes, about.
  RangeSpool(Runtime& runtime, ObjectStore& compacted, const model::FileLimits& limits,
             const CompactedFileWriter::Options& file_options, std::int64_t batch_bytes,
             std::shared_ptr<MemoryGauge> gauge, RangeWork work);

  const RangeWork& work() const { return work_; }
  bool failed() const { return !result_.status.ok(); }
  /// The pieces of all records are here.
  bool complete() const { return missing_ == 0; }
  bool file_open() const { return file_ != nullptr; }
  /// Payload bytes of pieces in memory that the next Drain would take.
  std::int64_t ready_bytes() const { return ready_bytes_; }

  /// The piece of a record. Requires: it was not given before.
  void Take(std::size_t record, SectionPiece piece);
  /// Gives up, with what is in memory. The first failure counts. `damaged`: the record that cannot be read.
  void Fail(Status why, std::optional<std::size_t> damaged);
  bool InMemory(std::size_t record) const { return pieces_[record].where == Where::kMemory; }
  /// Moves a piece out of memory; gives its bytes in the file. Requires: InMemory(record).
  Task<Result<std::int64_t>> Spill(std::size_t record, ScratchFile& scratch);

  /// Writes what is here and follows on what was written, and lets it go. A failure is this spool's.
  Task<void> Drain(OpContext context);
  /// The rest, and completes the last file. Call it once; failed or not. Requires: complete(), or failed.
  Task<RangeFiles> Finish(OpContext context);

 private:
  enum class Where : std::uint8_t { kNowhere, kMemory, kScratch, kWritten };
  struct Piece {
    Where where = Where::kNowhere;
    SectionPiece section;                                 ///< kMemory
    std::shared_ptr<const MemoryGauge::Counted> counted;  ///< kMemory: its entries
    ScratchFile* scratch = nullptr;                       ///< kScratch
    std::uint64_t scratch_begin = 0;
  };

  Task<Status> DrainPieces(OpContext context);
  Task<Result<SectionPiece>> Load(std::size_t record);
  Task<Status> Feed(OpContext context, std::size_t record, SectionPiece section);
  Task<Status> BeginFile(OpContext context);
  Task<Status> FlushBatch(OpContext context);
  Task<Status> FinishFile(OpContext context);
  Task<Status> FinishFiles(OpContext context);
  void CountReady();

  Runtime& runtime_;
  ObjectStore& compacted_;
  const CompactedFileWriter::Options file_options_;
  const std::int64_t most_batch_bytes_;
  const std::shared_ptr<MemoryGauge> gauge_;
  const RangeWork work_;
  std::vector<Piece> pieces_;
  std::size_t missing_;
  std::size_t next_ = 0;   ///< the first record that is not written
  std::size_t ready_ = 0;  ///< the first one at or behind it that is not here
  std::int64_t ready_bytes_ = 0;

  model::FileSplit split_;
  std::size_t files_begun_ = 0;
  std::unique_ptr<CompactedFileWriter> file_;
  std::vector<LogEntry> batch_;  ///< for `file_`
  std::int64_t batch_bytes_ = 0;
  RangeFiles result_;
};

}  // namespace lakestream
