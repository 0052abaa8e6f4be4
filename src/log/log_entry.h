#pragma once

#include "format/log_entry_header.h"
#include "lakestream/buffer.h"

namespace lakestream {

struct LogEntry {
  LogEntryHeader header;
  Buffer payload;
};

}  // namespace lakestream
