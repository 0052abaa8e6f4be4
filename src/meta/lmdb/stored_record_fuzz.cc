#include "meta/lmdb/stored_record.h"

#include "codec/crc32c.h"
#include "fuzz/fuzz_target.h"

// What another program, another release or a damaged disk may leave in the file. Few inputs have the right checksum, so
// each decoder also gets the input with one.

namespace lakestream {
namespace {

std::string Checksum(const std::string& key, const std::string& bytes) {
  const std::uint32_t sum = Crc32c(AsBytes(bytes), Crc32c(AsBytes(key)));
  std::string text;
  for (int shift = 24; shift >= 0; shift -= 8) text.push_back(static_cast<char>(sum >> shift));
  return text;
}

std::string Sealed(const std::string& key, const std::string& bytes) { return Checksum(key, bytes) + bytes; }

void Try(const std::string& record_bytes, const std::string& header_bytes, const std::string& counter_bytes,
         const std::string& owner_bytes, const std::string& entry_bytes) {
  const std::string key = StoredKey(1, "k");
  const Result<StoredRecord> record = DecodeRecord(key, record_bytes);
  if (FuzzAnswer("record", record.status(), {StatusCode::kCorrupt}, {"key=k"}))
    LS_INVARIANT(EncodeRecordHeader(key, *record) + std::string(record->value) == record_bytes, "one form of a record");
  const Result<StoreHeader> header = DecodeStoreHeader(header_bytes);
  if (FuzzAnswer("store header", header.status(), {StatusCode::kCorrupt, StatusCode::kInvalidArgument}))
    LS_INVARIANT(EncodeStoreHeader(*header) == header_bytes, "there is one form of a header");
  const Result<StoreCounters> counters = DecodeCounters(counter_bytes);
  if (FuzzAnswer("counters", counters.status(), {StatusCode::kCorrupt}))
    LS_INVARIANT(EncodeCounters(*counters) == counter_bytes, "there is one form of the counters");
  const Result<SessionOwner> owner = DecodeSessionOwner(9, owner_bytes);
  if (FuzzAnswer("session owner", owner.status(), {StatusCode::kCorrupt}))
    LS_INVARIANT(EncodeSessionOwner(9, *owner) == owner_bytes, "there is one form of an owner");
  const Result<std::string_view> entry = DecodeEphemeralEntry("e", entry_bytes);
  if (FuzzAnswer("ephemeral entry", entry.status(), {StatusCode::kCorrupt}))
    LS_INVARIANT(EncodeEphemeralEntry("e", *entry) == entry_bytes, "there is one form of an entry");
}

}  // namespace

void FuzzOne(ByteSpan input) {
  const std::string bytes(AsText(input));
  Try(bytes, bytes, bytes, bytes, bytes);
  Try(Sealed(StoredKey(1, "k"), bytes), bytes + Checksum(StoreHeaderKey(), bytes), Sealed(CountersKey(), bytes),
      Sealed(SessionKey(9), bytes), Sealed("e", bytes));
  const std::optional<SessionNumber> session = SessionOfKey(bytes);
  if (FuzzAnswer("session key", session.has_value())) LS_INVARIANT(SessionKey(*session) == bytes, "one form of a key");
  const SessionNumber number = ParseSessionId(bytes);
  if (FuzzAnswer("session id", number != 0)) LS_INVARIANT(ParseSessionId(SessionId(number)) == number, "an id comes back");
}

}  // namespace lakestream
