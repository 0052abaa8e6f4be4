#include "cli/argument_values.h"

#include <charconv>
#include <cstdlib>
#include <optional>

namespace lakestream {

Status Wrong(std::string sentence, const std::string& command) {
  for (char& c : sentence) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  return InvalidArgument(sentence + "; see \"lakestream help" + (command.empty() ? "" : " " + command) + "\"");
}

Result<ReadFrom> ParseFrom(const std::string& text) {
  ReadFrom from;
  if (text == "first") return from;
  from.kind = ReadFrom::Kind::kEnd;
  if (text == "end") return from;
  from.kind = ReadFrom::Kind::kOffset;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, from.offset);
  if (error == std::errc() && rest == end && from.offset >= 0) return from;
  return Wrong("--from takes an offset, \"first\" or \"end\", not \"" + text + "\"", "read");
}

Result<EntryFormat> ParseFormat(const std::string& text) {
  if (text == "text") return EntryFormat::kText;
  if (text == "full") return EntryFormat::kFull;
  if (text == "json") return EntryFormat::kJson;
  if (text == "hex") return EntryFormat::kHex;
  if (text == "raw") return EntryFormat::kRaw;
  return Wrong("--format is text, full, json, hex or raw, not \"" + text + "\"", "read");
}

Result<LogLevel> FindLogLevel(const std::string& option, LogLevel otherwise, const std::string& command) {
  const char* const variable = std::getenv("LAKESTREAM_LOG");
  const std::string name = option.empty() && variable != nullptr ? variable : option;
  if (name.empty()) return otherwise;
  const std::optional<LogLevel> level = ParseLogLevel(name);
  if (level) return *level;
  return Wrong(std::string(option.empty() ? "LAKESTREAM_LOG" : "--log-level") +
                   " is debug, info, warning or error, not \"" + name + "\"",
               command);
}

Result<ListenAddress> ParseMetrics(const std::string& text, const std::string& command) {
  Result<ListenAddress> address = ParseListenAddress(text);
  if (address.ok()) return address;
  return Wrong("--metrics takes HOST:PORT, where HOST is an IP address, or PORT, not \"" + text + "\"", command);
}

}  // namespace lakestream
