#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// What streams of calls that follow from a seed have in common: drawing, the range of seeds, and making a stream that
// fails shorter. See "Streams of calls" in docs/testing.md.

namespace lakestream {

/// Draws that follow from a seed, the same with every compiler (SplitMix64).
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : state_(seed) {}
  /// In [0, bound). Requires: bound > 0.
  std::uint64_t Below(std::uint64_t bound) {
    std::uint64_t mixed = state_ += 0x9e3779b97f4a7c15;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
    return (mixed ^ (mixed >> 31)) % bound;
  }
  int Number(int bound) { return static_cast<int>(Below(static_cast<std::uint64_t>(bound))); }
  bool OneIn(int n) { return Number(n) == 0; }
  template <class T>
  const T& Of(const std::vector<T>& choices) {
    return choices[static_cast<std::size_t>(Below(choices.size()))];
  }
  /// Some of them, at least one, in an order by chance.
  template <class T>
  std::vector<T> Some(std::vector<T> from, int most) {
    std::vector<T> some;
    const int count = 1 + Number(std::min(most, static_cast<int>(from.size())));
    for (int i = 0; i < count; ++i) {
      const auto at = from.begin() + Number(static_cast<int>(from.size()));
      some.push_back(std::move(*at));
      from.erase(at);
    }
    return some;
  }

 private:
  std::uint64_t state_;
};

struct SeedRange {
  std::uint64_t first = 1;
  std::uint64_t last = 0;  ///< inclusive
};

/// Seeds 1 to `usual`, a fifth of them with a sanitizer; or what LAKESTREAM_OP_SEEDS says as "FIRST..LAST". A value of
/// another form gives no seeds, and a test fails that ran none.
inline SeedRange OpStreamSeeds(std::uint64_t usual) {
  if (const char* const text = std::getenv("LAKESTREAM_OP_SEEDS")) {
    const std::string_view range(text);
    const std::size_t dots = range.find("..");
    SeedRange seeds;
    if (dots == std::string_view::npos) return seeds;
    const char* const end = text + range.size();
    const auto first = std::from_chars(text, text + dots, seeds.first);
    const auto last = std::from_chars(text + dots + 2, end, seeds.last);
    const bool whole = first.ec == std::errc() && first.ptr == text + dots && last.ec == std::errc() && last.ptr == end;
    return whole ? seeds : SeedRange();
  }
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return SeedRange{1, usual / 5};
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  return SeedRange{1, usual / 5};
#endif
#endif
  return SeedRange{1, usual};
}

/// Makes a stream that fails shorter: leaves calls out as long as it still fails. So:
///   while (auto trial = shrinker.Next()) shrinker.Tell(where it fails);
template <class Call>
class StreamShrinker {
 public:
  /// `failed_at`: the index of the call that gave the difference; what follows it does not count.
  StreamShrinker(std::vector<Call> failing, std::size_t failed_at)
      : best_(std::move(failing)), width_(std::max<std::size_t>(best_.size() / 2, 1)) {
    Cut(best_, failed_at);
  }

  /// The next stream to try; none when no single call can be left out, or after very many trials.
  std::optional<std::vector<Call>> Next() {
    if (++trials_ > kMaxTrials) return std::nullopt;
    if (at_ >= best_.size()) {
      if (width_ == 1 && !shorter_) return std::nullopt;
      width_ = std::max<std::size_t>(width_ / 2, 1);
      at_ = 0;
      shorter_ = false;
    }
    const auto from = best_.begin() + static_cast<std::ptrdiff_t>(at_);
    const auto to = best_.begin() + static_cast<std::ptrdiff_t>(std::min(at_ + width_, best_.size()));
    trial_.assign(best_.begin(), from);
    trial_.insert(trial_.end(), to, best_.end());
    return trial_;
  }

  /// Where the trial failed; none where it did not.
  void Tell(std::optional<std::size_t> failed_at) {
    if (!failed_at) {
      at_ += width_;
      return;
    }
    best_ = std::move(trial_);
    Cut(best_, *failed_at);
    shorter_ = true;
  }

  const std::vector<Call>& best() const { return best_; }

 private:
  static constexpr int kMaxTrials = 500;

  static void Cut(std::vector<Call>& calls, std::size_t failed_at) {
    if (failed_at + 1 < calls.size()) calls.resize(failed_at + 1);
  }

  std::vector<Call> best_;
  std::vector<Call> trial_;
  std::size_t width_;
  std::size_t at_ = 0;
  bool shorter_ = false;
  int trials_ = 0;
};

/// Bytes as text of one line; long ones as their first bytes, their number and a hash.
inline std::string StreamText(std::string_view bytes) {
  constexpr std::string_view kHex = "0123456789abcdef";
  constexpr std::size_t kMost = 56;
  std::string text = "\"";
  for (const char c : bytes.substr(0, bytes.size() > kMost ? 12 : kMost)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f && c != '"' && c != '\\') {
      text += c;
    } else {
      text += "\\x";
      text += kHex[byte >> 4];
      text += kHex[byte & 15];
    }
  }
  text += '"';
  if (bytes.size() > kMost) {
    text += "...(" + std::to_string(bytes.size()) + " bytes, hash " +
            std::to_string(std::hash<std::string_view>()(bytes) % 10000) + ")";
  }
  return text;
}

}  // namespace lakestream
