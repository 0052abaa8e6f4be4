#include "log/compactor/section_reader.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/try.h"
#include "model/read_plan.h"

namespace lakestream {

namespace {

/// Of an object that is not read whole: enough for the directory of all but very full ones.
constexpr std::uint64_t kHeadBytes = std::uint64_t{64} << 10;
/// A payload region up to this is read whole whatever is wanted of it.
constexpr std::uint64_t kSmallRegion = std::uint64_t{256} << 10;
constexpr std::int64_t kWholeFromOnePart = 4;

Status InObject(const Status& status, const std::string& name) {
  return status.message().find(name) == std::string_view::npos ? status.With("object", name) : status;
}

Status TooShort(const std::string& name, std::uint64_t offset) {
  return Corrupt("a wal object is shorter than its index says").With("object", name).With("offset", offset);
}

bool ReadWhole(const std::vector<WantedSection>& wanted) {
  const std::int64_t region = wanted.front().index->file_size;
  std::int64_t bytes = 0;
  for (const WantedSection& section : wanted) {
    // Which of two records is right about the region only the object itself can say.
    if (section.index->file_size != region) return true;
    bytes += section.index->entry_size_bytes;
  }
  return std::cmp_less_equal(region, kSmallRegion) || bytes >= region / kWholeFromOnePart;
}

/// The part of the payload region from the first to the last byte that is wanted.
model::PayloadRange Hull(const WalIndex& index, const std::vector<WantedSection>& wanted) {
  model::PayloadRange hull{std::numeric_limits<std::uint64_t>::max(), 0};
  for (const WantedSection& one : wanted) {
    const WalSection* section = index.Find(one.log);
    if (section == nullptr) continue;
    for (const WalEntry& entry : section->entries) {
      if (entry.payload_size == 0) continue;
      const auto begin = static_cast<std::uint64_t>(entry.payload_offset);
      hull.begin = std::min(hull.begin, begin);
      hull.end = std::max(hull.end, begin + static_cast<std::uint64_t>(entry.payload_size));
    }
  }
  return hull.end == 0 ? model::PayloadRange() : hull;
}

}  // namespace

struct SectionReader::Fetched {
  WalHeader header;
  Buffer bytes;                   ///< of the payload region
  std::uint64_t bytes_begin = 0;  ///< in it
};

Task<Result<SectionReader::Fetched>> SectionReader::FetchWhole(OpContext context, std::string name) {
  const ByteRange all;
  Result<Buffer> got = co_await wal_.Get(std::move(context), name, all);
  if (!got.ok()) co_return InObject(got.status(), name);
  Fetched fetched;
  LS_CO_ASSIGN(fetched.header, DecodeWalHeader(got->span(), got->size(), name));
  const Buffer counted = MemoryGauge::Count(gauge_, *std::move(got));
  fetched.bytes = counted.Slice(fetched.header.header_size, fetched.header.payload_size);
  co_return fetched;
}

Task<Result<SectionReader::Fetched>> SectionReader::FetchParts(OpContext context, std::string name,
                                                               std::vector<WantedSection> wanted,
                                                               std::int64_t* gets) {
  ByteRange range = {0, kHeadBytes};
  ++*gets;
  const Result<Buffer> head = co_await wal_.Get(context, name, range);
  if (!head.ok()) co_return InObject(head.status(), name);
  if (head->size() < sizeof(std::int32_t)) co_return TooShort(name, head->size());
  // How long the object is shows only when it is read to its end.
  const std::uint64_t unknown_size = std::numeric_limits<std::uint64_t>::max();
  LS_CO_ASSIGN(const std::uint64_t header_size, WalHeaderSize(head->span(), unknown_size, name));
  const auto region_bytes = static_cast<std::uint64_t>(wanted.front().index->file_size);
  Fetched fetched;
  if (header_size > head->size()) {
    // Where the payloads are is not known yet, and a second GET is the last one.
    if (head->size() < kHeadBytes) co_return TooShort(name, head->size());
    range = ByteRange{head->size(), std::nullopt};
    ++*gets;
    const Result<Buffer> rest = co_await wal_.Get(std::move(context), name, range);
    if (!rest.ok()) co_return InObject(rest.status(), name);
    BufferChain chain(*head);
    chain.Append(*rest);
    const Buffer whole = MemoryGauge::Count(gauge_, chain.Flatten());
    LS_CO_ASSIGN(fetched.header, DecodeWalHeader(whole.span(), whole.size(), name));
    fetched.bytes = whole.Slice(fetched.header.header_size, fetched.header.payload_size);
    co_return fetched;
  }
  LS_CO_ASSIGN(fetched.header, DecodeWalHeader(head->span(), header_size + region_bytes, name));
  const model::PayloadRange hull = Hull(fetched.header.index, wanted);
  fetched.bytes_begin = hull.begin;
  const std::uint64_t length = hull.end - hull.begin;
  if (header_size + hull.end <= head->size()) {
    fetched.bytes = MemoryGauge::Count(gauge_, head->Slice(header_size + hull.begin, length));
    co_return fetched;
  }
  range = ByteRange{header_size + hull.begin, length};
  ++*gets;
  Result<Buffer> got = co_await wal_.Get(std::move(context), name, range);
  if (!got.ok()) co_return InObject(got.status(), name);
  if (got->size() != length) co_return TooShort(name, header_size + hull.begin + got->size());
  fetched.bytes = MemoryGauge::Count(gauge_, *std::move(got));
  co_return fetched;
}

namespace {

Result<SectionPiece> PieceOf(const WalHeader& header, const Buffer& bytes, std::uint64_t begin,
                             const WantedSection& wanted) {
  const WalSection* section = header.index.Find(wanted.log);
  if (section == nullptr) {
    return Corrupt("a wal object has no section of the log whose index record names it")
        .With("object", wanted.index->location)
        .With("log", wanted.log.value());
  }
  LS_TRY(model::CheckSection(*wanted.index, *section, header.payload_size));
  return SectionPiece{section->entries, bytes, begin};
}

}  // namespace

Task<SectionReader::Answer> SectionReader::Read(OpContext context, std::string name,
                                                std::vector<WantedSection> wanted) {
  Answer answer;
  bool whole = ReadWhole(wanted);
  for (bool last = false;; last = true) {
    Result<Fetched> fetched = Internal("nothing was fetched");
    if (whole) {
      ++answer.gets;
      Task<Result<Fetched>> fetch = FetchWhole(context, name);
      fetched = co_await fetch;
    } else {
      Task<Result<Fetched>> fetch = FetchParts(context, name, wanted, &answer.gets);
      fetched = co_await fetch;
    }
    answer.pieces.clear();
    bool damaged = fetched.status().code() == StatusCode::kCorrupt;
    for (const WantedSection& one : wanted) {
      if (!fetched.ok()) {
        answer.pieces.emplace_back(fetched.status());
        continue;
      }
      answer.pieces.emplace_back(PieceOf(fetched->header, fetched->bytes, fetched->bytes_begin, one));
      damaged |= answer.pieces.back().status().code() == StatusCode::kCorrupt;
    }
    // What is called damaged is not compacted before somebody acts: one wrong answer is not enough for that.
    if (!damaged || last) co_return answer;
    whole = true;
  }
}

}  // namespace lakestream
