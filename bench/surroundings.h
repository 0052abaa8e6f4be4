#pragma once

#include <cstdint>
#include <string>

#include "format/json.h"
#include "lakestream/status.h"

namespace lakestream::bench {

/// What figures mean nothing without.
struct Surroundings {
  std::string revision;  ///< of the source, or "unknown"
  std::string versions;  ///< of this project, the compiler and what it was built with
  std::string machine;   ///< processor, cores, memory, kernel
  std::string load;      ///< load averages when it was asked

  /// Reads them; "unknown" where the machine does not tell.
  static Surroundings Read();
  std::string Text() const;
  JsonValue Json() const;
};

/// "ext4", "overlayfs", ...: where a folder lies.
std::string FileSystemName(const std::string& directory);

/// Processor time of this process so far, all threads, in seconds.
double ProcessorSeconds();

/// A line of /proc/PID/status or /proc/PID/io, for example "VmRSS" or "wchar": its number as it stands there
/// (kB for memory, bytes for io). Errors: unavailable.
Result<std::int64_t> ProcessNumber(const std::string& file, const std::string& name,
                                   const std::string& pid = "self");

}  // namespace lakestream::bench
