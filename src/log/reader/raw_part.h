#pragma once

#include <memory>
#include <vector>

#include "log/reader/log_index.h"
#include "log/reader/read_part.h"
#include "log/reader/wal_object_cache.h"

namespace lakestream {

/// The entries of a RAW record: a section of a WAL object.
class RawPart final : public ReadPart {
 public:
  /// `max_gap`: payloads closer together than so many bytes come in one GET. The cache outlives this.
  RawPart(WalObjectCache& objects, std::uint64_t max_gap, LogId log, IndexRecordPtr record)
      : objects_(objects), max_gap_(max_gap), log_(log), record_(std::move(record)) {}

  Offset end() const override { return record_->span.end; }
  std::int64_t records() const override { return record_->index.message_count; }
  std::int64_t bytes() const override { return record_->index.entry_size_bytes; }

  Task<Status> Open(OpContext context) override;
  Status Plan(Offset wanted, model::ReadAllowance& allowance) override;
  Task<Status> Fetch(OpContext context) override;
  Status AppendTo(LogRead* read) override;

 private:
  Buffer PayloadOf(const model::PlannedEntry& entry) const;

  WalObjectCache& objects_;
  const std::uint64_t max_gap_;
  const LogId log_;
  const IndexRecordPtr record_;
  std::shared_ptr<const FetchedObject> object_;
  std::vector<model::PlannedEntry> entries_;
  std::vector<model::PayloadRange> ranges_;
  std::vector<Buffer> payloads_;  ///< one for each range
};

}  // namespace lakestream
