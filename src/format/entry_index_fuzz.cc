#include "format/entry_index.h"

#include <algorithm>
#include <functional>

#include "codec/byte_writer.h"
#include "codec/fastpfor.h"
#include "fuzz/fuzz_target.h"

namespace lakestream {
namespace {

void CheckOffsets(const EntryIndex& index) {
  const Result<std::vector<std::int32_t>> ends = DecodeEntryOffsets(index, "o");
  if (!FuzzAnswer("entry offsets", ends.status(), {StatusCode::kCorrupt}, {"object=o", "field=", "offset="})) return;
  LS_INVARIANT(!ends->empty() && ends->front() > 0 && ends->back() == index.message_count, "they end the record");
  LS_INVARIANT(std::adjacent_find(ends->begin(), ends->end(), std::greater_equal<>()) == ends->end(), "they increase");
  if (!index.entry_offsets) return;
  LS_INVARIANT(static_cast<std::int64_t>(ends->size()) == index.entry_count, "one for each entry");
  std::string payload;
  for (const std::uint32_t word : FastPforEncode(*ends)) AppendBigEndian(payload, word, 4);
  LS_INVARIANT(payload == index.entry_offsets->compressed_payload, "there is one form of the same offsets");
}

void CheckFiles(const EntryIndex& index) {
  const Result<FileIndex> files = FileIndexOf(index, "o");
  if (!FuzzAnswer("files", files.status(), {StatusCode::kCorrupt}, {"object=o", "field="})) return;
  const Result<std::string> again = EncodeFileIndex(*files);
  LS_INVARIANT(again.ok() && *again == *index.FindExtraData(kFileIndexKey), "there is one form of the same files");
}

}  // namespace

void FuzzOne(ByteSpan input) {
  const Result<EntryIndex> index = DecodeEntryIndex(input, "o");
  const Description shown = DescribeEntryIndex(input, "o");
  LS_INVARIANT(ParseJson(DumpJson(shown.fields), "o").ok(), "inspection shows what there is");
  LS_INVARIANT(index.ok() || !shown.damage.ok(), "and says that it is damaged");
  if (!FuzzAnswer("record", index.status(), {StatusCode::kCorrupt}, {"object=o", "field=", "offset="})) return;
  LS_INVARIANT(index->version == kEntryIndexVersion && !index->location.empty() && index->message_count >= 1 &&
                   index->entry_count >= 1 && index->entry_count <= index->message_count &&
                   index->entry_size_bytes >= 0 && index->file_size >= 0 && index->offset_in_file >= -1,
               "numbers are in range");
  // Unknown fields are left out, and fields come in another order: it is the value that must come back.
  const std::string again = EncodeEntryIndex(*index);
  const Result<EntryIndex> back = DecodeEntryIndex(AsBytes(again), "o");
  LS_INVARIANT(back.ok() && *back == *index, "what is encoded comes back");
  LS_INVARIANT(EncodeEntryIndex(*back) == again, "and is written the same again");
  CheckOffsets(*index);
  if (index->file_type == FileType::kParquet) CheckFiles(*index);
}

}  // namespace lakestream
