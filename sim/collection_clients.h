#pragma once

#include "lakestream/task.h"

namespace lakestream::sim {

class Process;
class World;

/// Runs passes of the garbage collector, until the world says that it is enough.
Task<void> RunCollector(World& world, Process& process, int client);

/// The same with passes that let go what logs need not keep.
Task<void> RunRetainer(World& world, Process& process, int client);

/// Holds collections up for a while, again and again.
Task<void> RunHolder(World& world, Process& process, int client);

/// With all processes alive, no more faults and nothing to compact: as many passes as everything takes that nobody names.
void CollectAll(World& world);

}  // namespace lakestream::sim
