#pragma once

#include <optional>

#include "lakestream/types.h"

namespace lakestream::model {

struct TrimDecision {
  Offset marker;        ///< what the trim marker must be afterwards
  bool write = false;   ///< the marker has to be written; otherwise it stays as it is
  bool capped = false;  ///< the log's last record keeps the marker below what was asked for
};

/// What a soft trim through `through` (inclusive) does to the marker (specification, "Soft trim").
/// `last_record_start`: of the log's last index record; none for a log without records.
/// Requires: `current` and `through` are not negative.
TrimDecision DecideTrim(Offset current, std::optional<Offset> last_record_start, Offset through);

/// Up to which offset a hard trim that is asked for `asked` removes index records (specification, "Hard trim"): never
/// beyond the trim marker, and never the log's last record. 0 where there is nothing to remove.
/// Requires: none is negative.
Offset HardTrimLimit(Offset asked, Offset trim_marker, std::optional<Offset> last_record_start);

}  // namespace lakestream::model
