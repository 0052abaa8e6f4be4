#include "meta/lmdb/stored_record.h"

#include "fuzz/fuzz_target.h"

// What another program, another release or a damaged disk may leave in the file.

namespace lakestream {

void FuzzOne(ByteSpan input) {
  const std::string bytes(AsText(input));
  const Result<StoredRecord> record = DecodeRecord(StoredKey(1, "k"), bytes);
  if (FuzzAnswer("record", record.status(), {StatusCode::kCorrupt}, {"key=k"}))
    LS_INVARIANT(EncodeRecordHeader(*record) + std::string(record->value) == bytes, "there is one form of a record");
  const Result<StoreHeader> header = DecodeStoreHeader(bytes);
  if (FuzzAnswer("store header", header.status(), {StatusCode::kCorrupt, StatusCode::kInvalidArgument}))
    LS_INVARIANT(bytes.starts_with(EncodeStoreHeader(*header)), "the header comes back");
  const Result<StoreCounters> counters = DecodeCounters(bytes);
  if (FuzzAnswer("counters", counters.status(), {StatusCode::kCorrupt}))
    LS_INVARIANT(EncodeCounters(*counters) == bytes, "there is one form of the counters");
  const Result<SessionOwner> owner = DecodeSessionOwner(bytes);
  if (FuzzAnswer("session owner", owner.status(), {StatusCode::kCorrupt}))
    LS_INVARIANT(EncodeSessionOwner(*owner) == bytes, "there is one form of an owner");
  const std::optional<SessionNumber> session = SessionOfKey(bytes);
  if (FuzzAnswer("session key", session.has_value())) LS_INVARIANT(SessionKey(*session) == bytes, "one form of a key");
  const SessionNumber number = ParseSessionId(bytes);
  if (FuzzAnswer("session id", number != 0)) LS_INVARIANT(ParseSessionId(SessionId(number)) == number, "an id comes back");
}

}  // namespace lakestream
