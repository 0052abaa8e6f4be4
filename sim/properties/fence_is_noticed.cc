#include <fmt/format.h>

#include "sim/properties/property.h"

namespace lakestream::sim {
namespace {

Contradiction Check(const Evidence& evidence) {
  // Without guards a put that was sent before may land at any time.
  if (!evidence.guarded_writes) return std::nullopt;
  const std::vector<IndexPut> puts = RawPuts(evidence);
  for (const Deletion& deletion : evidence.deletions) {
    for (const IndexPut& put : puts) {
      if (put.log != deletion.log || put.at <= deletion.fenced_at + evidence.fence_seen_within) continue;
      const PutEvent* object = PutOf(evidence, put.object);
      if (object == nullptr) continue;
      if (HadTrouble(evidence, object->process, deletion.fenced_at - kLongestTrouble, put.at)) continue;
      return fmt::format("log {} was fenced at {}; {}, which had no trouble, put a record at {}, {} later",
                         put.log.value(), deletion.fenced, object->process, put.place,
                         FormatDuration(put.at - deletion.fenced_at));
    }
  }
  return std::nullopt;
}

const PropertyRegistration kRegistered(
    Property{"fence_is_noticed", "a writer that holds a lease sees a fence, and stops (P22)", Check, Needs::kStores});

}  // namespace
}  // namespace lakestream::sim
