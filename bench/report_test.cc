#include "bench/report.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "bench/rounds.h"

namespace lakestream::bench {
namespace {

BenchReport Sample() {
  BenchReport report;
  report.Add("plain", 12.345, "us");
  report.AtLeast("fast enough", 50, 50, "k/s");
  report.AtLeast("too slow", 49.9, 50, "k/s");
  report.AtMost("small enough", 30, 30, "MiB");
  report.AtMost("too large", 30.1, 30, "MiB");
  report.Note("a note");
  report.Checked(7);
  return report;
}

TEST(Report, SaysWhichBudgetsAreMet) {
  const std::string text = Sample().Text(true);
  EXPECT_NE(text.find("12.3 us\n"), std::string::npos) << text;
  EXPECT_NE(text.find("50.0 k/s (at least 50.0: met)\n"), std::string::npos) << text;
  EXPECT_NE(text.find("49.9 k/s (at least 50.0: missed)\n"), std::string::npos) << text;
  EXPECT_NE(text.find("30.0 MiB (at most 30.0: met)\n"), std::string::npos) << text;
  EXPECT_NE(text.find("30.1 MiB (at most 30.0: missed)\n"), std::string::npos) << text;
  EXPECT_NE(text.find("   a note\n"), std::string::npos) << text;
}

TEST(Report, JudgesNothingWhereLessThanTheFullWorkWasDone) {
  EXPECT_EQ(Sample().Text(false).find("met"), std::string::npos);
  EXPECT_EQ(DumpJson(Sample().Json(false)).find("met"), std::string::npos);
}

TEST(Report, BudgetsAreOneLineEach) {
  BenchReport report;
  report.AtLeast("rate", 12.5, 10, "k/s");
  report.Add("no budget", 1, "s");
  report.AtMost("time", 3, 2, "ms");
  const std::string lines = BudgetLines("some", report);
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 2);
  const std::size_t second = lines.find('\n') + 1;
  EXPECT_TRUE(lines.starts_with("   some")) << lines;
  EXPECT_NE(lines.find("12.5 k/s   at least 10.0    met\n"), std::string::npos) << lines;
  EXPECT_NE(lines.find("3.00 ms   at most 2.00    missed\n", second), std::string::npos) << lines;
}

TEST(Report, IsJsonToo) {
  BenchReport report;
  report.AtMost("a figure", 1.5, 2, "us");
  report.Checked(3);
  EXPECT_EQ(DumpJson(report.Json(true)),
            R"({"figures":[{"what":"a figure","value":1.5,"unit":"us","at_most":2,"met":true}],"notes":[],"checked":3})");
}

TEST(Report, NumbersKeepTheDigitsThatCount) {
  EXPECT_EQ(ShortNumber(123456.7), "123457");
  EXPECT_EQ(ShortNumber(12.34), "12.3");
  EXPECT_EQ(ShortNumber(1.234), "1.23");
  EXPECT_EQ(ShortNumber(0.1234), "0.123");
}

TEST(Rounds, QuantilesAreValuesThatWereMeasured) {
  EXPECT_EQ(MedianOf({3, 1, 2}), 2);
  EXPECT_EQ(MedianOf({4, 1, 3, 2}), 2);
  EXPECT_EQ(QuantileOf({5, 1, 4, 2, 3}, 0.99), 5);
  EXPECT_EQ(QuantileOf({5}, 0), 5);
}

TEST(Rounds, BothSidesAlternateAndCountTheSame) {
  std::string order;
  double next = 0;
  const Side ours = [&]() -> Result<double> {
    order += 'a';
    return next += 1;
  };
  const Side peer = [&]() -> Result<double> {
    order += 'b';
    return 10;
  };
  const Result<Compared> compared = Compare(BenchOptions(), ours, peer);
  ASSERT_TRUE(compared.ok());
  EXPECT_EQ(order, "ababababab");
  EXPECT_EQ(compared->ours, 3);
  EXPECT_EQ(compared->ratio(), 0.3);
}

TEST(Rounds, EndEarlyWhenAsked) {
  BenchOptions options;
  int rounds = 0;
  options.stopped = [&rounds] { return rounds == 2; };
  const Side side = [&rounds]() -> Result<double> { return ++rounds; };
  const Side peer = []() -> Result<double> { return 1; };
  EXPECT_EQ(Compare(options, side, peer).status().code(), StatusCode::kCancelled);
  EXPECT_EQ(rounds, 2);
}

}  // namespace
}  // namespace lakestream::bench
