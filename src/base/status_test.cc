#include "lakestream/status.h"

#include <gtest/gtest.h>

#include "base/try.h"

namespace lakestream {
namespace {

TEST(Status, DefaultIsOk) {
  EXPECT_TRUE(Status().ok());
  EXPECT_EQ(Status().code(), StatusCode::kOk);
  EXPECT_EQ(Status().ToString(), "ok");
  EXPECT_EQ(Status().With("key", "value").ToString(), "ok");
}

TEST(Status, MessageIsASentenceAndPairs) {
  const Status status = NotFound("no such stream").With("stream", "flights").With("partition", 3);
  EXPECT_EQ(status.code(), StatusCode::kNotFound);
  EXPECT_EQ(status.message(), "no such stream stream=flights partition=3");
  EXPECT_EQ(status.ToString(), "not_found: no such stream stream=flights partition=3");
}

TEST(Status, ValuesThatCouldBeMisreadAreQuoted) {
  EXPECT_EQ(Corrupt("x").With("v", "a b").message(), "x v=\"a b\"");
  EXPECT_EQ(Corrupt("x").With("v", "").message(), "x v=\"\"");
  EXPECT_EQ(Corrupt("x").With("v", "\x1b[2J\x7f").message(), "x v=\"\\x1b[2J\\x7f\"") << "no terminal obeys it";
  EXPECT_EQ(Corrupt("x").With("v", std::string_view("\0\r", 2)).message(), "x v=\"\\x00\\r\"");
  EXPECT_EQ(Corrupt("x").With("v", "a\"\n\\").message(), "x v=\"a\\\"\\n\\\\\"");
}

TEST(Status, AsKeepsTheMessage) {
  const Status status = DeadlineExceeded("the put was not answered").As(StatusCode::kIndeterminate);
  EXPECT_EQ(status.ToString(), "indeterminate: the put was not answered");
}

Result<int> Half(int n) {
  if (n % 2 != 0) return InvalidArgument("odd").With("n", n);
  return n / 2;
}

Result<int> Quarter(int n) {
  LS_ASSIGN(const int half, Half(n));
  return Half(half);
}

Status CheckQuarter(int n) {
  LS_TRY(Quarter(n).status());
  return OkStatus();
}

TEST(Result, HoldsAValueOrAStatus) {
  EXPECT_EQ(*Quarter(8), 2);
  EXPECT_EQ(Quarter(6).status().ToString(), "invalid_argument: odd n=3");
  EXPECT_TRUE(CheckQuarter(4).ok());
  EXPECT_EQ(CheckQuarter(5).message(), "odd n=5");
}

TEST(ResultDeathTest, ReadingAMissingValueEndsTheProcess) {
  const Result<int> missing = Half(1);
  EXPECT_DEATH((void)missing.value(), "invalid_argument: odd n=1");
  EXPECT_DEATH((void)Result<int>(OkStatus()), "result has a value");
}

}  // namespace
}  // namespace lakestream
