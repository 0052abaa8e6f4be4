#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lakestream/buffer.h"

namespace lakestream {

/// What is kept of an object to check it by: the CRC-32C of the whole and, where the object has more than one block,
/// of each block, so that a part can be checked without reading the rest. A value; its text is in
/// docs/format/local-objects.md.
struct ObjectChecksum {
  static constexpr std::uint64_t kMinBlockBytes = 64 << 10;
  static constexpr std::size_t kMaxBlocks = 256;
  /// No text is longer.
  static constexpr std::size_t kMaxTextBytes = 8 + 1 + 20 + 1 + 20 + 1 + 8 * kMaxBlocks;

  std::uint32_t whole = 0;
  std::uint64_t size = 0;             ///< bytes of the object; 0 where there are no blocks
  std::uint64_t block_bytes = 0;      ///< of each block but the last; kMinBlockBytes times a power of two
  std::vector<std::uint32_t> blocks;  ///< none, or 2 to kMaxBlocks

  /// Half as many blocks of twice the size; none where one would be left. Requires: blocks.
  void JoinBlocks();

  std::string Text() const;
  /// None where the text is no checksum's, or not the one that Text gives.
  static std::optional<ObjectChecksum> Parse(std::string_view text);

  friend bool operator==(const ObjectChecksum&, const ObjectChecksum&) = default;
};

/// The checksum of an object whose bytes come one after the other. Costs one pass over them, and memory for the
/// checksums of kMaxBlocks blocks. A value.
class ChecksumBuilder {
 public:
  void Append(ByteSpan bytes);
  std::uint64_t size() const { return size_; }
  ObjectChecksum Finish() const;

 private:
  std::uint64_t size_ = 0;
  std::uint64_t block_bytes_ = ObjectChecksum::kMinBlockBytes;
  std::vector<std::uint32_t> blocks_;  // the last may not be full yet
};

/// A number of a checksum or a line with one: decimal, in its only form, without sign or zeros before it.
std::optional<std::uint64_t> ParseChecksumNumber(std::string_view text);

}  // namespace lakestream
