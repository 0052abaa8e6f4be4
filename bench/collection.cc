#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/try.h"
#include "bench/benchmark.h"
#include "bench/engine.h"
#include "bench/folder.h"
#include "bench/surroundings.h"
#include "bench/wrappers.h"
#include "format/entry_index.h"
#include "format/index_key.h"
#include "format/wal_object.h"
#include "log/catalog/stream_catalog.h"
#include "log/gc/collector.h"
#include "meta/wrap/metrics_metadata_store.h"
#include "objstore/memory/memory_object_store.h"
#include "objstore/wrap/metrics_object_store.h"
#include "runtime/thread_runtime.h"
#include "runtime/wait.h"
#include "runtime/when_all.h"

namespace lakestream::bench {
namespace {

constexpr std::int64_t kEntryBytes = 16;
constexpr std::int64_t kPutsAtOnce = 64;          ///< of objects
constexpr std::int64_t kRecordsOfACall = 1000;    ///< one commit
constexpr std::int64_t kNamedOfTen = 9;
constexpr Duration kGrace = std::chrono::seconds(1);
constexpr int kNoPause = 1'000'000;

/// Of ten objects nothing names one. Each of the others is named by a record of each of so many logs.
struct Shape {
  Shape(std::int64_t all_objects, std::int64_t all_records)
      : objects(all_objects),
        named(std::max<std::int64_t>(1, all_objects * kNamedOfTen / 10)),
        records_of_object(std::max<std::int64_t>(1, all_records / named)),
        objects_of_call(std::max<std::int64_t>(1, kRecordsOfACall / records_of_object)) {}
  std::int64_t records() const { return named * records_of_object; }
  std::int64_t garbage() const { return objects - named; }

  const std::int64_t objects;
  const std::int64_t named;
  const std::int64_t records_of_object;
  const std::int64_t objects_of_call;  ///< whose records are written together, each of a log of its own
};

std::string ObjectOf(std::int64_t number) {
  std::string digits = std::to_string(number);
  digits.insert(0, 12 - digits.size(), '0');
  const std::string hour = std::to_string(100 + number / 5000 % 24).substr(1);
  return "2026/01/01/" + hour + "/0000-00000000-0000-4000-8000-" + digits;
}

Status WriteObjects(Runtime& runtime, ObjectStore& wal, const Shape& shape, const BenchOptions& options) {
  const BufferChain bytes(Buffer::CopyOf("an object of which a pass reads the name\n"));
  for (std::int64_t from = 0; from < shape.objects; from += kPutsAtOnce) {
    std::vector<Task<Status>> puts;
    for (std::int64_t i = from; i < std::min(shape.objects, from + kPutsAtOnce); ++i) {
      puts.push_back(wal.Put(OpContext(), ObjectOf(i), bytes, PutMode::kCreate));
    }
    for (const Status& status : Wait(WhenAll(runtime, std::move(puts)))) LS_TRY(status);
    LS_TRY(CheckStopped(options));
  }
  return OkStatus();
}

Status WriteRecords(MetadataStore& meta, const Shape& shape, const BenchOptions& options) {
  std::int64_t number = 0;
  while (number < shape.named) {
    std::vector<SequencedPutRequest> requests;
    for (std::int64_t i = 0; i < shape.objects_of_call && number < shape.named; ++i, ++number) {
      if (options.damage && number == 0) continue;  // its entries are lost, and it is taken for garbage
      for (std::int64_t record = 0; record < shape.records_of_object; ++record) {
        WalSection section;
        section.log = LogId(1 + i * shape.records_of_object + record);
        section.entries.push_back(WalEntry{static_cast<std::int32_t>(record * kEntryBytes), kEntryBytes, 1});
        LS_ASSIGN(const EntryIndex index,
                  MakeRawEntryIndex(section, ObjectOf(number), shape.records_of_object * kEntryBytes, false));
        Buffer value(EncodeEntryIndex(index));
        requests.push_back({Partition::OfLog(section.log), IndexKeyPrefix(section.log), 1, kEntryBytes,
                            std::move(value), {}, nullptr});
      }
    }
    for (const auto& answer : Wait(meta.SequencedPut(OpContext(), std::move(requests)))) LS_TRY(answer.status());
    LS_TRY(CheckStopped(options));
  }
  return OkStatus();
}

/// One pass, and what it took.
struct Measured {
  CollectionReport report;
  double seconds = 0;
  double deleting = 0;  ///< of these, from the first deletion to the last
  std::int64_t metadata_calls = 0;
  std::int64_t object_calls = 0;
  double mib = 0;
};

/// Of all operations.
template <class Metrics>
std::int64_t Calls(const Metrics& metrics) {
  std::int64_t calls = 0;
  for (const auto& op : metrics.ops) calls += op.calls();
  return calls;
}

Result<Measured> Pass(Runtime& runtime, MetadataStore& meta, ObjectStore& wal) {
  LS_TRY(Wait(SleepFor(runtime, OpContext(), kGrace + std::chrono::milliseconds(100))));
  MetricsMetadataStore counted_meta(runtime, meta);
  MemoryWatch watched_meta(counted_meta);
  MetricsObjectStore counted_wal(runtime, wal);
  MemoryObjectStore compacted(runtime);
  StreamCatalog catalog(runtime, watched_meta);
  CollectorOptions options;
  options.grace = kGrace;
  options.deletes_per_second = kNoPause;
  Collector collector(CollectorParts{runtime, watched_meta, counted_wal, compacted, catalog}, options);
  std::optional<MonotonicTime> first;
  MonotonicTime last{};
  const CollectionObserver observer = [&](const CollectedObject&) {
    last = runtime.Now();
    if (!first) first = last;
  };
  LS_ASSIGN(const std::int64_t before_kib, ProcessNumber("status", "RssAnon"));
  const MonotonicTime began = runtime.Now();
  Measured measured;
  LS_ASSIGN(measured.report, Wait(collector.Pass(OpContext(), observer)));
  measured.seconds = std::chrono::duration<double>(runtime.Now() - began).count();
  if (first) measured.deleting = std::chrono::duration<double>(last - *first).count();
  measured.metadata_calls = Calls(counted_meta.Snapshot());
  measured.object_calls = Calls(counted_wal.Snapshot());
  measured.mib = static_cast<double>(watched_meta.most_kib() - before_kib) / 1024;
  return measured;
}

Status Check(const Measured& measured, const Shape& shape, bool second) {
  const CollectedRoot& found = measured.report.wal;
  const std::int64_t gone = second ? found.deleted.objects : found.waiting.objects;
  const bool right = gone == shape.garbage() && found.named.objects == shape.named &&
                     measured.report.index_records == shape.records();
  if (right) return OkStatus();
  return Corrupt("a pass took what is named for garbage, or left garbage")
      .With("named", found.named.objects)
      .With("garbage", gone)
      .With("index_records", measured.report.index_records);
}

}  // namespace

Status RunCollection(const BenchOptions& options, BenchReport* report) {
  ThreadRuntime threads{ThreadRuntimeOptions()};
  Runtime& runtime = threads.runtime();
  const Shape shape(options.objects > 0 ? options.objects : Scaled(options, 10'000, 20),
                    options.records > 0 ? options.records : Scaled(options, 1'000'000, 100));
  LS_ASSIGN(const Folder folder, Folder::Make(options.directory, "gc"));
  LS_ASSIGN(const std::unique_ptr<LmdbMetadataStore> meta, OpenLmdb(runtime, folder.path()));
  LS_ASSIGN(const std::unique_ptr<LocalObjectStore> wal, OpenLocal(runtime, folder.path() + "/wal"));
  LS_TRY(WriteObjects(runtime, *wal, shape, options));
  LS_TRY(WriteRecords(*meta, shape, options));
  LS_ASSIGN(const Measured finds, Pass(runtime, *meta, *wal));
  LS_TRY(Check(finds, shape, false));
  LS_TRY(CheckStopped(options));
  LS_ASSIGN(const Measured deletes, Pass(runtime, *meta, *wal));
  LS_TRY(Check(deletes, shape, true));
  report->Checked(shape.objects);
  report->Add("objects", static_cast<double>(shape.objects), "");
  report->Add("index records", static_cast<double>(shape.records()), "");
  report->Add("a pass that finds what nothing names, a tenth of the objects", finds.seconds, "s");
  report->Add("  index records a second of it", static_cast<double>(shape.records()) / finds.seconds, "1/s");
  report->Add("  calls of the metadata store", static_cast<double>(finds.metadata_calls), "");
  report->Add("  calls of the object store", static_cast<double>(finds.object_calls), "");
  report->Add("the next one, which deletes them, as fast as it can", deletes.seconds, "s");
  report->Add("  of that deletions", deletes.deleting, "s");
  report->Add("  calls of the metadata store", static_cast<double>(deletes.metadata_calls), "");
  report->Add("  calls of the object store", static_cast<double>(deletes.object_calls), "");
  report->AtMost("memory of its own that a pass took", std::max(finds.mib, deletes.mib), 64, "MiB");
  report->Note("LMDB and a directory, from the page cache");
  return Wait(meta->Stop(OpContext()));
}

}  // namespace lakestream::bench
