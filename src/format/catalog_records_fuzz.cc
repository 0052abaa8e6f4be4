#include "format/catalog_records.h"
#include "format/topic_record.h"

#include "fuzz/fuzz_target.h"

// The input is the value of each of the catalog's records.

namespace lakestream {
namespace {

template <class Record>
void Try(const char* decoder, std::string_view value, Result<Record> (*decode)(std::string_view, std::string_view),
         Result<std::string> (*encode)(const Record&)) {
  const Result<Record> record = decode(value, "o");
  if (!FuzzAnswer(decoder, record.status(), {StatusCode::kCorrupt}, {"object=o"})) return;
  const Result<std::string> again = encode(*record);
  LS_INVARIANT(again.ok(), "what is taken can be written: " + again.status().ToString());
  const Result<Record> back = decode(*again, "o");
  LS_INVARIANT(back.ok() && *back == *record, "what is written comes back: " + *again);
  LS_INVARIANT(*encode(*back) == *again, "and is written the same again");
}

}  // namespace

void FuzzOne(ByteSpan input) {
  const std::string_view value = AsText(input);
  Try("stream config", value, DecodeStreamConfig, EncodeStreamConfig);
  Try("log metadata", value, DecodeLogMetadata, EncodeLogMetadata);
  Try("log mapping", value, DecodeLogMapping, EncodeLogMapping);
  Try("log registration", value, DecodeLogRegistration, EncodeLogRegistration);
  Try("namespace", value, DecodeNamespace, EncodeNamespace);
  Try("topic", value, DecodeTopic, EncodeTopic);
}

}  // namespace lakestream
