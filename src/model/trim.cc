#include "model/trim.h"

#include <algorithm>

#include "base/broken_rule.h"

namespace lakestream::model {

TrimDecision DecideTrim(Offset current, std::optional<Offset> last_record_start, Offset through) {
  if (!last_record_start) return TrimDecision{current, false, false};
  // Compared before the addition, which could overflow.
  const bool capped = through >= *last_record_start;
  Offset target = capped ? *last_record_start : through + 1;
  if (capped && Broken(Rule::kLastRecordStays)) target = target + 1;
  if (target <= current) return TrimDecision{current, false, capped};
  return TrimDecision{target, true, capped};
}

Offset HardTrimLimit(Offset asked, Offset trim_marker, std::optional<Offset> last_record_start) {
  if (!last_record_start) return Offset(0);
  const Offset at_marker = Broken(Rule::kHardTrimStopsAtMarker) ? asked : std::min(asked, trim_marker);
  if (Broken(Rule::kLastRecordStays)) return at_marker;
  return std::min(at_marker, *last_record_start);
}

}  // namespace lakestream::model
