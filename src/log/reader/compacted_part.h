#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "log/reader/compacted_files.h"
#include "log/reader/read_part.h"

namespace lakestream {

/// The entries of one file of a PARQUET record.
class CompactedPart final : public ReadPart {
 public:
  /// The entries of file `i` from `wanted` on. Where the record's file index cannot be read Open says so, and `i` is 0.
  /// The files outlive this.
  CompactedPart(Runtime& runtime, CompactedFiles& files, LogId log, IndexRecordPtr record, std::size_t i,
                Offset wanted);

  Offset end() const override { return end_; }
  std::int64_t records() const override { return records_; }
  std::int64_t bytes() const override { return bytes_; }

  Task<Status> Open(OpContext context) override;
  Status Plan(Offset wanted, model::ReadAllowance& allowance) override;
  Task<Status> Fetch(OpContext context) override;
  Status AppendTo(LogRead* read) override;

 private:
  Task<Status> OpenRows(OpContext context);
  Task<Status> OpenTail(OpContext context);
  Status Fail(std::string_view sentence, std::string_view field, Offset offset) const;

  Runtime& runtime_;
  CompactedFiles& files_;
  const LogId log_;
  const IndexRecordPtr record_;
  const std::size_t i_;
  Offset end_;
  std::int64_t records_ = 0;
  std::int64_t bytes_ = 0;

  CompactedPlace place_;
  CompanionPtr rows_;
  CompactedTailPtr tail_;
  model::RowRange range_;
  std::vector<Buffer> payloads_;  ///< of the range
};

}  // namespace lakestream
