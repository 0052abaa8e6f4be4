#pragma once

#include <memory>
#include <optional>
#include <string>

#include "lakestream/status.h"
#include "runtime/event.h"

namespace lakestream {

enum class HoldPoint {
  kBeforeApply,  ///< the store has not seen the call, nor made its last check
  kAfterApply,   ///< the store has answered, the caller does not know
};

/// A call that stands still until the test lets it go. Its caller waits no longer than its context lasts:
/// then a write is indeterminate for it, and what is let go on later still reaches the store. Copies share
/// the call. Thread safety: any thread.
class Hold {
 public:
  /// What the wrapper that holds the call needs.
  struct State {
    State(Executor& executor, HoldPoint p) : point(p), reached(executor), released(executor), done(executor) {}
    const HoldPoint point;
    std::string key;  ///< written before reached is set
    Event reached;
    std::optional<Status> answer;  ///< written before released is set
    Event released;
    Event done;
  };
  explicit Hold(std::shared_ptr<State> state) : state_(std::move(state)) {}

  /// co_await hold.Reached(): the call has come to its hold point.
  Event::SureAwaiter Reached() const;
  /// co_await hold.Done(): the call is over, whether its caller still waits or not.
  Event::SureAwaiter Done() const;
  bool reached() const;
  /// Lets the call go on.
  void Release() const;
  /// Ends the call with this answer. Before applying: the store never sees it. Requires: not ok.
  void Release(Status answer) const;
  /// The key of the call. Requires: reached().
  std::string key() const;

 private:
  std::shared_ptr<State> state_;
};

}  // namespace lakestream
