#include "codec/base64.h"

#include "fuzz/fuzz_target.h"

namespace lakestream {

void FuzzOne(ByteSpan input) {
  const Result<std::string> bytes = Base64Decode(AsText(input));
  if (FuzzAnswer("base64", bytes.status(), {StatusCode::kCorrupt}, {"offset="})) {
    LS_INVARIANT(Base64Encode(AsBytes(*bytes)) == AsText(input), "there is one text for each byte string");
  }
  const Result<std::string> back = Base64Decode(Base64Encode(input));
  LS_INVARIANT(back.ok() && *back == AsText(input), "what is encoded comes back");
}

}  // namespace lakestream
