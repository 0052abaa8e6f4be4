#include "metrics/process_requests.h"

#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/try.h"

namespace lakestream {
namespace {

// More than a process can do in its life, and little enough for sums of many.
constexpr double kMostRequests = 1e12;
constexpr double kMostBytes = 1e18;

Result<std::int64_t> Counted(const MetricSample& sample, double most) {
  if (sample.value >= 0 && sample.value <= most && std::floor(sample.value) == sample.value) {
    return static_cast<std::int64_t>(sample.value);
  }
  return InvalidArgument("this is no count").With("metric", sample.name);
}

}  // namespace

Result<model::ProcessRequests> RequestsOf(const std::vector<MetricSample>& samples) {
  model::ProcessRequests process;
  std::map<std::pair<std::string, std::string>, model::ProcessRequests::Op> ops;
  for (const MetricSample& sample : samples) {
    if (sample.name == "lakestream_process_age_seconds") {
      if (process.seconds > 0) return InvalidArgument("these are the metrics of several processes; give each by itself");
      if (!(sample.value > 0) || std::isinf(sample.value)) {
        return InvalidArgument("a process is older than 0 seconds").With("metric", sample.name);
      }
      process.seconds = sample.value;
    } else if (sample.name == "lakestream_writer_bytes_total") {
      LS_ASSIGN(process.appended_bytes, Counted(sample, kMostBytes));
    } else if (sample.name == "lakestream_objects_calls_total") {
      const std::string op(sample.Label("op"));
      const std::optional<model::RequestClass> of = model::ClassOfRequest(op);
      if (!of) return InvalidArgument("it is not known what this operation costs").With("op", op);
      LS_ASSIGN(const std::int64_t requests, Counted(sample, kMostRequests));
      model::ProcessRequests::Op& one = ops[{std::string(sample.Label("root")), op}];
      one.of = *of;
      one.requests += requests;
    }
  }
  if (process.seconds == 0) return InvalidArgument("these are not the metrics of a process of Lakestream");
  for (auto& [name, op] : ops) {
    op.root = name.first;
    op.op = name.second;
    process.ops.push_back(std::move(op));
  }
  return process;
}

}  // namespace lakestream
