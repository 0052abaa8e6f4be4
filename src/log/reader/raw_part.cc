#include "log/reader/raw_part.h"

#include <algorithm>
#include <utility>

#include "base/invariant.h"
#include "base/try.h"
#include "log/reader/missing_object.h"

namespace lakestream {

Task<Status> RawPart::Open(OpContext context) {
  using Opened = Result<std::shared_ptr<const FetchedObject>>;
  const EntryIndex& index = record_->index;
  const auto region_bytes = static_cast<std::uint64_t>(index.file_size);
  Task<Opened> opening = objects_.Open(context, index.location, region_bytes);
  Opened opened = co_await opening;
  if (opened.ok() && !(*opened)->whole && (*opened)->header.payload_size != region_bytes) {
    // Another record told another size, and one of them is wrong: only the object itself can say which.
    Task<Opened> whole = objects_.OpenWhole(std::move(context), index.location);
    opened = co_await whole;
  }
  if (opened.status().code() == StatusCode::kNotFound) co_return MissingObject(index.location);
  LS_CO_ASSIGN(object_, std::move(opened));
  co_return OkStatus();
}

Status RawPart::Plan(Offset wanted, model::ReadAllowance& allowance) {
  const WalHeader& header = object_->header;
  const WalSection* section = header.index.Find(log_);
  if (section == nullptr) {
    return Corrupt("a wal object has no section of the log whose index record names it")
        .With("object", record_->index.location)
        .With("log", log_.value())
        .With("offset", record_->span.start.value());
  }
  LS_TRY(model::CheckSection(record_->index, *section, header.payload_size));
  entries_ = model::PlanEntries(record_->span, *section, wanted, allowance);
  ranges_ = model::PlanRanges(entries_, max_gap_);
  return OkStatus();
}

Task<Status> RawPart::Fetch(OpContext context) {
  if (ranges_.empty()) co_return OkStatus();
  Task<Result<std::vector<Buffer>>> fetch =
      objects_.Payloads(std::move(context), record_->index.location, object_, log_, ranges_);
  Result<std::vector<Buffer>> payloads = co_await fetch;
  if (payloads.status().code() == StatusCode::kNotFound) co_return MissingObject(record_->index.location);
  LS_CO_ASSIGN(payloads_, std::move(payloads));
  co_return OkStatus();
}

Buffer RawPart::PayloadOf(const model::PlannedEntry& entry) const {
  if (entry.payload_size == 0) return Buffer();
  const auto begin = static_cast<std::uint64_t>(entry.payload_offset);
  // The last range that begins at or before the payload holds it: ranges do not overlap.
  auto range = std::upper_bound(ranges_.begin(), ranges_.end(), begin,
                                [](std::uint64_t b, const model::PayloadRange& r) { return b < r.begin; });
  LS_INVARIANT(range != ranges_.begin(), "a planned payload lies in a planned range");
  --range;
  const Buffer& bytes = payloads_[static_cast<std::size_t>(range - ranges_.begin())];
  return bytes.Slice(begin - range->begin, static_cast<std::size_t>(entry.payload_size));
}

Status RawPart::AppendTo(LogRead* read) {
  if (entries_.empty()) return OkStatus();
  const std::string* const object = &record_->index.location;
  read->places.push_back(EntryPlace{entries_.front().offset, {record_, object}, FileType::kRaw});
  for (const model::PlannedEntry& entry : entries_) {
    LogEntryHeader header;
    header.offset = entry.offset;
    header.number_of_records = entry.records;
    header.timestamp_ms = record_->created_ms;
    header.entry_size = entry.payload_size;
    header.cumulative_size = entry.cumulative_size;
    read->next = header.end();
    read->entries.push_back(LogEntry{header, PayloadOf(entry)});
  }
  return OkStatus();
}

}  // namespace lakestream
