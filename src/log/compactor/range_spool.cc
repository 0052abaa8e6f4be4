#include "log/compactor/range_spool.h"

#include <cstring>
#include <string>
#include <type_traits>
#include <utility>

#include "base/broken_rule.h"
#include "base/invariant.h"
#include "base/try.h"

namespace lakestream {

namespace {

constexpr std::size_t kBatchEntries = 4096;

// A scratch file is read by the process that wrote it.
static_assert(std::is_trivially_copyable_v<WalEntry>);

std::size_t BytesOf(const std::vector<WalEntry>& entries) { return entries.size() * sizeof(WalEntry); }

}  // namespace

RangeSpool::RangeSpool(Runtime& runtime, ObjectStore& compacted, const model::FileLimits& limits,
                       const CompactedFileWriter::Options& file_options, std::int64_t batch_bytes,
                       std::shared_ptr<MemoryGauge> gauge, RangeWork work)
    : runtime_(runtime),
      compacted_(compacted),
      file_options_(file_options),
      most_batch_bytes_(batch_bytes),
      gauge_(std::move(gauge)),
      work_(std::move(work)),
      pieces_(work_.records.size()),
      missing_(work_.records.size()),
      split_(limits) {}

void RangeSpool::Take(std::size_t record, SectionPiece piece) {
  if (failed()) return;
  Piece& slot = pieces_[record];
  LS_INVARIANT(slot.where == Where::kNowhere, "a piece comes once");
  slot.where = Where::kMemory;
  slot.counted = MemoryGauge::Count(gauge_, static_cast<std::int64_t>(BytesOf(piece.entries)));
  slot.section = std::move(piece);
  --missing_;
  CountReady();
}

void RangeSpool::CountReady() {
  for (; ready_ < pieces_.size() && pieces_[ready_].where != Where::kNowhere; ++ready_) {
    if (InMemory(ready_)) ready_bytes_ += work_.records[ready_].index.entry_size_bytes;
  }
}

void RangeSpool::Fail(Status why, std::optional<std::size_t> damaged) {
  if (failed()) return;
  result_.status = std::move(why);
  result_.damaged = damaged;
  for (Piece& piece : pieces_) piece = Piece();
  batch_.clear();
  ready_bytes_ = 0;
}

Task<Result<std::int64_t>> RangeSpool::Spill(std::size_t record, ScratchFile& scratch) {
  Piece& piece = pieces_[record];
  const std::vector<WalEntry>& entries = piece.section.entries;
  BufferChain chain(Buffer::CopyOf(ByteSpan(reinterpret_cast<const std::uint8_t*>(entries.data()), BytesOf(entries))));
  for (const WalEntry& entry : entries) chain.Append(piece.section.PayloadOf(entry));
  const auto bytes = static_cast<std::int64_t>(chain.size());
  LS_CO_ASSIGN(const std::uint64_t at, co_await scratch.Append(std::move(chain)));
  if (record < ready_) ready_bytes_ -= work_.records[record].index.entry_size_bytes;
  piece = Piece();
  piece.where = Where::kScratch;
  piece.scratch = &scratch;
  piece.scratch_begin = at;
  co_return bytes;
}

Task<Result<SectionPiece>> RangeSpool::Load(std::size_t record) {
  Piece& piece = pieces_[record];
  if (piece.where == Where::kMemory) {
    ready_bytes_ -= work_.records[record].index.entry_size_bytes;
    SectionPiece section = std::move(piece.section);
    piece = Piece();
    piece.where = Where::kWritten;
    co_return section;
  }
  const EntryIndex& index = work_.records[record].index;
  SectionPiece section;
  section.entries.resize(static_cast<std::size_t>(index.entry_count));
  const std::size_t head = BytesOf(section.entries);
  const std::size_t length = head + static_cast<std::size_t>(index.entry_size_bytes);
  Task<Result<Buffer>> read = piece.scratch->Read(piece.scratch_begin, length);
  LS_CO_ASSIGN(Buffer block, co_await read);
  std::memcpy(section.entries.data(), block.data(), head);
  section.bytes = MemoryGauge::Count(gauge_, std::move(block)).Slice(head, length - head);
  // In the file the payloads follow one another.
  std::int32_t at = 0;
  for (WalEntry& entry : section.entries) {
    entry.payload_offset = at;
    at += entry.payload_size;
  }
  piece.where = Where::kWritten;
  co_return section;
}

Task<void> RangeSpool::Drain(OpContext context) {
  if (failed()) co_return;
  Task<Status> drain = DrainPieces(std::move(context));
  const Status drained = co_await drain;
  if (!drained.ok()) Fail(drained, std::nullopt);
}

Task<Status> RangeSpool::DrainPieces(OpContext context) {
  for (; next_ < ready_; ++next_) {
    LS_CO_TRY(context.Check(runtime_.Now()));
    Task<Result<SectionPiece>> load = Load(next_);
    LS_CO_ASSIGN(SectionPiece section, co_await load);
    Task<Status> feed = Feed(context, next_, std::move(section));
    LS_CO_TRY(co_await feed);
  }
  Task<Status> flush = FlushBatch(std::move(context));
  co_return co_await flush;
}

Task<Status> RangeSpool::Feed(OpContext context, std::size_t number, SectionPiece section) {
  const RangeRecord& record = work_.records[number];
  LogEntryHeader header;
  header.offset = record.span.start;
  header.cumulative_size = record.span.cumulative_size - record.span.bytes;
  if (Broken(Rule::kEntriesKeepTheirSizes)) {
    const model::IndexSpan& first = work_.records.front().span;
    header.cumulative_size -= first.cumulative_size - first.bytes;
  }
  header.timestamp_ms = record.created_ms;
  // A PARQUET record has the time of the last one that it replaces.
  if (Broken(Rule::kEntriesKeepTheirTimes)) header.timestamp_ms = work_.records.back().created_ms;
  for (const WalEntry& entry : section.entries) {
    header.number_of_records = entry.record_count;
    header.entry_size = entry.payload_size;
    header.cumulative_size += entry.payload_size;
    const bool trimmed = Broken(Rule::kTrimmedEntriesAreLeftOut) ? header.offset < work_.trim_marker
                                                                 : header.end() <= work_.trim_marker;
    if (!trimmed) {
      if (split_.NeedsFile()) {
        Task<Status> begin = BeginFile(context);
        LS_CO_TRY(co_await begin);
      }
      split_.Add(header.offset, header.number_of_records, header.entry_size);
      batch_.push_back(LogEntry{header, section.PayloadOf(entry)});
      batch_bytes_ += header.entry_size;
      if (batch_bytes_ >= most_batch_bytes_ || batch_.size() >= kBatchEntries) {
        Task<Status> flush = FlushBatch(context);
        LS_CO_TRY(co_await flush);
      }
    }
    header.offset = header.end();
  }
  co_return OkStatus();
}

Task<Status> RangeSpool::BeginFile(OpContext context) {
  Task<Status> finish = FinishFile(context);
  LS_CO_TRY(co_await finish);
  if (files_begun_ == work_.names.size()) {
    co_return Internal("a range needs more files than were named").With("log", work_.log.value());
  }
  std::string name = work_.names[files_begun_++];
  if (Broken(Rule::kUploadsAreNamed)) name = "lks-" + runtime_.random.Uuid() + ".parquet";
  split_.BeginFile(name);
  LS_CO_ASSIGN(file_, CompactedFileWriter::Open(runtime_, compacted_, file_options_, work_.home, name));
  co_return OkStatus();
}

Task<Status> RangeSpool::FlushBatch(OpContext context) {
  if (batch_.empty()) co_return OkStatus();
  batch_bytes_ = 0;
  Task<Status> add = file_->Add(std::move(context), std::exchange(batch_, std::vector<LogEntry>()));
  co_return co_await add;
}

Task<Status> RangeSpool::FinishFile(OpContext context) {
  if (file_ == nullptr) co_return OkStatus();
  Task<Status> flush = FlushBatch(context);
  LS_CO_TRY(co_await flush);
  Task<Status> finish = file_->Finish(std::move(context));
  LS_CO_TRY(co_await finish);
  result_.bytes += file_->bytes();
  file_ = nullptr;
  co_return OkStatus();
}

Task<Status> RangeSpool::FinishFiles(OpContext context) {
  Task<Status> drain = DrainPieces(context);
  LS_CO_TRY(co_await drain);
  LS_INVARIANT(next_ == pieces_.size(), "all pieces are here");
  Task<Status> finish = FinishFile(std::move(context));
  LS_CO_TRY(co_await finish);
  LS_CO_ASSIGN(result_.files, split_.Finish(work_.range.end));
  if (Broken(Rule::kLastOffsetsAreInclusive)) {
    for (std::size_t i = 0; i + 1 < result_.files.files.size(); ++i) {
      CompactedFile& file = result_.files.files[i];
      file.last_offset = file.last_offset + 1;
    }
  }
  result_.entries = split_.entries();
  co_return OkStatus();
}

Task<RangeFiles> RangeSpool::Finish(OpContext context) {
  if (!failed()) {
    Task<Status> finish = FinishFiles(context);
    const Status finished = co_await finish;
    if (!finished.ok()) Fail(finished, std::nullopt);
  }
  if (file_ != nullptr) {
    Task<void> abandon = file_->Abandon(std::move(context));
    co_await abandon;
    file_ = nullptr;
  }
  co_return std::move(result_);
}

}  // namespace lakestream
