#include "bindings/raw/raw_binding.h"

namespace lakestream {

Result<std::int32_t> RawBinding::CountRecords(ByteSpan) const { return 1; }

std::int64_t RawBinding::CountItems(const LogEntryHeader&, Offset) const { return 1; }

Status RawBinding::Walk(const LogEntry& entry, Offset, const ItemVisitor& visit) const {
  EntryItem item;
  item.offset = entry.header.offset.value();
  item.timestamp_ms = entry.header.timestamp_ms;
  item.value = entry.payload.text();
  visit(item);
  return OkStatus();
}

}  // namespace lakestream
