#include "log/writer/pending_append.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "runtime/root.h"
#include "runtime/sim/sim_runtime.h"

namespace lakestream {
namespace {

PendingAppendPtr Pending() { return std::make_shared<PendingAppend>(AppendRequest()); }

/// Waits for the append and notes its number.
internal::Root Waiting(PendingAppendPtr append, int number, std::vector<int>* woken) {
  co_await append->Answered();
  woken->push_back(number);
}

void Start(std::optional<internal::Root>& root, PendingAppendPtr append, int number, std::vector<int>* woken) {
  root.emplace(Waiting(std::move(append), number, woken));
  root->Start([] {});
}

TEST(PendingAppend, WakesItsWaiter) {
  const PendingAppendPtr append = Pending();
  std::vector<int> woken;
  std::optional<internal::Root> root;
  Start(root, append, 1, &woken);
  EXPECT_TRUE(woken.empty());
  append->Wake();
  EXPECT_EQ(woken, std::vector<int>{1});
}

TEST(PendingAppend, DoesNotWaitForWhatHasHappened) {
  const PendingAppendPtr append = Pending();
  append->Wake();
  std::vector<int> woken;
  std::optional<internal::Root> root;
  Start(root, append, 1, &woken);
  EXPECT_EQ(woken, std::vector<int>{1});
}

TEST(PendingAppend, WakesNoFrameThatIsGone) {
  const PendingAppendPtr append = Pending();
  std::vector<int> woken;
  std::optional<internal::Root> root;
  Start(root, append, 1, &woken);
  root.reset();
  append->Wake();
  EXPECT_TRUE(woken.empty());
}

TEST(AnswerQueue, WakesEachOnceInOrderAndNeverInsidePush) {
  SimScheduler scheduler(1);
  AnswerQueue answers(scheduler.runtime().executor);
  constexpr int kMany = 1000;
  std::vector<int> woken;
  std::vector<int> expected;
  std::vector<std::optional<internal::Root>> roots(kMany);
  for (int i = 0; i < kMany; ++i) {
    const PendingAppendPtr append = Pending();
    Start(roots[static_cast<std::size_t>(i)], append, i, &woken);
    answers.Push(append);
    expected.push_back(i);
  }
  EXPECT_TRUE(woken.empty());
  EXPECT_TRUE(scheduler.RunUntilIdle().ok());
  EXPECT_EQ(woken, expected);
  // After a pause, too.
  std::optional<internal::Root> later;
  const PendingAppendPtr append = Pending();
  Start(later, append, kMany, &woken);
  answers.Push(append);
  EXPECT_TRUE(scheduler.RunUntilIdle().ok());
  EXPECT_EQ(woken.back(), kMany);
}

TEST(AnswerQueue, MayGoBeforeItsAppendsAreWoken) {
  SimScheduler scheduler(1);
  std::vector<int> woken;
  std::optional<internal::Root> root;
  {
    AnswerQueue answers(scheduler.runtime().executor);
    const PendingAppendPtr append = Pending();
    Start(root, append, 1, &woken);
    answers.Push(append);
  }
  EXPECT_TRUE(scheduler.RunUntilIdle().ok());
  EXPECT_EQ(woken, std::vector<int>{1});
}

}  // namespace
}  // namespace lakestream
