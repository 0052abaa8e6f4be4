#include <tuple>

#include "sim/properties/property.h"

namespace lakestream::sim {
namespace {

/// The append was taken up and failed, and was not only withdrawn by its caller.
bool Failed(const Operation& append) {
  if (!append.ended || append.status.ok()) return false;
  switch (append.status.code()) {
    case StatusCode::kIndeterminate:
    case StatusCode::kDeadlineExceeded:
    case StatusCode::kCancelled: return false;
    default: return true;
  }
}

Contradiction Check(const Evidence& evidence) {
  using Caller = std::tuple<std::string, CallerId, LogId>;
  std::map<Caller, std::vector<const Operation*>> by_caller;
  for (const Operation& append : evidence.operations) {
    if (append.kind != Operation::Kind::kAppend || append.caller == 0) continue;
    by_caller[{append.process, append.caller, append.log}].push_back(&append);
  }
  for (const auto& [caller, appends] : by_caller) {
    for (std::size_t i = 0; i < appends.size(); ++i) {
      if (!Failed(*appends[i])) continue;
      for (std::size_t behind = i + 1; behind < appends.size(); ++behind) {
        // One that was called at the very moment may have come after the failure.
        if (!appends[behind]->done() || appends[behind]->at >= appends[i]->ended_at) continue;
        return ToString(*appends[i]) + "; " + ToString(*appends[behind]) + " was queued behind it by the same caller";
      }
    }
  }
  return std::nullopt;
}

const PropertyRegistration kRegistered(Property{
    "behind_a_failure", "what a caller queued on a log behind an append that failed is not done either",
    Check, Needs::kInstants});

}  // namespace
}  // namespace lakestream::sim
