#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/try.h"
#include "format/entry_index.h"
#include "format/index_key.h"
#include "format/log_records.h"
#include "format/wal_object.h"
#include "log/plain_log_homes.h"
#include "log/reader/log_reader.h"
#include "meta/memory/memory_metadata_store.h"
#include "objstore/memory/memory_object_store.h"
#include "runtime/sim/sim_runtime.h"

namespace lakestream {

/// Counts what reaches the object store.
class CountingObjectStore final : public ForwardingObjectStore {
 public:
  using ForwardingObjectStore::ForwardingObjectStore;
  struct GetCall {
    std::string key;
    ByteRange range;
  };
  std::vector<GetCall> gets;
  Task<Result<Buffer>> Get(OpContext context, std::string key, ByteRange range) override {
    gets.push_back(GetCall{key, range});
    return inner().Get(std::move(context), std::move(key), range);
  }
};

/// Counts what reaches the metadata store.
class CountingMetadataStore final : public ForwardingMetadataStore {
 public:
  using ForwardingMetadataStore::ForwardingMetadataStore;
  std::vector<std::size_t> reads;  ///< requests of each Read
  int scans = 0;
  Task<Result<std::vector<ReadAnswer>>> Read(OpContext context, std::vector<ReadRequest> requests) override {
    reads.push_back(requests.size());
    return inner().Read(std::move(context), std::move(requests));
  }
  Task<Result<ScanPage>> Scan(OpContext context, KeyRange range, std::string cursor, int limit) override {
    ++scans;
    return inner().Scan(std::move(context), std::move(range), std::move(cursor), limit);
  }
};

struct TestEntry {
  std::int32_t records;
  std::string payload;
};
struct TestSection {
  LogId log;
  std::vector<TestEntry> entries;
};

/// Logs written by hand: objects and index records, through the stores alone.
class ReaderWorld {
 public:
  explicit ReaderWorld(std::uint64_t seed = 1, ReaderOptions options = ReaderOptions(), int shards = 1)
      : sim(seed),
        memory_meta(sim.runtime(), MemoryMetadataOptions{shards}),
        memory_objects(sim.runtime()),
        meta(memory_meta),
        objects(memory_objects),
        memory_compacted(sim.runtime()),
        compacted(memory_compacted),
        reader(sim.runtime(), meta, objects, compacted, homes, options) {}

  /// Lays the payloads out in the order of the sections, after `lead` unused bytes, and puts the object.
  std::vector<WalSection> PutObject(const std::string& name, const std::vector<TestSection>& sections,
                                    std::size_t lead = 0) {
    std::vector<WalSection> wal;
    std::string region(lead, '.');
    for (const TestSection& section : sections) {
      WalSection made;
      made.log = section.log;
      for (const TestEntry& entry : section.entries) {
        made.entries.push_back(WalEntry{static_cast<std::int32_t>(region.size()),
                                        static_cast<std::int32_t>(entry.payload.size()), entry.records});
        region += entry.payload;
      }
      wal.push_back(std::move(made));
    }
    PutRaw(name, wal, std::move(region));
    return wal;
  }

  void PutRaw(const std::string& name, const std::vector<WalSection>& sections, std::string region) {
    region_size_ = static_cast<std::int64_t>(region.size());
    Result<Buffer> header = EncodeWalHeader(sections);
    ASSERT_TRUE(header.ok()) << header.status().ToString();
    BufferChain chain(*header);
    chain.Append(Buffer(std::move(region)));
    const Status put = sim.Run(memory_objects.Put(OpContext(), name, std::move(chain), PutMode::kCreate));
    ASSERT_TRUE(put.ok()) << put.ToString();
  }

  /// The record that a writer would publish for a section of the object put last.
  EntryIndex RecordOf(const WalSection& section, const std::string& name) {
    Result<EntryIndex> index = MakeRawEntryIndex(section, name, region_size_, false);
    EXPECT_TRUE(index.ok()) << index.status().ToString();
    return *index;
  }

  /// Publishes an index record with a sequenced put; gives its key.
  std::string Publish(LogId log, const EntryIndex& index) {
    std::vector<SequencedPutRequest> requests(1, SequencedPutRequest{Partition::OfLog(log), IndexKeyPrefix(log),
                                                                     index.message_count, index.entry_size_bytes,
                                                                     Buffer(EncodeEntryIndex(index)), WriteGuard(),
                                                                     nullptr});
    auto slot = sim.RunUntilDone(memory_meta.SequencedPut(OpContext(), std::move(requests)));
    EXPECT_TRUE(slot.has_value() && slot->front().ok());
    return slot->front()->key;
  }

  /// An object with one log's entries, and its record.
  std::string Append(LogId log, const std::string& name, const std::vector<TestEntry>& entries) {
    const std::vector<TestSection> sections(1, TestSection{log, entries});
    const std::vector<WalSection> wal = PutObject(name, sections);
    return Publish(log, RecordOf(wal[0], name));
  }

  void PutMeta(LogId log, const std::string& key, std::string value) {
    const auto put =
        sim.Run(memory_meta.Put(OpContext(), Partition::OfLog(log), key, Buffer(std::move(value)), WriteGuard()));
    ASSERT_TRUE(put.ok()) << put.status().ToString();
  }
  std::string Value(LogId log, const std::string& key) {
    const auto got = sim.Run(memory_meta.Get(OpContext(), Partition::OfLog(log), key));
    EXPECT_TRUE(got.ok() && got->has_value());
    return std::string((*got)->value.text());
  }
  void SetMarker(LogId log, std::int64_t b) { PutMeta(log, TrimMarkerKey(log), std::to_string(b)); }
  void RemoveIndex(LogId log, std::int64_t from, std::int64_t through) {
    const Status removed =
        sim.Run(memory_meta.DeleteRange(OpContext(), Partition::OfLog(log), IndexKeyFloorOf(log, Offset(from)),
                                        IndexKeyCeilingOf(log, Offset(through)), WriteGuard()));
    ASSERT_TRUE(removed.ok());
  }
  void RemoveObject(const std::string& name) {
    std::vector<std::string> keys(1, name);
    ASSERT_TRUE(sim.Run(memory_objects.Delete(OpContext(), std::move(keys))).ok());
  }

  Result<LogRead> Read(LogId log, std::int64_t from, ReadBounds bounds = ReadBounds()) {
    return sim.Run(reader.Read(OpContext(), log, Offset(from), bounds));
  }
  /// "offset:payload offset:payload ... ->next", or the status.
  std::string ReadText(LogId log, std::int64_t from, ReadBounds bounds = ReadBounds()) {
    return Text(Read(log, from, bounds));
  }
  static std::string Text(const Result<LogRead>& read) {
    if (!read.ok()) return read.status().ToString();
    std::string text;
    for (const LogEntry& entry : read->entries) {
      text += std::to_string(entry.header.offset.value()) + ":" + std::string(entry.payload.text()) + " ";
    }
    return text + "->" + std::to_string(read->next.value());
  }

  SimScheduler sim;
  MemoryMetadataStore memory_meta;
  MemoryObjectStore memory_objects;
  CountingMetadataStore meta;
  CountingObjectStore objects;
  MemoryObjectStore memory_compacted;
  CountingObjectStore compacted;
  PlainLogHomes homes;
  LogReader reader;

 private:
  std::int64_t region_size_ = 0;
};

}  // namespace lakestream
