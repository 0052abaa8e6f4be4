#include "log/reader/wal_object_cache.h"

#include <limits>
#include <utility>

#include "base/try.h"
#include "runtime/when_all.h"

namespace lakestream {

namespace {

/// What an entry costs beside what it holds, so that empty ones go too.
constexpr std::int64_t kEntryBytes = 256;

std::int64_t BytesOf(const FetchedObject& object) {
  auto bytes = static_cast<std::int64_t>(sizeof(FetchedObject) + object.region.size());
  for (const WalSection& section : object.header.index.sections) {
    bytes += static_cast<std::int64_t>(sizeof(WalSection) + sizeof(std::uint32_t) +
                                       section.entries.size() * sizeof(WalEntry));
  }
  return bytes;
}

Status TooShort(const std::string& name, std::uint64_t offset) {
  return Corrupt("a wal object is shorter than its index says").With("object", name).With("offset", offset);
}

/// Names the object in an error that the store may have left without it.
Status InObject(const Status& status, const std::string& name) {
  return status.message().find(name) == std::string_view::npos ? status.With("object", name) : status;
}

}  // namespace

WalObjectCache::WalObjectCache(Runtime& runtime, ObjectStore& store, const ReaderOptions& options, CacheBudget& budget)
    : runtime_(runtime),
      store_(store),
      options_(options),
      objects_in_flight_(runtime),
      ranges_in_flight_(runtime),
      budget_(budget) {}

WalObjectCache::Entry& WalObjectCache::TouchLocked(const std::string& name) {
  const auto [at, added] = entries_.try_emplace(name);
  if (added) {
    at->second.slot = budget_.AddLocked(kEntryBytes, [this, name] { entries_.erase(name); });
  } else {
    budget_.TouchLocked(at->second.slot);
  }
  return at->second;
}

WalObjectCache::ObjectPtr WalObjectCache::Cached(const std::string& name) {
  const std::lock_guard lock(budget_.mutex());
  if (entries_.count(name) == 0) return nullptr;
  const ObjectPtr object = TouchLocked(name).object;
  if (object != nullptr) budget_.NoteHitLocked();
  return object;
}

std::optional<Buffer> WalObjectCache::CachedRange(const std::string& name, model::PayloadRange range) {
  const std::lock_guard lock(budget_.mutex());
  if (entries_.count(name) == 0) return std::nullopt;
  const Entry& entry = TouchLocked(name);
  if (entry.object != nullptr && entry.object->whole) {
    if (range.end > entry.object->region.size()) return std::nullopt;
    budget_.NoteHitLocked();
    return entry.object->region.Slice(range.begin, range.end - range.begin);
  }
  auto piece = entry.pieces.upper_bound(range.begin);
  if (piece == entry.pieces.begin()) return std::nullopt;
  --piece;
  if (piece->first + piece->second.size() < range.end) return std::nullopt;
  budget_.NoteHitLocked();
  return piece->second.Slice(range.begin - piece->first, range.end - range.begin);
}

bool WalObjectCache::MissedByAnother(const std::string& name, LogId log) {
  const std::lock_guard lock(budget_.mutex());
  Entry& entry = TouchLocked(name);
  if (!entry.first_log) entry.first_log = log;
  return *entry.first_log != log;
}

void WalObjectCache::Keep(const std::string& name, ObjectPtr object) {
  const std::lock_guard lock(budget_.mutex());
  Entry& entry = TouchLocked(name);
  if (object->whole) entry.pieces.clear();
  std::int64_t bytes = kEntryBytes + BytesOf(*object);
  for (const auto& [begin, piece] : entry.pieces) bytes += static_cast<std::int64_t>(piece.size());
  entry.object = std::move(object);
  budget_.ResizeLocked(entry.slot, bytes);
  budget_.ShrinkLocked();
}

void WalObjectCache::KeepPiece(const std::string& name, std::uint64_t begin, Buffer piece) {
  if (piece.empty()) return;
  const std::lock_guard lock(budget_.mutex());
  Entry& entry = TouchLocked(name);
  if (entry.object != nullptr && entry.object->whole) return;
  Buffer& slot = entry.pieces[begin];
  if (slot.size() >= piece.size()) return;
  const auto more = static_cast<std::int64_t>(piece.size() - slot.size());
  slot = std::move(piece);
  budget_.ResizeLocked(entry.slot, entry.slot->bytes + more);
  budget_.ShrinkLocked();
}

Task<Result<WalObjectCache::ObjectPtr>> WalObjectCache::FetchWhole(OpContext context, std::string name) {
  // Whoever fetched it may have landed just before this flight started.
  if (ObjectPtr cached = Cached(name); cached != nullptr && cached->whole) co_return cached;
  const ByteRange all;
  Result<Buffer> got = co_await store_.Get(std::move(context), name, all);
  if (!got.ok()) co_return InObject(got.status(), name);
  auto object = std::make_shared<FetchedObject>();
  LS_CO_ASSIGN(object->header, DecodeWalHeader(got->span(), got->size(), name));
  object->whole = true;
  object->region = got->Slice(object->header.header_size, object->header.payload_size);
  Keep(name, object);
  co_return ObjectPtr(std::move(object));
}

Task<Result<WalObjectCache::ObjectPtr>> WalObjectCache::FetchHeader(OpContext context, std::string name,
                                                                    std::uint64_t region_bytes) {
  if (ObjectPtr cached = Cached(name)) co_return cached;
  const auto first_bytes = static_cast<std::uint64_t>(options_.first_fetch_bytes);
  const ByteRange first_range = {0, first_bytes};
  Result<Buffer> first = co_await store_.Get(context, name, first_range);
  if (!first.ok()) co_return InObject(first.status(), name);
  if (first->size() < sizeof(std::int32_t)) co_return TooShort(name, first->size());

  // How long the object is shows only when it is read to its end.
  const std::uint64_t unknown_size = std::numeric_limits<std::uint64_t>::max();
  LS_CO_ASSIGN(const std::uint64_t header_size, WalHeaderSize(first->span(), unknown_size, name));
  Buffer prefix = *first;
  if (header_size > prefix.size()) {
    if (prefix.size() < first_bytes) co_return TooShort(name, prefix.size());
    const ByteRange rest_range = {prefix.size(), header_size - prefix.size()};
    Result<Buffer> rest = co_await store_.Get(context, name, rest_range);
    if (!rest.ok()) co_return InObject(rest.status(), name);
    BufferChain chain(prefix);
    chain.Append(*rest);
    prefix = chain.Flatten();
    if (prefix.size() < header_size) co_return TooShort(name, prefix.size());
  }
  auto object = std::make_shared<FetchedObject>();
  LS_CO_ASSIGN(object->header, DecodeWalHeader(prefix.span(), header_size + region_bytes, name));
  Keep(name, object);
  if (header_size < first->size()) KeepPiece(name, 0, first->Slice(header_size, first->size() - header_size));
  co_return ObjectPtr(std::move(object));
}

Task<Result<Buffer>> WalObjectCache::FetchRange(OpContext context, std::string name, std::uint64_t header_size,
                                                model::PayloadRange range) {
  const std::uint64_t length = range.end - range.begin;
  const ByteRange bytes = {header_size + range.begin, length};
  Result<Buffer> got = co_await store_.Get(std::move(context), name, bytes);
  if (!got.ok()) co_return InObject(got.status(), name);
  if (got->size() != length) co_return TooShort(name, header_size + range.begin + got->size());
  KeepPiece(name, range.begin, *got);
  co_return got;
}

Task<Result<std::shared_ptr<const FetchedObject>>> WalObjectCache::Open(OpContext context, std::string name,
                                                                    std::uint64_t region_bytes) {
  if (ObjectPtr cached = Cached(name)) co_return cached;
  if (region_bytes <= static_cast<std::uint64_t>(options_.whole_object_bytes)) {
    Task<Result<ObjectPtr>> whole = OpenWhole(std::move(context), std::move(name));
    co_return co_await whole;
  }
  // Records that disagree about the region must not share a directory that was decoded by one of them.
  const std::string key = name + "\n" + std::to_string(region_bytes);
  Task<Result<ObjectPtr>> fetch = FetchHeader(context, name, region_bytes);
  Task<Result<ObjectPtr>> shared = objects_in_flight_.Run(std::move(context), key, std::move(fetch));
  co_return co_await shared;
}

Task<Result<std::shared_ptr<const FetchedObject>>> WalObjectCache::OpenWhole(OpContext context, std::string name) {
  Task<Result<ObjectPtr>> fetch = FetchWhole(context, name);
  Task<Result<ObjectPtr>> shared = objects_in_flight_.Run(std::move(context), name, std::move(fetch));
  co_return co_await shared;
}

Task<Result<std::vector<Buffer>>> WalObjectCache::Payloads(OpContext context, std::string name,
                                                           std::shared_ptr<const FetchedObject> object, LogId log,
                                                           std::vector<model::PayloadRange> ranges) {
  std::vector<Buffer> payloads(ranges.size());
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (object->whole) {
      payloads[i] = object->region.Slice(ranges[i].begin, ranges[i].end - ranges[i].begin);
    } else if (std::optional<Buffer> cached = CachedRange(name, ranges[i])) {
      payloads[i] = std::move(*cached);
    } else {
      missing.push_back(i);
    }
  }
  if (missing.empty()) co_return payloads;

  const bool fits = static_cast<std::int64_t>(object->header.payload_size) <= options_.cache_bytes / 4;
  if (MissedByAnother(name, log) && fits) {
    Task<Result<ObjectPtr>> fetch = OpenWhole(context, name);
    LS_CO_ASSIGN(const ObjectPtr whole, co_await fetch);
    for (const std::size_t i : missing) {
      if (ranges[i].end > whole->region.size()) co_return TooShort(name, whole->region.size());
      payloads[i] = whole->region.Slice(ranges[i].begin, ranges[i].end - ranges[i].begin);
    }
    co_return payloads;
  }

  std::vector<Task<Result<Buffer>>> fetches;
  for (const std::size_t i : missing) {
    const std::string key = name + "\n" + std::to_string(ranges[i].begin) + "-" + std::to_string(ranges[i].end);
    Task<Result<Buffer>> fetch = FetchRange(context, name, object->header.header_size, ranges[i]);
    fetches.push_back(ranges_in_flight_.Run(context, key, std::move(fetch)));
  }
  std::vector<Result<Buffer>> fetched = co_await WhenAll(runtime_, std::move(fetches));
  for (std::size_t i = 0; i < missing.size(); ++i) {
    if (!fetched[i].ok()) co_return fetched[i].status();
    payloads[missing[i]] = *fetched[i];
  }
  co_return payloads;
}

}  // namespace lakestream
