#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/invariant.h"
#include "format/entry_index.h"
#include "format/log_records.h"
#include "sim/compacted_key.h"
#include "sim/testing/made_history.h"

namespace lakestream::sim {

/// Log 1 and what becomes of five RAW records, of which the first four are compacted into two files.
class CompactionHistory : public MadeHistory {
 public:
  static constexpr LogId kLog{1};
  static constexpr CompactionRange kRange{Offset(0), Offset(5)};  ///< of the compaction
  std::vector<CompactedFile> files{{Offset(2), "a.parquet"}, {Offset(4), "b.parquet"}};

  void Raw(const std::string& object, std::vector<SeenEntry> entries) {
    ObjectEntries& of_object = evidence.wal_entries[object];
    const Offset start = entries.front().offset;
    for (SeenEntry entry : entries) {
      entry.offset = Offset(entry.offset - start);
      of_object.entries[kLog].push_back(entry);
    }
    Object(object);
    Record(object, std::move(entries));
  }

  StoreEvent& Compaction(CompactionRecord record) {
    const Result<std::string> value = EncodeCompactionRecord(record, kLog);
    LS_INVARIANT(value.ok(), "a compaction record that can be written");
    return Store(CompactionRecordKey(kLog), *value);
  }
  StoreEvent& Idle(Offset next) { return Compaction({CompactionIdle{next}, {}, {}}); }
  StoreEvent& Working(const std::string& owner, CompactionRange range) {
    CompactionWorking working{owner, range, {}};
    for (const CompactedFile& file : files) working.files.push_back(file.name);
    return Compaction({std::move(working), {}, {}});
  }
  StoreEvent& Installing(const std::string& owner) {
    return Compaction({CompactionInstalling{owner, kRange, Key(kRange.end), Value(kRange)}, {}, {}});
  }

  void Upload(const std::string& name, std::vector<SeenEntry> rows) {
    for (const std::string& key : KeysOf(name)) {
      Compacted(CompactedEvent::Kind::kAsked, key);
      Compacted(CompactedEvent::Kind::kWritten, key);
    }
    evidence.file_entries[CompactedKey(kLog, name)].entries[kLog] = std::move(rows);
  }
  void RemoveFile(const std::string& name) {
    for (const std::string& key : KeysOf(name)) Compacted(CompactedEvent::Kind::kRemoved, key);
  }
  void Compacted(CompactedEvent::Kind kind, const std::string& key) {
    evidence.compacted.push_back(CompactedEvent{Next(), kind, key});
  }

  StoreEvent& Install(CompactionRange range) { return Store(Key(range.end).Encode(), Value(range)); }
  void RemoveRecord(Offset end) { Remove(Key(end).Encode()); }

  static IndexKey Key(Offset end) {
    IndexKey key;
    key.log = kLog;
    key.end = end;
    key.cumulative_size = end.value() * 10;
    return key;
  }

 private:
  std::string Value(CompactionRange range) const {
    const std::int64_t records = range.end - range.start;
    const Result<EntryIndex> index = MakeParquetEntryIndex(FileIndex{files}, records, records * 10);
    LS_INVARIANT(index.ok(), "a record that can be written");
    return EncodeEntryIndex(*index);
  }
  static std::vector<std::string> KeysOf(const std::string& name) {
    return {CompactedKey(kLog, name), CompactedKey(kLog, CompanionNameOf(name))};
  }
};

/// The five records.
inline CompactionHistory Appended() {
  CompactionHistory h;
  h.evidence.settle_time = std::chrono::seconds(10);
  h.Raw("one", {Entry(1, Offset(0)), Entry(2, Offset(1))});
  h.Raw("two", {Entry(3, Offset(2))});
  h.Raw("three", {Entry(4, Offset(3))});
  h.Raw("four", {Entry(5, Offset(4))});
  h.Raw("five", {Entry(6, Offset(5))});
  h.Pass(std::chrono::seconds(10));
  return h;
}
/// "s-1" works.
inline CompactionHistory Named() {
  CompactionHistory h = Appended();
  h.Working("s-1", CompactionHistory::kRange);
  return h;
}
inline void UploadAll(CompactionHistory& h) {
  h.Upload("a.parquet", {Entry(1, Offset(0)), Entry(2, Offset(1)), Entry(3, Offset(2))});
  h.Upload("b.parquet", {Entry(4, Offset(3)), Entry(5, Offset(4))});
}
/// Both files are there.
inline CompactionHistory Installing() {
  CompactionHistory h = Named();
  UploadAll(h);
  h.Installing("s-1");
  return h;
}
/// C3 is done.
inline CompactionHistory Installed() {
  CompactionHistory h = Installing();
  h.Install(CompactionHistory::kRange);
  return h;
}
/// C4.
inline void Retire(CompactionHistory& h) {
  for (const Offset end : {Offset(2), Offset(3), Offset(4)}) h.RemoveRecord(end);
}
/// It is over.
inline CompactionHistory Compacted() {
  CompactionHistory h = Installed();
  Retire(h);
  h.Idle(CompactionHistory::kRange.end);
  return h;
}
/// All of it is trimmed.
inline CompactionHistory Trimmed() {
  CompactionHistory h = Compacted();
  h.Marker(Offset(5));
  h.RemoveFile("a.parquet");
  h.RemoveFile("b.parquet");
  h.RemoveRecord(Offset(5));
  return h;
}

}  // namespace lakestream::sim
