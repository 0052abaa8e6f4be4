#include "meta/sequence.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/checked.h"
#include "base/try.h"

namespace lakestream {
namespace {

constexpr std::size_t kDigits = 20;

struct Sums {
  std::int64_t first = 0;
  std::int64_t second = 0;
};

Result<std::int64_t> ParsePart(std::string_view key, std::string_view part) {
  const bool digits = part.size() == kDigits && std::all_of(part.begin(), part.end(), [](char c) {
                        return c >= '0' && c <= '9';
                      });
  if (!digits) return Corrupt("a sequenced key is not made of 20 digits").With("key", key);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
  if (error != std::errc()) return InvalidArgument("a sequence has left its range").With("key", key);
  return value;
}

Result<Sums> ParseSums(std::string_view prefix, std::string_view key) {
  std::string_view rest = key.substr(prefix.size() + 1);
  Sums sums;
  const std::size_t dash = rest.find('-');
  LS_ASSIGN(sums.first, ParsePart(key, rest.substr(0, dash)));
  if (dash == std::string_view::npos) return sums;
  rest.remove_prefix(dash + 1);
  LS_ASSIGN(sums.second, ParsePart(key, rest));
  return sums;
}

}  // namespace

std::string SequenceUpperBound(std::string_view prefix) { return fmt::format("{}-18446744073709551615", prefix); }

Result<std::string> NextSequencedKey(std::string_view prefix, std::optional<std::string_view> greatest,
                                     std::int64_t first_delta, std::int64_t second_delta) {
  Sums before;
  const bool continues = greatest && greatest->starts_with(prefix) && greatest->size() > prefix.size() &&
                         (*greatest)[prefix.size()] == '-';
  if (continues) {
    LS_ASSIGN(before, ParseSums(prefix, *greatest));
  }
  const std::optional<std::int64_t> first = CheckedAdd(before.first, first_delta);
  const std::optional<std::int64_t> second = CheckedAdd(before.second, second_delta);
  if (!first || !second) {
    return InvalidArgument("a sequenced put's sums leave their range")
        .With("prefix", prefix)
        .With("first", before.first)
        .With("first_delta", first_delta)
        .With("second", before.second)
        .With("second_delta", second_delta);
  }
  return fmt::format("{}-{:020d}-{:020d}", prefix, *first, *second);
}

}  // namespace lakestream
