#include "sim/object_entries.h"

#include <utility>

#include "base/try.h"
#include "format/companion_decoder.h"
#include "format/wal_object.h"
#include "parquet/parquet_file.h"

namespace lakestream::sim {
namespace {

Status ReadWal(const std::string& name, const Buffer& object, ObjectEntries& read) {
  LS_ASSIGN(const WalHeader header, DecodeWalHeader(object.span(), object.size(), name));
  for (const WalSection& section : header.index.sections) {
    std::vector<SeenEntry>& entries = read.entries[section.log];
    Offset offset;
    for (const WalEntry& entry : section.entries) {
      const std::size_t at = header.header_size + static_cast<std::size_t>(entry.payload_offset);
      const ByteSpan payload = object.span().subspan(at, static_cast<std::size_t>(entry.payload_size));
      entries.push_back(
          SeenEntry{offset, entry.record_count, ReadPayload(payload, section.log), 0, 0, entry.payload_size});
      offset = offset + entry.record_count;
    }
  }
  return OkStatus();
}

Buffer Part(const Buffer& file, ParquetRange range) {
  return file.Slice(static_cast<std::size_t>(range.offset), static_cast<std::size_t>(range.length));
}

Status ReadCompacted(LogId log, const std::string& name, const Buffer& parquet, const Buffer& companion,
                     std::vector<SeenEntry>& rows) {
  LS_ASSIGN(const ParquetFile file, ParquetFile::Open(name, parquet.size(), parquet.span()));
  const auto count = static_cast<std::size_t>(file.rows());
  LS_ASSIGN(const Companion headers, DecodeCompanion(companion.span(), name, count));
  if (headers.rows() != count) return Corrupt("file and companion have different rows");
  for (std::int64_t first = 0; first < file.rows();) {
    LS_ASSIGN(const ParquetPages pages, file.FindRows(first, file.rows() - first, parquet.size()));
    const Buffer dictionary = pages.dictionary ? Part(parquet, *pages.dictionary) : Buffer();
    LS_ASSIGN(const std::vector<Buffer> payloads, file.DecodeRows(pages, Part(parquet, pages.data), dictionary,
                                                                  pages.first_row, pages.rows));
    for (const Buffer& payload : payloads) {
      const LogEntryHeader header = headers.HeaderOf(static_cast<std::size_t>(first++));
      if (header.entry_size != static_cast<std::int64_t>(payload.size())) return Corrupt("a row has another size");
      rows.push_back(SeenEntry{header.offset, header.number_of_records, ReadPayload(payload.span(), log),
                               header.cumulative_size, header.timestamp_ms, header.entry_size});
    }
  }
  return OkStatus();
}

}  // namespace

ObjectEntries ReadWalObject(const std::string& name, const Buffer& object) {
  ObjectEntries read;
  const Status status = ReadWal(name, object, read);
  if (!status.ok()) read.trouble = status.ToString();
  return read;
}

ObjectEntries ReadCompactedFile(LogId log, const std::string& name, const Buffer& parquet, const Buffer& companion) {
  ObjectEntries read;
  const Status status = ReadCompacted(log, name, parquet, companion, read.entries[log]);
  if (!status.ok()) read.trouble = status.ToString();
  return read;
}

}  // namespace lakestream::sim
