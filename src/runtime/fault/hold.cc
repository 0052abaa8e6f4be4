#include "runtime/fault/hold.h"

#include <utility>

#include "base/invariant.h"

namespace lakestream {

Event::SureAwaiter Hold::Reached() const { return state_->reached.Wait(); }
Event::SureAwaiter Hold::Done() const { return state_->done.Wait(); }
bool Hold::reached() const { return state_->reached.IsSet(); }
void Hold::Release() const { state_->released.Set(); }

void Hold::Release(Status answer) const {
  LS_INVARIANT(!answer.ok(), "a call ends early with an error only");
  LS_INVARIANT(!state_->released.IsSet(), "a call is let go once");
  state_->answer = std::move(answer);
  state_->released.Set();
}

std::string Hold::key() const {
  LS_INVARIANT(reached(), "the key is known once the call is held");
  return state_->key;
}

}  // namespace lakestream
