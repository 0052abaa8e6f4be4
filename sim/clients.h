#pragma once

#include "sim/process.h"

namespace lakestream::sim {

class World;

/// Appends to any log, up to the plan's window at once; some with deadlines that are near.
Task<void> RunAppender(World& world, Process& process, int client);
/// Reads from anywhere, and asks where logs begin and end.
Task<void> RunReader(World& world, Process& process, int client);
/// Follows one log from its beginning.
Task<void> RunTailer(World& world, Process& process, int client);
/// Trims logs to offsets it has seen, and beyond.
Task<void> RunTrimmer(World& world, Process& process, int client);

}  // namespace lakestream::sim
