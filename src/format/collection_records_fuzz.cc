#include "format/collection_records.h"

#include "fuzz/fuzz_target.h"

namespace lakestream {

namespace {

/// What is taken can be written, and comes back.
template <class Record>
void RoundTrip(const char* name, std::string_view text, Result<Record> (*decode)(std::string_view, std::string_view),
               Result<std::string> (*encode)(const Record&)) {
  const Result<Record> record = decode(text, "k");
  if (!FuzzAnswer(name, record.status(), {StatusCode::kCorrupt}, {"object="})) return;
  const Result<std::string> again = encode(*record);
  LS_INVARIANT(again.ok(), "what is taken can be written: " + again.status().ToString());
  const Result<Record> back = decode(*again, "k");
  LS_INVARIANT(back.ok() && *back == *record && *encode(*back) == *again, "what is written comes back");
}

}  // namespace

void FuzzOne(ByteSpan input) {
  const std::string_view text = AsText(input);
  const std::optional<std::int64_t> pass = NumberOfCollectionPassKey(text);
  if (FuzzAnswer("pass key", pass.has_value())) LS_INVARIANT(CollectionPassKey(*pass) == text, "a key has one form");
  const std::optional<std::int64_t> result = NumberOfCollectionResultKey(text);
  if (FuzzAnswer("result key", result.has_value())) LS_INVARIANT(CollectionResultKey(*result) == text, "a key has one form");
  const std::optional<std::int64_t> of = PassOfCandidatesKey(text);
  if (FuzzAnswer("candidates key", of.has_value())) LS_INVARIANT(text >= CandidatesKeys(*of).first, "a key is in its bounds");
  const Result<std::int64_t> mark = DecodeCollectionMark(text, "k");
  if (FuzzAnswer("mark", mark.ok())) LS_INVARIANT(EncodeCollectionMark(*mark) == text, "a mark has one form");
  RoundTrip("pass", text, &DecodeCollectionPass, &EncodeCollectionPass);
  RoundTrip("result", text, &DecodeCollectionResult, &EncodeCollectionResult);
  RoundTrip("candidates", text, &DecodeCandidates, &EncodeCandidates);
}

}  // namespace lakestream
