// The everyday ways to write a co_await, each with a count of live objects, run to the end and abandoned at
// every point where it suspends. What stands in kPatterns is right with every compiler that builds this
// project. What g++ 12.2 gets wrong (docs/adr/0002) stands in kBroken and is built with clang only: with g++
// these destroy an object twice, or do not compile, and a double destruction cannot be a passing test.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/try.h"
#include "runtime/testing/world.h"

namespace lakestream {
namespace {

/// What every pattern gets: a runtime on which Yield suspends, and the count of live objects.
struct Scene {
  Runtime& runtime;
  int* live;
  Counted Make() const { return Counted(live); }
};

/// An aggregate, as options and requests are.
struct Request {
  std::string key;
  Counted counted;
  int number = 0;
};
/// The same with a constructor.
struct BuiltRequest {
  BuiltRequest(std::string k, Counted c, int n) : key(std::move(k)), counted(std::move(c)), number(n) {}
  std::string key;
  Counted counted;
  int number;
};

Task<int> TakeObject(Scene scene, Counted counted, int number) {
  co_await Yield(scene.runtime);
  co_return number + counted.value();
}
Task<int> TakeList(Scene scene, std::vector<std::string> list) {
  co_await Yield(scene.runtime);
  co_return static_cast<int>(list.size());
}
template <class R>
Task<int> TakeRequest(Scene scene, R request) {
  co_await Yield(scene.runtime);
  co_return request.number + request.counted.value() + static_cast<int>(request.key.size());
}
template <class F>
Task<int> Call(Scene scene, F function) {
  co_await Yield(scene.runtime);
  co_return function();
}
Task<int> CallErased(Scene scene, std::function<int()> function) {
  co_await Yield(scene.runtime);
  co_return function();
}
Task<Counted> Give(Scene scene) {
  co_await Yield(scene.runtime);
  co_return scene.Make();
}
struct Pair {
  int number;
  Counted counted;
};
Task<Pair> GivePair(Scene scene) {
  co_await Yield(scene.runtime);
  co_return Pair{1, scene.Make()};
}
Task<Result<Counted>> GiveResult(Scene scene, bool good) {
  co_await Yield(scene.runtime);
  if (!good) co_return NotFound("nothing to give");
  co_return scene.Make();
}

// Right as they are.

Task<int> TemporaryArgument(Scene scene) { co_return co_await TakeObject(scene, scene.Make(), 1); }

Task<int> AwaitInEachBranchOfAConditional(Scene scene) {
  const bool first = scene.runtime.Now() == MonotonicTime::min();
  const int number = first ? co_await TakeObject(scene, scene.Make(), 1) : co_await TakeObject(scene, scene.Make(), 2);
  co_return number;
}

Task<int> NamedResult(Scene scene) {
  const Counted counted = co_await Give(scene);
  co_return counted.value();
}

Task<int> MemberOfATemporaryResult(Scene scene) { co_return (co_await Give(scene)).value(); }

Task<int> TwoAwaitsInOneExpression(Scene scene) {
  const auto both =
      std::make_pair(co_await TakeObject(scene, scene.Make(), 1), co_await TakeObject(scene, scene.Make(), 2));
  co_return both.first + both.second;
}

Task<int> MovedFromALoopVariable(Scene scene) {
  int sum = 0;
  for (int i = 0; i < 3; ++i) {
    Counted counted = scene.Make();
    sum += co_await TakeObject(scene, std::move(counted), i);
  }
  co_return sum;
}

Task<int> AwaitInTheDeclarationOfAnIf(Scene scene) {
  if (const int number = co_await TakeObject(scene, scene.Make(), 3); number > 0) {
    co_return number;
  }
  co_return -1;
}

Task<int> StructuredBinding(Scene scene) {
  const auto [number, counted] = co_await GivePair(scene);
  co_return number + counted.value();
}

Task<int> AwaitInATryBlock(Scene scene) {
  try {
    const Counted counted = scene.Make();
    const int number = co_await TakeObject(scene, scene.Make(), 1);
    throw number + counted.value();
  } catch (const int caught) {
    co_return caught;
  }
}

Task<int> ANamedCapturingCoroutine(Scene scene) {
  // It lives in this frame until its task has ended.
  const auto add = [scene, counted = scene.Make()](int number) -> Task<int> {
    co_await Yield(scene.runtime);
    co_return number + counted.value();
  };
  co_return co_await add(1);
}

Task<int> TasksInAVector(Scene scene) {
  std::vector<Task<int>> tasks;
  for (int i = 0; i < 3; ++i) tasks.push_back(TakeObject(scene, scene.Make(), i));
  int sum = 0;
  for (Task<int>& task : tasks) sum += co_await task;
  co_return sum;
}

Task<int> ShortCircuit(Scene scene) {
  const bool both = co_await TakeObject(scene, scene.Make(), 1) == 2 && co_await TakeObject(scene, scene.Make(), 2) == 3;
  const bool neither = co_await TakeObject(scene, scene.Make(), 1) == 7 && co_await TakeObject(scene, scene.Make(), 2) == 3;
  co_return both && !neither ? 1 : -1;
}

Task<Result<int>> AssignByMacro(Scene scene) {
  LS_CO_ASSIGN(const Counted counted, co_await GiveResult(scene, true));
  LS_CO_ASSIGN(const Counted other, co_await GiveResult(scene, false));
  co_return counted.value() + other.value();
}
Task<int> AwaitInsideAMacro(Scene scene) {
  const Result<int> result = co_await AssignByMacro(scene);
  co_return result.status().code() == StatusCode::kNotFound ? 1 : -1;
}

// The rewrites of what g++ gets wrong.

Task<int> ListNamedFirst(Scene scene) {
  std::vector<std::string> list{"a", "b"};
  co_return co_await TakeList(scene, std::move(list));
}

Task<int> AggregateNamedFirst(Scene scene) {
  Request request{"abc", scene.Make(), 5};
  co_return co_await TakeRequest(scene, std::move(request));
}

Task<int> TaskOfAnAggregateNamedFirst(Scene scene) {
  Task<int> task = TakeRequest(scene, Request{.key = "abc", .counted = scene.Make(), .number = 5});
  co_return co_await task;
}

Task<int> ConstructorInsteadOfBraces(Scene scene) {
  co_return co_await TakeRequest(scene, BuiltRequest("abc", scene.Make(), 5));
}

Task<int> LambdaNamedFirst(Scene scene) {
  auto function = [counted = scene.Make()] { return counted.value(); };
  co_return co_await Call(scene, std::move(function));
}

Task<int> ErasedFunctionNamedFirst(Scene scene) {
  std::function<int()> function = [counted = scene.Make()] { return counted.value(); };
  co_return co_await CallErased(scene, std::move(function));
}

Task<int> TaskOfALambdaNamedFirst(Scene scene) {
  Task<int> task = Call(scene, [counted = scene.Make()] { return counted.value(); });
  co_return co_await task;
}

Task<int> ConditionNamedFirst(Scene scene) {
  const int number = co_await TakeObject(scene, scene.Make(), 1);
  if (number == 2) co_return 3;
  co_return -1;
}

Task<int> SwitchOnANamedResult(Scene scene) {
  const int number = co_await TakeObject(scene, scene.Make(), 1);
  switch (number) {
    case 2:
      co_return 3;
    default:
      co_return -1;
  }
}

Task<int> LoopWithABreak(Scene scene) {
  while (true) {
    const int number = co_await TakeObject(scene, scene.Make(), 1);
    if (number == 2) break;
  }
  co_return 3;
}

#if defined(__clang__)

Task<int> BracedListInAwait(Scene scene) { co_return co_await TakeList(scene, {"a", "b"}); }

Task<int> BracedAggregateInAwait(Scene scene) {
  co_return co_await TakeRequest<Request>(scene, {"abc", scene.Make(), 5});
}

Task<int> DesignatedAggregateInAwait(Scene scene) {
  co_return co_await TakeRequest(scene, Request{.key = "abc", .counted = scene.Make(), .number = 5});
}

Task<int> CapturingLambdaInAwait(Scene scene) {
  co_return co_await Call(scene, [counted = scene.Make()] { return counted.value(); });
}

Task<int> CapturingLambdaAsFunctionInAwait(Scene scene) {
  const Counted counted = scene.Make();
  co_return co_await CallErased(scene, [counted] { return counted.value(); });
}

// These three are broken because the outermost block of the function declares no variable.

Task<int> AwaitInTheConditionOfAnIf(Scene scene) {
  if (co_await TakeObject(scene, scene.Make(), 1) == 2) co_return 3;
  co_return -1;
}

Task<int> AwaitInTheConditionOfAWhile(Scene scene) {
  while (co_await TakeObject(scene, scene.Make(), 1) == 2) co_return 3;
  co_return -1;
}

Task<int> AwaitInASwitch(Scene scene) {
  switch (co_await TakeObject(scene, scene.Make(), 1)) {
    case 2:
      co_return 3;
    default:
      co_return -1;
  }
}

#endif

struct Pattern {
  const char* name;
  Task<int> (*run)(Scene);
  int wanted;
};

#define LS_PATTERN(function, wanted) \
  Pattern { #function, function, wanted }

const Pattern kPatterns[] = {
    LS_PATTERN(TemporaryArgument, 2),
    LS_PATTERN(AwaitInEachBranchOfAConditional, 3),
    LS_PATTERN(NamedResult, 1),
    LS_PATTERN(MemberOfATemporaryResult, 1),
    LS_PATTERN(TwoAwaitsInOneExpression, 5),
    LS_PATTERN(MovedFromALoopVariable, 6),
    LS_PATTERN(AwaitInTheDeclarationOfAnIf, 4),
    LS_PATTERN(StructuredBinding, 2),
    LS_PATTERN(AwaitInATryBlock, 3),
    LS_PATTERN(ANamedCapturingCoroutine, 2),
    LS_PATTERN(TasksInAVector, 6),
    LS_PATTERN(ShortCircuit, 1),
    LS_PATTERN(AwaitInsideAMacro, 1),
    LS_PATTERN(ListNamedFirst, 2),
    LS_PATTERN(AggregateNamedFirst, 9),
    LS_PATTERN(TaskOfAnAggregateNamedFirst, 9),
    LS_PATTERN(ConstructorInsteadOfBraces, 9),
    LS_PATTERN(LambdaNamedFirst, 1),
    LS_PATTERN(ErasedFunctionNamedFirst, 1),
    LS_PATTERN(TaskOfALambdaNamedFirst, 1),
    LS_PATTERN(ConditionNamedFirst, 3),
    LS_PATTERN(SwitchOnANamedResult, 3),
    LS_PATTERN(LoopWithABreak, 3),
};

#if defined(__clang__)
const Pattern kBroken[] = {
    LS_PATTERN(BracedListInAwait, 2),          // g++ 12.2: does not compile
    LS_PATTERN(BracedAggregateInAwait, 9),     // g++ 12.2: destroyed twice
    LS_PATTERN(DesignatedAggregateInAwait, 9),  // g++ 12.2: destroyed twice
    LS_PATTERN(CapturingLambdaInAwait, 1),     // g++ 12.2: destroyed twice
    LS_PATTERN(CapturingLambdaAsFunctionInAwait, 1),  // g++ 12.2: destroyed twice
    LS_PATTERN(AwaitInTheConditionOfAnIf, 3),  // g++ 12.2: never ends, or an illegal instruction
    LS_PATTERN(AwaitInTheConditionOfAWhile, 3),  // g++ 12.2: the same
    LS_PATTERN(AwaitInASwitch, 3),             // g++ 12.2: the same
};
#endif

void PrintTo(const Pattern& pattern, std::ostream* out) { *out << pattern.name; }

class CoroutinePatternTest : public testing::TestWithParam<Pattern> {};

TEST_P(CoroutinePatternTest, RunsToTheEnd) {
  int live = 0;
  SimScheduler scheduler(1);
  const Result<int> got = scheduler.Run(GetParam().run(Scene{scheduler.runtime(), &live}));
  ASSERT_TRUE(got.ok()) << got.status().ToString();
  EXPECT_EQ(*got, GetParam().wanted);
  EXPECT_EQ(live, 0);
}

TEST_P(CoroutinePatternTest, MayBeAbandonedWhereverItSuspends) {
  bool ended = false;
  int abandoned = 0;
  for (int steps = 0; !ended; ++steps) {
    ASSERT_LT(steps, 100);
    int live = 0;
    SimScheduler scheduler(1);
    {
      std::optional<int> result;
      internal::Root root =
          internal::MakeRoot(internal::RunInto(GetParam().run(Scene{scheduler.runtime(), &live}), &result));
      root.Start([&ended] { ended = true; });
      for (int step = 0; step < steps && !ended; ++step) ASSERT_TRUE(scheduler.Step());
      if (!ended) ++abandoned;
    }
    EXPECT_EQ(live, 0) << "abandoned after " << steps << " steps";
  }
  EXPECT_GT(abandoned, 0);
}

INSTANTIATE_TEST_SUITE_P(Right, CoroutinePatternTest, testing::ValuesIn(kPatterns),
                         [](const auto& pattern) { return pattern.param.name; });
#if defined(__clang__)
INSTANTIATE_TEST_SUITE_P(BrokenWithGcc, CoroutinePatternTest, testing::ValuesIn(kBroken),
                         [](const auto& pattern) { return pattern.param.name; });
#endif

}  // namespace
}  // namespace lakestream
