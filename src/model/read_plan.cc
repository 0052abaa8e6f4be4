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

}  // namespace lakestream::model
