#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/root.h"
#include "runtime/runtime.h"

namespace lakestream {

namespace internal {
template <class T>
Task<void> StoreResult(Task<T> task, std::optional<T>* slot) {
  slot->emplace(co_await task);
}
}  // namespace internal

/// Runs the tasks side by side and gives their results in order once all have ended. Each starts on this
/// thread and runs until it first suspends.
template <class T>
Task<std::vector<T>> WhenAll(Runtime& runtime, std::vector<Task<T>> tasks) {
  struct Shared {
    Shared(Executor& executor, std::size_t count) : done(executor), left(count) {}
    Event done;
    std::atomic<std::size_t> left;
  };
  std::vector<T> results;
  if (tasks.empty()) co_return results;
  auto shared = std::make_shared<Shared>(runtime.executor, tasks.size());
  std::vector<std::optional<T>> slots(tasks.size());
  std::vector<internal::Root> roots;
  roots.reserve(tasks.size());
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    roots.push_back(internal::MakeRoot(internal::StoreResult(std::move(tasks[i]), &slots[i])));
  }
  for (internal::Root& root : roots) {
    root.Start([shared] {
      if (--shared->left == 0) shared->done.Set();
    });
  }
  co_await shared->done.Wait();
  results.reserve(slots.size());
  for (std::optional<T>& slot : slots) results.push_back(std::move(*slot));
  co_return results;
}

}  // namespace lakestream
