#include "log/reader/compacted_part.h"

#include <algorithm>
#include <utility>

#include "base/broken_rule.h"
#include "base/try.h"
#include "runtime/when_all.h"

namespace lakestream {

CompactedPart::CompactedPart(Runtime& runtime, CompactedFiles& files, LogId log, IndexRecordPtr record, std::size_t i,
                             Offset wanted)
    : runtime_(runtime), files_(files), log_(log), record_(std::move(record)), i_(i), end_(record_->span.end) {
  const model::IndexSpan& span = record_->span;
  if (record_->files.ok()) {
    end_ = record_->files->files[i_].last_offset + 1;
    wanted = std::max(wanted, record_->files->BaseOffset(i_, span.start));
  }
  records_ = end_ - wanted;
  // As if all its records had one size.
  bytes_ = static_cast<std::int64_t>(static_cast<double>(span.bytes) * static_cast<double>(records_) /
                                     static_cast<double>(span.end - span.start));
}

Status CompactedPart::Fail(std::string_view sentence, std::string_view field, Offset offset) const {
  return Corrupt(sentence).With("object", place_.path).With("field", field).With("offset", offset.value());
}

Task<Status> CompactedPart::OpenRows(OpContext context) {
  Task<Result<CompanionPtr>> fetch = files_.Rows(std::move(context), record_, i_, place_.path);
  LS_CO_ASSIGN(rows_, co_await fetch);
  co_return OkStatus();
}

Task<Status> CompactedPart::OpenTail(OpContext context) {
  Task<Result<CompactedTailPtr>> fetch = files_.Tail(std::move(context), place_);
  LS_CO_ASSIGN(tail_, co_await fetch);
  co_return OkStatus();
}

Task<Status> CompactedPart::Open(OpContext context) {
  Task<Result<CompactedPlace>> find = files_.Find(context, log_, record_, i_);
  LS_CO_ASSIGN(place_, co_await find);
  std::vector<Task<Status>> steps;
  steps.push_back(OpenRows(context));
  steps.push_back(OpenTail(std::move(context)));
  const std::vector<Status> opened = co_await WhenAll(runtime_, std::move(steps));
  for (const Status& status : opened) LS_CO_TRY(status);
  if (tail_->file.rows() != static_cast<std::int64_t>(rows_->rows())) {
    co_return Fail("a compacted file and its companion have not as many rows", "num_rows", rows_->start())
        .With("rows", tail_->file.rows())
        .With("expected", rows_->rows());
  }
  co_return OkStatus();
}

Status CompactedPart::Plan(Offset wanted, model::ReadAllowance& allowance) {
  if (wanted < rows_->start()) {
    // What was below the trim marker at compaction may be left out. So the marker has moved since it was read, or an
    // entry is missing.
    return NotFound("a compacted file begins behind an entry that is not trimmed")
        .With("object", place_.path)
        .With("field", "offset")
        .With("first", rows_->start().value());
  }
  range_ = model::PlanRows(*rows_, wanted, allowance);
  return OkStatus();
}

Task<Status> CompactedPart::Fetch(OpContext context) {
  if (range_.count == 0) co_return OkStatus();
  Task<Result<std::vector<Buffer>>> fetch =
      files_.Payloads(std::move(context), place_.path, rows_, tail_, range_);
  LS_CO_ASSIGN(payloads_, co_await fetch);
  co_return OkStatus();
}

Status CompactedPart::AppendTo(LogRead* read) {
  if (range_.count == 0) return OkStatus();
  const LogEntryHeader first = rows_->HeaderOf(range_.first);
  if (!read->entries.empty()) {
    // The record's own sizes do not tell where a file in its middle begins.
    if (first.offset != read->next) {
      return Fail("a row does not begin where the entry before ends", "offset", first.offset)
          .With("expected", read->next.value());
    }
    const std::int64_t before = first.cumulative_size - first.entry_size;
    const std::int64_t expected = read->entries.back().header.cumulative_size;
    if (before != expected) {
      return Fail("the sizes of a companion do not go on where the entry before ends", "cumulative_size", first.offset)
          .With("before", before)
          .With("expected", expected);
    }
  }
  read->places.push_back(
      EntryPlace{first.offset, std::make_shared<const std::string>(place_.path), FileType::kParquet});
  for (std::size_t i = 0; i < range_.count; ++i) {
    LogEntryHeader header = rows_->HeaderOf(range_.first + i);
    if (Broken(Rule::kTimestampFromTheRow)) header.timestamp_ms = record_->created_ms;
    read->next = header.end();
    read->entries.push_back(LogEntry{header, std::move(payloads_[i])});
  }
  return OkStatus();
}

}  // namespace lakestream
