#include "metrics/metrics_text.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

#include "base/try.h"

namespace lakestream {
namespace {

bool IsNameByte(char c, bool first) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':';
  return letter || (!first && c >= '0' && c <= '9');
}

/// Takes one line apart. Each Take leaves the place where it was when it fails.
class LineReader {
 public:
  explicit LineReader(std::string_view line) : rest_(line) {}

  void SkipBlanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size())); }
  bool AtEnd() const { return rest_.empty(); }
  bool Take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  std::optional<std::string> TakeName() {
    std::size_t size = 0;
    while (size < rest_.size() && IsNameByte(rest_[size], size == 0)) ++size;
    if (size == 0) return std::nullopt;
    std::string name(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return name;
  }
  /// What stands in quotes.
  std::optional<std::string> TakeQuoted() {
    if (!Take('"')) return std::nullopt;
    std::string text;
    while (!rest_.empty()) {
      char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == '"') return text;
      if (c == '\\') {
        if (rest_.empty() || std::string_view("\\\"n").find(rest_.front()) == std::string_view::npos) return std::nullopt;
        c = rest_.front() == 'n' ? '\n' : rest_.front();
        rest_.remove_prefix(1);
      }
      text += c;
    }
    return std::nullopt;
  }
  std::string_view TakeWord() {
    const std::string_view word = rest_.substr(0, rest_.find_first_of(" \t"));
    rest_.remove_prefix(word.size());
    return word;
  }

 private:
  std::string_view rest_;
};

/// The C++ library reads "inf" and "nan" in any case, as Prometheus writes them; only it takes no plus.
std::optional<double> ParseValue(std::string_view word) {
  if (word.starts_with('+')) word.remove_prefix(1);
  double value = 0;
  const char* const end = word.data() + word.size();
  const auto [rest, error] = std::from_chars(word.data(), end, value);
  if (error != std::errc() || rest != end) return std::nullopt;
  return value;
}

bool TakeLabels(LineReader* line, MetricSample* sample) {
  while (true) {
    line->SkipBlanks();
    if (line->Take('}')) return true;
    std::optional<std::string> name = line->TakeName();
    line->SkipBlanks();
    if (!name || !line->Take('=')) return false;
    line->SkipBlanks();
    std::optional<std::string> value = line->TakeQuoted();
    if (!value) return false;
    sample->labels.emplace_back(*std::move(name), *std::move(value));
    line->SkipBlanks();
    if (line->Take(',')) continue;
    return line->Take('}');
  }
}

std::optional<MetricSample> ParseSample(std::string_view text) {
  LineReader line(text);
  MetricSample sample;
  std::optional<std::string> name = line.TakeName();
  if (!name) return std::nullopt;
  sample.name = *std::move(name);
  line.SkipBlanks();
  if (line.Take('{') && !TakeLabels(&line, &sample)) return std::nullopt;
  line.SkipBlanks();
  const std::optional<double> value = ParseValue(line.TakeWord());
  if (!value) return std::nullopt;
  sample.value = *value;
  line.SkipBlanks();
  std::int64_t time = 0;
  const std::string_view word = line.TakeWord();
  const auto [rest, error] = std::from_chars(word.data(), word.data() + word.size(), time);
  if (!word.empty() && (error != std::errc() || rest != word.data() + word.size())) return std::nullopt;
  line.SkipBlanks();
  if (!line.AtEnd()) return std::nullopt;
  return sample;
}

}  // namespace

std::string_view MetricSample::Label(std::string_view label) const {
  for (const auto& [name, value] : labels) {
    if (name == label) return value;
  }
  return "";
}

Result<std::vector<MetricSample>> ParseMetricsText(std::string_view text) {
  std::vector<MetricSample> samples;
  for (std::int64_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (line.empty() || line.front() == '#') continue;
    std::optional<MetricSample> sample = ParseSample(line);
    if (!sample) {
      return InvalidArgument("this is not a line of metrics in the text form of Prometheus").With("line", number);
    }
    samples.push_back(*std::move(sample));
  }
  return samples;
}

}  // namespace lakestream
