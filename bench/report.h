#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "format/json.h"

namespace lakestream::bench {

enum class Bound { kNone, kAtLeast, kAtMost };

/// One measured number.
struct Figure {
  std::string what;
  double value = 0;
  std::string unit;
  Bound bound = Bound::kNone;
  double budget = 0;

  /// Requires: there is a bound.
  bool met() const { return bound == Bound::kAtLeast ? value >= budget : value <= budget; }
};

/// What one benchmark found, in the order in which it was added.
class BenchReport {
 public:
  void Add(std::string what, double value, std::string unit);
  void AtLeast(std::string what, double value, double budget, std::string unit);
  void AtMost(std::string what, double value, double budget, std::string unit);
  /// A line on how the figures came about.
  void Note(std::string text);
  /// So many entries, records or values were compared with what they must be.
  void Checked(std::int64_t count) { checked_ += count; }

  const std::vector<Figure>& figures() const { return figures_; }
  std::int64_t checked() const { return checked_; }

  /// `judged`: say whether budgets are met.
  std::string Text(bool judged) const;
  JsonValue Json(bool judged) const;

 private:
  std::vector<Figure> figures_;
  std::vector<std::string> notes_;
  std::int64_t checked_ = 0;
};

/// One line for each figure of a benchmark that has a budget, with its verdict: missed ones can be counted at a glance.
std::string BudgetLines(const std::string& benchmark, const BenchReport& report);

/// Three to four digits that count, without an exponent.
std::string ShortNumber(double value);

}  // namespace lakestream::bench
