#include "meta/lmdb/stored_record.h"

#include <fmt/format.h>

#include <charconv>

#include "base/try.h"
#include "codec/crc32c.h"

namespace lakestream {
namespace {

constexpr char kOwnShard = static_cast<char>(0xff);
constexpr std::string_view kMagic = "lakemeta";
constexpr char kLasting = 1;
constexpr char kEphemeral = 2;

template <class I>
void Append(std::string& to, I value) {
  for (int shift = static_cast<int>(sizeof(I)) * 8 - 8; shift >= 0; shift -= 8) {
    to.push_back(static_cast<char>((static_cast<std::uint64_t>(value) >> shift) & 0xff));
  }
}

/// Takes numbers off the front; `ok` turns false at the first that is not there.
class Taker {
 public:
  explicit Taker(std::string_view bytes) : rest_(bytes) {}
  std::uint64_t Take(std::size_t bytes) {
    if (rest_.size() < bytes) {
      ok_ = false;
      return 0;
    }
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes; ++i) value = value << 8 | static_cast<std::uint8_t>(rest_[i]);
    rest_.remove_prefix(bytes);
    return value;
  }
  bool ok() const { return ok_; }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

std::string OwnKey(char kind) { return std::string{kOwnShard, kind}; }

ByteSpan Bytes(std::string_view text) {
  return ByteSpan(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
}

std::uint32_t Checksum(std::string_view key, std::string_view front, std::string_view back = std::string_view()) {
  return Crc32c(Bytes(back), Crc32c(Bytes(front), Crc32c(Bytes(key))));
}

std::string Sealed(std::string_view key, std::string_view front, std::string_view back = std::string_view()) {
  std::string bytes;
  Append(bytes, Checksum(key, front, back));
  bytes += front;
  return bytes;
}

/// What stands behind the checksum.
Result<std::string_view> Unsealed(std::string_view key, std::string_view bytes) {
  Taker taker(bytes);
  const std::uint64_t checksum = taker.Take(4);
  if (!taker.ok() || checksum != Checksum(key, taker.rest())) {
    return Corrupt("a stored metadata record does not have its checksum").With("bytes", bytes.size());
  }
  return taker.rest();
}

}  // namespace

std::string StoredKey(int shard, std::string_view key) {
  std::string stored;
  stored.reserve(key.size() + 2);
  stored.push_back(static_cast<char>(shard));
  stored.push_back(key.find('/') == std::string_view::npos ? 0 : 1);
  stored.append(key);
  return stored;
}

std::string StoreHeaderKey() { return OwnKey('h'); }
std::string CountersKey() { return OwnKey('n'); }
std::string SessionPrefix() { return OwnKey('s'); }

std::string SessionKey(SessionNumber session) {
  std::string key = SessionPrefix();
  Append(key, session);
  return key;
}

std::optional<SessionNumber> SessionOfKey(std::string_view stored) {
  if (!stored.starts_with(SessionPrefix())) return std::nullopt;
  Taker taker(stored.substr(2));
  const SessionNumber session = taker.Take(8);
  if (!taker.ok() || !taker.rest().empty()) return std::nullopt;
  return session;
}

std::string EphemeralPrefix(SessionNumber session) {
  std::string key = OwnKey('e');
  Append(key, session);
  return key;
}

std::string EphemeralKey(SessionNumber session, std::int64_t version) {
  std::string key = EphemeralPrefix(session);
  Append(key, version);
  return key;
}

std::string EncodeRecordHeader(std::string_view stored_key, const StoredRecord& record) {
  std::string header;
  header.push_back(record.session == 0 ? kLasting : kEphemeral);
  Append(header, record.version);
  Append(header, record.created_ms);
  if (record.session != 0) Append(header, record.session);
  return Sealed(stored_key, header, record.value);
}

Result<StoredRecord> DecodeRecord(std::string_view stored_key, std::string_view bytes) {
  const Result<std::string_view> unsealed = Unsealed(stored_key, bytes);
  if (!unsealed.ok()) return unsealed.status().With("key", PlainKey(stored_key));
  Taker taker(*unsealed);
  const std::uint64_t kind = taker.Take(1);
  StoredRecord record;
  record.version = static_cast<std::int64_t>(taker.Take(8));
  record.created_ms = static_cast<std::int64_t>(taker.Take(8));
  if (kind == kEphemeral) record.session = taker.Take(8);
  const bool known = kind == kLasting || (kind == kEphemeral && record.session != 0);
  if (!taker.ok() || !known) {
    return Corrupt("a stored metadata record is malformed").With("key", PlainKey(stored_key)).With("kind", kind);
  }
  record.value = taker.rest();
  return record;
}

std::string EncodeStoreHeader(const StoreHeader& header) {
  std::string bytes(kMagic);
  Append(bytes, header.layout);
  Append(bytes, static_cast<std::uint32_t>(header.shards));
  Append(bytes, Checksum(StoreHeaderKey(), bytes));
  return bytes;
}

Result<StoreHeader> DecodeStoreHeader(std::string_view bytes) {
  if (!bytes.starts_with(kMagic)) return InvalidArgument("the LMDB file is not a metadata store of this project");
  Taker taker(bytes.substr(kMagic.size()));
  StoreHeader header;
  header.layout = static_cast<std::uint32_t>(taker.Take(4));
  header.shards = static_cast<int>(taker.Take(4));
  if (taker.ok() && header.layout != kLmdbLayout) {
    return InvalidArgument("the metadata store has a layout that this program does not know")
        .With("layout", header.layout)
        .With("known", kLmdbLayout);
  }
  const std::uint64_t checksum = taker.Take(4);
  if (!taker.ok() || !taker.rest().empty() ||
      checksum != Checksum(StoreHeaderKey(), bytes.substr(0, bytes.size() - 4)) || header.shards < 1 ||
      header.shards > kMaxLmdbShards) {
    return Corrupt("the metadata store's header is malformed").With("shards", header.shards);
  }
  return header;
}

std::string EncodeCounters(const StoreCounters& counters) {
  std::string bytes;
  Append(bytes, counters.next_version);
  Append(bytes, counters.last_created_ms);
  Append(bytes, counters.transaction);
  Append(bytes, counters.digest.records);
  Append(bytes, counters.digest.sum);
  return Sealed(CountersKey(), bytes);
}

Result<StoreCounters> DecodeCounters(std::string_view bytes) {
  LS_ASSIGN(const std::string_view unsealed, Unsealed(CountersKey(), bytes));
  Taker taker(unsealed);
  StoreCounters counters;
  counters.next_version = static_cast<std::int64_t>(taker.Take(8));
  counters.last_created_ms = static_cast<std::int64_t>(taker.Take(8));
  counters.transaction = taker.Take(8);
  counters.digest.records = taker.Take(8);
  counters.digest.sum = taker.Take(8);
  if (!taker.ok() || !taker.rest().empty() || counters.next_version < 1) {
    return Corrupt("the metadata store's counters are malformed").With("bytes", bytes.size());
  }
  return counters;
}

std::string EncodeSessionOwner(SessionNumber session, const SessionOwner& owner) {
  std::string bytes;
  Append(bytes, owner.pid);
  Append(bytes, owner.start_ticks);
  bytes += owner.boot_id;
  return Sealed(SessionKey(session), bytes);
}

Result<SessionOwner> DecodeSessionOwner(SessionNumber session, std::string_view bytes) {
  const Result<std::string_view> unsealed = Unsealed(SessionKey(session), bytes);
  if (!unsealed.ok()) return unsealed.status().With("session", SessionId(session));
  Taker taker(*unsealed);
  SessionOwner owner;
  owner.pid = static_cast<std::int64_t>(taker.Take(8));
  owner.start_ticks = taker.Take(8);
  if (!taker.ok()) return Corrupt("a session's record is malformed").With("bytes", bytes.size());
  owner.boot_id = std::string(taker.rest());
  return owner;
}

std::string EncodeEphemeralEntry(std::string_view entry_key, std::string_view stored_key) {
  return Sealed(entry_key, stored_key);
}

Result<std::string_view> DecodeEphemeralEntry(std::string_view entry_key, std::string_view bytes) {
  return Unsealed(entry_key, bytes);
}

std::string SessionId(SessionNumber session) { return fmt::format("{:016x}", session); }

SessionNumber ParseSessionId(std::string_view id) {
  SessionNumber session = 0;
  const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), session, 16);
  if (id.size() != 16 || error != std::errc() || end != id.data() + id.size()) return 0;
  return session;
}

}  // namespace lakestream
