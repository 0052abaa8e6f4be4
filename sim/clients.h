#pragma once

#include <string>
#include <vector>

#include "log/fsck/fsck.h"
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
/// Compares metadata and objects while the others go on.
Task<void> RunChecker(World& world, Process& process, int client);

/// What fsck calls damage. The logs of a run have no catalog, so that it finds none of them registered.
Task<Status> Check(Runtime& runtime, FsckStores stores, OpContext context, FsckOptions options,
                   std::vector<std::string>* damage);

}  // namespace lakestream::sim
