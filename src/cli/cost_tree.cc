#include "cli/cost_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>

namespace lakestream {
namespace {

constexpr int kMostDigits = 12;

/// Four digits that count, and never an exponent.
JsonValue Number(double value) {
  JsonValue json;
  if (!std::isfinite(value)) return json;
  const int whole = value == 0 ? 1 : static_cast<int>(std::floor(std::log10(std::abs(value)))) + 1;
  std::string text = fmt::format("{:.{}f}", value, std::clamp(4 - whole, 0, kMostDigits));
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  json.kind = JsonValue::Kind::kNumber;
  json.text = std::move(text);
  return json;
}

JsonValue Number(const std::optional<double>& value) { return value ? Number(*value) : JsonValue::Null(); }

JsonValue PricesTree(const model::StorePrices& prices) {
  JsonValue json = JsonValue::Object();
  json.Add("usd_per_1000_puts", Number(prices.per_1000_puts))
      .Add("usd_per_1000_gets", Number(prices.per_1000_gets))
      .Add("usd_per_gb_month", Number(prices.per_gb_month));
  return json;
}

JsonValue ObjectsTree(std::string_view kind, const SpaceSummary::Objects& objects, const model::StorePrices& prices) {
  JsonValue json = JsonValue::Object();
  json.Add("kind", JsonValue::String(kind))
      .Add("objects", JsonValue::Int(objects.objects))
      .Add("bytes", JsonValue::Int(objects.bytes))
      .Add("usd_a_month", Number(model::CostOfStorageAMonth(objects.bytes, prices)));
  return json;
}

struct Share {
  std::string_view stream;
  std::int64_t partitions = 0;
  std::int64_t wal_bytes = 0;
  std::int64_t compacted_bytes = 0;
};

JsonValue ShareTree(const Share& of, std::int64_t all, const model::StorePrices& prices) {
  const std::int64_t bytes = of.wal_bytes + of.compacted_bytes;
  JsonValue json = JsonValue::Object();
  json.Add("stream", JsonValue::String(of.stream))
      .Add("partitions", JsonValue::Int(of.partitions))
      .Add("wal_bytes", JsonValue::Int(of.wal_bytes))
      .Add("compacted_bytes", JsonValue::Int(of.compacted_bytes))
      .Add("percent", Number(std::round(model::ShareOf(bytes, all) * 1000) / 10))
      .Add("usd_a_month", Number(model::CostOfStorageAMonth(bytes, prices)));
  return json;
}

}  // namespace

JsonValue SpaceCostTree(const SpaceSummary& space, const model::StorePrices& prices) {
  const SpaceSummary::Objects all = space.all();
  JsonValue stored = JsonValue::Array();
  stored.Append(ObjectsTree("wal", space.wal, prices))
      .Append(ObjectsTree("compacted", space.compacted, prices))
      .Append(ObjectsTree("companion", space.companions, prices));
  if (space.other.objects > 0) stored.Append(ObjectsTree("other", space.other, prices));
  stored.Append(ObjectsTree("all", all, prices));

  const auto puts = static_cast<double>(all.objects);
  const double cost = model::CostOfRequests(model::RequestClass::kPut, puts, prices);
  const std::int64_t payload = space.payload_bytes();
  JsonValue written = JsonValue::Object();
  written.Add("puts", JsonValue::Int(all.objects))
      .Add("usd", Number(cost))
      .Add("payload_bytes", JsonValue::Int(payload))
      .Add("puts_per_gib", Number(model::PerGiB(puts, payload)))
      .Add("usd_per_gib", Number(model::PerGiB(cost, payload)));

  JsonValue streams = JsonValue::Array();
  for (const SpaceSummary::Stream& stream : space.streams) {
    const Share share{stream.name, stream.logs, stream.wal_bytes, stream.compacted_bytes};
    streams.Append(ShareTree(share, all.bytes, prices));
  }
  JsonValue json = JsonValue::Object();
  json.Add("prices", PricesTree(prices))
      .Add("stored", std::move(stored))
      .Add("written_by", std::move(written))
      .Add("streams", std::move(streams))
      .Add("bytes_of_no_stream", JsonValue::Int(space.shared_bytes()));
  if (space.damaged > 0) json.Add("damaged_records", JsonValue::Int(space.damaged));
  return json;
}

JsonValue RequestCostTree(const std::vector<model::ProcessRequests>& processes, const model::StorePrices& prices) {
  const model::ObservedCost cost = model::CostOfProcesses(processes, prices);
  double seconds = 0;
  for (const model::ProcessRequests& process : processes) seconds = std::max(seconds, process.seconds);
  JsonValue requests = JsonValue::Array();
  for (const model::ObservedCost::Op& op : cost.ops) {
    JsonValue row = JsonValue::Object();
    row.Add("root", JsonValue::String(op.root))
        .Add("op", JsonValue::String(op.op))
        .Add("billed_as", JsonValue::String(model::RequestClassName(op.of)))
        .Add("requests", JsonValue::Int(op.requests))
        .Add("a_second", Number(op.per_second))
        .Add("usd_an_hour", Number(op.an_hour))
        .Add("usd_a_month", Number(op.an_hour * model::kHoursAMonth));
    requests.Append(std::move(row));
  }
  JsonValue together = JsonValue::Object();
  together.Add("puts", JsonValue::Int(cost.puts))
      .Add("gets", JsonValue::Int(cost.gets))
      .Add("usd_so_far", Number(cost.so_far))
      .Add("usd_an_hour", Number(cost.an_hour))
      .Add("usd_a_month", Number(cost.an_hour * model::kHoursAMonth))
      .Add("appended_bytes", JsonValue::Int(cost.appended_bytes))
      .Add("puts_per_gib", Number(model::PerGiB(static_cast<double>(cost.puts), cost.appended_bytes)))
      .Add("usd_per_gib", Number(model::PerGiB(cost.so_far, cost.appended_bytes)));
  JsonValue json = JsonValue::Object();
  json.Add("prices", PricesTree(prices))
      .Add("processes", JsonValue::Int(static_cast<std::int64_t>(processes.size())))
      .Add("observed_seconds", Number(seconds))
      .Add("requests", std::move(requests))
      .Add("together", std::move(together));
  return json;
}

}  // namespace lakestream
