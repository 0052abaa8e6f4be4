#include "bench/report.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace lakestream::bench {
namespace {

const char* VerdictOf(const Figure& figure) { return figure.met() ? "met" : "missed"; }

JsonValue Number(double value) {
  JsonValue number;
  number.kind = JsonValue::Kind::kNumber;
  number.text = fmt::format("{:.6g}", value);
  return number;
}

}  // namespace

std::string ShortNumber(double value) {
  const double size = std::abs(value);
  if (size >= 100) return fmt::format("{:.0f}", value);
  if (size >= 10) return fmt::format("{:.1f}", value);
  if (size >= 1) return fmt::format("{:.2f}", value);
  return fmt::format("{:.3f}", value);
}

void BenchReport::Add(std::string what, double value, std::string unit) {
  figures_.push_back(Figure{std::move(what), value, std::move(unit), Bound::kNone, 0});
}
void BenchReport::AtLeast(std::string what, double value, double budget, std::string unit) {
  figures_.push_back(Figure{std::move(what), value, std::move(unit), Bound::kAtLeast, budget});
}
void BenchReport::AtMost(std::string what, double value, double budget, std::string unit) {
  figures_.push_back(Figure{std::move(what), value, std::move(unit), Bound::kAtMost, budget});
}
void BenchReport::Note(std::string text) { notes_.push_back(std::move(text)); }

std::string BenchReport::Text(bool judged) const {
  std::string text;
  for (const Figure& figure : figures_) {
    text += fmt::format("   {:<56}{:>10} {}", figure.what, ShortNumber(figure.value), figure.unit);
    if (figure.bound != Bound::kNone && judged) {
      text += fmt::format(" ({} {}: {})", figure.bound == Bound::kAtLeast ? "at least" : "at most",
                          ShortNumber(figure.budget), VerdictOf(figure));
    }
    text += '\n';
  }
  for (const std::string& note : notes_) text += fmt::format("   {}\n", note);
  return text;
}

std::string BudgetLines(const std::string& benchmark, const BenchReport& report) {
  std::string text;
  for (const Figure& figure : report.figures()) {
    if (figure.bound == Bound::kNone) continue;
    const std::string value = ShortNumber(figure.value) + " " + figure.unit;
    const char* const bound = figure.bound == Bound::kAtLeast ? "at least" : "at most";
    text += fmt::format("   {:<18}{:<62}{:>16}   {} {:<8}{}\n", benchmark, figure.what, value, bound,
                        ShortNumber(figure.budget), VerdictOf(figure));
  }
  return text;
}

JsonValue BenchReport::Json(bool judged) const {
  JsonValue figures = JsonValue::Array();
  for (const Figure& figure : figures_) {
    JsonValue one = JsonValue::Object();
    one.Add("what", JsonValue::String(figure.what)).Add("value", Number(figure.value));
    one.Add("unit", JsonValue::String(figure.unit));
    if (figure.bound != Bound::kNone && judged) {
      one.Add(figure.bound == Bound::kAtLeast ? "at_least" : "at_most", Number(figure.budget));
      one.Add("met", JsonValue::Bool(figure.met()));
    }
    figures.Append(std::move(one));
  }
  JsonValue notes = JsonValue::Array();
  for (const std::string& note : notes_) notes.Append(JsonValue::String(note));
  JsonValue report = JsonValue::Object();
  report.Add("figures", std::move(figures)).Add("notes", std::move(notes)).Add("checked", JsonValue::Int(checked_));
  return report;
}

}  // namespace lakestream::bench
