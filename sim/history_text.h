#pragma once

#include <cstdint>
#include <istream>
#include <string>

#include "base/time.h"
#include "lakestream/status.h"
#include "sim/evidence.h"

namespace lakestream::sim {

// A history of real processes as text: a line for each thing that happened, of words with one space between them, with
// "." as the last word, so that a line that was cut shows. What one process wrote stands together, from `process` to
// `killed` or `exited`, which whoever watched it adds. Times are nanoseconds of the monotonic clock of one machine; of a
// call they are taken before it begins and after its answer came.
//
//   history 1 .
//   process NAME threads N at TIME .
//   began CALL append client C at TIME log L number N caller C records N size N .
//   began CALL read|tail client C at TIME log L from OFFSET max_records N max_bytes N .
//   began CALL extent client C at TIME log L .
//   began CALL trim client C at TIME log L asked OFFSET .
//   ended CALL at TIME ok entry ENTRY .              of an append
//   ended CALL at TIME ok next OFFSET [ENTRY ...] .  of a read or tail
//   ended CALL at TIME ok from OFFSET to OFFSET .    of an extent: first and end; of a trim: the marker before and after
//   ended CALL at TIME CODE MESSAGE .
//   stuck MESSAGE .                                  what should have ended, or gone well, and did not
//   killed NAME at TIME .
//   exited NAME at TIME code N .
//   frozen NAME at TIME .                            outside of what a process wrote, as are the next three
//   final LOG marker OFFSET leases N .
//   record LOG start OFFSET end OFFSET sum N time N [ENTRY ...] .
//   unreadable LOG start OFFSET end OFFSET sum N time N MESSAGE .
//
// An ENTRY is offset:records:number:sum:time:size. A MESSAGE is one word, with "%XX" for what is not a visible character.

std::string ProcessLine(const std::string& name, int threads, MonotonicTime at);
/// `call` tells the calls of one process apart.
std::string BeganLine(std::int64_t call, const Operation& operation);
/// Requires: it has ended.
std::string EndedLine(std::int64_t call, const Operation& operation);
std::string StuckLine(std::string_view what);
/// A line for the log and one for each record.
std::string FinalLines(LogId log, const FinalLog& final);

/// What was read of a history.
struct RealHistory {
  Evidence evidence;  ///< `real`, with places that follow from the times
  std::int64_t lines = 0;
  std::int64_t processes = 0;
  std::int64_t killed = 0;
  std::int64_t cut_lines = 0;  ///< last lines that a kill cut: they count for nothing
};

/// Reads a whole history. Where a call began at the very time at which another ended they count as simultaneous.
/// Errors: corrupt, with the number of the line that is not as above, out of place, or cut without a kill behind it.
Result<RealHistory> ReadHistory(std::istream& text);

}  // namespace lakestream::sim
