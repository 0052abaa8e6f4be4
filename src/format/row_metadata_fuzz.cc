#include "format/row_metadata.h"

#include "fuzz/fuzz_target.h"

namespace lakestream {

void FuzzOne(ByteSpan input) {
  const Result<RowMetadata> metadata = DecodeRowMetadata(input, "o");
  if (!FuzzAnswer("row metadata", metadata.status(), {StatusCode::kCorrupt}, {"object=o", "field=", "offset="})) return;
  LS_INVARIANT(CheckEntryHeader(metadata->header).ok(), "the header is one of an entry");
  const std::string again = EncodeRowMetadata(*metadata);
  const Result<RowMetadata> back = DecodeRowMetadata(AsBytes(again), "o");
  LS_INVARIANT(back.ok() && *back == *metadata && EncodeRowMetadata(*back) == again, "what is written comes back");
}

}  // namespace lakestream
