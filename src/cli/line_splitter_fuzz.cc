#include "cli/line_splitter.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "fuzz/fuzz_target.h"

// Lines come out the same however the input is cut into reads. Input: the chunk, the longest line, the size of a
// read, then the text.

namespace lakestream {
namespace {

struct Outcome {
  std::vector<std::string> lines;
  bool ended_in_lf = true;
  bool too_long = false;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome SplitPlainly(std::string_view text, LineSplitter::Cut cut, std::size_t max_line) {
  Outcome outcome;
  const bool whole = cut == LineSplitter::Cut::kWhole;
  bool first = true;
  while (!text.empty() || (whole && first)) {
    first = false;
    const std::size_t end = whole ? std::string_view::npos : text.find('\n');
    const std::string_view line = text.substr(0, end);
    if (line.size() > max_line) {
      outcome.too_long = true;
      return outcome;
    }
    outcome.lines.emplace_back(line);
    outcome.ended_in_lf = end != std::string_view::npos;
    text.remove_prefix(outcome.ended_in_lf ? end + 1 : text.size());
  }
  return outcome;
}

Outcome SplitByChunks(std::string_view text, LineSplitter::Cut cut, std::size_t max_line, std::size_t chunk,
                      std::size_t read) {
  LineSplitter splitter(cut, static_cast<std::int64_t>(max_line), chunk);
  Outcome outcome;
  for (bool more = true; more;) {
    const std::span<std::uint8_t> space = splitter.Space();
    LS_INVARIANT(!space.empty(), "there is room");
    const std::size_t count = std::min({space.size(), read, text.size()});
    if (count > 0) std::memcpy(space.data(), text.data(), count);
    text.remove_prefix(count);
    more = count > 0;
    more ? splitter.Filled(count) : splitter.Finish();
    for (;;) {
      const Result<std::optional<Buffer>> line = splitter.Next();
      if (!line.ok()) {
        LS_INVARIANT(line.status().code() == StatusCode::kInvalidArgument, line.status().ToString());
        LS_INVARIANT(splitter.Next().ok() && !splitter.Next()->has_value(), "nothing comes after that");
        outcome.too_long = true;
        return outcome;
      }
      if (!line->has_value()) break;
      outcome.lines.emplace_back((*line)->text());
      LS_INVARIANT(splitter.lines() == static_cast<std::int64_t>(outcome.lines.size()), "lines are counted");
    }
  }
  outcome.ended_in_lf = splitter.ended_in_lf();
  return outcome;
}

}  // namespace

void FuzzOne(ByteSpan input) {
  if (input.size() < 3) return;
  const std::size_t chunk = 1 + input[0];
  const std::size_t max_line = 1 + input[1];
  const std::size_t read = 1 + input[2];
  const std::string_view text = AsText(input.subspan(3));
  for (const LineSplitter::Cut cut : {LineSplitter::Cut::kLines, LineSplitter::Cut::kWhole}) {
    const Outcome expected = SplitPlainly(text, cut, max_line);
    const Outcome got = SplitByChunks(text, cut, max_line, chunk, read);
    // Before a line that is too long, the same lines came.
    LS_INVARIANT(got == expected, "the lines are those of the text");
    FuzzAnswer(cut == LineSplitter::Cut::kLines ? "lines" : "whole", !got.too_long);
  }
}

}  // namespace lakestream
