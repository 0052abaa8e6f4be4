#include "model/cost.h"

#include <gtest/gtest.h>

namespace lakestream::model {
namespace {

constexpr std::int64_t kGiB = std::int64_t{1} << 30;

TEST(Cost, OfAMillionOfEach) {
  const StorePrices prices;
  EXPECT_DOUBLE_EQ(CostOfRequests(RequestClass::kPut, 1e6, prices), 5.0);
  EXPECT_DOUBLE_EQ(CostOfRequests(RequestClass::kGet, 1e6, prices), 0.4);
  EXPECT_DOUBLE_EQ(CostOfRequests(RequestClass::kFree, 1e6, prices), 0.0);
  EXPECT_DOUBLE_EQ(CostOfStorageAMonth(1000 * kGiB, prices), 23.0);
}

TEST(Cost, FollowsThePrices) {
  StorePrices prices;
  prices.per_1000_puts = 2;
  prices.per_1000_gets = 3;
  prices.per_gb_month = 5;
  EXPECT_DOUBLE_EQ(CostOfRequests(RequestClass::kPut, 500, prices), 1.0);
  EXPECT_DOUBLE_EQ(CostOfRequests(RequestClass::kGet, 500, prices), 1.5);
  EXPECT_DOUBLE_EQ(CostOfStorageAMonth(kGiB / 2, prices), 2.5);
}

TEST(Cost, RequestsAreBilledByTheirClass) {
  for (const char* op : {"put", "append", "start_upload", "complete", "list"}) {
    EXPECT_EQ(ClassOfRequest(op), RequestClass::kPut) << op;
  }
  for (const char* op : {"get", "head"}) EXPECT_EQ(ClassOfRequest(op), RequestClass::kGet) << op;
  for (const char* op : {"delete", "abort"}) EXPECT_EQ(ClassOfRequest(op), RequestClass::kFree) << op;
  EXPECT_EQ(ClassOfRequest("Put"), std::nullopt);
  EXPECT_EQ(ClassOfRequest(""), std::nullopt);
}

TEST(Cost, NothingHasNoShareAndNoRate) {
  EXPECT_EQ(PerGiB(7, 0), std::nullopt);
  EXPECT_DOUBLE_EQ(*PerGiB(7, kGiB / 2), 14.0);
  EXPECT_DOUBLE_EQ(ShareOf(0, 0), 0.0);
  EXPECT_DOUBLE_EQ(ShareOf(1, 4), 0.25);
}

TEST(Cost, ProcessesOfDifferentAgesAddUpByTheirRates) {
  ProcessRequests one;
  one.seconds = 10;
  one.appended_bytes = 100;
  one.ops = {{"wal", "put", RequestClass::kPut, 1000}, {"wal", "get", RequestClass::kGet, 0},
             {"wal", "delete", RequestClass::kFree, 5}};
  ProcessRequests other;
  other.seconds = 1000;
  other.appended_bytes = 11;
  other.ops = {{"wal", "put", RequestClass::kPut, 1000}, {"compacted", "get", RequestClass::kGet, 2000}};
  const ObservedCost cost = CostOfProcesses({one, other}, StorePrices());
  ASSERT_EQ(cost.ops.size(), 3U);
  EXPECT_EQ(cost.ops[0].root + " " + cost.ops[0].op, "compacted get");
  EXPECT_EQ(cost.ops[1].op, "delete");
  EXPECT_EQ(cost.ops[2].op, "put");
  EXPECT_EQ(cost.ops[2].requests, 2000);
  EXPECT_DOUBLE_EQ(cost.ops[2].per_second, 101.0);
  EXPECT_DOUBLE_EQ(cost.ops[2].an_hour, 101 * 3.6 * 0.005);
  EXPECT_DOUBLE_EQ(cost.an_hour, 101 * 3.6 * 0.005 + 2 * 3.6 * 0.0004);
  EXPECT_DOUBLE_EQ(cost.so_far, 2 * 0.005 + 2 * 0.0004);
  EXPECT_EQ(cost.puts, 2000);
  EXPECT_EQ(cost.gets, 2000);
  EXPECT_EQ(cost.appended_bytes, 111);
}

}  // namespace
}  // namespace lakestream::model
