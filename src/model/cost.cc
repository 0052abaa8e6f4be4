#include "model/cost.h"

#include <map>
#include <utility>

namespace lakestream::model {
namespace {

constexpr double kGiB = 1024.0 * 1024 * 1024;

struct NamedClass {
  std::string_view op;
  RequestClass of;
};
constexpr NamedClass kClasses[] = {
    {"put", RequestClass::kPut},          {"append", RequestClass::kPut},   {"start_upload", RequestClass::kPut},
    {"complete", RequestClass::kPut},     {"list", RequestClass::kPut},     {"get", RequestClass::kGet},
    {"head", RequestClass::kGet},         {"delete", RequestClass::kFree},  {"abort", RequestClass::kFree},
    {"remove_leftovers", RequestClass::kPut},  // a listing, and calls that cost nothing
};

}  // namespace

std::string_view RequestClassName(RequestClass of) {
  switch (of) {
    case RequestClass::kPut: return "put";
    case RequestClass::kGet: return "get";
    case RequestClass::kFree: return "free";
  }
  return "unknown";
}

std::optional<RequestClass> ClassOfRequest(std::string_view op) {
  for (const NamedClass& known : kClasses) {
    if (known.op == op) return known.of;
  }
  return std::nullopt;
}

double CostOfRequests(RequestClass of, double requests, const StorePrices& prices) {
  switch (of) {
    case RequestClass::kPut: return requests / 1000 * prices.per_1000_puts;
    case RequestClass::kGet: return requests / 1000 * prices.per_1000_gets;
    case RequestClass::kFree: return 0;
  }
  return 0;
}

double CostOfStorageAMonth(std::int64_t bytes, const StorePrices& prices) {
  return static_cast<double>(bytes) / kGiB * prices.per_gb_month;
}

std::optional<double> PerGiB(double amount, std::int64_t bytes) {
  if (bytes <= 0) return std::nullopt;
  return amount / (static_cast<double>(bytes) / kGiB);
}

double ShareOf(std::int64_t part, std::int64_t whole) {
  return whole <= 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

ObservedCost CostOfProcesses(const std::vector<ProcessRequests>& processes, const StorePrices& prices) {
  ObservedCost cost;
  std::map<std::pair<std::string, std::string>, ObservedCost::Op> ops;
  for (const ProcessRequests& process : processes) {
    cost.appended_bytes += process.appended_bytes;
    for (const ProcessRequests::Op& one : process.ops) {
      if (one.requests == 0) continue;
      const auto requests = static_cast<double>(one.requests);
      const double per_second = requests / process.seconds;
      const double an_hour = CostOfRequests(one.of, per_second * 3600, prices);
      ObservedCost::Op& op = ops[{one.root, one.op}];
      op.root = one.root;
      op.op = one.op;
      op.of = one.of;
      op.requests += one.requests;
      op.per_second += per_second;
      op.an_hour += an_hour;
      cost.an_hour += an_hour;
      cost.so_far += CostOfRequests(one.of, requests, prices);
      if (one.of == RequestClass::kPut) cost.puts += one.requests;
      if (one.of == RequestClass::kGet) cost.gets += one.requests;
    }
  }
  for (auto& [name, op] : ops) cost.ops.push_back(std::move(op));
  return cost;
}

}  // namespace lakestream::model
