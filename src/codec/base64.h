#pragma once

#include <string>
#include <string_view>

#include "lakestream/buffer.h"
#include "lakestream/status.h"

namespace lakestream {

/// Standard alphabet with padding (RFC 4648, section 4).
std::string Base64Encode(ByteSpan bytes);

/// Takes exactly what Base64Encode writes. Errors: corrupt (offset= in the text) for another alphabet, white
/// space, missing or misplaced padding, and bits set beyond the last byte.
Result<std::string> Base64Decode(std::string_view text);

/// The same into a string whose memory is used again. After an error its content is nothing to rely on.
Status Base64DecodeInto(std::string_view text, std::string* out);

}  // namespace lakestream
