#include "model/file_split.h"

#include <algorithm>
#include <utility>

#include "base/invariant.h"
#include "base/try.h"

namespace lakestream::model {

std::int64_t MostFiles(const FileLimits& limits, std::int64_t entries, std::int64_t bytes) {
  if (entries == 0) return 0;
  // Every file but the last has reached one of the limits, and none is without an entry.
  return std::min(entries, 1 + (entries - 1) / limits.entries + bytes / limits.bytes);
}

bool FileSplit::NeedsFile() const {
  return index_.files.empty() || file_entries_ >= limits_.entries || file_bytes_ >= limits_.bytes;
}

void FileSplit::BeginFile(std::string name) {
  LS_INVARIANT(NeedsFile(), "a file is full before the next one begins");
  index_.files.push_back(CompactedFile{Offset(-1), std::move(name)});
  file_entries_ = 0;
  file_bytes_ = 0;
}

void FileSplit::Add(Offset offset, std::int64_t records, std::int64_t payload_bytes) {
  LS_INVARIANT(!NeedsFile(), "an entry goes into an open file");
  LS_INVARIANT(records >= 1 && payload_bytes >= 0, "an entry has records");
  if (entries_ > 0) {
    const std::size_t at = index_.files.size() - 1;
    const Offset before = file_entries_ > 0 ? index_.files[at].last_offset : index_.files[at - 1].last_offset;
    LS_INVARIANT(offset == before + 1, "entries of a range follow each other");
  }
  index_.files.back().last_offset = offset + (records - 1);
  ++file_entries_;
  file_bytes_ += payload_bytes;
  ++entries_;
  bytes_ += payload_bytes;
}

Result<FileIndex> FileSplit::Finish(Offset end) const {
  if (file_entries_ == 0 || index_.files.back().last_offset != end - 1) {
    return Internal("entries of a compacted range do not end with it")
        .With("end", end.value())
        .With("files", static_cast<std::int64_t>(index_.files.size()))
        .With("last_offset", index_.files.empty() ? -1 : index_.files.back().last_offset.value());
  }
  LS_TRY(EncodeFileIndex(index_).status());
  return index_;
}

}  // namespace lakestream::model
