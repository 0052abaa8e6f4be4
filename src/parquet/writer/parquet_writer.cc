#include "parquet/writer/parquet_writer.h"

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>
#include <arrow/memory_pool.h>
#include <arrow/util/config.h>
#include <arrow/util/key_value_metadata.h>
#include <parquet/column_writer.h>
#include <parquet/exception.h>
#include <parquet/file_writer.h>
#include <parquet/properties.h>
#include <parquet/schema.h>

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include "base/try.h"

namespace lakestream {

namespace {

constexpr std::int64_t kKiB = 1024;
constexpr std::int64_t kMiB = kKiB * 1024;

/// What the file becomes, until somebody takes it.
class OutputPieces final : public arrow::io::OutputStream {
 public:
  arrow::Status Write(const void* data, std::int64_t size) override {
    // As much as was taken the last time: growing step by step would copy it all once more.
    if (bytes_.empty()) bytes_.reserve(usual_);
    bytes_.append(static_cast<const char*>(data), static_cast<std::size_t>(size));
    written_ += size;
    return arrow::Status::OK();
  }
  using arrow::io::OutputStream::Write;
  arrow::Status Close() override {
    closed_ = true;
    return arrow::Status::OK();
  }
  arrow::Result<std::int64_t> Tell() const override { return written_; }
  bool closed() const override { return closed_; }

  std::size_t size() const { return bytes_.size(); }
  std::int64_t written() const { return written_; }
  Buffer Take() {
    usual_ = std::max(usual_, bytes_.size());
    return Buffer(std::exchange(bytes_, std::string()));
  }

 private:
  std::string bytes_;
  std::size_t usual_ = 0;
  std::int64_t written_ = 0;
  bool closed_ = false;
};

arrow::Compression::type CodecOf(Compression compression) {
  switch (compression) {
    case Compression::kNone:
      return arrow::Compression::UNCOMPRESSED;
    case Compression::kGzip:
      return arrow::Compression::GZIP;
    case Compression::kSnappy:
      return arrow::Compression::SNAPPY;
    case Compression::kLz4:
      // Blocks without frame, LZ4_RAW in the file: what the format calls LZ4 is read in two ways.
      return arrow::Compression::LZ4;
    case Compression::kZstd:
      break;
  }
  return arrow::Compression::ZSTD;
}

bool IsAvroName(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && letter(name.front()) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

Status CheckOptions(const ParquetWriterOptions& options) {
  if (!IsAvroName(options.record_name)) {
    return InvalidArgument("record name is no avro name").With("name", options.record_name);
  }
  if (options.entry_serde_type.empty()) return InvalidArgument("entry serde type is empty");
  if (options.page_bytes < 64 * kKiB || options.page_bytes > 256 * kKiB) {
    return InvalidArgument("page bytes lie outside 64 KiB to 256 KiB").With("page_bytes", options.page_bytes);
  }
  if (options.row_group_bytes < kMiB || options.row_group_bytes > 1024 * kMiB) {
    return InvalidArgument("row group bytes lie outside 1 MiB to 1 GiB")
        .With("row_group_bytes", options.row_group_bytes);
  }
  if (options.zstd_level < 1 || options.zstd_level > 22) {
    return InvalidArgument("zstd level lies outside 1 to 22").With("zstd_level", options.zstd_level);
  }
  return OkStatus();
}

std::shared_ptr<parquet::WriterProperties> Properties(const ParquetWriterOptions& options) {
  parquet::WriterProperties::Builder builder;
  // malloc: one allocator for the process, which sanitizers see.
  builder.memory_pool(arrow::system_memory_pool())
      ->version(parquet::ParquetVersion::PARQUET_1_0)
      ->created_by("lakestream version " LAKESTREAM_VERSION)
      ->compression(CodecOf(options.compression))
      ->data_pagesize(options.page_bytes)
      ->encoding(parquet::Encoding::PLAIN)
      ->disable_dictionary()
      ->disable_statistics()
      ->enable_write_page_index()
      ->enable_page_checksum();
#if ARROW_VERSION_MAJOR >= 19
  builder.set_size_statistics_level(parquet::SizeStatisticsLevel::None);
#endif
  if (options.compression == Compression::kZstd) builder.compression_level(options.zstd_level);
  return builder.build();
}

std::shared_ptr<parquet::schema::GroupNode> Schema(const std::string& record_name) {
  using parquet::schema::GroupNode;
  const auto payload = parquet::schema::PrimitiveNode::Make("payload", parquet::Repetition::OPTIONAL,
                                                            parquet::Type::BYTE_ARRAY, parquet::ConvertedType::NONE);
  return std::static_pointer_cast<GroupNode>(GroupNode::Make(record_name, parquet::Repetition::REQUIRED, {payload}));
}

/// Runs what may throw.
template <class Call>
Status Guarded(Call&& call) {
  try {
    call();
    return OkStatus();
  } catch (const parquet::ParquetStatusException& error) {
    if (error.status().IsOutOfMemory()) return ResourceExhausted("no memory is left for a parquet file");
    return Internal("parquet library failed").With("reason", error.what());
  } catch (const std::bad_alloc&) {
    return ResourceExhausted("no memory is left for a parquet file");
  } catch (const std::exception& error) {
    return Internal("parquet library failed").With("reason", error.what());
  }
}

}  // namespace

struct ParquetWriter::Impl {
  std::shared_ptr<OutputPieces> output = std::make_shared<OutputPieces>();
  std::unique_ptr<parquet::ParquetFileWriter> file;
  parquet::ByteArrayWriter* column = nullptr;  ///< of the row group under way
  std::int64_t row_group_bytes = 0;
  std::int64_t in_group = 0;  ///< bytes of payload

  void Add(ByteSpan payload) {
    if (column == nullptr) {
      column = static_cast<parquet::ByteArrayWriter*>(file->AppendRowGroup()->NextColumn());
      in_group = 0;
    }
    constexpr std::int16_t kPresent = 1;
    const parquet::ByteArray value(static_cast<std::uint32_t>(payload.size()), payload.data());
    column->WriteBatch(1, &kPresent, nullptr, &value);
    in_group += static_cast<std::int64_t>(payload.size());
    if (in_group >= row_group_bytes) column = nullptr;  // the next group closes this one
  }
};

std::string ParquetAvroSchema(std::string_view record_name) {
  return R"({"type":"record","name":")" + std::string(record_name) +
         R"(","fields":[{"name":"payload","type":["null","bytes"],"default":null}]})";
}

ParquetWriter::ParquetWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

ParquetWriter::~ParquetWriter() = default;

Result<std::unique_ptr<ParquetWriter>> ParquetWriter::Open(const ParquetWriterOptions& options) {
  LS_TRY(CheckOptions(options));
  auto impl = std::make_unique<Impl>();
  impl->row_group_bytes = options.row_group_bytes;
  LS_TRY(Guarded([&] {
    const auto keys = arrow::key_value_metadata({"entrySerDeType", "rowMetadata", "schemaType", "parquet.avro.schema",
                                                 "writer.model.name"},
                                                {options.entry_serde_type, options.row_metadata, "avro",
                                                 ParquetAvroSchema(options.record_name), "avro"});
    impl->file = parquet::ParquetFileWriter::Open(impl->output, Schema(options.record_name), Properties(options), keys);
  }));
  return std::unique_ptr<ParquetWriter>(new ParquetWriter(std::move(impl)));
}

Status ParquetWriter::Add(ByteSpan payload) {
  LS_TRY(broken_);
  if (impl_->file == nullptr) return InvalidArgument("parquet file is finished");
  if (std::cmp_greater(payload.size(), kMaxPayload)) {
    return InvalidArgument("payload is larger than 1 GiB").With("size", payload.size());
  }
  broken_ = Guarded([&] { impl_->Add(payload); });
  LS_TRY(broken_);
  ++rows_;
  payload_bytes_ += static_cast<std::int64_t>(payload.size());
  return OkStatus();
}

Status ParquetWriter::Finish() {
  LS_TRY(broken_);
  if (impl_->file == nullptr) return InvalidArgument("parquet file is finished");
  broken_ = Guarded([&] { impl_->file->Close(); });
  LS_TRY(broken_);
  impl_->file.reset();
  return OkStatus();
}

std::uint64_t ParquetWriter::output_bytes() const { return impl_->output->size(); }

std::uint64_t ParquetWriter::file_bytes() const { return static_cast<std::uint64_t>(impl_->output->written()); }

Buffer ParquetWriter::TakeOutput() { return impl_->output->Take(); }

}  // namespace lakestream
