#include "codec/base64.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace lakestream {

namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t kNone = 0xff;

constexpr std::array<std::uint8_t, 256> MakeReverse() {
  std::array<std::uint8_t, 256> reverse{};
  reverse.fill(kNone);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    reverse[static_cast<std::uint8_t>(kAlphabet[i])] = static_cast<std::uint8_t>(i);
  }
  return reverse;
}
constexpr std::array<std::uint8_t, 256> kReverse = MakeReverse();

Status Bad(std::string_view sentence, std::size_t offset) { return Corrupt(sentence).With("offset", offset); }

}  // namespace

std::string Base64Encode(ByteSpan bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j) group = group << 8 | (j < count ? bytes[i + j] : 0);
    for (std::size_t j = 0; j < 4; ++j) out += j <= count ? kAlphabet[group >> (18 - 6 * j) & 63] : '=';
  }
  return out;
}

Status Base64DecodeInto(std::string_view text, std::string* out) {
  if (text.size() % 4 != 0) return Bad("base64 length is not a multiple of 4", text.size());
  out->resize(text.size() / 4 * 3);
  char* to = out->data();
  for (std::size_t i = 0; i < text.size(); i += 4) {
    std::size_t count = 4;
    if (i + 4 == text.size()) {
      while (count > 2 && text[i + count - 1] == '=') --count;
    }
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < count; ++j) {
      const std::uint8_t digit = kReverse[static_cast<std::uint8_t>(text[i + j])];
      if (digit == kNone) return Bad("base64 text holds another character", i + j);
      group |= std::uint32_t{digit} << (18 - 6 * j);
    }
    const std::size_t bytes = count - 1;
    if ((group & (0xffffffu >> (8 * bytes))) != 0)
      return Bad("base64 text has bits beyond its last byte", i + count - 1);
    for (std::size_t j = 0; j < bytes; ++j) *to++ = static_cast<char>(group >> (16 - 8 * j));
  }
  out->resize(static_cast<std::size_t>(to - out->data()));
  return OkStatus();
}

Result<std::string> Base64Decode(std::string_view text) {
  std::string out;
  const Status status = Base64DecodeInto(text, &out);
  if (!status.ok()) return status;
  return out;
}

}  // namespace lakestream
