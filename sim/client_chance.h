#pragma once

#include <string_view>

#include "base/time.h"
#include "lakestream/status.h"
#include "lakestream/task.h"
#include "runtime/op_context.h"
#include "runtime/runtime.h"

namespace lakestream::sim {

class Process;
class World;

/// What clients of all kinds draw, so that those of one kind stay what they are when others are added.

/// The draws of one client.
Random& ChanceOf(World& world, const Process& process, std::string_view kind, int client);

/// Sleeps for nothing up to `most`.
Task<Status> PauseUpTo(Process& process, Random& random, Duration most);

/// None, generous, or one that ends before `near` has passed, half-way through a call.
OpContext DrawContext(Process& process, Random& random, Duration near);

}  // namespace lakestream::sim
