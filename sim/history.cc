#include "sim/history.h"

#include <fmt/format.h>

namespace lakestream::sim {

const char* KindName(Operation::Kind kind) {
  switch (kind) {
    case Operation::Kind::kAppend: return "append";
    case Operation::Kind::kRead: return "read";
    case Operation::Kind::kTail: return "tail";
    case Operation::Kind::kExtent: return "extent";
    case Operation::Kind::kTrim: return "trim";
  }
  return "?";
}

std::string ToString(const SeenEntry& entry) {
  return fmt::format("entry {} at offset {} ({} records, {} B, cumulative {})", entry.number, entry.offset.value(),
                     entry.records, entry.size, entry.cumulative_size);
}

std::string ToString(const Operation& operation) {
  std::string text = fmt::format("{} of {} client {} on log {}, {} to {}", KindName(operation.kind),
                                 operation.process, operation.client, operation.log.value(), operation.began,
                                 operation.ended ? std::to_string(*operation.ended) : "no end");
  switch (operation.kind) {
    case Operation::Kind::kAppend:
      text += fmt::format(", number {}", operation.number);
      if (operation.acknowledged) text += ", answered " + ToString(*operation.acknowledged);
      break;
    case Operation::Kind::kRead:
    case Operation::Kind::kTail:
      text += fmt::format(", from {}: {} entries, next {}", operation.from.value(), operation.entries.size(),
                          operation.next.value());
      break;
    case Operation::Kind::kExtent:
    case Operation::Kind::kTrim:
      text += fmt::format(", {} to {}", operation.low.value(), operation.high.value());
      break;
  }
  if (operation.ended && !operation.status.ok()) text += ", " + operation.status.ToString();
  return text;
}

}  // namespace lakestream::sim
