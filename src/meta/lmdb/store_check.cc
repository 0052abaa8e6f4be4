#include "meta/lmdb/store_check.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "base/try.h"

namespace lakestream {
namespace {

constexpr std::size_t kMaxStoredKey = 502;
constexpr std::size_t kMaxStoredValue = (std::size_t{4} << 20) + 64;
constexpr std::uint64_t kAskEvery = 4096;

Status Misplaced(std::string_view sentence, std::string_view stored_key) {
  std::string hex;
  for (const char c : stored_key.substr(0, kMaxStoredKey)) hex += fmt::format("{:02x}", static_cast<std::uint8_t>(c));
  return Corrupt(std::string(sentence)).With("stored_key", hex);
}

class Walk {
 public:
  explicit Walk(const LmdbTxn& txn) : txn_(txn) {}

  Status Begin(std::size_t page_size) {
    page_size_ = page_size;
    LS_ASSIGN(counters_, LoadCounters(txn_));
    std::string_view bytes;
    const int rc = txn_.Get(StoreHeaderKey(), &bytes);
    if (rc == MDB_NOTFOUND) return Corrupt("the metadata store has lost its header");
    if (rc != 0) return LmdbError(rc, "the metadata store's header cannot be read");
    LS_ASSIGN(header_, DecodeStoreHeader(bytes));
    return OkStatus();
  }

  Status Visit(const LmdbTxn::Found& found) {
    // A damaged page may lead the walk around in a ring: order ends it, too.
    if (before_.key.data() != nullptr && found.key <= before_.key) {
      return Misplaced("the keys of the metadata store are out of order", found.key);
    }
    if (found.key.size() > kMaxStoredKey || found.value.size() > kMaxStoredValue) {
      return Misplaced("a key or value of the metadata store has an impossible size", found.key);
    }
    LS_TRY(CheckRecord(found));
    const bool own = found.key == StoreHeaderKey() || found.key == CountersKey();
    if (!own) digest_.Add(found.key, found.value);
    if (before_.key.data() == nullptr || PageOf(found) != PageOf(before_)) {
      // Between two keys of a page that are both found, every lookup takes the same way: the ends are enough.
      if (before_.key.data() != nullptr) LS_TRY(CheckFound(before_));
      LS_TRY(CheckFound(found));
    }
    before_ = found;
    return OkStatus();
  }

  Status End() {
    if (before_.key.data() != nullptr) LS_TRY(CheckFound(before_));
    if (digest_ == counters_.digest) return OkStatus();
    return Corrupt("the records of the metadata store are not those that were written")
        .With("records", digest_.records)
        .With("expected", counters_.digest.records)
        .With("digest", fmt::format("{:016x}", digest_.sum))
        .With("expected_digest", fmt::format("{:016x}", counters_.digest.sum));
  }

  std::uint64_t records() const { return digest_.records; }

 private:
  std::uintptr_t PageOf(const LmdbTxn::Found& found) const {
    return reinterpret_cast<std::uintptr_t>(found.key.data()) / page_size_;
  }

  Status CheckFound(const LmdbTxn::Found& found) const {
    std::string_view value;
    const int rc = txn_.Get(found.key, &value);
    if (rc == 0 && value.data() == found.value.data()) return OkStatus();
    if (rc != 0 && rc != MDB_NOTFOUND) return LmdbError(rc, "the metadata store cannot be read");
    return Misplaced("a record of the metadata store is not where its key leads", found.key);
  }

  Status CheckRecord(const LmdbTxn::Found& found) const {
    const std::string_view key = found.key;
    const bool of_shard = key.size() > 2 && static_cast<std::uint8_t>(key[0]) < header_.shards;
    const bool has_slash = of_shard && PlainKey(key).find('/') != std::string_view::npos;
    if (of_shard && key[1] == (has_slash ? 1 : 0)) return DecodeRecord(key, found.value).status();
    if (key == StoreHeaderKey() || key == CountersKey()) return OkStatus();
    if (const auto session = SessionOfKey(key)) return DecodeSessionOwner(*session, found.value).status();
    if (key.starts_with(EphemeralPrefix(0).substr(0, 2)) && key.size() == EphemeralKey(0, 0).size()) {
      return DecodeEphemeralEntry(key, found.value).status();
    }
    return Misplaced("a key of the metadata store is malformed", key);
  }

  const LmdbTxn& txn_;
  std::size_t page_size_ = 1;
  StoreHeader header_;
  StoreCounters counters_;
  StoreDigest digest_;
  LmdbTxn::Found before_;
};

}  // namespace

Result<StoreCounters> LoadCounters(const LmdbTxn& txn) {
  std::string_view bytes;
  const int rc = txn.Get(CountersKey(), &bytes);
  if (rc == MDB_NOTFOUND) return Corrupt("the metadata store has lost its counters");
  if (rc != 0) return LmdbError(rc, "the metadata store's counters cannot be read");
  LS_ASSIGN(const StoreCounters counters, DecodeCounters(bytes));
  const std::uint64_t transaction = mdb_txn_id(txn.raw());
  // Not so: LMDB begins anew with 1 in a compacted copy, and may give a slow reader a root page that is newer than the
  // number it took before.
  if (counters.transaction < transaction) {
    return Corrupt("the metadata store is not as its last transaction left it")
        .With("transaction", transaction)
        .With("counters_of", counters.transaction);
  }
  return counters;
}

Result<std::uint64_t> CheckStore(const LmdbTxn& txn, const std::function<Status()>& go_on) {
  MDB_stat stat;
  if (const int rc = mdb_stat(txn.raw(), kMainDbi, &stat); rc != 0) {
    return LmdbError(rc, "the metadata store cannot be read");
  }
  Walk walk(txn);
  LS_TRY(walk.Begin(stat.ms_psize));
  LmdbCursor cursor(txn);
  LmdbTxn::Found found;
  std::uint64_t visited = 0;
  int rc = cursor.First(&found);
  for (; rc == 0; rc = cursor.Next(&found)) {
    if (++visited % kAskEvery == 0) LS_TRY(go_on());
    LS_TRY(walk.Visit(found));
  }
  if (rc != MDB_NOTFOUND) return LmdbError(rc, "the metadata store cannot be read");
  LS_TRY(walk.End());
  return walk.records();
}

}  // namespace lakestream
