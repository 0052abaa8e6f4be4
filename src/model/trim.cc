#include "model/trim.h"

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

}  // namespace lakestream::model
