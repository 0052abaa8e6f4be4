#pragma once

#include "lakestream/task.h"

namespace lakestream::sim {

class Process;
class World;

/// Runs passes over some of the logs, until the world says that it is enough.
Task<void> RunCompactor(World& world, Process& process, int client);

/// With all processes alive and no more faults: passes until there is nothing more to compact.
void CompactAll(World& world);

}  // namespace lakestream::sim
