#include "format/compaction_record.h"

#include "format/file_index.h"
#include "fuzz/fuzz_target.h"

namespace lakestream {

void FuzzOne(ByteSpan input) {
  const LogId log(7);
  const std::string_view text = AsText(input);
  const std::optional<LogId> named = LogOfCompactionRecordKey(text);
  if (FuzzAnswer("key", named.has_value())) LS_INVARIANT(CompactionRecordKey(*named) == text, "a key has one form");

  const Result<CompactionRecord> record = DecodeCompactionRecord(text, log);
  if (!FuzzAnswer("compaction record", record.status(), {StatusCode::kCorrupt}, {"object="})) return;
  for (const std::string& file : FilesOf(*record)) LS_INVARIANT(CheckCompactedFileName(file).ok(), "files have plain names");
  const Result<std::string> again = EncodeCompactionRecord(*record, log);
  LS_INVARIANT(again.ok(), "what is taken can be written: " + again.status().ToString());
  const Result<CompactionRecord> back = DecodeCompactionRecord(*again, log);
  LS_INVARIANT(back.ok() && *back == *record && *EncodeCompactionRecord(*back, log) == *again, "what is written comes back");
  if (record->state.index() != 2) return;
  LS_INVARIANT(!FilesOf(*record).empty(), "what is installed has files");
  LS_INVARIANT(!DecodeCompactionRecord(*again, LogId(8)).ok(), "and is of this log alone");
}

}  // namespace lakestream
