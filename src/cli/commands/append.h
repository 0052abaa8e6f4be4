#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/batch_assembler.h"
#include "cli/environment.h"

namespace lakestream {

struct AppendOptions {
  std::string stream;
  std::string file;  ///< empty or "-": standard input
  std::optional<int> partition;
  bool raw = false;      ///< the whole input is one entry, or of a kafka stream one record
  bool payload = false;  ///< the whole input is one entry of record batches
  bool offsets = false;  ///< a line "LINE PARTITION OFFSET" per acknowledged record, at once
  bool json = false;     ///< the summary as JSON on standard output
  // The rest is for streams of binding kafka.
  BatchingOptions batching;
  std::optional<std::int64_t> timestamp_ms;  ///< of every record; nothing: when it was read
  bool shapes_records = false;               ///< any of them was given
};

/// Appends each line of the input as one record: of a raw stream an entry of its own, of a kafka stream in batches. Line
/// i (from 0) goes to partition i mod N unless one is named. Ends with 0 only when every line is acknowledged.
int RunAppend(Environment& environment, const AppendOptions& options);

}  // namespace lakestream
