#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "lakestream/status.h"

namespace lakestream {

/// Bytes from hex digits; white space between them is ignored.
inline std::string Hex(std::string_view text) {
  std::string digits;
  for (const char c : text) {
    if (c != ' ' && c != '\n') digits += c;
  }
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

inline std::string ToHex(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned>(static_cast<unsigned char>(c)));
    text += digits;
  }
  return text;
}

inline std::string ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
}

/// The status is of that code, and its message holds each of the parts.
inline void ExpectStatus(const Status& status, StatusCode code, std::initializer_list<std::string_view> parts) {
  EXPECT_EQ(status.code(), code) << status.ToString();
  for (const std::string_view part : parts) {
    EXPECT_NE(status.message().find(part), std::string_view::npos) << part << " in " << status.ToString();
  }
}

}  // namespace lakestream
