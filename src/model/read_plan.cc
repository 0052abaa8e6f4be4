#include "model/read_plan.h"

#include <algorithm>

#include "base/broken_rule.h"
#include "base/try.h"

namespace lakestream::model {

Result<IndexSpan> SpanOf(const IndexKey& key, const EntryIndex& index) {
  if (key.end.value() < index.message_count) {
    return Corrupt("an index record begins before the log")
        .With("object", key.Encode())
        .With("field", "message_count");
  }
  if (key.cumulative_size < index.entry_size_bytes) {
    return Corrupt("an index record holds more bytes than its log")
        .With("object", key.Encode())
        .With("field", "entry_size_bytes");
  }
  return IndexSpan{key.end - index.message_count, key.end, index.entry_size_bytes, key.cumulative_size};
}

Cover JudgeCover(const std::optional<IndexSpan>& found, Offset wanted) {
  if (!found) return Cover::kEnd;
  if (found->end <= wanted) return Cover::kPassed;
  return found->start <= wanted ? Cover::kCovers : Cover::kGap;
}

namespace {

Status Disagree(const EntryIndex& index, LogId log, std::string_view field, std::int64_t record,
                std::int64_t object) {
  return Corrupt("an index record and its object disagree")
      .With("object", index.location)
      .With("log", log.value())
      .With("field", field)
      .With("record_says", record)
      .With("object_says", object);
}

}  // namespace

Status CheckSection(const EntryIndex& index, const WalSection& section, std::uint64_t region_bytes) {
  const auto disagree = [&](std::string_view field, std::int64_t record, std::int64_t object) {
    return Disagree(index, section.log, field, record, object);
  };
  const auto entries = static_cast<std::int64_t>(section.entries.size());
  const auto region = static_cast<std::int64_t>(region_bytes);
  if (index.file_size != region) return disagree("file_size", index.file_size, region);
  if (index.entry_count != entries) return disagree("entry_count", index.entry_count, entries);
  if (index.message_count != section.RecordCount()) {
    return disagree("message_count", index.message_count, section.RecordCount());
  }
  if (index.entry_size_bytes != section.PayloadBytes()) {
    return disagree("entry_size_bytes", index.entry_size_bytes, section.PayloadBytes());
  }
  LS_ASSIGN(const std::vector<std::int32_t> ends, DecodeEntryOffsets(index, index.location));
  std::int64_t end = 0;
  for (std::size_t i = 0; i < section.entries.size(); ++i) {
    end += section.entries[i].record_count;
    if (ends[i] != end) return disagree("entry_offsets", ends[i], end).With("entry", i);
  }
  return OkStatus();
}

bool ReadAllowance::Take(std::int64_t records, std::int64_t bytes) {
  if (taken_any_ && (full() || records > records_ || bytes > bytes_)) {
    full_ = true;
    return false;
  }
  taken_any_ = true;
  records_ -= records;
  bytes_ -= bytes;
  return true;
}

std::vector<PlannedEntry> PlanEntries(const IndexSpan& span, const WalSection& section, Offset wanted,
                                      ReadAllowance& allowance) {
  std::vector<PlannedEntry> planned;
  Offset offset = span.start;
  std::int64_t cumulative = span.cumulative_size - span.bytes;
  for (const WalEntry& entry : section.entries) {
    cumulative += entry.payload_size;
    const Offset start = offset;
    offset = start + entry.record_count;
    if (offset < wanted || (offset == wanted && !Broken(Rule::kReadBeginsAtItsOffset))) continue;
    if (!allowance.Take(entry.record_count, entry.payload_size)) break;
    planned.push_back(
        PlannedEntry{start, entry.record_count, entry.payload_offset, entry.payload_size, cumulative});
  }
  return planned;
}

std::vector<PayloadRange> PlanRanges(const std::vector<PlannedEntry>& entries, std::uint64_t max_gap) {
  std::vector<PayloadRange> sorted;
  for (const PlannedEntry& entry : entries) {
    if (entry.payload_size == 0) continue;
    const auto begin = static_cast<std::uint64_t>(entry.payload_offset);
    sorted.push_back(PayloadRange{begin, begin + static_cast<std::uint64_t>(entry.payload_size)});
  }
  std::sort(sorted.begin(), sorted.end(),
            [](const PayloadRange& a, const PayloadRange& b) { return a.begin < b.begin; });
  std::vector<PayloadRange> ranges;
  for (const PayloadRange& next : sorted) {
    if (!ranges.empty() && next.begin <= ranges.back().end + max_gap) {
      ranges.back().end = std::max(ranges.back().end, next.end);
    } else {
      ranges.push_back(next);
    }
  }
  return ranges;
}

std::int64_t OffsetsOfFile(const IndexSpan& span, const FileIndex& files, std::size_t i) {
  return files.files[i].last_offset + 1 - files.BaseOffset(i, span.start);
}

Status CheckFileRows(const IndexSpan& span, const FileIndex& files, std::size_t i, const Companion& rows,
                     std::string_view object) {
  const auto fail = [&](std::string_view sentence, std::string_view field, Offset offset) {
    return Corrupt(sentence).With("object", object).With("field", field).With("offset", offset.value());
  };
  const Offset base = files.BaseOffset(i, span.start);
  const Offset end = files.files[i].last_offset + 1;
  if (rows.rows() == 0) return fail("a companion has no rows", "offset", base);
  const Offset start = rows.start();
  if (i == 0 ? start < base : start != base) {
    return fail("the rows of a companion begin elsewhere than the record says", "offset", start)
        .With("expected", base.value());
  }
  if (rows.end() != end) {
    return fail("the rows of a companion end elsewhere than the record says", "offset", rows.end())
        .With("expected", end.value());
  }
  const LogEntryHeader first = rows.HeaderOf(0);
  const std::int64_t before = first.cumulative_size - first.entry_size;
  const std::int64_t after = rows.HeaderOf(rows.rows() - 1).cumulative_size;
  const std::int64_t record_before = span.cumulative_size - span.bytes;
  if (before < record_before || (start == span.start && before != record_before)) {
    return fail("the sizes of a companion begin elsewhere than the record says", "cumulative_size", start)
        .With("before", before)
        .With("expected", record_before);
  }
  if (after > span.cumulative_size || (end == span.end && after != span.cumulative_size)) {
    return fail("the sizes of a companion end elsewhere than the record says", "cumulative_size", rows.end())
        .With("after", after)
        .With("expected", span.cumulative_size);
  }
  return OkStatus();
}

RowRange PlanRows(const Companion& rows, Offset wanted, ReadAllowance& allowance) {
  RowRange planned;
  planned.first = *rows.FindOffset(wanted);
  if (Broken(Rule::kRowHoldsItsOffset) && planned.first > 0) --planned.first;
  while (planned.first + planned.count < rows.rows()) {
    const LogEntryHeader header = rows.HeaderOf(planned.first + planned.count);
    if (!allowance.Take(header.number_of_records, header.entry_size)) break;
    ++planned.count;
  }
  return planned;
}

}  // namespace lakestream::model
