#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "format/companion_writer.h"
#include "format/file_index.h"
#include "log/reader/testing/reader_world.h"
#include "parquet/writer/parquet_writer.h"

namespace lakestream {

/// What a compaction is about to write; a test changes it to make it lie.
struct CompactedDraft {
  struct File {
    std::string name;
    Offset last_offset;
    std::vector<LogEntryHeader> rows;
    std::vector<Buffer> payloads;
    std::string serde_type;
  };
  LogId log;
  Offset start;
  Offset end;
  std::int64_t bytes = 0;
  std::int64_t cumulative_size = 0;  ///< in the record's key
  std::string directory;
  std::vector<File> files;
  Compression compression = Compression::kZstd;

  std::string PathOf(std::size_t i) const { return directory + "/" + files[i].name; }
  std::string CompanionOf(std::size_t i) const { return directory + "/" + CompanionNameOf(files[i].name); }
};

/// The first Read is answered as if its log had no trim marker yet: as when it moves right behind the answer.
class LateMarker final : public ForwardingMetadataStore {
 public:
  using ForwardingMetadataStore::ForwardingMetadataStore;
  Task<Result<std::vector<ReadAnswer>>> Read(OpContext context, std::vector<ReadRequest> requests) override {
    return Hidden(inner(), std::move(context), std::move(requests), std::exchange(first_, false));
  }

 private:
  static Task<Result<std::vector<ReadAnswer>>> Hidden(MetadataStore& inner, OpContext context,
                                                      std::vector<ReadRequest> requests, bool hide) {
    Task<Result<std::vector<ReadAnswer>>> reading = inner.Read(std::move(context), std::move(requests));
    Result<std::vector<ReadAnswer>> answers = co_await reading;
    if (answers.ok() && hide) (*answers)[0].reset();
    co_return answers;
  }

  bool first_ = true;
};

/// A world whose logs are compacted by hand: files into the compacted store, and the record in place of those it
/// replaces.
class CompactedWorld : public ReaderWorld {
 public:
  using ReaderWorld::ReaderWorld;

  /// Of the entries of [start, end), read from their RAW records, as files that end at these offsets (exclusive) and at
  /// `end`. What ends at or below `trimmed` is left out.
  CompactedDraft Draft(LogId log, std::int64_t start, std::int64_t end, std::vector<std::int64_t> file_ends,
                       std::int64_t trimmed = 0) {
    CompactedDraft draft;
    draft.log = log;
    draft.start = Offset(start);
    draft.end = Offset(end);
    const LogHome home = PlainLogHomes::Of(log);
    draft.directory = home.directory;
    file_ends.push_back(end);
    for (const std::int64_t file_end : file_ends) {
      CompactedDraft::File file;
      file.name = "lks-" + std::to_string(next_name_++) + ".parquet";
      file.last_offset = Offset(file_end - 1);
      file.serde_type = home.entry_serde_type;
      draft.files.push_back(std::move(file));
    }
    const std::unique_ptr<LogReader> raw = Fresh();
    std::size_t at = 0;
    for (Offset next = draft.start; next < draft.end;) {
      const Result<LogRead> read = ReadWith(*raw, log, next.value(), ReadBounds{1, 1});
      EXPECT_TRUE(read.ok() && read->entries.size() == 1) << Text(read);
      if (!read.ok() || read->entries.size() != 1) return draft;
      const LogEntry& entry = read->entries[0];
      next = entry.header.end();
      draft.bytes += entry.header.entry_size;
      draft.cumulative_size = entry.header.cumulative_size;
      if (next <= Offset(trimmed)) continue;
      while (entry.header.offset > draft.files[at].last_offset) ++at;
      draft.files[at].rows.push_back(entry.header);
      draft.files[at].payloads.push_back(entry.payload);
    }
    std::erase_if(draft.files, [](const CompactedDraft::File& file) { return file.rows.empty(); });
    return draft;
  }

  /// C2: the files and their companions.
  void WriteFiles(const CompactedDraft& draft) {
    for (std::size_t i = 0; i < draft.files.size(); ++i) {
      const CompactedDraft::File& file = draft.files[i];
      ParquetWriterOptions options;
      options.record_name = PlainLogHomes::Of(draft.log).record_name;
      options.entry_serde_type = file.serde_type;
      options.row_metadata = CompanionNameOf(file.name);
      options.compression = draft.compression;
      Result<std::unique_ptr<ParquetWriter>> writer = ParquetWriter::Open(options);
      ASSERT_TRUE(writer.ok()) << writer.status().ToString();
      for (const Buffer& payload : file.payloads) ASSERT_TRUE((*writer)->Add(payload.span()).ok());
      ASSERT_TRUE((*writer)->Finish().ok());
      PutCompacted(draft.PathOf(i), std::string((*writer)->TakeOutput().text()));
      CompanionWriter companion;
      for (const LogEntryHeader& header : file.rows) {
        const Status added = companion.Add(header);
        ASSERT_TRUE(added.ok()) << added.ToString();
      }
      ASSERT_TRUE(companion.Finish().ok());
      PutCompacted(draft.CompanionOf(i), companion.Take());
    }
  }

  /// C3: the record in place of the last one that it replaces. Gives its key.
  std::string InstallRecord(const CompactedDraft& draft) {
    FileIndex files;
    for (const CompactedDraft::File& file : draft.files) files.files.push_back({file.last_offset, file.name});
    const Result<EntryIndex> index = MakeParquetEntryIndex(files, draft.end - draft.start, draft.bytes);
    EXPECT_TRUE(index.ok()) << index.status().ToString();
    const std::string key = IndexKey{draft.log, draft.end, draft.cumulative_size}.Encode();
    PutMeta(draft.log, key, EncodeEntryIndex(*index));
    return key;
  }

  /// C2 to C4.
  std::string Install(const CompactedDraft& draft) {
    WriteFiles(draft);
    std::string key = InstallRecord(draft);
    RemoveIndex(draft.log, draft.start.value() + 1, draft.end.value() - 1);
    return key;
  }

  CompactedDraft Compact(LogId log, std::int64_t start, std::int64_t end, std::vector<std::int64_t> file_ends = {},
                         std::int64_t trimmed = 0) {
    CompactedDraft draft = Draft(log, start, end, std::move(file_ends), trimmed);
    Install(draft);
    return draft;
  }

  void PutCompacted(const std::string& key, std::string bytes) {
    BufferChain chain{Buffer(std::move(bytes))};
    const Status put =
        sim.Run(memory_compacted.Put(OpContext(), key, std::move(chain), PutMode::kOverwrite));
    ASSERT_TRUE(put.ok()) << put.ToString();
  }
  std::string CompactedBytes(const std::string& key) {
    const ByteRange all;
    const Result<Buffer> got = sim.Run(memory_compacted.Get(OpContext(), key, all));
    EXPECT_TRUE(got.ok()) << got.status().ToString();
    return got.ok() ? std::string(got->text()) : std::string();
  }
  void RemoveCompacted(const std::string& key) {
    std::vector<std::string> keys(1, key);
    ASSERT_TRUE(sim.Run(memory_compacted.Delete(OpContext(), std::move(keys))).ok());
  }

  /// A reader that knows nothing yet.
  std::unique_ptr<LogReader> Fresh(ReaderOptions options = ReaderOptions()) {
    return std::make_unique<LogReader>(sim.runtime(), meta, objects, compacted, homes, options);
  }
  Result<LogRead> ReadWith(LogReader& with, LogId log, std::int64_t from, ReadBounds bounds = ReadBounds()) {
    return sim.Run(with.Read(OpContext(), log, Offset(from), bounds));
  }
  /// As a reader sees it who knows nothing yet.
  std::string FreshText(LogId log, std::int64_t from, ReadBounds bounds = ReadBounds()) {
    const std::unique_ptr<LogReader> fresh = Fresh();
    return Text(ReadWith(*fresh, log, from, bounds));
  }

 private:
  int next_name_ = 1;
};

}  // namespace lakestream
