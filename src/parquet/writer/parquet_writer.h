#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "codec/compression/compression.h"
#include "lakestream/buffer.h"
#include "lakestream/status.h"

namespace lakestream {

struct ParquetWriterOptions {
  std::string record_name;       ///< of the Avro record and of the schema, for example "KafkaMessage"; an Avro name
  std::string entry_serde_type;  ///< the footer key entrySerDeType: the binding's identifier
  std::string row_metadata;      ///< the footer key rowMetadata: the companion's file name, without a folder
  Compression compression = Compression::kZstd;
  int zstd_level = 1;  ///< 1 to 22
  /// A page ends with the row that takes it to so many bytes, 64 KiB to 256 KiB. That is what reading one row costs.
  std::int64_t page_bytes = std::int64_t{64} << 10;
  /// A row group ends with the row that takes it to so many bytes of payload, 1 MiB to 1 GiB.
  std::int64_t row_group_bytes = std::int64_t{16} << 20;
};

/// The Avro schema of the footer, exactly as Avro's own library writes it.
std::string ParquetAvroSchema(std::string_view record_name);

/// Writes one compacted file (specification, "Parquet files"): rows in, bytes out, piece by piece. No I/O; memory is
/// about two pages, what was not yet taken, and about 20 bytes for each page of the file. Dictionary, column index and
/// statistics are off, so that nothing is stored twice; an offset index and page checksums are on.
/// Thread safety: one thread at a time. An error is final: each later call returns it.
class ParquetWriter {
 public:
  static constexpr std::int64_t kMaxPayload = std::int64_t{1} << 30;

  /// Errors: invalid_argument for options that are out of range.
  static Result<std::unique_ptr<ParquetWriter>> Open(const ParquetWriterOptions& options);
  ~ParquetWriter();
  ParquetWriter(const ParquetWriter&) = delete;
  ParquetWriter& operator=(const ParquetWriter&) = delete;

  /// Adds the next row; the payload is copied. It may be empty. Errors: invalid_argument for one above kMaxPayload,
  /// which is then not in the file, as the only one that is not final; resource_exhausted without memory.
  Status Add(ByteSpan payload);
  /// Ends the file with its footer. Nothing can be added any more. A file without rows is legal.
  Status Finish();

  /// Bytes of the file that TakeOutput would give.
  std::uint64_t output_bytes() const;
  /// The bytes of the file that came since the last call, in the file's order.
  Buffer TakeOutput();

  std::int64_t rows() const { return rows_; }
  std::int64_t payload_bytes() const { return payload_bytes_; }
  /// Of the file so far, whether taken or not. Rows of the page under way are not in it.
  std::uint64_t file_bytes() const;

 private:
  struct Impl;
  explicit ParquetWriter(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
  Status broken_;
  std::int64_t rows_ = 0;
  std::int64_t payload_bytes_ = 0;
};

}  // namespace lakestream
