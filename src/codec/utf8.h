#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lakestream {

/// The bytes of the UTF-8 character that begins the text (1 to 4), or 0 where none does (RFC 3629: no overlong
/// forms, no surrogates, nothing above U+10FFFF).
std::size_t Utf8Length(std::string_view text);

bool IsUtf8(std::string_view text);

/// Whether a character, as Utf8Length cuts it, is a control character: U+0000 to U+001F and U+007F to U+009F.
bool IsControl(std::string_view character);

/// The text for a terminal: control characters and bytes that are not UTF-8 become \xNN, byte by byte.
std::string Printable(std::string_view text);

}  // namespace lakestream
