#include "kafka/records/entry_payload.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/try.h"
#include "codec/byte_reader.h"
#include "codec/byte_writer.h"

namespace lakestream::kafka {
namespace {

BatchSource SourceAt(const BatchSource& payload, std::size_t at) {
  BatchSource source = payload;
  source.offset += at;
  return source;
}

Status NoBatch(const BatchSource& source) {
  return CorruptAt("an entry must hold a record batch", source.object, "base_offset", source.offset);
}

/// The header of a batch that passed all checks.
Result<BatchHeader> TakeHeader(ByteSpan bytes, const BatchSource& source) {
  LS_ASSIGN(const BatchHeader header, DecodeBatchHeader(bytes, source));
  LS_TRY(CheckBatch(bytes, header, source));
  return header;
}

Status CheckRecords(ByteSpan bytes, const BatchSource& source, BatchSummary* batch) {
  LS_TRY(CheckBatch(bytes, batch->header, source));
  LS_ASSIGN(RecordCursor cursor, RecordCursor::Open(bytes, batch->header, 0, source));
  Record record;
  while (cursor.remaining() > 0) {
    LS_TRY(cursor.Next(&record));
    batch->largest_timestamp_ms = std::max(batch->largest_timestamp_ms, record.timestamp_ms);
  }
  return OkStatus();
}

}  // namespace

Result<PayloadSummary> CheckPayload(ByteSpan payload, const BatchSource& source, PayloadSummary* so_far) {
  PayloadSummary own;
  PayloadSummary& summary = so_far == nullptr ? own : *so_far;
  if (payload.empty()) return NoBatch(source);
  for (std::size_t at = 0; at < payload.size();) {
    const ByteSpan rest = payload.subspan(at);
    const BatchSource here = SourceAt(source, at);
    const std::size_t number = summary.batches.size();
    const Result<BatchHeader> header = DecodeBatchHeader(rest, here);
    if (!header.ok()) return header.status().With("batch", number);
    summary.batches.push_back(BatchSummary{*header, summary.record_count, -1});
    const Status checked = CheckRecords(rest, here, &summary.batches.back());
    if (!checked.ok()) return checked.With("batch", number);
    summary.record_count += header->record_count;
    at += header->size_bytes;
  }
  return summary;
}

Status PayloadReader::OpenBatch() {
  const ByteSpan rest = payload_.subspan(at_);
  const BatchSource here = SourceAt(source_, at_);
  LS_ASSIGN(const BatchHeader header, TakeHeader(rest, here));
  if (offset_ + header.record_count > from_) {
    LS_ASSIGN(RecordCursor cursor, RecordCursor::Open(rest, header, offset_, here));
    cursor_.emplace(std::move(cursor));
  } else {
    offset_ += header.record_count;
  }
  at_ += header.size_bytes;
  ++batch_;
  return OkStatus();
}

Result<bool> PayloadReader::Next(Record* record) {
  if (payload_.empty()) return NoBatch(source_);
  while (true) {
    Status status;
    if (cursor_ && cursor_->remaining() > 0) {
      status = cursor_->Next(record);
      if (status.ok()) {
        ++offset_;
        if (record->offset < from_) continue;
        return true;
      }
      status = status.With("batch", batch_);
    } else {
      if (at_ == payload_.size()) return false;
      cursor_.reset();
      status = OpenBatch().With("batch", batch_ + 1);
    }
    if (!status.ok()) {
      at_ = payload_.size();
      cursor_.reset();
      return status;
    }
  }
}

Result<BufferChain> AssignOffsets(const Buffer& payload, std::int64_t offset, const BatchSource& source) {
  constexpr std::size_t kOffsetBytes = 8;
  if (payload.empty()) return NoBatch(source);
  BufferChain chain;
  for (std::size_t at = 0; at < payload.size();) {
    const ByteSpan rest = payload.span().subspan(at);
    LS_ASSIGN(const BatchHeader header, TakeHeader(rest, SourceAt(source, at)));
    const bool whole = header.magic < 2 && header.compression != Compression::kNone;
    if (whole && header.magic == 0) {
      return Unimplemented("compressed messages of magic 0 hold offsets that cannot be changed")
          .With("object", source.object);
    }
    // Where messages are inside a message of magic 1, it has the offset of the last of them.
    std::string first;
    AppendInt64(first, offset + (whole ? header.record_count - 1 : 0));
    chain.Append(Buffer(std::move(first)));
    chain.Append(payload.Slice(at + kOffsetBytes, header.size_bytes - kOffsetBytes));
    at += header.size_bytes;
    offset += header.record_count;
  }
  return chain;
}

}  // namespace lakestream::kafka
