#include "codec/fastpfor.h"

#include "fuzz/fuzz_target.h"

// Input: big-endian words. They are decoded, and they are also values to encode.

namespace lakestream {

void FuzzOne(ByteSpan input) {
  std::vector<std::uint32_t> words;
  for (std::size_t i = 0; i + 4 <= input.size(); i += 4) {
    words.push_back(std::uint32_t{input[i]} << 24 | std::uint32_t{input[i + 1]} << 16 |
                    std::uint32_t{input[i + 2]} << 8 | input[i + 3]);
  }
  // Without a limit but for what the words can hold, and with one that may be too low.
  for (const std::size_t max_values : {std::size_t{0x7fffffff}, words.size()}) {
    const Result<std::vector<std::int32_t>> values = FastPforDecode(words, max_values);
    if (!FuzzAnswer("words", values.status(), {StatusCode::kCorrupt}, {"field=", "word="})) continue;
    LS_INVARIANT(values->size() <= max_values, "the limit holds");
    LS_INVARIANT(FastPforEncode(*values) == words, "only what the encoder writes is taken");
  }
  std::vector<std::int32_t> values;
  for (const std::uint32_t word : words) values.push_back(static_cast<std::int32_t>(word));
  const Result<std::vector<std::int32_t>> back = FastPforDecode(FastPforEncode(values), values.size());
  LS_INVARIANT(back.ok() && *back == values, "any values come back");
}

}  // namespace lakestream
