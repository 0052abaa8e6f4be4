#pragma once

#include <string>

#include "bindings/entry_binding.h"
#include "lakestream/buffer.h"
#include "log/log_entry.h"

namespace lakestream {

/// How `read` writes an entry, or a record of one: its bytes are then those of its value.
enum class EntryFormat {
  kText,  ///< its bytes, an LF after it
  kFull,  ///< one line with offset, time, key, headers and value
  kJson,  ///< one JSON object a line
  kHex,   ///< its bytes in hexadecimal digits, one entry a line
  kRaw,   ///< its bytes, nothing between them
};

/// {"partition","offset","timestamp_ms","record_count","payload"} without an LF. A payload that is not UTF-8 is
/// "payload_base64".
std::string EntryJson(int partition, const LogEntry& entry);

/// {"partition","offset","timestamp_ms","key","headers":[{"key","value"}],"value"} without an LF. What is null is null, what
/// is not UTF-8 has "_base64" behind its name.
std::string RecordJson(int partition, const EntryItem& record);

/// Offset, time, key, headers (k=v, with commas between them) and value with tabs between them, without an LF. Null, and no
/// headers, are "-"; control characters and bytes that are not UTF-8 are escaped.
std::string RecordLine(const EntryItem& record);

/// Two lower-case digits a byte.
std::string HexText(ByteSpan bytes);

}  // namespace lakestream
