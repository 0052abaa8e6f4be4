#include "bench/benchmark.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include "base/testing/temp_directory.h"
#include "bench/engine.h"
#include "bench/ledger.h"
#include "format/index_key.h"
#include "meta/memory/memory_metadata_store.h"
#include "runtime/thread_runtime.h"
#include "runtime/wait.h"

namespace lakestream::bench {
namespace {

// So little that a test takes no time: nothing here says anything about speed.
constexpr double kTiny = 0.0005;

class EachBenchmark : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    options_.directory = directory_.path();
    options_.scale = kTiny;
    options_.command = LAKESTREAM_COMMAND;
  }
  void TearDown() override {
    EXPECT_TRUE(std::filesystem::is_empty(options_.directory)) << "a benchmark leaves nothing behind";
  }
  Status Run() {
    const Benchmark* const benchmark = FindBenchmark(GetParam());
    return benchmark != nullptr ? benchmark->run(options_, &report_) : NotFound("no such benchmark");
  }

  TempDirectory directory_;
  BenchOptions options_;
  BenchReport report_;
};

TEST_P(EachBenchmark, PassesItsOwnChecks) {
  const Status status = Run();
  EXPECT_TRUE(status.ok()) << status.ToString();
  EXPECT_GT(report_.checked(), 0);
  int budgets = 0;
  for (const Figure& figure : report_.figures()) budgets += figure.bound != Bound::kNone ? 1 : 0;
  EXPECT_GT(budgets, 0);
}

TEST_P(EachBenchmark, NoticesOneEntryThatIsLostOrDamaged) {
  options_.damage = true;
  const Status status = Run();
  EXPECT_EQ(status.code(), StatusCode::kCorrupt) << status.ToString();
}

INSTANTIATE_TEST_SUITE_P(All, EachBenchmark,
                         ::testing::Values("memory", "codec", "batches", "append-latency", "append-throughput",
                                           "sequenced-puts", "lookup", "catch-up", "compacted-reads", "compaction", "put-rate",
                                           "catalog", "fsck", "gc",
                                           "processes", "tail"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::erase(name, '-');
                           return name;
                         });

TEST(Benchmarks, AreAllTested) { EXPECT_EQ(Benchmarks().size(), 16U); }

/// What the ledger must notice, beside a damaged byte.
class LedgerTest : public ::testing::Test {
 protected:
  void Append(std::int64_t entries) {
    const auto engine = Engine::Start(threads_.runtime(), meta_, objects_, WriterOptions());
    ASSERT_TRUE(engine.ok());
    load_.emplace((*engine)->writer(), LogRange(1, 3), 64, 16);
    ASSERT_TRUE(load_->Run(entries).ok());
    ASSERT_TRUE((*engine)->Stop().ok());
  }
  std::string FirstRecord(LogId log) {
    const auto found =
        Wait(meta_.Higher(OpContext(), Partition::OfLog(log), FirstIndexKey(log)));
    return found.ok() && *found ? (*found)->key : std::string();
  }

  ThreadRuntime threads_{ThreadRuntimeOptions()};
  MemoryMetadataStore meta_{threads_.runtime()};
  NullObjectStore objects_;
  std::optional<AppendLoad> load_;
};

TEST_F(LedgerTest, TakesWhatIsRight) {
  Append(100);
  const auto checked = CheckLedger(meta_, objects_, {&*load_});
  ASSERT_TRUE(checked.ok()) << checked.status().ToString();
  EXPECT_EQ(*checked, 100);
}

TEST_F(LedgerTest, NoticesALostIndexRecord) {
  Append(100);
  ASSERT_TRUE(Wait(meta_.Delete(OpContext(), Partition::OfLog(LogId(2)), FirstRecord(LogId(2)), WriteGuard())).ok());
  EXPECT_EQ(CheckLedger(meta_, objects_, {&*load_}).status().code(), StatusCode::kCorrupt);
}

TEST_F(LedgerTest, NoticesAnObjectThatNobodyNames) {
  Append(100);
  NullObjectStore other;
  EXPECT_EQ(CheckLedger(meta_, other, {&*load_}).status().code(), StatusCode::kCorrupt);
}

}  // namespace
}  // namespace lakestream::bench
