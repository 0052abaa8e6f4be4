#pragma once

#include <string>

#include "base/logging.h"
#include "cli/commands/read.h"
#include "cli/entry_text.h"
#include "lakestream/status.h"
#include "metrics/listen_address.h"

// What single words of a command line mean. Errors, of all: invalid_argument, as Wrong makes it.

namespace lakestream {

/// Says what is wrong, and where help for it is. `command`: its path, "stream create"; empty for the whole.
Status Wrong(std::string sentence, const std::string& command);

Result<ReadFrom> ParseFrom(const std::string& text);
Result<EntryFormat> ParseFormat(const std::string& text);
/// Of the option, where it was given, else of $LAKESTREAM_LOG, else `otherwise`.
Result<LogLevel> FindLogLevel(const std::string& option, LogLevel otherwise, const std::string& command);
Result<ListenAddress> ParseMetrics(const std::string& text, const std::string& command);

}  // namespace lakestream
