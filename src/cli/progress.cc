#include "cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include "cli/append_report.h"
#include "cli/counted.h"
#include "cli/output.h"

namespace lakestream {

Progress::Progress(Environment& environment, bool writes_output)
    : environment_(environment),
      shown_(!environment.quiet() && isatty(STDERR_FILENO) == 1 && !(writes_output && isatty(STDOUT_FILENO) == 1)),
      last_(environment.started()) {}

Progress::~Progress() { Clear(); }

bool Progress::IsDue() {
  if (!shown_) return false;
  const MonotonicTime now = environment_.runtime().Now();
  if (now - last_ < kEvery) return false;
  last_ = now;
  return true;
}

void Progress::Show(std::int64_t records, std::int64_t bytes) {
  if (IsDue()) PrintProgress(fmt::format("{}, {}", Counted(records, "record"), ShortBytes(bytes)));
}

void Progress::ShowCheck(const FsckTotals& so_far) {
  if (!IsDue()) return;
  PrintProgress(fmt::format("{}, {}, {} read", Counted(so_far.records, "record"), Counted(so_far.objects, "object"),
                            ShortBytes(static_cast<std::int64_t>(so_far.bytes_read))));
}

void Progress::Clear() { PrintRaw(""); }

}  // namespace lakestream
