#include "log/writer/pending_append.h"

#include <iterator>
#include <vector>

namespace lakestream {
namespace {

/// So many are woken at once before other work has its turn.
constexpr std::size_t kAtOnce = 64;

}  // namespace

void AnswerQueue::Push(PendingAppendPtr append) {
  bool post = false;
  {
    const std::lock_guard lock(state_->mutex);
    state_->answered.push_back(std::move(append));
    post = !std::exchange(state_->posted, true);
  }
  if (post) state_->executor.Post([state = state_] { Run(state); });
}

void AnswerQueue::Run(const std::shared_ptr<State>& state) {
  std::vector<PendingAppendPtr> batch;
  batch.reserve(kAtOnce);
  bool more = false;
  {
    const std::lock_guard lock(state->mutex);
    while (!state->answered.empty() && batch.size() < kAtOnce) {
      batch.push_back(std::move(state->answered.front()));
      state->answered.pop_front();
    }
    more = !state->answered.empty();
    state->posted = more;
  }
  if (more) state->executor.Post([state] { Run(state); });
  for (PendingAppendPtr& append : batch) std::exchange(append, nullptr)->Wake();
}

}  // namespace lakestream
