#include "log/reader/compacted_file_cache.h"

#include <algorithm>

#include "base/try.h"
#include "codec/byte_reader.h"
#include "format/companion_decoder.h"
#include "format/file_index.h"
#include "runtime/when_all.h"

namespace lakestream {

namespace {

/// What an item costs beside what it holds.
constexpr std::size_t kItemBytes = 256;

/// Names the object in an error that the store may have left without it.
Status InObject(const Status& status, const std::string& name) {
  return status.message().find(name) == std::string_view::npos ? status.With("object", name) : status;
}

Status TooShort(const std::string& path, std::string_view field, std::uint64_t offset) {
  return CorruptAt("a compacted file is shorter than it was a moment before", path, field, offset);
}

struct DecodedPage {
  std::int64_t first_row = 0;
  std::vector<Buffer> payloads;
};

/// Page by page, each compared with its rows before the next one is decompressed: so what a file claims never takes
/// more memory than what was asked for, and one page.
Result<std::vector<DecodedPage>> DecodePages(const std::string& path, const Companion& rows, const ParquetFile& file,
                                             const ParquetPages& pages, const Buffer& data,
                                             const Buffer& dictionary) {
  std::vector<DecodedPage> decoded;
  std::int64_t row = pages.first_row;
  while (row < pages.first_row + pages.rows) {
    LS_ASSIGN(const ParquetPages one, file.FindRow(row));
    Buffer bytes = data.Slice(one.data.offset - pages.data.offset, one.data.length);
    // Without compression payloads are slices of these bytes: one page must not keep all of them.
    const bool plain = file.row_groups()[one.row_group].codec == ParquetCodec::kNone;
    if (plain && bytes.size() < data.size()) bytes = Buffer::CopyOf(bytes.span());
    DecodedPage page;
    page.first_row = one.first_row;
    LS_ASSIGN(page.payloads, file.DecodeRows(one, bytes, dictionary, one.first_row, one.rows));
    for (std::size_t i = 0; i < page.payloads.size(); ++i) {
      const LogEntryHeader header = rows.HeaderOf(static_cast<std::size_t>(one.first_row) + i);
      if (page.payloads[i].size() == static_cast<std::size_t>(header.entry_size)) continue;
      return Corrupt("a compacted payload has another size than its row tells")
          .With("object", path)
          .With("field", "payload")
          .With("offset", header.offset.value())
          .With("size", page.payloads[i].size())
          .With("expected", header.entry_size);
    }
    row = one.first_row + one.rows;
    decoded.push_back(std::move(page));
  }
  return decoded;
}

}  // namespace

CompactedFileCache::CompactedFileCache(Runtime& runtime, ObjectStore& store, CacheBudget& budget)
    : runtime_(runtime),
      store_(store),
      rows_in_flight_(runtime),
      tails_in_flight_(runtime),
      pages_in_flight_(runtime),
      budget_(budget) {}

const CompactedFileCache::Item* CompactedFileCache::TouchLocked(const Key& key) {
  const auto at = items_.find(key);
  if (at == items_.end()) return nullptr;
  budget_.TouchLocked(at->second.slot);
  budget_.NoteHitLocked();
  return &at->second;
}

void CompactedFileCache::Keep(Key key, Item item, std::size_t bytes) {
  const std::lock_guard lock(budget_.mutex());
  const auto [at, added] = items_.try_emplace(key, std::move(item));
  if (!added) return;
  at->second.slot = budget_.AddLocked(static_cast<std::int64_t>(bytes + kItemBytes + key.first.size()),
                                      [this, key] { items_.erase(key); });
  budget_.ShrinkLocked();
}

CompanionPtr CompactedFileCache::KeptRows(const std::string& path) {
  const std::lock_guard lock(budget_.mutex());
  const Item* item = TouchLocked(Key(path, kRowsKey));
  return item == nullptr ? nullptr : item->rows;
}

CompactedTailPtr CompactedFileCache::KeptTail(const std::string& path) {
  const std::lock_guard lock(budget_.mutex());
  const Item* item = TouchLocked(Key(path, kTailKey));
  return item == nullptr ? nullptr : item->tail;
}

CompactedFileCache::Around CompactedFileCache::KeptAround(const std::string& path, std::int64_t row) {
  Around around;
  const std::lock_guard lock(budget_.mutex());
  const auto after = items_.upper_bound(Key(path, row));
  if (after != items_.end() && after->first.first == path) around.next = after->first.second;
  if (after == items_.begin()) return around;
  const auto at = std::prev(after);
  if (at->first.first != path || at->second.page == nullptr) return around;
  if (at->second.page->end() <= row) return around;
  budget_.TouchLocked(at->second.slot);
  budget_.NoteHitLocked();
  around.page = at->second.page;
  return around;
}

bool CompactedFileCache::GoesOn(const std::string& path, std::int64_t first, std::int64_t end) {
  const std::lock_guard lock(budget_.mutex());
  const auto tail = items_.find(Key(path, kTailKey));
  if (tail == items_.end()) return false;
  std::array<std::int64_t, 4>& ends = tail->second.ends;
  const auto at = std::find(ends.begin(), ends.end(), first);
  const bool goes_on = first > 0 && at != ends.end();
  // The end takes the place of its beginning, or of the oldest one.
  std::rotate(ends.begin(), goes_on ? at : ends.end() - 1, goes_on ? at + 1 : ends.end());
  ends.front() = end;
  return goes_on;
}

Task<Result<CompanionPtr>> CompactedFileCache::FetchRows(OpContext context, std::string path, std::size_t max_rows) {
  // Whoever fetched it may have landed just before this flight started.
  if (CompanionPtr kept = KeptRows(path)) co_return kept;
  const std::string name = CompanionNameOf(path);
  const auto decoder = std::make_shared<CompanionDecoder>(name, max_rows);
  std::uint64_t at = 0;
  std::size_t got_bytes = 0;
  do {
    const ByteRange range = {at, kCompanionPiece};
    const Result<Buffer> got = co_await store_.Get(context, name, range);
    if (!got.ok()) co_return InObject(got.status(), name);
    got_bytes = got->size();
    at += got_bytes;
    auto feed = [decoder, piece = *got] { return decoder->Feed(piece.span()); };
    Task<Status> feeding = RunBlocking(runtime_, std::move(feed));
    Status fed = co_await feeding;
    // The limit is what the record's range can hold: a companion beyond it is of something else.
    if (fed.code() == StatusCode::kResourceExhausted) fed = fed.As(StatusCode::kCorrupt);
    LS_CO_TRY(fed);
  } while (got_bytes == kCompanionPiece);
  Result<Companion> finished = decoder->Finish();
  if (!finished.ok()) co_return finished.status();
  finished->ShrinkToFit();
  Item item;
  item.rows = std::make_shared<const Companion>(*std::move(finished));
  Keep(Key(path, kRowsKey), item, item.rows->MemoryBytes());
  co_return item.rows;
}

Task<Result<CompactedTailPtr>> CompactedFileCache::FetchTail(OpContext context, std::string path) {
  if (CompactedTailPtr kept = KeptTail(path)) co_return kept;
  const Result<ObjectInfo> info = co_await store_.Head(context, path);
  if (!info.ok()) co_return InObject(info.status(), path);
  const std::uint64_t size = info->size;
  Buffer tail;
  std::uint64_t wanted = std::min(size, kParquetFirstTail);
  // Each round asks for what the one before told of: the footer, then the offset indexes.
  while (wanted > tail.size()) {
    const std::uint64_t more = wanted - tail.size();
    const ByteRange range = {size - wanted, more};
    const Result<Buffer> got = co_await store_.Get(context, path, range);
    if (!got.ok()) co_return InObject(got.status(), path);
    if (got->size() != more) co_return TooShort(path, "footer", size - wanted + got->size());
    BufferChain chain(*got);
    chain.Append(tail);
    tail = chain.Flatten();
    LS_CO_ASSIGN(wanted, ParquetFile::TailNeeded(path, size, tail.span()));
  }
  LS_CO_ASSIGN(ParquetFile file, ParquetFile::Open(path, size, tail.span()));
  const std::size_t bytes = file.MemoryBytes();
  auto made = std::make_shared<CompactedTail>(CompactedTail{std::move(file), Buffer()});
  if (tail.size() == size) made->whole = tail;
  Item item;
  item.tail = std::move(made);
  Keep(Key(path, kTailKey), item, bytes + item.tail->whole.size());
  co_return item.tail;
}

Task<Result<Buffer>> CompactedFileCache::FetchRange(OpContext context, std::string path, CompactedTailPtr tail,
                                                    ParquetRange range) {
  if (!tail->whole.empty()) co_return tail->whole.Slice(range.offset, range.length);
  const ByteRange bytes = {range.offset, range.length};
  Result<Buffer> got = co_await store_.Get(std::move(context), path, bytes);
  if (!got.ok()) co_return InObject(got.status(), path);
  if (got->size() != range.length) co_return TooShort(path, "page", range.offset + got->size());
  co_return got;
}

Task<Result<CompactedFileCache::Pages>> CompactedFileCache::FetchPages(OpContext context, std::string path,
                                                                       CompanionPtr rows, CompactedTailPtr tail,
                                                                       ParquetPages pages) {
  Task<Result<Buffer>> data_fetch = FetchRange(context, path, tail, pages.data);
  LS_CO_ASSIGN(const Buffer data, co_await data_fetch);
  Buffer dictionary;
  if (pages.dictionary) {
    Task<Result<Buffer>> dictionary_fetch = FetchRange(context, path, tail, *pages.dictionary);
    LS_CO_ASSIGN(dictionary, co_await dictionary_fetch);
  }
  using Decoded = Result<std::vector<DecodedPage>>;
  auto decode = [path, rows, tail, pages, data, dictionary]() -> Decoded {
    return DecodePages(path, *rows, tail->file, pages, data, dictionary);
  };
  Task<Decoded> decoding = RunBlocking(runtime_, std::move(decode));
  LS_CO_ASSIGN(std::vector<DecodedPage> decoded, co_await decoding);
  Pages made;
  for (DecodedPage& one : decoded) {
    std::size_t bytes = one.payloads.size() * sizeof(Buffer);
    for (const Buffer& payload : one.payloads) bytes += payload.size() + sizeof(std::int32_t);
    Item item;
    item.page = std::make_shared<const Page>(Page{one.first_row, std::move(one.payloads)});
    made.push_back(item.page);
    Keep(Key(path, one.first_row), std::move(item), bytes);
  }
  co_return made;
}

Task<Result<CompanionPtr>> CompactedFileCache::Rows(OpContext context, std::string path, std::size_t max_rows) {
  if (CompanionPtr kept = KeptRows(path)) co_return kept;
  // Records that disagree about the rows must not share what was decoded for one of them.
  const std::string key = path + "\n" + std::to_string(max_rows);
  Task<Result<CompanionPtr>> fetch = FetchRows(context, std::move(path), max_rows);
  Task<Result<CompanionPtr>> shared = rows_in_flight_.Run(std::move(context), key, std::move(fetch));
  co_return co_await shared;
}

Task<Result<CompactedTailPtr>> CompactedFileCache::Tail(OpContext context, std::string path) {
  if (CompactedTailPtr kept = KeptTail(path)) co_return kept;
  Task<Result<CompactedTailPtr>> fetch = FetchTail(context, path);
  Task<Result<CompactedTailPtr>> shared = tails_in_flight_.Run(std::move(context), std::move(path), std::move(fetch));
  co_return co_await shared;
}

Task<Result<std::vector<Buffer>>> CompactedFileCache::Payloads(OpContext context, std::string path, CompanionPtr rows,
                                                               CompactedTailPtr tail, std::int64_t first,
                                                               std::int64_t count) {
  const std::int64_t end = first + count;
  const ParquetFile& file = tail->file;
  std::vector<Buffer> payloads(static_cast<std::size_t>(count));
  const auto take = [&](const Page& page) {
    const std::int64_t from = std::max(first, page.first_row);
    const std::int64_t to = std::min(end, page.end());
    for (std::int64_t row = from; row < to; ++row) {
      payloads[static_cast<std::size_t>(row - first)] = page.payloads[static_cast<std::size_t>(row - page.first_row)];
    }
  };
  const bool goes_on = GoesOn(path, first, end);
  const auto most_ahead = std::min(kReadAhead, static_cast<std::uint64_t>(budget_.limit() / 4));

  std::vector<Task<Result<Pages>>> fetches;
  for (std::int64_t row = first; row < end;) {
    const Around around = KeptAround(path, row);
    if (around.page != nullptr) {
      take(*around.page);
      row = around.page->end();
      continue;
    }
    const std::int64_t limit = around.next.value_or(file.rows());
    LS_CO_ASSIGN(ParquetPages pages, file.FindRows(row, std::min(end, limit) - row, kMostAtOnce));
    if (goes_on && pages.data.length < most_ahead) {
      LS_CO_ASSIGN(pages, file.FindRows(row, limit - row, most_ahead));
    }
    const std::string key =
        path + "\n" + std::to_string(pages.first_row) + "+" + std::to_string(pages.rows);
    Task<Result<Pages>> fetch = FetchPages(context, path, rows, tail, pages);
    fetches.push_back(pages_in_flight_.Run(context, key, std::move(fetch)));
    row = pages.first_row + pages.rows;
  }
  const std::vector<Result<Pages>> fetched = co_await WhenAll(runtime_, std::move(fetches));
  for (const Result<Pages>& pages : fetched) {
    if (!pages.ok()) co_return pages.status();
    for (const PagePtr& page : *pages) take(*page);
  }
  co_return payloads;
}

}  // namespace lakestream
