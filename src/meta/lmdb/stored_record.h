#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "lakestream/status.h"
#include "meta/lmdb/store_digest.h"

namespace lakestream {

// The layout of the records in LMDB. Pure. Numbers are big-endian.
//
//   [shard][0 or 1][key]      a record of the store; 1 where the key has a "/"
//   [0xff]"h"                 the store itself: magic, layout, shards
//   [0xff]"n"                 counters: next version, last creation time, the last transaction, digest of the records
//   [0xff]"s"[session]        a session that has not ended
//   [0xff]"e"[session][version]  an ephemeral record of a session; the value is the record's stored key
//
// LMDB has no checksums. So each value begins with the CRC-32C of its key and of the rest of the value; only that of
// the store itself ends with it, because its layout must be readable before anything else is known.

/// Names a session in the store; drawn from the counter of versions, so never used again. 0 names none.
using SessionNumber = std::uint64_t;

inline constexpr int kMaxLmdbShards = 255;
inline constexpr std::uint32_t kLmdbLayout = 2;

std::string StoredKey(int shard, std::string_view key);
/// The key as callers know it. Requires: made by StoredKey.
inline std::string_view PlainKey(std::string_view stored) { return stored.substr(2); }

std::string StoreHeaderKey();
std::string CountersKey();
std::string SessionPrefix();
std::string SessionKey(SessionNumber session);
/// Requires: made by SessionKey. Nothing where the key has another form.
std::optional<SessionNumber> SessionOfKey(std::string_view stored);
std::string EphemeralPrefix(SessionNumber session);
std::string EphemeralKey(SessionNumber session, std::int64_t version);

struct StoredRecord {
  std::int64_t version = 0;
  std::int64_t created_ms = 0;
  SessionNumber session = 0;  ///< its owner; 0: a lasting record
  std::string_view value;     ///< inside the bytes that were decoded
};
/// What stands before the value.
std::string EncodeRecordHeader(std::string_view stored_key, const StoredRecord& record);
/// Errors of this and of all that decode: corrupt.
Result<StoredRecord> DecodeRecord(std::string_view stored_key, std::string_view bytes);

struct StoreHeader {
  std::uint32_t layout = kLmdbLayout;
  int shards = 1;
};
std::string EncodeStoreHeader(const StoreHeader& header);
/// Errors: corrupt; invalid_argument where it is another program's or has another layout.
Result<StoreHeader> DecodeStoreHeader(std::string_view bytes);

struct StoreCounters {
  std::int64_t next_version = 1;
  std::int64_t last_created_ms = 0;
  std::uint64_t transaction = 0;  ///< LMDB's number of the transaction that wrote them, as every one does
  StoreDigest digest;             ///< of all records but the header and the counters
};
std::string EncodeCounters(const StoreCounters& counters);
Result<StoreCounters> DecodeCounters(std::string_view bytes);

/// The process that opened a session; see process_identity.h.
struct SessionOwner {
  std::int64_t pid = 0;
  std::uint64_t start_ticks = 0;
  std::string boot_id;
};
std::string EncodeSessionOwner(SessionNumber session, const SessionOwner& owner);
Result<SessionOwner> DecodeSessionOwner(SessionNumber session, std::string_view bytes);

/// The value of an ephemeral record's entry: the stored key of the record.
std::string EncodeEphemeralEntry(std::string_view entry_key, std::string_view stored_key);
Result<std::string_view> DecodeEphemeralEntry(std::string_view entry_key, std::string_view bytes);

/// A session's id as callers and the file names know it: 16 hexadecimal digits.
std::string SessionId(SessionNumber session);
/// 0 where the text is no such id.
SessionNumber ParseSessionId(std::string_view id);

}  // namespace lakestream
