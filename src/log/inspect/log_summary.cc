#include "log/inspect/log_summary.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/try.h"
#include "format/entry_index.h"
#include "format/index_key.h"
#include "format/log_records.h"
#include "model/index_check.h"

namespace lakestream {

namespace {

constexpr int kRecordsPerPage = 1000;

struct Decoded {
  IndexKey key;
  EntryIndex index;
  model::IndexSpan span;
};

Result<Decoded> Decode(const MetadataRecord& record) {
  Decoded decoded;
  LS_ASSIGN(decoded.key, IndexKey::Decode(record.key));
  LS_ASSIGN(decoded.index, DecodeEntryIndex(record.value.span(), record.key));
  LS_ASSIGN(decoded.span, model::SpanOf(decoded.key, decoded.index));
  return decoded;
}

/// Adds the index records in order.
class Adder {
 public:
  explicit Adder(LogSummary* summary) : summary_(summary) {}

  void Add(const MetadataRecord& record) {
    ++summary_->index_records;
    summary_->last_append_ms = record.created_ms;
    const Result<Decoded> decoded = Decode(record);
    if (!decoded.ok()) {
      Damaged(decoded.status());
      // The key alone may still tell where the log ends.
      const Result<IndexKey> key = IndexKey::Decode(record.key);
      if (key.ok()) EndAt(model::IndexSpan{key->end, key->end, 0, key->cumulative_size});
      return;
    }
    const model::IndexSpan& span = decoded->span;
    if (!start_) start_ = span.start;
    if (before_) CompareWithTheOneBefore(record.key, *decoded);
    EndAt(span);
    summary_->payload_bytes += span.bytes;
    if (decoded->index.file_type == FileType::kParquet) {
      ++summary_->parquet_records;
      summary_->entries.reset();
    } else if (summary_->entries) {
      *summary_->entries += decoded->index.entry_count;
    }
    if (decoded->index.file_type == FileType::kRaw) summary_->raw_bytes += span.bytes;
  }

  void Finish() { summary_->first = std::max(start_.value_or(Offset(0)), summary_->trim_marker); }

  void Damaged(const Status& why) {
    ++summary_->damaged;
    if (summary_->damage.ok()) summary_->damage = why;
  }

 private:
  void CompareWithTheOneBefore(const std::string& key, const Decoded& decoded) {
    model::IndexNeighbours neighbours;
    neighbours.before = before_;
    neighbours.record = decoded.span;
    neighbours.parquet = decoded.index.file_type == FileType::kParquet;
    // One that begins within another record is for fsck to find: it looks for the one that ends there.
    neighbours.starts_at_a_boundary = true;
    neighbours.marker = summary_->trim_marker;
    switch (model::JudgeNeighbours(neighbours)) {
      case model::IndexFlaw::kNone:
      case model::IndexFlaw::kGapBelowMarker:
      case model::IndexFlaw::kUnfinishedCompaction:
        return;
      case model::IndexFlaw::kGap:
      case model::IndexFlaw::kOverlap:
        Damaged(Corrupt("index record does not begin where the one before it ends")
                    .With("object", key)
                    .With("field", "message_count")
                    .With("start", decoded.span.start.value())
                    .With("before", before_->end.value()));
        return;
      case model::IndexFlaw::kCumulativeSize:
        Damaged(Corrupt("the size of an index record does not add up with the one before it")
                    .With("object", key)
                    .With("field", "entry_size_bytes")
                    .With("size", decoded.span.cumulative_size)
                    .With("expected", before_->cumulative_size + decoded.span.bytes));
        return;
    }
  }

  void EndAt(const model::IndexSpan& span) {
    before_ = span;
    summary_->end = span.end;
    summary_->cumulative_size = span.cumulative_size;
  }

  LogSummary* summary_;
  std::optional<Offset> start_;
  std::optional<model::IndexSpan> before_;
};

}  // namespace

Task<Result<LogSummary>> SummarizeLog(MetadataStore& meta, OpContext context, LogId log) {
  if (log.value() < 0) co_return InvalidArgument("a log id is not negative").With("log", log.value());
  const Partition partition = Partition::OfLog(log);
  std::vector<ReadRequest> requests;
  requests.push_back(ReadRequest{partition, TrimMarkerKey(log), KeyComparison::kEqual});
  requests.push_back(ReadRequest{partition, WriteFenceKey(log), KeyComparison::kEqual});
  LS_CO_ASSIGN(const std::vector<ReadAnswer> answers, co_await meta.Read(context, std::move(requests)));
  LogSummary summary;
  Adder adder(&summary);
  summary.fenced = answers[1].has_value();
  if (answers[0]) {
    const Result<Offset> marker = DecodeTrimMarker(answers[0]->value.text(), answers[0]->key);
    if (marker.ok()) summary.trim_marker = *marker;
    if (!marker.ok()) summary.damage = marker.status();
  }
  KeyRange range;
  range.partition = partition;
  range.from = FirstIndexKey(log);
  range.to = LastIndexKey(log);
  std::optional<std::string> cursor = "";
  while (cursor) {
    LS_CO_ASSIGN(ScanPage page, co_await meta.Scan(context, range, *cursor, kRecordsPerPage));
    for (const MetadataRecord& record : page.records) {
      if (IsIndexKeyOf(record.key, log)) adder.Add(record);
    }
    cursor = std::move(page.next);
  }
  adder.Finish();

  KeyBounds leases = WriteLeaseKeys(log);
  const std::string prefix = leases.first;
  range.from = std::move(leases.first);
  range.to = std::move(leases.end);
  cursor = "";
  while (cursor) {
    LS_CO_ASSIGN(ScanPage page, co_await meta.Scan(context, range, *cursor, kRecordsPerPage));
    for (const MetadataRecord& record : page.records) {
      if (!record.key.starts_with(prefix)) continue;
      LeaseSummary lease;
      lease.token = record.key.substr(prefix.size());
      lease.session = record.session;
      lease.process = record.process;
      lease.created_ms = record.created_ms;
      summary.leases.push_back(std::move(lease));
    }
    cursor = std::move(page.next);
  }
  co_return summary;
}

}  // namespace lakestream
