#include "log/retention/reclaimable.h"

#include <optional>
#include <string>
#include <utility>

#include "base/try.h"
#include "format/index_key.h"
#include "log/reader/log_index.h"
#include "model/retention.h"

namespace lakestream {

namespace {

constexpr int kRecordsPerPage = 1000;

/// Whether more may follow.
bool Add(const MetadataRecord& stored, std::int64_t now_ms, Duration settle_time, Reclaimable* found) {
  const Result<IndexRecordPtr> record = DecodeIndexRecord(stored);
  // Without its file index nobody knows which files go before it.
  found->flaw = record.ok() ? (*record)->files.status() : record.status();
  if (!found->flaw.ok()) return false;
  const IndexRecord& index = **record;
  if (index.index.file_type == FileType::kRaw) {
    if (model::StaysForItsWriter(index.created_ms, now_ms, settle_time)) return false;
  } else {
    found->files += static_cast<std::int64_t>(index.files->files.size());
  }
  found->limit = index.span.end;
  ++found->index_records;
  found->bytes += index.span.bytes;
  return true;
}

}  // namespace

Task<Result<Reclaimable>> FindReclaimable(MetadataStore& meta, OpContext context, LogId log, Offset through,
                                          std::int64_t now_ms, Duration settle_time) {
  Reclaimable found;
  if (through <= Offset(0)) co_return found;
  KeyRange range;
  range.partition = Partition::OfLog(log);
  range.from = FirstIndexKey(log);
  range.to = IndexKeyCeilingOf(log, through);
  std::optional<std::string> cursor = "";
  while (cursor) {
    LS_CO_ASSIGN(ScanPage page, co_await meta.Scan(context, range, *cursor, kRecordsPerPage));
    for (const MetadataRecord& record : page.records) {
      if (IsIndexKeyOf(record.key, log) && !Add(record, now_ms, settle_time, &found)) co_return found;
    }
    cursor = std::move(page.next);
  }
  co_return found;
}

}  // namespace lakestream
