#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lakestream/status.h"
#include "runtime/posix/posix.h"

namespace lakestream::bench {

/// The lakestream command in a process of its own, which ends with this object. Not thread-safe; its calls block.
class CommandProcess {
 public:
  /// `input`: the file that it reads; empty for what Send gives it.
  static Result<std::unique_ptr<CommandProcess>> Start(const std::string& program, std::vector<std::string> arguments,
                                                       const std::string& input);
  ~CommandProcess();
  CommandProcess(const CommandProcess&) = delete;
  CommandProcess& operator=(const CommandProcess&) = delete;

  Status Send(std::string_view text);
  /// The next line of its output, without its end. Errors: unavailable, there is none.
  Result<std::string> ReadLine();
  /// Ends its input and waits. Errors: unavailable where it did not end with 0.
  Status Finish();
  /// The most memory that it has had at once so far, resident.
  Result<std::int64_t> PeakBytes() const;
  /// Asks it to end, by SIGTERM, and waits. Errors: unavailable where it ended in another way.
  Status Terminate();

 private:
  CommandProcess(pid_t pid, UniqueFd input, UniqueFd output)
      : pid_(pid), input_(std::move(input)), output_(std::move(output)) {}

  pid_t pid_;  ///< 0: it has ended
  UniqueFd input_;
  UniqueFd output_;
  std::string read_;  ///< of its output, and not yet given
};

}  // namespace lakestream::bench
