#include "cli/cost_tree.h"

#include <gtest/gtest.h>

namespace lakestream {
namespace {

constexpr std::int64_t kGiB = std::int64_t{1} << 30;

TEST(CostTree, OfWhatIsStored) {
  SpaceSummary space;
  space.wal = {30, 3 * kGiB};
  space.compacted = {2, kGiB / 2};
  space.companions = {2, kGiB / 2};
  SpaceSummary::Stream stream;
  stream.name = "flights";
  stream.logs = 3;
  stream.wal_bytes = kGiB;
  stream.compacted_bytes = kGiB;
  stream.payload_bytes = 2 * kGiB;
  space.streams.push_back(stream);
  EXPECT_EQ(DumpJson(SpaceCostTree(space, model::StorePrices())),
            R"({"prices":{"usd_per_1000_puts":0.005,"usd_per_1000_gets":0.0004,"usd_per_gb_month":0.023},)"
            R"("stored":[{"kind":"wal","objects":30,"bytes":3221225472,"usd_a_month":0.069},)"
            R"({"kind":"compacted","objects":2,"bytes":536870912,"usd_a_month":0.0115},)"
            R"({"kind":"companion","objects":2,"bytes":536870912,"usd_a_month":0.0115},)"
            R"({"kind":"all","objects":34,"bytes":4294967296,"usd_a_month":0.092}],)"
            R"("written_by":{"puts":34,"usd":0.00017,"payload_bytes":2147483648,"puts_per_gib":17,"usd_per_gib":0.000085},)"
            R"("streams":[{"stream":"flights","partitions":3,"wal_bytes":1073741824,)"
            R"("compacted_bytes":1073741824,"percent":50,"usd_a_month":0.046}],"bytes_of_no_stream":2147483648})");
}

TEST(CostTree, OfNothing) {
  const JsonValue tree = SpaceCostTree(SpaceSummary(), model::StorePrices());
  EXPECT_EQ(DumpJson(*tree.Find("written_by")),
            R"({"puts":0,"usd":0,"payload_bytes":0,"puts_per_gib":null,"usd_per_gib":null})");
}

TEST(CostTree, OfRequests) {
  model::ProcessRequests process;
  process.seconds = 100;
  process.appended_bytes = kGiB / 4;
  process.ops = {{"wal", "put", model::RequestClass::kPut, 1000}};
  model::StorePrices prices;
  prices.per_1000_puts = 1;
  const JsonValue tree = RequestCostTree({process, process}, prices);
  EXPECT_EQ(DumpJson(*tree.Find("requests")),
            R"([{"root":"wal","op":"put","billed_as":"put","requests":2000,"a_second":20,"usd_an_hour":72,)"
            R"("usd_a_month":52560}])");
  EXPECT_EQ(DumpJson(*tree.Find("together")),
            R"({"puts":2000,"gets":0,"usd_so_far":2,"usd_an_hour":72,"usd_a_month":52560,"appended_bytes":536870912,)"
            R"("puts_per_gib":4000,"usd_per_gib":4})");
  EXPECT_EQ(DumpJson(*tree.Find("processes")) + DumpJson(*tree.Find("observed_seconds")), "2100");
}

}  // namespace
}  // namespace lakestream
