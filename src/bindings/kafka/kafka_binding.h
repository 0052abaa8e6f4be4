#pragma once

#include "bindings/entry_binding.h"

namespace lakestream {

/// Entries are Kafka record batches (specification, Appendix A). A reader gets each record, from the one it asked for.
class KafkaBinding : public EntryBinding {
 public:
  /// Checks the payload down to each field of each record.
  Result<std::int32_t> CountRecords(ByteSpan payload) const override;
  std::int64_t CountItems(const LogEntryHeader& header, Offset from) const override;
  Status Walk(const LogEntry& entry, Offset from, const ItemVisitor& visit) const override;
};

}  // namespace lakestream
