#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "meta/lmdb/stored_record.h"

namespace lakestream {

/// This process: its id, when it started, and the kernel's boot it runs in.
SessionOwner ThisProcess();
/// False where that process is certainly gone: another boot, no such process, or another one under its id.
bool MayStillRun(const SessionOwner& owner);
/// Tells PID namespaces of one kernel apart.
std::uint64_t PidNamespace();

struct ThreadState {
  std::int64_t pid = 0;  ///< of the process that the thread belongs to; 0: not to be found
  std::string state;     ///< as the kernel says it, for example "T (stopped)"
};
ThreadState LookUpThread(std::int64_t thread);

}  // namespace lakestream
