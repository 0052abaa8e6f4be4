#include "bindings/kafka/kafka_binding.h"

#include <algorithm>
#include <limits>

#include "base/try.h"
#include "kafka/records/entry_payload.h"

namespace lakestream {

Result<std::int32_t> KafkaBinding::CountRecords(ByteSpan payload) const {
  const Result<kafka::PayloadSummary> summary = kafka::CheckPayload(payload, kafka::BatchSource());
  if (!summary.ok()) {
    const Status& status = summary.status();
    return status.code() == StatusCode::kCorrupt ? status.As(StatusCode::kInvalidArgument) : status;
  }
  if (summary->record_count > std::numeric_limits<std::int32_t>::max()) {
    return InvalidArgument("an entry has more records than its record count can say")
        .With("records", summary->record_count);
  }
  return static_cast<std::int32_t>(summary->record_count);
}

std::int64_t KafkaBinding::CountItems(const LogEntryHeader& header, Offset from) const {
  return header.end().value() - std::max(header.offset, from).value();
}

Status KafkaBinding::Walk(const LogEntry& entry, Offset from, const ItemVisitor& visit) const {
  const std::int64_t offset = entry.header.offset.value();
  kafka::PayloadReader reader(entry.payload.span(), offset, from.value(), kafka::BatchSource());
  const std::int64_t end = entry.header.end().value();
  EntryItem item;
  while (true) {
    const Result<bool> more = reader.Next(&item);
    if (!more.ok()) return more.status().With("entry_offset", offset);
    if (!*more) break;
    if (item.offset >= end) break;
    // Behind the last record the walk goes on: whoever counts the records stops there, and too many would go unnoticed.
    if (!visit(item) && item.offset + 1 < end) return OkStatus();
  }
  // More records than offsets would overlap the next entry, fewer would leave a gap before it.
  const std::int64_t held = reader.next_offset() - offset;
  if (held == entry.header.number_of_records) return OkStatus();
  return Corrupt("an entry does not hold as many records as its index says")
      .With("entry_offset", offset)
      .With("records", held)
      .With("record_count", entry.header.number_of_records);
}

}  // namespace lakestream
