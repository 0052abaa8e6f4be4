#include "cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include "cli/append_report.h"
#include "cli/output.h"

namespace lakestream {

Progress::Progress(Environment& environment, bool writes_output)
    : environment_(environment),
      shown_(!environment.quiet() && isatty(STDERR_FILENO) == 1 && !(writes_output && isatty(STDOUT_FILENO) == 1)),
      last_(environment.runtime().Now()) {}

Progress::~Progress() { PrintRaw(""); }

void Progress::Show(std::int64_t entries, std::int64_t bytes) {
  if (!shown_) return;
  const MonotonicTime now = environment_.runtime().Now();
  if (now - last_ < kEvery) return;
  last_ = now;
  PrintProgress(fmt::format("{} entries, {}", entries, ShortBytes(bytes)));
}

}  // namespace lakestream
