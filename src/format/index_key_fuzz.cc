#include "format/index_key.h"

#include "format/metadata_record.h"
#include "fuzz/fuzz_target.h"

namespace lakestream {

void FuzzOne(ByteSpan input) {
  const std::string text(AsText(input));
  const Result<IndexKey> key = IndexKey::Decode(text);
  if (!FuzzAnswer("index key", key.status(), {StatusCode::kCorrupt}, {"object=", "field=", "offset="})) return;
  LS_INVARIANT(key->Encode() == text && text.size() == kIndexKeySize, "there is one form of a key");
  LS_INVARIANT(IsIndexKeyOf(text, key->log) && text.starts_with(IndexKeyPrefix(key->log)), "it is its log's");
  LS_INVARIANT(FirstIndexKey(key->log) <= text && text <= LastIndexKey(key->log), "it lies among its log's");
  LS_INVARIANT(IndexKeyFloorOf(key->log, key->end) <= text && text <= IndexKeyCeilingOf(key->log, key->end),
               "bounds hold it");
  LS_INVARIANT(ParseJson(DumpJson(DescribeRecord(text, input).fields), "o").ok(), "inspection shows it");
}

}  // namespace lakestream
