#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "lakestream/buffer.h"
#include "lakestream/status.h"
#include "lakestream/types.h"

namespace lakestream::bench {

/// The bytes of entry `number` (from 0) of a log: they differ for every log and number, so that an entry that is
/// lost, damaged, doubled or in the wrong place shows. Requires: a multiple of 8 bytes.
void FillPayload(LogId log, std::int64_t number, std::span<std::uint8_t> bytes);

/// Makes payloads, many to an allocation, as a client does that cuts them out of what it received.
class PayloadSource {
 public:
  /// `bytes`: of each payload, a multiple of 8.
  explicit PayloadSource(std::size_t bytes) : bytes_(bytes) {}
  Buffer Make(LogId log, std::int64_t number);

 private:
  const std::size_t bytes_;
  std::shared_ptr<std::uint8_t[]> slab_;
  std::size_t left_ = 0;
};

/// A checksum over the entries of one log in their order: each link covers all before it.
class PayloadChain {
 public:
  /// Adds what entry `number` of the log must be.
  void AddExpected(LogId log, std::int64_t number, std::size_t bytes);
  /// Adds what was found.
  void Add(ByteSpan payload);
  std::uint32_t value() const { return crc_; }

 private:
  std::uint32_t crc_ = 0;
};

/// corrupt, naming log and number, unless these are the bytes of that entry.
Status CheckPayload(LogId log, std::int64_t number, ByteSpan found);

}  // namespace lakestream::bench
