#include "log/writer/append_queue.h"

#include <gtest/gtest.h>

#include "runtime/sim/sim_runtime.h"

namespace lakestream {
namespace {

class AppendQueueTest : public ::testing::Test {
 protected:
  PendingAppendPtr Add(std::int64_t log, std::size_t bytes, CallerId caller = 0) {
    AppendRequest request;
    request.log = LogId(log);
    request.payload = Buffer(std::string(bytes, 'x'));
    request.caller = caller;
    auto append = std::make_shared<PendingAppend>(std::move(request));
    queue_.Add(append);
    return append;
  }

  /// The log ids and entry counts of each object, for example "1:2 5:1 | 7:1".
  static std::string Shape(const std::vector<std::vector<SectionPtr>>& objects) {
    std::string shape;
    for (const auto& sections : objects) {
      if (!shape.empty()) shape += " |";
      for (const SectionPtr& section : sections) {
        shape += (shape.empty() ? "" : " ") + section->log.ToString() + ":" + std::to_string(section->entries.size());
      }
    }
    return shape;
  }

  SimScheduler scheduler_{1};
  AppendQueue queue_;
};

TEST_F(AppendQueueTest, AFlushTakesAllLogsInOrderAsOneObject) {
  Add(5, 10);
  Add(1, 10);
  Add(1, 0);
  EXPECT_EQ(queue_.ready_entries(), 3);
  EXPECT_EQ(queue_.ready_bytes(), 20);
  EXPECT_EQ(queue_.ready_logs(), 2);
  EXPECT_EQ(Shape(queue_.TakeFlush(1000)), "1:2 5:1");
  EXPECT_TRUE(queue_.empty());
  EXPECT_EQ(queue_.ready_entries(), 0);
  EXPECT_EQ(queue_.ready_bytes(), 0);
}

TEST_F(AppendQueueTest, AFlushLargerThanTheTargetIsCutBetweenLogsAndNoObjectIsUnderFull) {
  for (std::int64_t log = 1; log <= 5; ++log) Add(log, 60);
  EXPECT_EQ(Shape(queue_.TakeFlush(100)), "1:1 2:1 | 3:1 4:1 5:1");
}

TEST_F(AppendQueueTest, ASectionKeepsTheOrderAndSumsOfItsLog) {
  const PendingAppendPtr first = Add(1, 3);
  const PendingAppendPtr second = Add(1, 4);
  const SectionPtr section = queue_.TakeFlush(1000).at(0).at(0);
  EXPECT_EQ(section->entries, (std::vector<PendingAppendPtr>{first, second}));
  EXPECT_EQ(section->records, 2);
  EXPECT_EQ(section->bytes, 7);
}

TEST_F(AppendQueueTest, ABlockedLogIsInNoFlushAndCountsForNone) {
  Add(1, 10);
  Add(2, 10);
  queue_.Block(LogId(1));
  Add(1, 10);
  EXPECT_EQ(queue_.ready_entries(), 1);
  EXPECT_EQ(queue_.ready_bytes(), 10);
  EXPECT_EQ(Shape(queue_.TakeFlush(1000)), "2:1");
  EXPECT_FALSE(queue_.empty());
  queue_.Unblock(LogId(1));
  EXPECT_EQ(queue_.ready_bytes(), 20);
  EXPECT_EQ(Shape(queue_.TakeFlush(1000)), "1:2");
}

TEST_F(AppendQueueTest, ASectionThatMovesGoesBeforeWhatIsQueuedAndAlone) {
  Add(1, 10);
  const SectionPtr section = queue_.TakeFlush(1000).at(0).at(0);
  Add(1, 10);
  queue_.AddSection(section);
  EXPECT_EQ(queue_.ready_entries(), 2);
  const auto objects = queue_.TakeFlush(1000);
  ASSERT_EQ(Shape(objects), "1:1");
  EXPECT_EQ(objects[0][0], section);
  EXPECT_EQ(Shape(queue_.TakeFlush(1000)), "1:1");
  EXPECT_TRUE(queue_.empty());
}

TEST_F(AppendQueueTest, AnAppendCanBeWithdrawnUntilItIsInASection) {
  const PendingAppendPtr first = Add(1, 10);
  const PendingAppendPtr second = Add(1, 20);
  EXPECT_TRUE(queue_.Remove(first));
  EXPECT_FALSE(queue_.Remove(first));
  EXPECT_EQ(queue_.ready_bytes(), 20);
  (void)queue_.TakeFlush(1000);
  EXPECT_FALSE(queue_.Remove(second));
}

TEST_F(AppendQueueTest, TakesTheAppendsOfACallerOnly) {
  Add(1, 10, 7);
  const PendingAppendPtr other = Add(1, 20, 8);
  Add(2, 30, 7);
  EXPECT_EQ(queue_.TakeByCaller(LogId(1), {7}).size(), 1u);
  EXPECT_EQ(queue_.ready_bytes(), 50);
  EXPECT_EQ(Shape(queue_.TakeFlush(1000)), "1:1 2:1");
}

TEST_F(AppendQueueTest, TakesAllAppendsAlsoOfBlockedLogs) {
  Add(1, 10);
  Add(2, 10);
  queue_.Block(LogId(1));
  EXPECT_EQ(queue_.TakeAllAppends().size(), 2u);
  EXPECT_EQ(queue_.ready_entries(), 0);
}

}  // namespace
}  // namespace lakestream
