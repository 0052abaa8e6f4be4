#pragma once

#include "lakestream/task.h"

namespace lakestream::sim {

class Process;
class World;

/// A client that creates, loads, lists, grows, changes, drops and sweeps streams until the world says that it is
/// enough.
Task<void> RunCataloger(World& world, Process& process, int client);

/// Another program: it adds a field that the catalog does not know to the config of a stream.
Task<void> RunStranger(World& world);

/// A registration or a mapping of a dropped stream is lost.
Task<void> LoseRegistrations(World& world);

/// With all processes alive and no more faults: every stream that is there can be opened, and takes an append.
void CheckStreams(World& world);

/// With all processes gone: drops that were begun come to their end, and a sweep finds nothing after them.
void CheckDropped(World& world);

}  // namespace lakestream::sim
