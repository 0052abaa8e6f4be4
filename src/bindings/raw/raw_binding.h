#pragma once

#include "bindings/entry_binding.h"

namespace lakestream {

/// Entries are opaque. A reader gets each as one item, whose value is the payload, also where it starts behind the
/// entry's first record.
class RawBinding : public EntryBinding {
 public:
  Result<std::int32_t> CountRecords(ByteSpan payload) const override;  ///< 1
  std::int64_t CountItems(const LogEntryHeader& header, Offset from) const override;
  Status Walk(const LogEntry& entry, Offset from, const ItemVisitor& visit) const override;
};

}  // namespace lakestream
