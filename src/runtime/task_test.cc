#include "lakestream/task.h"

#include <memory>
#include <vector>

#include "runtime/testing/world.h"

namespace lakestream {
namespace {

// g++ makes the transfer between coroutines a tail call only when it optimizes. Without that (this project's
// ASan build) each await that ends without suspending costs stack until the next suspension: 8 MiB hold some
// 20 000 of them. With clang, and with g++ -O1 and up, the stack does not grow.
#if defined(__OPTIMIZE__) || defined(__clang__)
constexpr int kChain = 1'000'000;
#else
constexpr int kChain = 5'000;
#endif

class TaskTest : public WorldTest {};

Task<int> Same(int value) { co_return value; }
Task<int> SameLater(Runtime& runtime, int value) {
  co_await Yield(runtime);
  co_return value;
}
Task<std::int64_t> SumInLine(int count) {
  std::int64_t sum = 0;
  for (int i = 0; i < count; ++i) sum += co_await Same(i);
  co_return sum;
}
Task<std::int64_t> SumByYielding(Runtime& runtime, int count) {
  std::int64_t sum = 0;
  for (int i = 0; i < count; ++i) sum += co_await SameLater(runtime, i);
  co_return sum;
}
Task<int> Nested(int depth) {
  if (depth == 0) co_return 0;
  co_return 1 + co_await Nested(depth - 1);
}
Task<std::unique_ptr<int>> MoveOnly(Runtime& runtime) {
  co_await Yield(runtime);
  co_return std::make_unique<int>(7);
}
Task<Result<int>> Refuse(Runtime& runtime) {
  co_await Yield(runtime);
  co_return NotFound("no such number");
}
Task<void> Hold(Runtime& runtime, Counted counted, bool* ended) {
  Event never(runtime.executor);
  co_await never.Wait();
  *ended = counted.value() == 1;
}

TEST_P(TaskTest, HandsOnValuesOfEveryKind) {
  const auto body = [](Runtime& runtime) -> Task<void> {
    CO_ASSERT_EQ(co_await Same(3), 3);
    CO_ASSERT_EQ(co_await SameLater(runtime, 4), 4);
    const std::unique_ptr<int> moved = co_await MoveOnly(runtime);
    CO_ASSERT_EQ(*moved, 7);
    CO_ASSERT_CODE(co_await Refuse(runtime), kNotFound);
  };
  Run(body(runtime()));
}

TEST_P(TaskTest, ALongLoopOfAwaitsThatDoNotSuspend) {
  const auto body = []() -> Task<void> {
    CO_ASSERT_EQ(co_await SumInLine(kChain), std::int64_t(kChain) * (kChain - 1) / 2);
  };
  Run(body());
}

TEST_P(TaskTest, ALongLoopOfAwaitsThatSuspendNeedsNoStack) {
  const auto body = [](Runtime& runtime) -> Task<void> {
    CO_ASSERT_EQ(co_await SumByYielding(runtime, 100'000), std::int64_t(100'000) * 99'999 / 2);
  };
  Run(body(runtime()));
}

TEST_P(TaskTest, ADeepChainOfTasks) {
  const auto body = []() -> Task<void> { CO_ASSERT_EQ(co_await Nested(kChain), kChain); };
  Run(body());
}

TEST_P(TaskTest, ATaskIsLazyAndMayBeDroppedUnstarted) {
  int live = 0;
  bool ended = false;
  {
    Task<void> task = Hold(runtime(), Counted(&live), &ended);
    EXPECT_EQ(live, 1);
    Task<void> other = Hold(runtime(), Counted(&live), &ended);
    EXPECT_EQ(live, 2);
    other = std::move(task);
    EXPECT_EQ(live, 1);
  }
  EXPECT_EQ(live, 0);
  EXPECT_FALSE(ended);
}

TEST_P(TaskTest, ASuspendedTaskMayBeDestroyedWithAllItHolds) {
  int live = 0;
  bool ended = false;
  {
    internal::Root root = internal::MakeRoot(Hold(runtime(), Counted(&live), &ended));
    root.Start([] {});
    EXPECT_EQ(live, 1);
  }
  EXPECT_EQ(live, 0);
  EXPECT_FALSE(ended);
}

TEST(TaskDeathTest, AnExceptionThatLeavesATaskEndsTheProcess) {
  const auto body = []() -> Task<void> {
    throw 1;
    co_return;
  };
  EXPECT_DEATH(Wait(body()), "an exception left a coroutine");
}

LS_INSTANTIATE_WORLDS(TaskTest);

}  // namespace
}  // namespace lakestream
