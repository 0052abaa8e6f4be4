#include "sim/payload.h"

#include <vector>

namespace lakestream::sim {
namespace {

void PutNumber(std::vector<std::uint8_t>& bytes, std::int64_t value) {
  for (int shift = 56; shift >= 0; shift -= 8) bytes.push_back(static_cast<std::uint8_t>(value >> shift));
}

std::int64_t TakeNumber(ByteSpan bytes) {
  std::int64_t value = 0;
  for (int i = 0; i < 8; ++i) value = value << 8 | bytes[static_cast<std::size_t>(i)];
  return value;
}

std::uint8_t Filler(AppendNumber number, std::size_t at) {
  return static_cast<std::uint8_t>(static_cast<std::size_t>(number) * 131 + at * 29 + (at >> 8));
}

}  // namespace

Buffer MakePayload(AppendNumber number, LogId log, std::size_t size) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(size);
  PutNumber(bytes, number);
  PutNumber(bytes, log.value());
  while (bytes.size() < size) bytes.push_back(Filler(number, bytes.size()));
  return Buffer(std::string(bytes.begin(), bytes.end()));
}

AppendNumber ReadPayload(ByteSpan bytes, LogId log) {
  if (bytes.size() < kSmallestPayload) return -1;
  const AppendNumber number = TakeNumber(bytes);
  if (TakeNumber(bytes.subspan(8)) != log.value()) return -1;
  for (std::size_t i = kSmallestPayload; i < bytes.size(); ++i) {
    if (bytes[i] != Filler(number, i)) return -1;
  }
  return number;
}

}  // namespace lakestream::sim
