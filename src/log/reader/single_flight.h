#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "lakestream/status.h"
#include "lakestream/task.h"
#include "runtime/event.h"
#include "runtime/runtime.h"

namespace lakestream {

/// Lets those who want the same thing at the same time share the work of one of them. T is cheap to copy.
/// Thread safety: any thread.
template <class T>
class SingleFlight {
 public:
  explicit SingleFlight(Runtime& runtime) : runtime_(runtime) {}

  /// Runs the work, or waits for the run under this key that is under way. Where whoever ran it gave up, the
  /// next one runs its own.
  Task<Result<T>> Run(OpContext context, std::string key, Task<Result<T>> work) {
    while (true) {
      std::shared_ptr<Flight> flight;
      const bool leads = Join(key, &flight);
      if (leads) {
        const Landing landing(*this, key, flight);
        Result<T> result = co_await work;
        flight->result = result;
        co_return result;
      }
      const Status waited = co_await flight->done.WaitFor(context);
      if (!waited.ok()) co_return waited;
      if (flight->result && !GaveUp(*flight->result)) co_return *flight->result;
    }
  }

 private:
  struct Flight {
    explicit Flight(Executor& executor) : done(executor) {}
    Event done;
    std::optional<Result<T>> result;  ///< written before `done`; none where the leader's frame was destroyed
  };

  /// Ends a flight, whatever becomes of the leader.
  class Landing {
   public:
    Landing(SingleFlight& owner, const std::string& key, std::shared_ptr<Flight> flight)
        : owner_(owner), key_(key), flight_(std::move(flight)) {}
    Landing(const Landing&) = delete;
    Landing& operator=(const Landing&) = delete;
    ~Landing() {
      {
        const std::lock_guard lock(owner_.mutex_);
        owner_.flights_.erase(key_);
      }
      flight_->done.Set();
    }

   private:
    SingleFlight& owner_;
    const std::string& key_;
    std::shared_ptr<Flight> flight_;
  };

  static bool GaveUp(const Result<T>& result) {
    const StatusCode code = result.status().code();
    return code == StatusCode::kCancelled || code == StatusCode::kDeadlineExceeded;
  }

  /// True when the caller leads the flight.
  bool Join(const std::string& key, std::shared_ptr<Flight>* flight) {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<Flight>& slot = flights_[key];
    const bool leads = slot == nullptr;
    if (leads) slot = std::make_shared<Flight>(runtime_.executor);
    *flight = slot;
    return leads;
  }

  Runtime& runtime_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Flight>> flights_;
};

}  // namespace lakestream
