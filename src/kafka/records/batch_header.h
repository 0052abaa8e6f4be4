#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "codec/compression/compression.h"
#include "lakestream/buffer.h"
#include "lakestream/status.h"

namespace lakestream::kafka {

enum class TimestampType : std::uint8_t {
  kNone,        ///< magic 0 has no timestamps
  kCreateTime,  ///< each record has its own
  kLogAppend,   ///< all records have the batch's largest
};

/// "none", "create_time", "log_append_time".
std::string_view TimestampTypeName(TimestampType type);

/// The fields of a record batch, of any magic (docs/format/record-batch.md). A message of magic 0 or 1 is a batch of one
/// record; a compressed one is a batch of the messages inside it.
struct BatchHeader {
  std::int64_t base_offset = 0;  ///< of a message of magic 0 or 1: its offset as it is stored
  std::uint64_t size_bytes = 0;  ///< of the whole batch
  std::int32_t partition_leader_epoch = -1;
  int magic = 2;
  std::uint32_t crc = 0;  ///< CRC-32C; of magic 0 and 1 CRC-32
  Compression compression = Compression::kNone;
  TimestampType timestamp_type = TimestampType::kCreateTime;
  bool transactional = false;
  bool control = false;
  std::int32_t last_offset_delta = 0;
  std::int64_t base_timestamp = -1;  ///< ms since the Unix epoch, -1: none
  std::int64_t max_timestamp = -1;
  std::int64_t producer_id = -1;
  std::int16_t producer_epoch = -1;
  std::int32_t base_sequence = -1;
  std::int32_t record_count = 0;  ///< as it is stated; of magic 0 and 1: as counted
};

inline constexpr std::size_t kBatchHeaderBytes = 61;  ///< of magic 2; its records follow

/// Where the bytes of a batch are, for messages, and how much its records may be when they are uncompressed.
struct BatchSource {
  std::string_view object = "payload";
  std::uint64_t offset = 0;  ///< of the batch's first byte in the object
  std::uint64_t max_uncompressed_bytes = std::uint64_t{256} << 20;
};

/// The header of the batch that begins `bytes` (more batches may follow it). Checks that the batch is whole and that its
/// numbers can be read, and no more. A compressed message of magic 0 or 1 is uncompressed, to count what is in it.
/// Errors: corrupt with object=, field=, offset=; resource_exhausted; unimplemented (LZ4 in magic 0, whose frames have a
/// checksum that no other program can read).
Result<BatchHeader> DecodeBatchHeader(ByteSpan bytes, const BatchSource& source);

/// Whether the checksum is right, and the batch is one that an entry may hold (specification, Appendix A): base offset 0,
/// at least one record, as many as its range of offsets, neither control nor transactional. Requires: `header` is that of
/// `bytes`. Errors: corrupt.
Status CheckBatch(ByteSpan bytes, const BatchHeader& header, const BatchSource& source);

}  // namespace lakestream::kafka
