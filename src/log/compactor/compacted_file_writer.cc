#include "log/compactor/compacted_file_writer.h"

#include <utility>

#include "base/try.h"
#include "format/companion_writer.h"
#include "format/file_index.h"
#include "parquet/writer/parquet_writer.h"

namespace lakestream {

struct CompactedFileWriter::Rows {
  std::unique_ptr<ParquetWriter> file;
  CompanionWriter companion;

  Status Add(const std::vector<LogEntry>& entries) {
    for (const LogEntry& entry : entries) {
      LS_TRY(companion.Add(entry.header));
      LS_TRY(file->Add(entry.payload.span()));
    }
    return OkStatus();
  }
  Status Finish() {
    LS_TRY(file->Finish());
    return companion.Finish();
  }
};

CompactedFileWriter::CompactedFileWriter(Runtime& runtime, ObjectStore& store, const Options& options,
                                         const LogHome& home, std::string name, std::shared_ptr<Rows> rows)
    : runtime_(runtime),
      store_(store),
      options_(options),
      name_(std::move(name)),
      key_(home.directory + "/" + name_),
      companion_key_(home.directory + "/" + CompanionNameOf(name_)),
      rows_(std::move(rows)) {}

CompactedFileWriter::~CompactedFileWriter() = default;

Result<std::unique_ptr<CompactedFileWriter>> CompactedFileWriter::Open(Runtime& runtime, ObjectStore& store,
                                                                       const Options& options, const LogHome& home,
                                                                       std::string name) {
  ParquetWriterOptions parquet;
  parquet.record_name = home.record_name;
  parquet.entry_serde_type = home.entry_serde_type;
  parquet.row_metadata = CompanionNameOf(name);
  parquet.compression = options.compression;
  parquet.zstd_level = options.zstd_level;
  auto rows = std::make_shared<Rows>();
  LS_ASSIGN(rows->file, ParquetWriter::Open(parquet));
  return std::unique_ptr<CompactedFileWriter>(
      new CompactedFileWriter(runtime, store, options, home, std::move(name), std::move(rows)));
}

Task<Status> CompactedFileWriter::Add(OpContext context, std::vector<LogEntry> entries) {
  if (entries.empty()) co_return OkStatus();
  auto add = [rows = rows_, entries = std::move(entries)]() -> Status { return rows->Add(entries); };
  Task<Status> adding = RunBlocking(runtime_, std::move(add));
  LS_CO_TRY(co_await adding);
  if (std::cmp_less(rows_->file->output_bytes(), options_.part_bytes)) co_return OkStatus();
  Task<Status> upload = UploadPart(std::move(context), rows_->file->TakeOutput());
  co_return co_await upload;
}

Task<Status> CompactedFileWriter::UploadPart(OpContext context, Buffer part) {
  if (upload_ == nullptr) {
    LS_CO_ASSIGN(upload_, co_await store_.StartUpload(context, key_, PutMode::kCreate));
  }
  bytes_ += static_cast<std::int64_t>(part.size());
  BufferChain chain(std::move(part));
  co_return co_await upload_->Append(std::move(context), std::move(chain));
}

Task<Status> CompactedFileWriter::Finish(OpContext context) {
  auto finish = [rows = rows_]() -> Status { return rows->Finish(); };
  Task<Status> finishing = RunBlocking(runtime_, std::move(finish));
  LS_CO_TRY(co_await finishing);
  Buffer rest = rows_->file->TakeOutput();
  if (upload_ != nullptr) {
    Task<Status> upload = UploadPart(context, std::move(rest));
    LS_CO_TRY(co_await upload);
    LS_CO_TRY(co_await upload_->Complete(context));
    upload_ = nullptr;
  } else {
    bytes_ += static_cast<std::int64_t>(rest.size());
    BufferChain whole(std::move(rest));
    LS_CO_TRY(co_await store_.Put(context, key_, std::move(whole), PutMode::kCreate));
  }
  BufferChain companion(Buffer(rows_->companion.Take()));
  bytes_ += static_cast<std::int64_t>(companion.size());
  co_return co_await store_.Put(std::move(context), companion_key_, std::move(companion), PutMode::kCreate);
}

Task<void> CompactedFileWriter::Abandon(OpContext context) {
  if (upload_ == nullptr) co_return;
  // Whatever stays is found by whoever collects garbage.
  const Status aborted = co_await upload_->Abort(std::move(context));
  (void)aborted;
  upload_ = nullptr;
}

}  // namespace lakestream
