#pragma once

#include <cstddef>
#include <cstdint>

#include "kafka/records/batch_header.h"
#include "kafka/records/record.h"
#include "lakestream/buffer.h"
#include "lakestream/status.h"

// Messages of magic 0 and 1, which no client has sent since Kafka 4.0, but which a log may still hold. The rest of this
// folder calls these; batch_header.h and record_cursor.h are for everyone else.

namespace lakestream::kafka {

inline constexpr std::size_t kMessage0Bytes = 26;  ///< a message of magic 0 without key and value
inline constexpr std::size_t kMessage1Bytes = 34;  ///< of magic 1: with a timestamp

/// How many records a message is: 1, or as many as there are messages inside a compressed one. Requires: as many bytes
/// as a message has at least. Errors: corrupt, resource_exhausted, unimplemented.
Result<std::int32_t> CountMessages(ByteSpan message, int magic, Compression compression, const BatchSource& source);

/// The messages inside a compressed one.
Result<Buffer> UncompressMessages(ByteSpan message, int magic, Compression compression, const BatchSource& source);

/// Errors: corrupt.
Status CheckMessageCrc(ByteSpan message, std::uint32_t crc, const BatchSource& source);

/// Reads the message at `at` and moves `at` behind it. `outer` is the header of the message that holds it, or its own.
/// Does not set the offset. Errors: corrupt.
Status ReadMessage(ByteSpan messages, const BatchHeader& outer, const BatchSource& source, std::size_t* at,
                   Record* record);

}  // namespace lakestream::kafka
