#include "log/reader/missing_object.h"

#include "base/broken_rule.h"

namespace lakestream {

Status MissingObject(std::string_view object) {
  return NotFound("an index record names an object that does not exist").With("object", object);
}

Status MissingTwice::Judge(const Status& status, const IndexRecord& record, LogId log, Offset wanted) {
  if (status.code() != StatusCode::kNotFound) return status;
  const std::string now = record.key + " " + record.index.location;
  ++looks_;
  if (now == missing_ || Broken(Rule::kMissingFileIsLookedUpAgain)) {
    return status.As(StatusCode::kCorrupt).With("log", log.value()).With("offset", wanted.value());
  }
  missing_ = now;
  return OkStatus();
}

}  // namespace lakestream
