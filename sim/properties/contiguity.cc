#include <fmt/format.h>

#include "format/index_key.h"
#include "sim/properties/property.h"

namespace lakestream::sim {
namespace {

Contradiction Check(const Evidence& evidence) {
  std::map<LogId, IndexPut> last;
  std::map<LogId, Place> begun_anew;
  for (const Deletion& deletion : evidence.deletions) begun_anew[deletion.log] = deletion.deleted;
  for (const IndexPut& put : IndexPuts(evidence)) {
    auto before = last.find(put.log);
    const auto anew = begun_anew.find(put.log);
    // While a log is being deleted its first record after the deletion begins at 0 again.
    if (before != last.end() && anew != begun_anew.end() && before->second.place < anew->second &&
        put.place > anew->second) {
      last.erase(before);
      before = last.end();
    }
    const Offset expected = before == last.end() ? Offset(0) : before->second.end;
    const std::int64_t bytes = before == last.end() ? 0 : before->second.cumulative_size;
    if (put.start != expected || put.cumulative_size != bytes + put.size) {
      return fmt::format("log {}: a record of {} to {} with cumulative size {} and {} bytes of its own was put at {}; "
                         "the one before it ends at {} with {}",
                         put.log.value(), put.start.value(), put.end.value(), put.cumulative_size, put.size, put.place,
                         expected.value(), bytes);
    }
    last[put.log] = put;
  }
  return std::nullopt;
}

const PropertyRegistration kRegistered(Property{
    "contiguity", "each index record begins where the one before it ends, in records and in bytes (P3, P10, P24)",
    Check});

}  // namespace
}  // namespace lakestream::sim
