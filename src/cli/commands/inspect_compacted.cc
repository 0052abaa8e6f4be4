#include "cli/commands/inspect_compacted.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/try.h"
#include "cli/byte_source.h"
#include "cli/description_output.h"
#include "cli/exit_code.h"
#include "format/companion.h"
#include "format/companion_decoder.h"
#include "kafka/records/entry_payload.h"
#include "log/catalog/binding.h"
#include "parquet/page.h"
#include "parquet/parquet_file.h"

namespace lakestream {
namespace {

constexpr std::string_view kFileSuffix = ".parquet";
constexpr std::string_view kCompanionSuffix = ".index";
constexpr std::string_view kSerdeKey = "entrySerDeType";
constexpr std::uint64_t kPieceBytes = std::uint64_t{64} << 10;
/// Rows of a companion that are taken even where the file has fewer, so that it can be said how many there are.
constexpr std::size_t kCompanionRows = std::size_t{1} << 20;
/// So much of a column chunk without offset index is decoded at once.
constexpr std::uint64_t kDecodedBytes = std::uint64_t{64} << 20;

JsonValue Count(std::uint64_t value) { return JsonValue::Int(static_cast<std::int64_t>(value)); }

std::string_view CodecName(ParquetCodec codec) {
  switch (codec) {
    case ParquetCodec::kNone:
      return "UNCOMPRESSED";
    case ParquetCodec::kSnappy:
      return "SNAPPY";
    case ParquetCodec::kGzip:
      return "GZIP";
    case ParquetCodec::kZstd:
      return "ZSTD";
    case ParquetCodec::kLz4:
      return "LZ4_RAW";
  }
  return "";
}

Result<ParquetFile> OpenParquet(const ByteSource& source) {
  std::uint64_t have = std::min(source.size, kParquetFirstTail);
  while (true) {
    LS_ASSIGN(const Buffer tail, source.fetch(source.size - have, have));
    LS_ASSIGN(const std::uint64_t needed, ParquetFile::TailNeeded(source.name, source.size, tail.span()));
    if (needed <= have) return ParquetFile::Open(source.name, source.size, tail.span());
    have = needed;
  }
}

Result<Companion> ReadCompanion(const ByteSource& source, std::size_t max_rows) {
  CompanionDecoder decoder(source.name, max_rows);
  for (std::uint64_t at = 0; at < source.size; at += kPieceBytes) {
    LS_ASSIGN(const Buffer piece, source.fetch(at, kPieceBytes));
    LS_TRY(decoder.Feed(piece.span()));
  }
  return decoder.Finish();
}

/// The pages of one row group, headers and all; without that of a dictionary.
struct PageSizes {
  std::int64_t count = 0;
  std::uint64_t smallest = 0;
  std::uint64_t largest = 0;

  void Add(std::uint64_t size) {
    smallest = count == 0 ? size : std::min(smallest, size);
    largest = std::max(largest, size);
    ++count;
  }
};

/// Reads all rows of a compacted file, one page after another, and checks each against its companion.
class RowCheck {
 public:
  /// `companion`: null where it cannot be read or has another number of rows. With `batches` payloads are record batches.
  RowCheck(const ByteSource& source, const ParquetFile& file, const Companion* companion, bool batches)
      : source_(source), file_(file), companion_(companion), batches_(batches) {}

  Status Run() {
    for (const ParquetRowGroup& group : file_.row_groups()) {
      PageSizes& sizes = pages_.emplace_back();
      for (const ParquetPageLocation& page : group.pages) sizes.Add(page.range.length);
    }
    while (rows_ < file_.rows()) {
      LS_ASSIGN(const ParquetPages pages, file_.FindRow(rows_));
      const ParquetRange entries = pages.dictionary.value_or(ParquetRange());
      LS_ASSIGN(const Buffer data, source_.fetch(pages.data.offset, pages.data.length));
      LS_ASSIGN(const Buffer dictionary, source_.fetch(entries.offset, entries.length));
      LS_TRY(CheckPages(pages, data, dictionary));
    }
    return OkStatus();
  }

  std::int64_t rows() const { return rows_; }  ///< that were found right
  const std::vector<PageSizes>& pages() const { return pages_; }

 private:
  /// One page, or without offset index all pages of a row group: these are counted, and decoded some at a time.
  Status CheckPages(const ParquetPages& pages, const Buffer& data, const Buffer& dictionary) {
    const std::int64_t end = pages.first_row + pages.rows;
    if (file_.row_groups()[pages.row_group].pages.empty()) {
      std::int64_t next = pages.first_row;
      std::uint64_t decoded = 0;
      for (std::uint64_t at = 0; at < data.size();) {
        LS_ASSIGN(const ParquetPageHeader header,
                  DecodeParquetPageHeader(data.span().subspan(at), pages.data.offset + at, source_.name));
        const std::uint64_t size = header.header_size + header.stored_size;
        at += size;
        if (!header.is_data()) continue;
        pages_[pages.row_group].Add(size);
        next += header.values;
        decoded += header.decoded_size;
        if (decoded < kDecodedBytes || next >= end) continue;
        LS_TRY(CheckRows(pages, data, dictionary, next));
        decoded = 0;
      }
    }
    return CheckRows(pages, data, dictionary, end);
  }

  /// The rows before `end` that were not checked yet.
  Status CheckRows(const ParquetPages& pages, const Buffer& data, const Buffer& dictionary, std::int64_t end) {
    LS_ASSIGN(const std::vector<Buffer> payloads, file_.DecodeRows(pages, data, dictionary, rows_, end - rows_));
    for (const Buffer& payload : payloads) {
      const Status checked = CheckRow(payload);
      if (!checked.ok()) return checked.With("row", rows_);
      ++rows_;
    }
    return OkStatus();
  }

  Status CheckRow(const Buffer& payload) const {
    std::optional<LogEntryHeader> header;
    if (companion_ != nullptr) header = companion_->HeaderOf(static_cast<std::size_t>(rows_));
    if (header && std::cmp_not_equal(payload.size(), header->entry_size)) {
      return Corrupt("payload has another size than its row of the companion says")
          .With("object", source_.name)
          .With("field", "entrySize")
          .With("size", payload.size())
          .With("entry_size", header->entry_size);
    }
    if (!batches_) return OkStatus();
    kafka::BatchSource place;
    place.object = source_.name;
    const Result<kafka::PayloadSummary> batches = kafka::CheckPayload(payload.span(), place);
    LS_TRY(batches.status());
    if (header && batches->record_count != header->number_of_records) {
      return Corrupt("payload has another number of records than its row of the companion says")
          .With("object", source_.name)
          .With("field", "numberOfMessages")
          .With("records", batches->record_count)
          .With("number_of_messages", header->number_of_records);
    }
    return OkStatus();
  }

  const ByteSource& source_;
  const ParquetFile& file_;
  const Companion* const companion_;
  const bool batches_;
  std::int64_t rows_ = 0;
  std::vector<PageSizes> pages_;
};

JsonValue DescribeKeys(const ParquetFile& file) {
  JsonValue keys = JsonValue::Object();
  for (const auto& [name, value] : file.keys()) keys.AddBytes(name, value);
  return keys;
}

JsonValue DescribeGroups(const ParquetFile& file, const std::vector<PageSizes>& pages) {
  JsonValue groups = JsonValue::Array();
  for (std::size_t i = 0; i < pages.size(); ++i) {
    const ParquetRowGroup& group = file.row_groups()[i];
    groups.Append(JsonValue::Object()
                      .Add("num_rows", JsonValue::Int(group.rows))
                      .Add("codec", JsonValue::String(CodecName(group.codec)))
                      .Add("total_compressed_size", Count(group.chunk.length))
                      .Add("offset_index", JsonValue::Bool(group.offset_index.has_value()))
                      .Add("pages", JsonValue::Int(pages[i].count))
                      .Add("smallest_page", Count(pages[i].smallest))
                      .Add("largest_page", Count(pages[i].largest)));
  }
  return groups;
}

/// The sums under the names that they have in the index record of the range.
JsonValue DescribeCompanion(const ByteSource& source, const Companion& companion) {
  JsonValue fields = JsonValue::Object();
  fields.Add("file", JsonValue::String(source.name)).Add("file_size", Count(source.size)).Add("rows", Count(companion.rows()));
  if (companion.rows() == 0) return fields;
  const LogEntryHeader first = companion.HeaderOf(0);
  const LogEntryHeader last = companion.HeaderOf(companion.rows() - 1);
  fields.Add("start_offset", JsonValue::Int(companion.start().value()))
      .Add("end_offset", JsonValue::Int(companion.end().value()))
      .Add("message_count", JsonValue::Int(companion.end() - companion.start()))
      .Add("entry_size_bytes", JsonValue::Int(last.cumulative_size - first.cumulative_size + first.entry_size))
      .Add("cumulative_size", JsonValue::Int(last.cumulative_size));
  return fields;
}

/// The companion beside a file; `fields` gets what there is to show, also where it is not that file's.
Result<Companion> OpenCompanionOf(const ByteSource& source, const ParquetFile& file, JsonValue* fields) {
  const std::string name =
      source.name.substr(0, source.name.size() - kFileSuffix.size()) + std::string(kCompanionSuffix);
  const Result<ByteSource> opened = OpenFileSource(name);
  if (opened.status().code() == StatusCode::kNotFound) {
    return Corrupt("compacted file has no companion beside it").With("object", name);
  }
  LS_TRY(opened.status());
  const auto rows = static_cast<std::size_t>(file.rows());
  LS_ASSIGN(Companion companion, ReadCompanion(*opened, std::max(rows, kCompanionRows)));
  *fields = DescribeCompanion(*opened, companion);
  if (companion.rows() == rows) return companion;
  return Corrupt("companion has another number of rows than its parquet file")
      .With("object", name)
      .With("field", "num_rows")
      .With("rows", companion.rows())
      .With("num_rows", rows);
}

/// What a reader has to know to take the rows for payloads.
Result<Binding> FindBinding(const ParquetFile& file, std::string_view object) {
  const std::string* const serde = file.FindKey(kSerdeKey);
  if (serde == nullptr) return Corrupt("compacted file lacks a footer key").With("object", object).With("field", kSerdeKey);
  for (const Binding binding : {Binding::kRaw, Binding::kKafka}) {
    if (*serde == EntrySerdeType(binding)) return binding;
  }
  return Unimplemented("compacted file is of no binding that is known")
      .With("object", object)
      .With(kSerdeKey, *serde);
}

Description DescribeCompacted(const ByteSource& source) {
  Description description;
  description.fields.Add("file_size", Count(source.size));
  const Result<ParquetFile> file = OpenParquet(source);
  if (!file.ok()) {
    description.damage = file.status();
    return description;
  }
  JsonValue shown = JsonValue::Object();
  const Result<Companion> companion = OpenCompanionOf(source, *file, &shown);
  if (!companion.ok()) shown.AddBytes("error", companion.status().message());
  const Result<Binding> binding = FindBinding(*file, source.name);
  RowCheck check(source, *file, companion.ok() ? &*companion : nullptr, binding.ok() && *binding == Binding::kKafka);
  description.damage = check.Run();
  for (const Status& status : {companion.status(), binding.status()}) {
    if (description.damage.ok()) description.damage = status;
  }
  description.fields.AddBytes("root_name", file->root_name())
      .AddBytes("created_by", file->created_by())
      .Add("key_value_metadata", DescribeKeys(*file))
      .Add("binding", binding.ok() ? JsonValue::String(BindingName(*binding)) : JsonValue::Null())
      .Add("num_rows", JsonValue::Int(file->rows()))
      .Add("row_groups", DescribeGroups(*file, check.pages()))
      .Add("companion", std::move(shown))
      .Add("rows_checked", JsonValue::Int(check.rows()));
  return description;
}

Result<Description> InspectCompacted(const std::string& file) {
  if (!file.ends_with(kFileSuffix)) {
    return InvalidArgument("a compacted file's name ends in .parquet; its companion is found by it").With("file", file);
  }
  LS_ASSIGN(const ByteSource source, OpenFileSource(file));
  return DescribeCompacted(source);
}

Result<Description> InspectCompanion(const std::string& file) {
  LS_ASSIGN(const ByteSource source, OpenFileSource(file));
  Description description;
  const Result<Companion> companion = ReadCompanion(source, kCompanionRows);
  if (companion.ok()) {
    description.fields = DescribeCompanion(source, *companion);
    description.fields.Add("entries", Describe(*companion));
  } else {
    description.fields.Add("file", JsonValue::String(source.name)).Add("file_size", Count(source.size));
    description.damage = companion.status();
  }
  return description;
}

int Print(Environment& environment, Result<Description> description, bool json) {
  if (description.ok()) return PrintDescription(environment, *std::move(description), json);
  PrintError(description.status());
  return ExitCodeFor(description.status().code());
}

}  // namespace

int RunInspectCompacted(Environment& environment, const InspectCompactedOptions& options) {
  return Print(environment, InspectCompacted(options.file), options.json);
}

int RunInspectCompanion(Environment& environment, const InspectCompanionOptions& options) {
  return Print(environment, InspectCompanion(options.file), options.json);
}

}  // namespace lakestream
