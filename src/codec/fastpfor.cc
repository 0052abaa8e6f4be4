#include "codec/fastpfor.h"

#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>

#include "base/invariant.h"

namespace lakestream {

namespace {

constexpr std::size_t kBlock = 32;         // values of a block
constexpr std::size_t kBlocksOfGroup = 4;  // blocks that share a header word

// Delta j of a block of width W lies at bits j * W and up, counted from the lowest bit of the first word.
template <std::size_t W>
void Pack(const std::uint32_t* deltas, std::uint32_t* words) {
  if constexpr (W > 0) {
    std::uint64_t pending = 0;
    std::size_t bits = 0;
#pragma GCC unroll 32
    for (std::size_t j = 0; j < kBlock; ++j) {
      pending |= std::uint64_t{deltas[j]} << bits;
      bits += W;
      if (bits >= 32) {
        *words++ = static_cast<std::uint32_t>(pending);
        pending >>= 32;
        bits -= 32;
      }
    }
  }
}

template <std::size_t W>
void Unpack(const std::uint32_t* words, std::uint32_t* deltas) {
  if constexpr (W == 0) {
    std::memset(deltas, 0, kBlock * sizeof *deltas);
  } else {
    constexpr auto kMask = static_cast<std::uint32_t>((std::uint64_t{1} << W) - 1);
    std::uint64_t pending = 0;
    std::size_t bits = 0;
#pragma GCC unroll 32
    for (std::size_t j = 0; j < kBlock; ++j) {
      if (bits < W) {
        pending |= std::uint64_t{*words++} << bits;
        bits += 32;
      }
      deltas[j] = static_cast<std::uint32_t>(pending) & kMask;
      pending >>= W;
      bits -= W;
    }
  }
}

// Indexed by width; width 32 is not packed at all.
template <std::size_t... W>
constexpr auto MakePackers(std::index_sequence<W...>) {
  return std::array{&Pack<W>...};
}
template <std::size_t... W>
constexpr auto MakeUnpackers(std::index_sequence<W...>) {
  return std::array{&Unpack<W>...};
}
constexpr auto kPackers = MakePackers(std::make_index_sequence<32>());
constexpr auto kUnpackers = MakeUnpackers(std::make_index_sequence<32>());

struct Block {
  std::array<std::uint32_t, kBlock> deltas;
  int width;
};

Block DeltasOf(const std::int32_t* values, std::uint32_t previous) {
  Block block;
  std::uint32_t all = 0;
  for (std::size_t j = 0; j < kBlock; ++j) {
    const auto value = static_cast<std::uint32_t>(values[j]);
    block.deltas[j] = value - previous;
    all |= block.deltas[j];
    previous = value;
  }
  block.width = static_cast<int>(std::bit_width(all));
  return block;
}

void AppendBlock(std::vector<std::uint32_t>& words, const Block& block, const std::int32_t* values) {
  const std::size_t at = words.size();
  words.resize(at + static_cast<std::size_t>(block.width));
  if (block.width == 32) {
    std::memcpy(&words[at], values, kBlock * sizeof *values);
  } else if (block.width > 0) {
    kPackers[static_cast<std::size_t>(block.width)](block.deltas.data(), &words[at]);
  }
}

// The tail: seven bits a byte, lowest first, the high bit on the last byte of each delta; little-endian words.
void AppendTail(std::vector<std::uint32_t>& words, std::span<const std::int32_t> values,
                std::uint32_t previous) {
  std::size_t bytes = 0;
  auto put = [&](std::uint32_t byte) {
    if (bytes % 4 == 0) words.push_back(0);
    words.back() |= byte << (8 * (bytes++ % 4));
  };
  for (const std::int32_t value : values) {
    std::uint32_t delta = static_cast<std::uint32_t>(value) - previous;
    previous = static_cast<std::uint32_t>(value);
    for (; delta >= 0x80; delta >>= 7) put(delta & 0x7f);
    put(delta | 0x80);
  }
}

// Reads what FastPforEncode writes; previous_ carries the running sum from block to block.
class Decoder {
 public:
  explicit Decoder(std::span<const std::uint32_t> words) : words_(words) {}

  Result<std::vector<std::int32_t>> Run(std::size_t max_values) {
    if (words_.empty()) return Bad("packed integers are truncated", "length");
    const std::size_t n = words_[0];
    if (n > max_values || n > std::numeric_limits<std::int32_t>::max()) {
      return Bad("packed integers are more than allowed", "length").With("count", n).With("max", max_values);
    }
    // A header word of four empty blocks is the shortest form: 128 values.
    if (n / (kBlock * kBlocksOfGroup) > words_.size()) {
      return Bad("packed integers are fewer than their length says", "length").With("count", n);
    }
    at_ = 1;
    std::vector<std::int32_t> values(n);
    std::size_t done = 0;
    for (std::size_t blocks = n / kBlock; blocks > 0;) {
      const std::size_t group = blocks >= kBlocksOfGroup ? kBlocksOfGroup : 1;
      Status status = ReadGroup(group, values.data() + done);
      if (!status.ok()) return status;
      done += group * kBlock;
      blocks -= group;
    }
    if (n > 0 && n < kBlock) {
      if (at_ == words_.size()) return Bad("packed integers are truncated", "marker");
      if (words_[at_] != 0) return Bad("packed integers have another marker", "marker");
      ++at_;
    }
    Status status = ReadTail(std::span(values).subspan(done));
    if (!status.ok()) return status;
    if (at_ != words_.size()) return Bad("packed integers are followed by more words", "end");
    return values;
  }

 private:
  Status Bad(std::string_view sentence, std::string_view field) const {
    return Corrupt(sentence).With("field", field).With("word", at_);
  }

  Status ReadGroup(std::size_t blocks, std::int32_t* out) {
    if (at_ == words_.size()) return Bad("packed integers are truncated", "header");
    const std::uint32_t header = words_[at_];
    if (blocks == 1 && header > 32) return Bad("block width is above 32", "header");
    const std::size_t header_at = at_++;
    for (std::size_t i = 0; i < blocks; ++i) {
      const std::uint32_t width = blocks == 1 ? header : header >> (24 - 8 * i) & 0xff;
      if (width > 32) {
        at_ = header_at;
        return Bad("block width is above 32", "header");
      }
      Status status = ReadBlock(width, out + i * kBlock);
      if (!status.ok()) return status;
    }
    return OkStatus();
  }

  Status ReadBlock(std::uint32_t width, std::int32_t* out) {
    if (words_.size() - at_ < width) return Bad("packed integers are truncated", "block");
    std::uint32_t previous = previous_;
    std::uint32_t all = 0;
    if (width == 32) {
      std::memcpy(out, &words_[at_], kBlock * sizeof *out);
      for (std::size_t j = 0; j < kBlock; ++j) {
        all |= static_cast<std::uint32_t>(out[j]) - previous;
        previous = static_cast<std::uint32_t>(out[j]);
      }
    } else {
      std::array<std::uint32_t, kBlock> deltas;
      kUnpackers[width](words_.data() + at_, deltas.data());
      for (std::size_t j = 0; j < kBlock; ++j) {
        all |= deltas[j];
        previous += deltas[j];
        out[j] = static_cast<std::int32_t>(previous);
      }
    }
    if (static_cast<std::uint32_t>(std::bit_width(all)) != width)
      return Bad("block is wider than its deltas", "block");
    at_ += width;
    previous_ = previous;
    return OkStatus();
  }

  Status ReadTail(std::span<std::int32_t> out) {
    std::size_t byte = at_ * 4;
    const std::size_t end = words_.size() * 4;
    auto next = [&] {
      const std::uint32_t value = words_[byte / 4] >> (8 * (byte % 4)) & 0xff;
      ++byte;
      return value;
    };
    for (std::int32_t& value : out) {
      std::uint32_t delta = 0;
      for (int shift = 0;; shift += 7) {
        at_ = byte / 4;
        if (byte == end) return Bad("packed integers are truncated", "tail");
        const std::uint32_t group = next();
        if (shift == 28 && (group & 0x70) != 0) return Bad("packed integer has more than 32 bits", "tail");
        delta |= (group & 0x7f) << shift;
        if ((group & 0x80) != 0) {
          if (shift > 0 && group == 0x80) return Bad("packed integer is longer than needed", "tail");
          break;
        }
        if (shift == 28) return Bad("packed integer has more than 5 bytes", "tail");
      }
      previous_ += delta;
      value = static_cast<std::int32_t>(previous_);
    }
    at_ = byte / 4;
    while (byte % 4 != 0) {
      if (next() != 0) return Bad("packed integers are padded with other bytes than zero", "padding");
    }
    at_ = byte / 4;
    return OkStatus();
  }

  std::span<const std::uint32_t> words_;
  std::size_t at_ = 0;
  std::uint32_t previous_ = 0;
};

}  // namespace

std::vector<std::uint32_t> FastPforEncode(std::span<const std::int32_t> values) {
  LS_INVARIANT(values.size() <= std::numeric_limits<std::int32_t>::max(), "the length is one signed word");
  std::vector<std::uint32_t> words;
  words.reserve(values.size() / 2 + 8);
  words.push_back(static_cast<std::uint32_t>(values.size()));
  std::uint32_t previous = 0;
  std::size_t at = 0;
  for (std::size_t blocks = values.size() / kBlock; blocks > 0;) {
    const std::size_t group = blocks >= kBlocksOfGroup ? kBlocksOfGroup : 1;
    std::array<Block, kBlocksOfGroup> block;
    std::uint32_t header = 0;
    for (std::size_t i = 0; i < group; ++i) {
      const std::int32_t* first = values.data() + at + i * kBlock;
      block[i] = DeltasOf(first, previous);
      previous = static_cast<std::uint32_t>(first[kBlock - 1]);
      header = header << 8 | static_cast<std::uint32_t>(block[i].width);
    }
    words.push_back(header);
    for (std::size_t i = 0; i < group; ++i) AppendBlock(words, block[i], values.data() + at + i * kBlock);
    at += group * kBlock;
    blocks -= group;
  }
  if (!values.empty() && values.size() < kBlock) words.push_back(0);
  AppendTail(words, values.subspan(at), previous);
  return words;
}

Result<std::vector<std::int32_t>> FastPforDecode(std::span<const std::uint32_t> words, std::size_t max_values) {
  return Decoder(words).Run(max_values);
}

}  // namespace lakestream
