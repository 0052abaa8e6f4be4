#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "format/compaction_record.h"
#include "format/companion_decoder.h"
#include "format/log_records.h"
#include "log/compactor/compactor.h"
#include "log/log_entry.h"
#include "log/reader/testing/reader_world.h"
#include "meta/wrap/fault_metadata_store.h"
#include "meta/wrap/unguarded_metadata_store.h"
#include "model/read_plan.h"
#include "objstore/wrap/fault_object_store.h"
#include "parquet/parquet_file.h"
#include "runtime/sim/sim_runtime.h"

namespace lakestream {

/// Every log belongs to one stream of binding `raw`.
class OneHome final : public LogHomes {
 public:
  Task<Result<LogHome>> Find(OpContext, LogId) override {
    if (!known) co_return NotFound("the log belongs to no stream");
    co_return LogHome{"shop/orders", "LAKESTREAM_RAW_PARQUET", "LakestreamEntry"};
  }
  bool known = true;
};

/// Whatever has settled is compacted at once, the log's last record too when it stands alone.
inline CompactorOptions EagerOptions() {
  CompactorOptions options;
  options.plan.small_range_cost = 0;
  options.retry_first = std::chrono::seconds(1);
  return options;
}

/// How often a call of a store may still be made before its process dies.
struct DeathPoint {
  int left = -1;              ///< calls that are still made; -1: without end
  bool apply_last = false;    ///< the one after them reaches the store
  bool dead = false;
  std::function<void()> die;

  /// The fate of a call: made, made and never answered, or not made.
  enum class Fate { kMade, kUnanswered, kNotMade };
  Fate Next() {
    if (dead) return Fate::kNotMade;
    if (left < 0) return Fate::kMade;
    if (left-- > 0) return Fate::kMade;
    return apply_last ? Fate::kUnanswered : Fate::kNotMade;
  }
  void Die() {
    if (std::exchange(dead, true)) return;
    die();
  }
  /// What everything that goes through here makes of the call.
  template <class R>
  static Task<R> Pass(DeathPoint& self, Runtime& runtime, Task<R> call) {
    const Fate fate = self.Next();
    if (fate == Fate::kMade) co_return co_await call;
    if (fate == Fate::kUnanswered) {
      const R lost = co_await call;
      (void)lost;
    }
    self.Die();
    // The node is dead: this frame goes with it.
    Event never(runtime.executor);
    co_await never.Wait();
    co_return co_await call;
  }
};

/// A process that dies at a call.
class MortalMetadataStore final : public ForwardingMetadataStore {
 public:
  MortalMetadataStore(Runtime& runtime, MetadataStore& inner, DeathPoint& death)
      : ForwardingMetadataStore(inner), runtime_(runtime), death_(death) {}
  Task<Result<std::vector<ReadAnswer>>> Read(OpContext c, std::vector<ReadRequest> r) override {
    return Pass(inner().Read(std::move(c), std::move(r)));
  }
  Task<Result<WriteAnswer>> Put(OpContext c, Partition p, std::string k, Buffer v, WriteGuard g) override {
    return Pass(inner().Put(std::move(c), std::move(p), std::move(k), std::move(v), std::move(g)));
  }
  Task<Result<WriteAnswer>> CreateIfAbsent(OpContext c, Partition p, std::string k, Buffer v, WriteGuard g) override {
    return Pass(inner().CreateIfAbsent(std::move(c), std::move(p), std::move(k), std::move(v), std::move(g)));
  }
  Task<Result<WriteAnswer>> CreateEphemeral(OpContext c, Partition p, std::string k, Buffer v,
                                            std::shared_ptr<MetadataSession> s) override {
    return Earlier(made_earlier_ms, Pass(inner().CreateEphemeral(std::move(c), std::move(p), std::move(k),
                                                                 std::move(v), std::move(s))));
  }
  std::int64_t made_earlier_ms = 0;  ///< the store's clock is behind by so much
  Task<Result<WriteAnswer>> CompareAndSet(OpContext c, Partition p, std::string k, Buffer v, std::int64_t version,
                                          WriteGuard g) override {
    return Pass(inner().CompareAndSet(std::move(c), std::move(p), std::move(k), std::move(v), version, std::move(g)));
  }
  Task<Status> Delete(OpContext c, Partition p, std::string k, WriteGuard g) override {
    return Pass(inner().Delete(std::move(c), std::move(p), std::move(k), std::move(g)));
  }
  Task<Status> DeleteRange(OpContext c, Partition p, std::string from, std::string to, WriteGuard g) override {
    return Pass(inner().DeleteRange(std::move(c), std::move(p), std::move(from), std::move(to), std::move(g)));
  }
  Task<Result<ScanPage>> Scan(OpContext c, KeyRange r, std::string cursor, int limit) override {
    return Pass(inner().Scan(std::move(c), std::move(r), std::move(cursor), limit));
  }

 private:
  static Task<Result<WriteAnswer>> Earlier(std::int64_t ms, Task<Result<WriteAnswer>> call) {
    Result<WriteAnswer> made = co_await call;
    if (made.ok()) made->created_ms -= ms;
    co_return made;
  }
  template <class R>
  Task<R> Pass(Task<R> call) {
    return DeathPoint::Pass(death_, runtime_, std::move(call));
  }
  Runtime& runtime_;
  DeathPoint& death_;
};

class MortalObjectStore final : public ForwardingObjectStore {
 public:
  MortalObjectStore(Runtime& runtime, ObjectStore& inner, DeathPoint& death)
      : ForwardingObjectStore(inner), runtime_(runtime), death_(death) {}
  Task<Status> Put(OpContext c, std::string k, BufferChain b, PutMode m) override {
    return Pass(inner().Put(std::move(c), std::move(k), std::move(b), m));
  }
  Task<Result<Buffer>> Get(OpContext c, std::string k, ByteRange r) override {
    return Pass(inner().Get(std::move(c), std::move(k), r));
  }
  Task<Status> Delete(OpContext c, std::vector<std::string> keys) override {
    return Pass(inner().Delete(std::move(c), std::move(keys)));
  }

 private:
  template <class R>
  Task<R> Pass(Task<R> call) {
    return DeathPoint::Pass(death_, runtime_, std::move(call));
  }
  Runtime& runtime_;
  DeathPoint& death_;
};

/// One process with a compactor over faulty stores.
class CompactorProcess {
 public:
  /// `guarded`: whether the store holds guards; Oxia does not.
  CompactorProcess(SimScheduler& sim, const std::string& name, ReaderWorld& world, MemoryObjectStore& compacted_memory,
                   LogHomes& homes, CompactorOptions options, bool guarded)
      : sim_(sim),
        node(sim.AddNode(name)),
        client(node.runtime(), world.memory_meta.backend()),
        far_client(sim.runtime(), world.memory_meta.backend()),
        base(guarded ? static_cast<MetadataStore&>(client) : unguarded),
        far_base(guarded ? static_cast<MetadataStore&>(far_client) : far_unguarded),
        wal_view(node.runtime(), world.memory_objects),
        far_wal(sim.runtime(), world.memory_objects),
        compacted_view(node.runtime(), compacted_memory),
        far_compacted(sim.runtime(), compacted_memory),
        options(std::move(options)) {
    death.die = [this] { node.Kill(); };
    WriterOptions writer;
    writer.fence_poll = std::chrono::seconds(2);
    leases = std::make_unique<LeaseKeeper>(node.runtime(), meta, writer);
    leases->Start();
    const CompactorParts parts{node.runtime(), meta, meta, wal, compacted, *leases, homes, scratch};
    compactor = std::make_unique<Compactor>(parts, this->options);
  }

  /// A pass on this node; nothing where the node died or stood still.
  std::optional<Result<CompactionTotals>> Pass(std::vector<LogId> logs, Duration within = std::chrono::minutes(10)) {
    outcomes.clear();
    auto slot = std::make_shared<std::optional<Result<CompactionTotals>>>();
    node.Spawn(PassInto(this, std::move(logs), within, slot));
    const MonotonicTime end = sim_.Now() + within + std::chrono::minutes(1);
    while (!*slot && node.alive() && sim_.Now() < end && sim_.Step()) {
    }
    return *slot;
  }
  /// Starts one and does not wait.
  std::shared_ptr<std::optional<Result<CompactionTotals>>> Start(std::vector<LogId> logs, Duration within) {
    outcomes.clear();
    auto slot = std::make_shared<std::optional<Result<CompactionTotals>>>();
    node.Spawn(PassInto(this, std::move(logs), within, slot));
    return slot;
  }
  const CompactionOutcome& Outcome(LogId log) const {
    static const CompactionOutcome kNone;
    const auto found = outcomes.find(log);
    EXPECT_TRUE(found != outcomes.end()) << "no outcome of log " << log.value();
    return found == outcomes.end() ? kNone : found->second;
  }
  /// What its machine's end does to its sessions, when the store gets to know.
  void Expire() {
    client.backend()->ExpireClient(client.client_id());
    client.backend()->ExpireClient(far_client.client_id());
  }
  void Kill() {
    death.dead = true;
    node.Kill();
    Expire();
  }

  static Task<void> PassInto(CompactorProcess* self, std::vector<LogId> logs, Duration within,
                             std::shared_ptr<std::optional<Result<CompactionTotals>>> slot) {
    const OpContext context = OpContext().WithDeadline(self->node.runtime().Now() + within);
    CompactionObserver observer = [self](const CompactionOutcome& outcome) { self->outcomes[outcome.log] = outcome; };
    Task<Result<CompactionTotals>> pass = self->compactor->Pass(context, std::move(logs), std::move(observer));
    slot->emplace(co_await pass);
  }

 private:
  SimScheduler& sim_;

 public:
  SimNode& node;
  DeathPoint death;
  MemoryMetadataStore client;
  MemoryMetadataStore far_client;
  UnguardedMetadataStore unguarded{client};
  UnguardedMetadataStore far_unguarded{far_client};
  MetadataStore& base;
  MetadataStore& far_base;
  MetadataFaultPlan meta_faults{node.runtime()};
  FaultMetadataStore faulty_meta{node.runtime(), base, meta_faults, far_client_runtime(), far_base};
  MortalMetadataStore meta{node.runtime(), faulty_meta, death};
  MemoryObjectStore wal_view;
  MemoryObjectStore far_wal;
  FaultPlan wal_faults{node.runtime()};
  FaultObjectStore faulty_wal{node.runtime(), wal_view, wal_faults, far_client_runtime(), far_wal};
  MortalObjectStore mortal_wal{node.runtime(), faulty_wal, death};
  CountingObjectStore wal{mortal_wal};
  MemoryObjectStore compacted_view;
  MemoryObjectStore far_compacted;
  FaultPlan compacted_faults{node.runtime()};
  FaultObjectStore faulty_compacted{node.runtime(), compacted_view, compacted_faults, far_client_runtime(),
                                    far_compacted};
  MortalObjectStore compacted{node.runtime(), faulty_compacted, death};
  MemoryScratchSpace scratch;
  const CompactorOptions options;
  std::unique_ptr<LeaseKeeper> leases;
  std::unique_ptr<Compactor> compactor;
  std::map<LogId, CompactionOutcome> outcomes;  ///< of the last pass

 private:
  Runtime& far_client_runtime() { return sim_.runtime(); }
};

/// Logs written by hand, and processes that compact them.
class CompactorWorld : public ReaderWorld {
 public:
  explicit CompactorWorld(std::uint64_t seed = 1) : ReaderWorld(seed), compacted(sim.runtime()) {}

  CompactorProcess& AddProcess(CompactorOptions options = EagerOptions(), bool guarded = true) {
    processes.push_back(std::make_unique<CompactorProcess>(sim, "compactor-" + std::to_string(processes.size()), *this,
                                                           compacted, homes, std::move(options), guarded));
    return *processes.back();
  }
  /// Steps until it holds.
  void Until(const std::function<bool()>& holds) {
    for (int steps = 0; !holds(); ++steps) {
      ASSERT_TRUE(steps < 200'000 && sim.Step()) << "it never comes to that";
    }
  }
  /// The n-th call from now on that matches stands still.
  static Hold HoldNth(CompactorWorld& world, CompactorProcess& process, MetadataOp op, const std::string& prefix, int n,
                      HoldPoint point) {
    Hold hold = process.meta_faults.HoldNext(op, prefix, point);
    for (int i = 1; i < n; ++i) {
      world.Until([&] { return hold.reached(); });
      const Hold next = process.meta_faults.HoldNext(op, prefix, point);
      hold.Release();
      hold = next;
    }
    return hold;
  }
  /// Everything written so far has settled.
  void Settle() { ASSERT_TRUE(sim.RunFor(std::chrono::minutes(2)).ok()); }

  void Fence(LogId log) {
    ASSERT_TRUE(sim.Run(memory_meta.CreateIfAbsent(OpContext(), Partition::OfLog(log), WriteFenceKey(log),
                                                   Buffer::CopyOf(kWriteFenceValue), WriteGuard()))
                    .ok());
  }
  static CompactionRecord Idle(std::int64_t next) {
    CompactionRecord record;
    record.state = CompactionIdle{Offset(next)};
    return record;
  }
  CompactionRecord Record(LogId log) {
    const auto got = sim.Run(memory_meta.Get(OpContext(), Partition::OfLog(log), CompactionRecordKey(log)));
    if (!got.ok() || !*got) return CompactionRecord();
    const Result<CompactionRecord> record = DecodeCompactionRecord((*got)->value.text(), log);
    EXPECT_TRUE(record.ok()) << record.status().ToString();
    return record.ok() ? *record : CompactionRecord();
  }
  void PutRecord(LogId log, const CompactionRecord& record) {
    const Result<std::string> value = EncodeCompactionRecord(record, log);
    ASSERT_TRUE(value.ok()) << value.status().ToString();
    PutMeta(log, CompactionRecordKey(log), *value);
  }
  /// "R3 R6 P20": kind and end of each index record.
  std::string Index(LogId log) {
    std::string text;
    for (const MetadataRecord& record : IndexRecords(log)) {
      const Result<EntryIndex> index = DecodeEntryIndex(record.value.span(), record.key);
      EXPECT_TRUE(index.ok()) << index.status().ToString();
      text += (text.empty() ? "" : " ") + std::string(index->file_type == FileType::kRaw ? "R" : "P") +
              std::to_string(IndexKey::Decode(record.key)->end.value());
    }
    return text;
  }
  std::vector<MetadataRecord> IndexRecords(LogId log) {
    std::vector<MetadataRecord> records;
    for (MetadataRecord& record : memory_meta.backend()->Dump()) {
      if (IsIndexKeyOf(record.key, log)) records.push_back(std::move(record));
    }
    return records;
  }
  std::size_t Count(std::string_view prefix) {
    std::size_t count = 0;
    for (const MetadataRecord& record : memory_meta.backend()->Dump()) count += record.key.starts_with(prefix) ? 1 : 0;
    return count;
  }
  std::vector<std::string> Files() {
    std::vector<std::string> keys;
    std::optional<std::string> from = "";
    while (from) {
      const Result<ListPage> page = sim.Run(compacted.List(OpContext(), "", *from, 1000));
      for (const ObjectInfo& object : page->objects) keys.push_back(object.key);
      from = page->next;
    }
    return keys;
  }

  /// All that a reader finds from the trim marker on, by steps R1 to R4: "offset+records@time size/cumulative payload".
  std::vector<std::string> Entries(LogId log) {
    std::vector<std::string> lines;
    const auto marker = sim.Run(memory_meta.Get(OpContext(), Partition::OfLog(log), TrimMarkerKey(log)));
    Offset wanted = *marker ? *DecodeTrimMarker((*marker)->value.text(), "") : Offset(0);
    const std::vector<MetadataRecord> records = IndexRecords(log);
    for (const MetadataRecord& record : records) {
      const Result<IndexKey> key = IndexKey::Decode(record.key);
      const Result<EntryIndex> index = DecodeEntryIndex(record.value.span(), record.key);
      const Result<model::IndexSpan> span = model::SpanOf(*key, *index);
      // Records are in the order of their ends.
      if (span->end <= wanted) continue;
      EXPECT_LE(span->start, wanted) << "a gap in the index";
      const std::vector<LogEntry> entries =
          index->file_type == FileType::kRaw ? RawEntries(log, record, *index, *span) : CompactedEntries(*index, *span);
      for (const LogEntry& entry : entries) {
        if (entry.header.end() <= wanted) continue;
        EXPECT_LE(entry.header.offset, wanted) << "an entry is missing";
        wanted = entry.header.end();
        lines.push_back(std::to_string(entry.header.offset.value()) + "+" +
                        std::to_string(entry.header.number_of_records) + "@" +
                        std::to_string(entry.header.timestamp_ms) + " " + std::to_string(entry.header.entry_size) +
                        "/" + std::to_string(entry.header.cumulative_size) + " " + std::string(entry.payload.text()));
      }
      EXPECT_EQ(wanted, span->end) << "a record ends early";
    }
    return lines;
  }

  OneHome homes;
  MemoryObjectStore compacted;
  std::vector<std::unique_ptr<CompactorProcess>> processes;

 private:
  std::vector<LogEntry> RawEntries(LogId log, const MetadataRecord& record, const EntryIndex& index,
                                   const model::IndexSpan& span) {
    std::vector<LogEntry> entries;
    const Result<Buffer> object = sim.Run(memory_objects.Get(OpContext(), index.location, ByteRange()));
    EXPECT_TRUE(object.ok()) << object.status().ToString();
    if (!object.ok()) return entries;
    const Result<WalHeader> header = DecodeWalHeader(object->span(), object->size(), index.location);
    model::ReadAllowance all(1 << 30, std::int64_t{1} << 40);
    for (const model::PlannedEntry& planned :
         model::PlanEntries(span, *header->index.Find(log), span.start, all)) {
      const LogEntryHeader entry{planned.offset, planned.records, record.created_ms, planned.payload_size,
                                 planned.cumulative_size};
      entries.push_back(LogEntry{entry, object->Slice(header->header_size + planned.payload_offset,
                                                      static_cast<std::size_t>(planned.payload_size))});
    }
    return entries;
  }
  std::vector<LogEntry> CompactedEntries(const EntryIndex& index, const model::IndexSpan& span) {
    std::vector<LogEntry> entries;
    const Result<FileIndex> files = FileIndexOf(index, "record");
    EXPECT_TRUE(files.ok()) << files.status().ToString();
    EXPECT_TRUE(CheckFileIndexRange(*files, span.start, span.end, "record").ok());
    EXPECT_EQ(index.location, files->files.front().name);
    for (const CompactedFile& file : files->files) {
      const std::string key = "shop/orders/" + file.name;
      const Result<Buffer> bytes = sim.Run(compacted.Get(OpContext(), key, ByteRange()));
      const Result<Buffer> companion_bytes =
          sim.Run(compacted.Get(OpContext(), "shop/orders/" + CompanionNameOf(file.name), ByteRange()));
      EXPECT_TRUE(bytes.ok() && companion_bytes.ok()) << key << " " << bytes.status().ToString();
      if (!bytes.ok() || !companion_bytes.ok()) continue;
      const Result<ParquetFile> parquet = ParquetFile::Open(key, bytes->size(), bytes->span());
      EXPECT_TRUE(parquet.ok()) << parquet.status().ToString();
      CompanionDecoder decoder(key, 1 << 20);
      EXPECT_TRUE(decoder.Feed(companion_bytes->span()).ok());
      const Result<Companion> companion = decoder.Finish();
      EXPECT_TRUE(companion.ok()) << companion.status().ToString();
      if (!parquet.ok() || !companion.ok()) continue;
      EXPECT_EQ(parquet->rows(), static_cast<std::int64_t>(companion->rows()));
      EXPECT_EQ(*parquet->FindKey("entrySerDeType"), "LAKESTREAM_RAW_PARQUET");
      EXPECT_EQ(*parquet->FindKey("rowMetadata"), CompanionNameOf(file.name));
      EXPECT_EQ(parquet->root_name(), "LakestreamEntry");
      EXPECT_EQ(companion->end() - 1, file.last_offset);
      for (std::int64_t row = 0; row < parquet->rows();) {
        const Result<ParquetPages> pages = parquet->FindRows(row, parquet->rows() - row, 1 << 30);
        const Buffer data = bytes->Slice(pages->data.offset, pages->data.length);
        const std::int64_t count = std::min(pages->first_row + pages->rows, parquet->rows()) - row;
        const Result<std::vector<Buffer>> payloads = parquet->DecodeRows(*pages, data, Buffer(), row, count);
        EXPECT_TRUE(payloads.ok()) << payloads.status().ToString();
        if (!payloads.ok()) break;
        for (std::int64_t i = 0; i < count; ++i) {
          entries.push_back(LogEntry{companion->HeaderOf(static_cast<std::size_t>(row + i)),
                                     (*payloads)[static_cast<std::size_t>(i)]});
        }
        row += count;
      }
    }
    return entries;
  }
};

}  // namespace lakestream
