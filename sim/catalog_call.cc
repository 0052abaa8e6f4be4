#include "sim/catalog_call.h"

#include <fmt/format.h>

namespace lakestream::sim {

const char* CatalogKindName(CatalogCall::Kind kind) {
  switch (kind) {
    case CatalogCall::Kind::kCreate: return "create";
    case CatalogCall::Kind::kLoad: return "load";
    case CatalogCall::Kind::kList: return "list";
    case CatalogCall::Kind::kGrow: return "grow";
    case CatalogCall::Kind::kSet: return "set";
    case CatalogCall::Kind::kDrop: return "drop";
    case CatalogCall::Kind::kSweep: return "sweep";
  }
  return "?";
}

std::string ToString(const CatalogCall& call) {
  std::string text = fmt::format("{} of {} by {} from {} to {}", CatalogKindName(call.kind), call.asked, call.process,
                                 call.began, call.ended.value_or(-1));
  if (!call.stream.empty() && call.stream != call.asked) text += fmt::format(", stream {}", call.stream);
  if (call.partitions > 0) text += fmt::format(", {} partitions asked", call.partitions);
  if (call.grown > 0) text += fmt::format(", {} there", call.grown);
  if (!call.logs.empty()) text += ", logs";
  for (const LogId log : call.logs) text += fmt::format(" {}", log.value());
  if (call.ended) text += ": " + call.status.ToString();
  return text;
}

}  // namespace lakestream::sim
