#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/try.h"
#include "bench/benchmark.h"
#include "bench/engine.h"
#include "bench/folder.h"
#include "bench/surroundings.h"
#include "bench/wrappers.h"
#include "format/catalog_records.h"
#include "format/entry_index.h"
#include "format/index_key.h"
#include "format/wal_object.h"
#include "log/fsck/fsck.h"
#include "log/plain_log_homes.h"
#include "objstore/memory/memory_object_store.h"
#include "runtime/thread_runtime.h"
#include "runtime/wait.h"

namespace lakestream::bench {
namespace {

constexpr std::int64_t kLogs = 1000;
constexpr std::int64_t kEntryBytes = 16;
constexpr std::int64_t kEntries = 2;  ///< of each section

std::string ObjectOf(std::int64_t number) {
  std::string digits = std::to_string(number);
  digits.insert(0, 12 - digits.size(), '0');
  return "2026/01/01/00/0000-00000000-0000-4000-8000-" + digits;
}

/// One object with a section for each log, and the index records that name it.
Status WriteObject(MetadataStore& meta, ObjectStore& wal, std::int64_t number) {
  std::vector<WalSection> sections;
  for (std::int64_t log = 1; log <= kLogs; ++log) {
    WalSection section;
    section.log = LogId(log);
    for (std::int64_t entry = 0; entry < kEntries; ++entry) {
      const std::int64_t at = ((log - 1) * kEntries + entry) * kEntryBytes;
      section.entries.push_back(WalEntry{static_cast<std::int32_t>(at), kEntryBytes, 1});
    }
    sections.push_back(std::move(section));
  }
  const std::int64_t region = kLogs * kEntries * kEntryBytes;
  LS_ASSIGN(const Buffer header, EncodeWalHeader(sections));
  BufferChain chain(header);
  chain.Append(Buffer(std::string(static_cast<std::size_t>(region), 'x')));
  LS_TRY(Wait(wal.Put(OpContext(), ObjectOf(number), std::move(chain), PutMode::kCreate)));
  std::vector<SequencedPutRequest> requests;
  for (const WalSection& section : sections) {
    LS_ASSIGN(const EntryIndex index, MakeRawEntryIndex(section, ObjectOf(number), region, false));
    Buffer value(EncodeEntryIndex(index));
    requests.push_back({Partition::OfLog(section.log), IndexKeyPrefix(section.log), kEntries, kEntries * kEntryBytes,
                        std::move(value), {}, nullptr});
  }
  for (const auto& answer : Wait(meta.SequencedPut(OpContext(), std::move(requests)))) LS_TRY(answer.status());
  return OkStatus();
}

/// The catalog knows the logs, and that their ids are taken.
Status Register(MetadataStore& meta) {
  for (std::int64_t log = 1; log <= kLogs; ++log) {
    const std::string key = LogRegistrationKey(LogId(log));
    LS_ASSIGN(std::string value, EncodeLogRegistration(LogRegistrationRecord()));
    LS_TRY(Wait(meta.Put(OpContext(), Partition::OfKey(key), key, Buffer(std::move(value)), WriteGuard())).status());
  }
  const std::string key(kLogIdGeneratorKey);
  return Wait(meta.Put(OpContext(), Partition::OfKey(key), key, Buffer(), WriteGuard())).status();
}

}  // namespace

Status RunFsckBench(const BenchOptions& options, BenchReport* report) {
  ThreadRuntime threads{ThreadRuntimeOptions()};
  Runtime& runtime = threads.runtime();
  const std::int64_t objects = Scaled(options, 1000, 3);
  LS_ASSIGN(const Folder folder, Folder::Make(options.directory, "fsck"));
  LS_ASSIGN(const std::unique_ptr<LmdbMetadataStore> meta, OpenLmdb(runtime, folder.path()));
  LS_ASSIGN(const std::unique_ptr<LocalObjectStore> wal, OpenLocal(runtime, folder.path() + "/wal"));
  for (std::int64_t number = 0; number < objects; ++number) {
    LS_TRY(WriteObject(*meta, *wal, number));
    LS_TRY(CheckStopped(options));
  }
  LS_TRY(Register(*meta));
  if (options.damage) {
    const IndexKey lost{LogId(7), Offset(2 * kEntries), 2 * kEntries * kEntryBytes};
    LS_TRY(Wait(meta->Delete(OpContext(), Partition::OfLog(lost.log), lost.Encode(), WriteGuard())));
  }
  MemoryWatch watched(*meta);
  LS_ASSIGN(const std::int64_t before_kib, ProcessNumber("status", "RssAnon"));
  std::string first;
  const double busy_before = ProcessorSeconds();
  const MonotonicTime began = runtime.Now();
  MemoryObjectStore compacted(runtime);
  PlainLogHomes homes;
  const FsckStores stores{watched, *wal, compacted, homes};
  LS_ASSIGN(const FsckTotals totals, Wait(CheckDeployment(runtime, stores, OpContext(), FsckOptions(),
                                                          [&first](const Finding& finding) {
                                                            if (first.empty()) first = FindingText(finding);
                                                          })));
  const double busy = ProcessorSeconds() - busy_before;
  const double seconds = std::chrono::duration<double>(runtime.Now() - began).count();
  const bool complete = totals.index_records == static_cast<std::uint64_t>(objects * kLogs) &&
                        totals.sections == totals.index_records && totals.damage + totals.notes == 0;
  if (!complete) return Corrupt("the check of a deployment that is right found something").With("first", first);
  report->Checked(objects * kLogs);
  report->Add("index records checked a second, against 1 000 sections in each object",
              static_cast<double>(totals.index_records) / seconds, "1/s");
  report->Add("  objects a second", static_cast<double>(objects) / seconds, "1/s");
  report->Add("  of that processor time for a record", busy * 1e6 / static_cast<double>(totals.index_records), "us");
  report->AtMost("memory of its own that it took", static_cast<double>(watched.most_kib() - before_kib) / 1024, 64,
                 "MiB");
  report->Note("1 000 objects with a section for each of 1 000 logs, from the page cache; the check of LMDB itself, "
               "which the command does before, is not in it");
  return Wait(meta->Stop(OpContext()));
}

}  // namespace lakestream::bench
