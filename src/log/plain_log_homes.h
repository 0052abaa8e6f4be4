#pragma once

#include <string>

#include "log/log_homes.h"

namespace lakestream {

/// Homes of logs that no catalog knows: of the simulator, benchmarks and tests. Each log has a directory of its own, and
/// opaque entries (EntrySerdeType and EntryRecordName of Binding::kRaw).
class PlainLogHomes final : public LogHomes {
 public:
  static LogHome Of(LogId log) {
    return LogHome{"default/log-" + std::to_string(log.value()), "LAKESTREAM_RAW_PARQUET", "LakestreamEntry"};
  }

  Task<Result<LogHome>> Find(OpContext /*context*/, LogId log) override { co_return Of(log); }
};

}  // namespace lakestream
