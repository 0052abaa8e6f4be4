#include "parquet/plain_arrow/plain_arrow.h"

#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <arrow/memory_pool.h>
#include <parquet/column_reader.h>
#include <parquet/column_writer.h>
#include <parquet/file_reader.h>
#include <parquet/file_writer.h>
#include <parquet/properties.h>
#include <parquet/schema.h>

#include <algorithm>
#include <exception>
#include <utility>

namespace lakestream {

namespace {

arrow::Compression::type CodecOf(Compression compression) {
  constexpr arrow::Compression::type kCodecs[kCompressions] = {
      arrow::Compression::UNCOMPRESSED, arrow::Compression::GZIP, arrow::Compression::SNAPPY, arrow::Compression::LZ4,
      arrow::Compression::ZSTD};
  return kCodecs[static_cast<std::size_t>(compression)];
}

std::shared_ptr<parquet::WriterProperties> Properties(const PlainArrowOptions& options) {
  parquet::WriterProperties::Builder builder;
  builder.compression(CodecOf(options.compression))
      ->data_pagesize(options.page_bytes)
      ->write_batch_size(options.batch_rows)
      ->disable_statistics();
  if (options.compression == Compression::kZstd) builder.compression_level(options.zstd_level);
  if (options.dictionary) {
    builder.enable_dictionary();
  } else {
    builder.disable_dictionary()->encoding(parquet::Encoding::PLAIN);
  }
  if (options.version2_pages) {
    builder.version(parquet::ParquetVersion::PARQUET_2_6)->data_page_version(parquet::ParquetDataPageVersion::V2);
  } else {
    builder.version(parquet::ParquetVersion::PARQUET_1_0);
  }
  if (options.offset_index) builder.enable_write_page_index();
  if (options.checksums) builder.enable_page_checksum();
  return builder.build();
}

void Write(const std::vector<Buffer>& payloads, const PlainArrowOptions& options, arrow::io::OutputStream& sink) {
  using parquet::schema::GroupNode;
  const auto repetition = options.required ? parquet::Repetition::REQUIRED : parquet::Repetition::OPTIONAL;
  const auto column = parquet::schema::PrimitiveNode::Make("payload", repetition, parquet::Type::BYTE_ARRAY);
  const auto schema = std::static_pointer_cast<GroupNode>(
      GroupNode::Make(options.record_name, parquet::Repetition::REQUIRED, {column}));
  const std::shared_ptr<arrow::io::OutputStream> shared(&sink, [](arrow::io::OutputStream*) {});
  const auto file = parquet::ParquetFileWriter::Open(shared, schema, Properties(options));
  const auto rows = static_cast<std::int64_t>(payloads.size());
  std::vector<std::int16_t> levels;
  std::vector<parquet::ByteArray> values;
  for (std::int64_t group = 0; group < rows; group += options.row_group_rows) {
    auto* const writer = static_cast<parquet::ByteArrayWriter*>(file->AppendRowGroup()->NextColumn());
    const std::int64_t end = std::min(rows, group + options.row_group_rows);
    for (std::int64_t from = group; from < end; from += options.batch_rows) {
      levels.clear();
      values.clear();
      for (std::int64_t row = from; row < std::min(end, from + options.batch_rows); ++row) {
        const bool null = row == options.null_row;
        levels.push_back(null ? 0 : 1);
        if (null) continue;
        const Buffer& payload = payloads[static_cast<std::size_t>(row)];
        values.emplace_back(static_cast<std::uint32_t>(payload.size()), payload.data());
      }
      writer->WriteBatch(static_cast<std::int64_t>(levels.size()), levels.data(), nullptr, values.data());
    }
    writer->Close();
  }
  file->Close();
}

std::vector<std::string> Read(const Buffer& file) {
  parquet::ReaderProperties properties;
  properties.set_page_checksum_verification(true);
  const auto bytes = std::make_shared<arrow::Buffer>(file.data(), static_cast<std::int64_t>(file.size()));
  const auto reader =
      parquet::ParquetFileReader::Open(std::make_shared<arrow::io::BufferReader>(bytes), properties);
  std::vector<std::string> payloads;
  for (int group = 0; group < reader->metadata()->num_row_groups(); ++group) {
    const auto column = std::static_pointer_cast<parquet::ByteArrayReader>(reader->RowGroup(group)->Column(0));
    while (column->HasNext()) {
      std::int16_t level = 1;
      std::int64_t values = 0;
      parquet::ByteArray value;
      if (column->ReadBatch(1, &level, nullptr, &value, &values) == 0) break;
      payloads.emplace_back(values == 0 ? "null" : std::string(reinterpret_cast<const char*>(value.ptr), value.len));
    }
  }
  return payloads;
}

}  // namespace

Result<Buffer> WriteWithArrow(const std::vector<Buffer>& payloads, const PlainArrowOptions& options) {
  try {
    const auto sink = arrow::io::BufferOutputStream::Create().ValueOrDie();
    Write(payloads, options, *sink);
    const std::shared_ptr<arrow::Buffer> file = sink->Finish().ValueOrDie();
    return Buffer::Share(file, ByteSpan(file->data(), static_cast<std::size_t>(file->size())));
  } catch (const std::exception& error) {
    return Internal("arrow cannot write this file").With("reason", error.what());
  }
}

ArrowMemory MemoryOfArrow() {
  const arrow::MemoryPool& own = *arrow::default_memory_pool();
  const bool other = own.backend_name() != arrow::system_memory_pool()->backend_name();
  return ArrowMemory{arrow::system_memory_pool()->bytes_allocated(), other ? own.total_bytes_allocated() : 0};
}

Result<std::vector<std::string>> ReadWithArrow(const Buffer& file) {
  try {
    return Read(file);
  } catch (const std::exception& error) {
    return Corrupt("arrow cannot read this file").With("reason", error.what());
  }
}

}  // namespace lakestream
