#include "format/file_index.h"

#include <limits>

#include "codec/base64.h"
#include "fuzz/fuzz_target.h"

// The input is the Base64 text, and also the bytes that it stands for.

namespace lakestream {
namespace {

void Try(const char* decoder, const std::string& text) {
  const Result<FileIndex> index = DecodeFileIndex(text, "o");
  if (!FuzzAnswer(decoder, index.status(), {StatusCode::kCorrupt}, {"object=o", "field=", "offset="})) return;
  const Result<std::string> again = EncodeFileIndex(*index);
  LS_INVARIANT(again.ok() && *again == text, "there is one form of the same files");
  LS_INVARIANT(ParseJson(DumpJson(Describe(*index)), "o").ok(), "inspection can show it");
  for (std::size_t i = 0; i < index->files.size(); ++i) {
    const CompactedFile& file = index->files[i];
    LS_INVARIANT(CheckCompactedFileName(file.name).ok(), "names are plain");
    LS_INVARIANT(CompanionNameOf(file.name).size() + 2 == file.name.size(), "each has a companion");
    LS_INVARIANT(index->Find(file.last_offset) == i, "a file is found by its last offset");
    LS_INVARIANT(index->Find(index->BaseOffset(i, Offset(0))) == i, "and by its first");
  }
  const Offset end = index->files.back().last_offset;
  if (end.value() < std::numeric_limits<std::int64_t>::max()) {
    LS_INVARIANT(CheckFileIndexRange(*index, Offset(0), end + 1, "o").ok(), "its own range");
  }
  LS_INVARIANT(CheckFileIndexRange(*index, Offset(0), end, "o").code() == StatusCode::kCorrupt, "and no shorter one");
}

}  // namespace

void FuzzOne(ByteSpan input) {
  Try("text", std::string(AsText(input)));
  Try("bytes", Base64Encode(input));
}

}  // namespace lakestream
