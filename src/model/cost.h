#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// What an object store costs, by a list of prices like those of S3. Arithmetic alone: nothing else depends on it.

namespace lakestream::model {

/// US dollars. The defaults are the list prices of S3 Standard in us-east-1.
struct StorePrices {
  double per_1000_puts = 0.005;   ///< requests that write or list
  double per_1000_gets = 0.0004;  ///< requests that read
  double per_gb_month = 0.023;    ///< of 2^30 bytes, kept for a month
};

/// As S3 bills requests.
enum class RequestClass : std::uint8_t {
  kPut,   ///< PUT, the parts of an upload, LIST
  kGet,   ///< GET, HEAD
  kFree,  ///< DELETE
};
std::string_view RequestClassName(RequestClass of);

/// Of an operation of the object stores, by its name in metrics ("put"). None for a name that there is not.
std::optional<RequestClass> ClassOfRequest(std::string_view op);

/// A month has 730 hours, as price lists have it.
inline constexpr double kHoursAMonth = 730;

double CostOfRequests(RequestClass of, double requests, const StorePrices& prices);
double CostOfStorageAMonth(std::int64_t bytes, const StorePrices& prices);
/// None where there are no bytes.
std::optional<double> PerGiB(double amount, std::int64_t bytes);
/// 0 to 1; 0 of nothing.
double ShareOf(std::int64_t part, std::int64_t whole);

/// What one process has asked of the stores since it began.
struct ProcessRequests {
  struct Op {
    std::string root;  ///< "wal" or "compacted"
    std::string op;
    RequestClass of = RequestClass::kFree;
    std::int64_t requests = 0;
  };
  double seconds = 0;  ///< greater than 0
  std::vector<Op> ops;
  std::int64_t appended_bytes = 0;  ///< payload that was acknowledged
};

/// What several processes cost together, at the rates at which each has worked.
struct ObservedCost {
  struct Op {
    std::string root;
    std::string op;
    RequestClass of = RequestClass::kFree;
    std::int64_t requests = 0;
    double per_second = 0;
    double an_hour = 0;
  };
  std::vector<Op> ops;    ///< by root and name; those that were asked for at least once
  double an_hour = 0;     ///< requests
  double so_far = 0;      ///< of all that was counted
  std::int64_t puts = 0;  ///< of class kPut
  std::int64_t gets = 0;
  std::int64_t appended_bytes = 0;
};
ObservedCost CostOfProcesses(const std::vector<ProcessRequests>& processes, const StorePrices& prices);

}  // namespace lakestream::model
