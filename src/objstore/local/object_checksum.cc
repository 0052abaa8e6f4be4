#include "objstore/local/object_checksum.h"

#include <algorithm>
#include <bit>
#include <charconv>

#include <fmt/format.h>

#include "base/invariant.h"
#include "codec/crc32c.h"

namespace lakestream {
namespace {

constexpr std::size_t kDigits = 8;
constexpr char kSeparator = ':';

std::optional<std::uint32_t> ParseDigits(std::string_view text) {
  if (text.size() != kDigits) return std::nullopt;
  std::uint32_t value = 0;
  for (const char c : text) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit && (c < 'a' || c > 'f')) return std::nullopt;
    value = value << 4 | static_cast<std::uint32_t>(digit ? c - '0' : c - 'a' + 10);
  }
  return value;
}

/// Cuts off what stands before the next separator, or all that is left.
std::string_view TakeField(std::string_view& text) {
  const std::size_t end = std::min(text.find(kSeparator), text.size());
  const std::string_view field = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return field;
}

/// Joins each block with its neighbour. The last of them holds `size - (n - 1) * block_bytes` bytes.
void JoinNeighbours(std::vector<std::uint32_t>& blocks, std::uint64_t size, std::uint64_t block_bytes) {
  const std::size_t count = blocks.size();
  for (std::size_t i = 0; i < count; i += 2) {
    blocks[i / 2] = blocks[i];
    if (i + 1 == count) break;
    const std::uint64_t second_bytes = std::min(block_bytes, size - (i + 1) * block_bytes);
    blocks[i / 2] = Crc32cCombine(blocks[i], blocks[i + 1], second_bytes);
  }
  blocks.resize((count + 1) / 2);
}

}  // namespace

std::optional<std::uint64_t> ParseChecksumNumber(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (text.front() == '0' && text.size() > 1) return std::nullopt;
  return value;
}

void ObjectChecksum::JoinBlocks() {
  LS_INVARIANT(blocks.size() > 1, "blocks are joined where there are some");
  JoinNeighbours(blocks, size, block_bytes);
  block_bytes *= 2;
  if (blocks.size() > 1) return;
  blocks.clear();
  size = block_bytes = 0;
}

std::string ObjectChecksum::Text() const {
  std::string text = fmt::format("{:08x}", whole);
  if (blocks.empty()) return text;
  text += fmt::format("{}{}{}{}{}", kSeparator, size, kSeparator, block_bytes, kSeparator);
  for (const std::uint32_t block : blocks) text += fmt::format("{:08x}", block);
  return text;
}

std::optional<ObjectChecksum> ObjectChecksum::Parse(std::string_view text) {
  const bool has_blocks = text.find(kSeparator) != std::string_view::npos;
  const auto whole = ParseDigits(TakeField(text));
  if (!whole) return std::nullopt;
  ObjectChecksum checksum;
  checksum.whole = *whole;
  if (!has_blocks) return checksum;
  const auto size = ParseChecksumNumber(TakeField(text));
  const auto block_bytes = ParseChecksumNumber(TakeField(text));
  if (!size || !block_bytes) return std::nullopt;
  if (*block_bytes < kMinBlockBytes || !std::has_single_bit(*block_bytes) || *size <= *block_bytes) return std::nullopt;
  const std::uint64_t count = (*size - 1) / *block_bytes + 1;
  if (count > kMaxBlocks || text.size() != count * kDigits) return std::nullopt;
  checksum.size = *size;
  checksum.block_bytes = *block_bytes;
  for (; !text.empty(); text.remove_prefix(kDigits)) {
    const auto block = ParseDigits(text.substr(0, kDigits));
    if (!block) return std::nullopt;
    checksum.blocks.push_back(*block);
  }
  return checksum;
}

void ChecksumBuilder::Append(ByteSpan bytes) {
  while (!bytes.empty()) {
    const std::uint64_t full = size_ % block_bytes_;
    if (full == 0) {
      if (blocks_.size() == ObjectChecksum::kMaxBlocks) {
        JoinNeighbours(blocks_, size_, block_bytes_);
        block_bytes_ *= 2;
      }
      blocks_.push_back(0);
    }
    const std::size_t taken = std::min<std::uint64_t>(bytes.size(), block_bytes_ - size_ % block_bytes_);
    blocks_.back() = Crc32c(bytes.first(taken), blocks_.back());
    bytes = bytes.subspan(taken);
    size_ += taken;
  }
}

ObjectChecksum ChecksumBuilder::Finish() const {
  ObjectChecksum checksum;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    checksum.whole = Crc32cCombine(checksum.whole, blocks_[i], std::min(block_bytes_, size_ - i * block_bytes_));
  }
  if (blocks_.size() < 2) return checksum;
  checksum.size = size_;
  checksum.block_bytes = block_bytes_;
  checksum.blocks = blocks_;
  return checksum;
}

}  // namespace lakestream
