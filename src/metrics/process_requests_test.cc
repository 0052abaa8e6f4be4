#include "metrics/process_requests.h"

#include <gtest/gtest.h>
#include <prometheus/text_serializer.h>

#include "metrics/engine_families.h"

namespace lakestream {
namespace {

Result<model::ProcessRequests> Read(std::string_view text) {
  const Result<std::vector<MetricSample>> samples = ParseMetricsText(text);
  EXPECT_TRUE(samples.ok()) << samples.status().ToString();
  return RequestsOf(*samples);
}

TEST(ProcessRequests, TakesWhatAProcessServes) {
  DeploymentStats stats;
  stats.age = std::chrono::milliseconds(2500);
  stats.writer.bytes = 77;
  ObjectOpMetrics& put = stats.wal.ops[static_cast<std::size_t>(ObjectOp::kPut)];
  put.answers[static_cast<std::size_t>(StatusCode::kOk)] = 5;
  put.answers[static_cast<std::size_t>(StatusCode::kUnavailable)] = 2;
  stats.compacted.ops[static_cast<std::size_t>(ObjectOp::kHead)].answers[0] = 3;
  FamilyList families;
  AddDeployment(stats, &families);
  const Result<model::ProcessRequests> process = Read(prometheus::TextSerializer().Serialize(families.Take()));
  ASSERT_TRUE(process.ok()) << process.status().ToString();
  EXPECT_DOUBLE_EQ(process->seconds, 2.5);
  EXPECT_EQ(process->appended_bytes, 77);
  EXPECT_EQ(process->ops.size(), kObjectOps.size() * 2) << "the price of each operation is known";
  std::int64_t puts = 0;
  std::int64_t heads = 0;
  for (const model::ProcessRequests::Op& op : process->ops) {
    if (op.op == "put" && op.root == "wal") puts += op.requests;
    if (op.op == "head" && op.root == "compacted") heads += op.requests;
  }
  EXPECT_EQ(puts, 7) << "whatever the answer";
  EXPECT_EQ(heads, 3);
}

TEST(ProcessRequests, WhatIsNoProcessIsRefused) {
  const std::string age = "lakestream_process_age_seconds 5\n";
  EXPECT_TRUE(Read(age).ok());
  for (const std::string& wrong :
       {std::string("up 1\n"), age + age, std::string("lakestream_process_age_seconds 0\n"),
        std::string("lakestream_process_age_seconds +Inf\n"), std::string("lakestream_process_age_seconds NaN\n"),
        age + "lakestream_objects_calls_total{root=\"wal\",op=\"rename\",code=\"ok\"} 1\n",
        age + "lakestream_objects_calls_total{root=\"wal\",op=\"put\",code=\"ok\"} -1\n",
        age + "lakestream_objects_calls_total{root=\"wal\",op=\"put\",code=\"ok\"} 1e13\n",
        age + "lakestream_writer_bytes_total 0.5\n", age + "lakestream_writer_bytes_total NaN\n"}) {
    EXPECT_EQ(Read(wrong).status().code(), StatusCode::kInvalidArgument) << wrong;
  }
}

}  // namespace
}  // namespace lakestream
