#include "sim/damaged_reads.h"

#include <algorithm>
#include <string>
#include <utility>

#include "format/wal_object.h"

namespace lakestream::sim {
namespace {

/// Where an entry begins is written once only.
bool DifferOnlyInPlaces(const WalIndex& a, const WalIndex& b) {
  return std::equal(a.sections.begin(), a.sections.end(), b.sections.begin(), b.sections.end(),
                    [](const WalSection& x, const WalSection& y) {
                      return x.log == y.log && std::equal(x.entries.begin(), x.entries.end(), y.entries.begin(),
                                                          y.entries.end(), [](const WalEntry& e, const WalEntry& f) {
                                                            return e.payload_size == f.payload_size &&
                                                                   e.record_count == f.record_count;
                                                          });
                    });
}

bool CanBeNoticed(const WalHeader& right, const std::string& bytes) {
  const Result<WalHeader> wrong = DecodeWalHeader(AsBytes(bytes), bytes.size(), "damaged");
  return !wrong.ok() || !DifferOnlyInPlaces(right.index, wrong->index);
}

}  // namespace

DamagedReads::DamagedReads(ObjectStore& inner, ObjectStore& whole, std::function<void()> damaged)
    : ForwardingObjectStore(inner), whole_(whole), damaged_(std::move(damaged)) {}

void DamagedReads::Trouble(Random* random, int rate) {
  random_ = random;
  rate_ = rate;
}

Task<Result<Buffer>> DamagedReads::Get(OpContext context, std::string key, ByteRange range) {
  Result<Buffer> got = co_await ForwardingObjectStore::Get(std::move(context), key, range);
  const bool hit = random_ != nullptr && random_->Below(10'000) < static_cast<std::uint64_t>(rate_);
  if (!hit || !got.ok() || got->empty()) co_return got;
  const ByteRange all;
  const Result<Buffer> object = co_await whole_.Get(OpContext(), key, all);
  if (!object.ok() || random_ == nullptr) co_return got;
  const Result<WalHeader> header = DecodeWalHeader(object->span(), object->size(), key);
  if (!header.ok() || range.offset >= header->header_size) co_return got;
  const std::uint64_t size = std::min<std::uint64_t>(got->size(), header->header_size - range.offset);
  const std::uint64_t at = random_->Below(size);
  const char bit = static_cast<char>(1 << random_->Below(8));
  std::string damaged(object->text());
  damaged[range.offset + at] = static_cast<char>(damaged[range.offset + at] ^ bit);
  if (!CanBeNoticed(*header, damaged)) co_return got;
  std::string answer(got->text());
  answer[at] = static_cast<char>(answer[at] ^ bit);
  damaged_();
  co_return Buffer(std::move(answer));
}

}  // namespace lakestream::sim
