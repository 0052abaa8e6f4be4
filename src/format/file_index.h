#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "format/json.h"
#include "lakestream/status.h"
#include "lakestream/types.h"

namespace lakestream {

// The compacted files of a PARQUET record (specification, "File index").

struct CompactedFile {
  Offset last_offset;  ///< inclusive
  std::string name;    ///< relative to the stream's directory
  friend bool operator==(const CompactedFile&, const CompactedFile&) = default;
};

struct FileIndex {
  std::vector<CompactedFile> files;  ///< by ascending last_offset; never empty in a valid index

  /// Position of the file that holds an offset, or files.size() beyond the last one.
  std::size_t Find(Offset offset) const;
  /// The first offset of file i in a record that starts at `start`.
  Offset BaseOffset(std::size_t i, Offset start) const;
  friend bool operator==(const FileIndex&, const FileIndex&) = default;
};

/// invalid_argument unless the name ends in ".parquet", has it nowhere else, and is a plain file name in UTF-8.
Status CheckCompactedFileName(std::string_view name);
/// The companion's name. Requires: a name that CheckCompactedFileName takes.
std::string CompanionNameOf(std::string_view parquet_name);

/// The Base64 text that stands in extraData. Errors: invalid_argument for no files, offsets that do not
/// ascend from 0 up, names that CheckCompactedFileName refuses or that repeat.
Result<std::string> EncodeFileIndex(const FileIndex& index);
/// Errors: corrupt, naming object, field and offset (in the decoded bytes), for what the encoder refuses.
Result<FileIndex> DecodeFileIndex(std::string_view base64, std::string_view object);

/// corrupt unless the files fit the range [start, end): the last one ends it, the first one reaches into it.
Status CheckFileIndexRange(const FileIndex& index, Offset start, Offset end, std::string_view object);

JsonValue Describe(const FileIndex& index);

}  // namespace lakestream
