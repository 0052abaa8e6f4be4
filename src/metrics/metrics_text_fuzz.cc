#include "metrics/metrics_text.h"

#include <cmath>
#include <cstdio>
#include <string>

#include "fuzz/fuzz_target.h"
#include "metrics/process_requests.h"

// What is read is written again, and read to the same samples.

namespace lakestream {
namespace {

std::string Written(const std::vector<MetricSample>& samples) {
  std::string text;
  for (const MetricSample& sample : samples) {
    text += sample.name + "{";
    for (const auto& [name, value] : sample.labels) {
      text += name + "=\"";
      for (const char c : value) {
        if (c == '\\' || c == '"') text += '\\';
        text += c == '\n' ? std::string("\\n") : std::string(1, c);
      }
      text += "\",";
    }
    char number[64];
    std::snprintf(number, sizeof number, "%.17g", sample.value);
    text += "} " + std::string(number) + "\n";
  }
  return text;
}

bool Same(const MetricSample& a, const MetricSample& b) {
  const bool value = a.value == b.value || (std::isnan(a.value) && std::isnan(b.value));
  return value && a.name == b.name && a.labels == b.labels;
}

}  // namespace

void FuzzOne(ByteSpan input) {
  const Result<std::vector<MetricSample>> samples = ParseMetricsText(AsText(input));
  if (!FuzzAnswer("metrics", samples.status(), {StatusCode::kInvalidArgument}, {"line="})) return;
  const Result<std::vector<MetricSample>> again = ParseMetricsText(Written(*samples));
  LS_INVARIANT(again.ok() && again->size() == samples->size(), "what was written is read");
  for (std::size_t i = 0; i < samples->size(); ++i) LS_INVARIANT(Same((*samples)[i], (*again)[i]), "to the same");
  const Result<model::ProcessRequests> process = RequestsOf(*samples);
  if (!FuzzAnswer("process", process.status(), {StatusCode::kInvalidArgument})) return;
  const model::ObservedCost cost = model::CostOfProcesses({*process}, model::StorePrices());
  LS_INVARIANT(process->seconds > 0 && cost.an_hour >= 0 && cost.so_far >= 0, "it costs something, or nothing");
}

}  // namespace lakestream
