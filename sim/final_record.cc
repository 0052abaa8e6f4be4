#include "sim/final_record.h"

#include "base/try.h"
#include "format/entry_index.h"
#include "format/wal_object.h"

namespace lakestream::sim {
namespace {

Status ReadInto(FinalRecord& final, const MetadataRecord& record, LogId log, const FetchObject& fetch) {
  LS_ASSIGN(const EntryIndex index, DecodeEntryIndex(record.value.span(), record.key));
  final.start = final.end - index.message_count;
  LS_ASSIGN(const Buffer object, fetch(index.location));
  LS_ASSIGN(const WalHeader header, DecodeWalHeader(object.span(), object.size(), index.location));
  for (const WalSection& section : header.index.sections) {
    if (section.log != log) continue;
    Offset offset = final.start;
    std::int64_t sum = final.cumulative_size - index.entry_size_bytes;
    for (const WalEntry& entry : section.entries) {
      const std::size_t at = header.header_size + static_cast<std::size_t>(entry.payload_offset);
      const ByteSpan payload = object.span().subspan(at, static_cast<std::size_t>(entry.payload_size));
      sum += entry.payload_size;
      final.entries.push_back(SeenEntry{offset, entry.record_count, ReadPayload(payload, log), sum, record.created_ms,
                                        entry.payload_size});
      offset = offset + entry.record_count;
    }
  }
  if (final.entries.empty()) return Corrupt("the object has no section of the log").With("object", index.location);
  return OkStatus();
}

}  // namespace

FinalRecord ReadFinalRecord(const MetadataRecord& record, const IndexKey& key, const FetchObject& fetch) {
  FinalRecord final;
  final.end = key.end;
  final.cumulative_size = key.cumulative_size;
  final.created_ms = record.created_ms;
  const Status status = ReadInto(final, record, key.log, fetch);
  if (!status.ok()) final.trouble = status.ToString();
  return final;
}

}  // namespace lakestream::sim
