#include "format/log_isolation.h"

#include "base/invariant.h"

namespace lakestream {

namespace {

constexpr std::string_view kIsolated = "/lakestream/isolated/";

}  // namespace

std::string LogIsolationKey(LogId log) {
  LS_INVARIANT(log.value() >= 0, "a log id is not negative");
  return std::string(kIsolated) + log.ToString();
}

KeyBounds LogIsolationKeys() {
  const std::string prefix(kIsolated);
  return KeyBounds{prefix, prefix + "\xef\xbf\xbf"};
}

std::optional<LogId> LogOfIsolationKey(std::string_view key) {
  if (!key.starts_with(kIsolated)) return std::nullopt;
  const std::optional<std::int64_t> id = ParseDecimal(key.substr(kIsolated.size()));
  if (!id) return std::nullopt;
  return LogId(*id);
}

}  // namespace lakestream
