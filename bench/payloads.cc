#include "bench/payloads.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/invariant.h"
#include "codec/crc32c.h"

namespace lakestream::bench {
namespace {

constexpr std::size_t kSlabBytes = std::size_t{64} << 10;

/// Spreads a number over all bits.
std::uint64_t Mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

std::vector<std::uint8_t>& Scratch(std::size_t bytes) {
  thread_local std::vector<std::uint8_t> scratch;
  scratch.resize(bytes);
  return scratch;
}

}  // namespace

void FillPayload(LogId log, std::int64_t number, std::span<std::uint8_t> bytes) {
  LS_INVARIANT(bytes.size() % 8 == 0, "payloads are whole words");
  std::uint64_t word = Mix(Mix(static_cast<std::uint64_t>(log.value()) + 1) + static_cast<std::uint64_t>(number));
  for (std::size_t at = 0; at < bytes.size(); at += 8) {
    std::memcpy(bytes.data() + at, &word, 8);
    word += 0x9e3779b97f4a7c15U;
  }
}

Buffer PayloadSource::Make(LogId log, std::int64_t number) {
  const std::size_t slab = std::max(kSlabBytes / bytes_, std::size_t{1}) * bytes_;
  if (left_ < bytes_) {
    slab_ = std::shared_ptr<std::uint8_t[]>(new std::uint8_t[slab]);
    left_ = slab;
  }
  const std::span<std::uint8_t> bytes(slab_.get() + (slab - left_), bytes_);
  left_ -= bytes_;
  FillPayload(log, number, bytes);
  return Buffer::Share(slab_, bytes);
}

void PayloadChain::AddExpected(LogId log, std::int64_t number, std::size_t bytes) {
  std::vector<std::uint8_t>& scratch = Scratch(bytes);
  FillPayload(log, number, scratch);
  Add(scratch);
}

void PayloadChain::Add(ByteSpan payload) { crc_ = Crc32c(payload, crc_); }

Status CheckPayload(LogId log, std::int64_t number, ByteSpan found) {
  std::vector<std::uint8_t>& scratch = Scratch((found.size() + 7) / 8 * 8);
  FillPayload(log, number, scratch);
  if (std::equal(found.begin(), found.end(), scratch.begin())) return OkStatus();
  return Corrupt("an entry is not what was appended").With("log", log.value()).With("number", number);
}

}  // namespace lakestream::bench
