#pragma once

#include "lakestream/task.h"
#include "lakestream/types.h"

namespace lakestream::sim {

class World;

/// Kills, freezes, suspends, restarts and cuts off processes, moves clocks and loses sessions at random, as the plan
/// says, until its gate goes.
Task<void> RunTroubles(World& world);

/// Deletes a log as the specification says: fence, wait until no lease is left, delete the index records.
Task<void> DeleteLog(World& world, LogId log);

/// Isolates a log, and may end that.
Task<void> IsolateLog(World& world, LogId log);

/// Isolates the stuck log of the plan when it is time.
Task<void> IsolateStuckLog(World& world);

}  // namespace lakestream::sim
