#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/entry_text.h"
#include "cli/environment.h"
#include "cli/time_argument.h"

namespace lakestream {

struct ReadFrom {
  enum class Kind { kFirst, kEnd, kOffset };
  Kind kind = Kind::kFirst;
  std::int64_t offset = 0;  ///< of kOffset; 0 or more
};

struct ReadOptions {
  std::string stream;
  std::optional<int> partition;
  ReadFrom from;
  std::optional<TimeArgument> since;  ///< in place of `from`: from the first entry with this time or a later one
  std::optional<std::int64_t> max;  ///< records, of a raw stream entries; 1 or more
  bool follow = false;
  EntryFormat format = EntryFormat::kText;
  std::optional<std::string> binding;  ///< what to take the entries for; nothing: what the stream says
  bool no_final_lf = false;  ///< of kText: no LF after the last entry
};

/// Writes records, of a raw stream entries, to standard output. Without a partition: all of them, one after another, or with `follow`
/// side by side as entries come.
int RunRead(Environment& environment, const ReadOptions& options);

}  // namespace lakestream
