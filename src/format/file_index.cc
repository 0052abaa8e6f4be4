#include "format/file_index.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "base/try.h"
#include "codec/base64.h"
#include "codec/byte_reader.h"
#include "codec/byte_writer.h"
#include "codec/utf8.h"

namespace lakestream {

namespace {

constexpr std::string_view kSuffix = ".parquet";
constexpr std::string_view kCompanionSuffix = ".index";

constexpr std::size_t kMaxNameBytes = 255;

// What must hold of each file, given those before it; invalid_argument with field=.
Status CheckFile(const FileIndex& index, std::size_t i, std::set<std::string>& names) {
  const CompactedFile& file = index.files[i];
  const std::int64_t previous = i == 0 ? -1 : index.files[i - 1].last_offset.value();
  if (file.last_offset.value() <= previous) {
    return InvalidArgument("last offsets of a file index do not ascend")
        .With("field", "last_offset")
        .With("last_offset", file.last_offset.value())
        .With("previous", previous);
  }
  const Status named = CheckCompactedFileName(file.name);
  if (!named.ok()) return named.With("field", "name");
  if (!names.insert(file.name).second) {
    return InvalidArgument("file index names a file twice").With("name", file.name).With("field", "name");
  }
  return OkStatus();
}

}  // namespace

std::size_t FileIndex::Find(Offset offset) const {
  const auto it =
      std::lower_bound(files.begin(), files.end(), offset,
                       [](const CompactedFile& file, Offset wanted) { return file.last_offset < wanted; });
  return static_cast<std::size_t>(it - files.begin());
}

Offset FileIndex::BaseOffset(std::size_t i, Offset start) const {
  return i == 0 ? start : files[i - 1].last_offset + 1;
}

Status CheckCompactedFileName(std::string_view name) {
  if (name.size() <= kSuffix.size() || name.find(kSuffix) != name.size() - kSuffix.size()) {
    return InvalidArgument("compacted file name does not have .parquet at its end and there alone")
        .With("name", name);
  }
  const bool plain = std::none_of(name.begin(), name.end(), [](char c) {
    return c == '/' || c == '\\' || static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
  });
  if (!plain || name.size() > kMaxNameBytes || !IsUtf8(name))
    return InvalidArgument("compacted file name is not a plain file name").With("name", name);
  return OkStatus();
}

std::string CompanionNameOf(std::string_view parquet_name) {
  return std::string(parquet_name.substr(0, parquet_name.size() - kSuffix.size())) +
         std::string(kCompanionSuffix);
}

Result<std::string> EncodeFileIndex(const FileIndex& index) {
  if (index.files.empty()) return InvalidArgument("file index names no files");
  std::string bytes;
  std::set<std::string> names;
  for (std::size_t i = 0; i < index.files.size(); ++i) {
    LS_TRY(CheckFile(index, i, names));
    const CompactedFile& file = index.files[i];
    AppendInt64(bytes, file.last_offset.value());
    AppendInt32(bytes, static_cast<std::int32_t>(file.name.size()));
    bytes += file.name;
  }
  return Base64Encode(AsBytes(bytes));
}

Result<FileIndex> DecodeFileIndex(std::string_view base64, std::string_view object) {
  Result<std::string> bytes = Base64Decode(base64);
  if (!bytes.ok()) return bytes.status().With("object", object).With("field", "file_index");
  ByteReader reader(AsBytes(*bytes), object);
  if (reader.done()) return reader.Fail("file index names no files", "last_offset");
  FileIndex index;
  std::set<std::string> names;
  while (!reader.done()) {
    CompactedFile file;
    const std::uint64_t at = reader.offset();
    LS_ASSIGN(const std::int64_t last_offset, reader.ReadInt64("last_offset"));
    file.last_offset = Offset(last_offset);
    const std::uint64_t length_at = reader.offset();
    LS_ASSIGN(const std::int32_t length, reader.ReadInt32("name_length"));
    if (length < 0) return reader.Fail("length is negative", "name_length", length_at);
    LS_ASSIGN(const ByteSpan name, reader.ReadBytes(static_cast<std::uint64_t>(length), "name"));
    file.name = AsText(name);
    index.files.push_back(std::move(file));
    const Status checked = CheckFile(index, index.files.size() - 1, names);
    if (!checked.ok()) return checked.As(StatusCode::kCorrupt).With("object", object).With("offset", at);
  }
  return index;
}

Status CheckFileIndexRange(const FileIndex& index, Offset start, Offset end, std::string_view object) {
  if (index.files.empty() || index.files.back().last_offset != end - 1 ||
      index.files.front().last_offset < start) {
    return Corrupt("file index does not fit its record's range")
        .With("object", object)
        .With("field", "last_offset")
        .With("start", start.value())
        .With("end", end.value());
  }
  return OkStatus();
}

JsonValue Describe(const FileIndex& index) {
  JsonValue files = JsonValue::Array();
  for (const CompactedFile& file : index.files) {
    files.Append(JsonValue::Object()
                     .Add("last_offset", JsonValue::Int(file.last_offset.value()))
                     .Add("name", JsonValue::String(file.name)));
  }
  return files;
}

}  // namespace lakestream
