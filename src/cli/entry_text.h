#pragma once

#include <string>

#include "lakestream/buffer.h"
#include "log/log_entry.h"

namespace lakestream {

/// How `read` writes an entry.
enum class EntryFormat {
  kText,  ///< its bytes, an LF after it
  kJson,  ///< one JSON object a line
  kHex,   ///< its bytes in hexadecimal digits, one entry a line
  kRaw,   ///< its bytes, nothing between them
};

/// {"partition","offset","timestamp_ms","record_count","payload"} without an LF. A payload that is not UTF-8 is
/// "payload_base64".
std::string EntryJson(int partition, const LogEntry& entry);

/// Two lower-case digits a byte.
std::string HexText(ByteSpan bytes);

}  // namespace lakestream
