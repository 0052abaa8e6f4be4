#include "format/json.h"

#include "fuzz/fuzz_target.h"

namespace lakestream {

void FuzzOne(ByteSpan input) {
  const Result<JsonValue> value = ParseJson(AsText(input), "o");
  if (!FuzzAnswer("json", value.status(), {StatusCode::kCorrupt}, {"object=o"})) return;
  const std::string text = DumpJson(*value);
  LS_INVARIANT(text.find('\n') == std::string::npos, "it is one line");
  const Result<JsonValue> back = ParseJson(text, "o");
  LS_INVARIANT(back.ok() && *back == *value, "what is written comes back");
  LS_INVARIANT(DumpJson(*back) == text, "and is written the same again");
}

}  // namespace lakestream
