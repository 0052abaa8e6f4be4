#include "sim/client_chance.h"

#include <string>

#include "sim/world.h"

namespace lakestream::sim {

using std::chrono::milliseconds;
using std::chrono::seconds;

Random& ChanceOf(World& world, const Process& process, std::string_view kind, int client) {
  return world.scheduler().Stream(std::string(kind) + " " + process.title() + " " + std::to_string(client));
}

Task<Status> PauseUpTo(Process& process, Random& random, Duration most) {
  const auto range = static_cast<std::uint64_t>(most.count()) + 1;
  const Duration pause(static_cast<std::int64_t>(random.Below(range)));
  co_return co_await SleepFor(process.node().runtime(), OpContext(), pause);
}

OpContext DrawContext(Process& process, Random& random, Duration near) {
  const MonotonicTime now = process.node().runtime().Now();
  const auto range = static_cast<std::uint64_t>(std::chrono::duration_cast<milliseconds>(near).count());
  switch (random.Below(6)) {
    case 0: return OpContext().WithDeadline(now + milliseconds(random.Below(range)));
    case 1: return OpContext().WithDeadline(now + seconds(1 + random.Below(60)));
    default: return OpContext();
  }
}

}  // namespace lakestream::sim
