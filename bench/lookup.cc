#include <memory>
#include <string>
#include <vector>

#include "base/try.h"
#include "bench/benchmark.h"
#include "bench/engine.h"
#include "bench/folder.h"
#include "bench/rounds.h"
#include "format/entry_index.h"
#include "format/index_key.h"
#include "format/wal_object.h"
#include "log/reader/log_index.h"
#include "runtime/thread_runtime.h"
#include "runtime/wait.h"

namespace lakestream::bench {
namespace {

constexpr std::int64_t kRecordsOfLog = 10;
constexpr std::int64_t kMessages = 4;  ///< of each record
constexpr std::int64_t kFirstLog = 1;
/// Scatters the lookups over all records; prime, so that each is met.
constexpr std::int64_t kStride = 7919;

double Micros(Duration d) { return std::chrono::duration<double, std::micro>(d).count(); }

std::string ObjectOf(std::int64_t record) {
  std::string number = std::to_string(record);
  number.insert(0, 12 - number.size(), '0');
  return "2026/01/01/00/0000-00000000-0000-4000-8000-" + number;
}

Result<EntryIndex> RecordOf(LogId log, std::int64_t record) {
  WalSection section;
  section.log = log;
  WalEntry entry;
  entry.payload_size = 1024;
  entry.record_count = static_cast<std::int32_t>(kMessages);
  section.entries.push_back(entry);
  return MakeRawEntryIndex(section, ObjectOf(record), 1024, true);
}

/// Fills the store: record after record of all logs, as flushes do.
Status Fill(MetadataStore& meta, std::int64_t logs) {
  for (std::int64_t record = 0; record < kRecordsOfLog; ++record) {
    std::vector<SequencedPutRequest> requests;
    for (std::int64_t i = 0; i < logs; ++i) {
      const LogId log(kFirstLog + i);
      LS_ASSIGN(const EntryIndex index, RecordOf(log, record));
      Buffer value(EncodeEntryIndex(index));
      requests.push_back({Partition::OfLog(log), IndexKeyPrefix(log), kMessages, 1024, std::move(value), {}, nullptr});
    }
    for (const auto& answer : Wait(meta.SequencedPut(OpContext(), std::move(requests)))) LS_TRY(answer.status());
  }
  return OkStatus();
}

/// `count` lookups of scattered records, each checked. The task runs on the thread that waits for it: such reads never
/// leave it.
Task<Status> LookUp(LogIndex& index, std::int64_t logs, std::int64_t count, bool fresh,
                    const std::vector<std::string>& objects) {
  const std::int64_t records = logs * kRecordsOfLog;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t at = i * kStride % records;
    const std::int64_t record = at % kRecordsOfLog;
    const LogId log(kFirstLog + at / kRecordsOfLog);
    const Offset wanted(record * kMessages + i % kMessages);
    Task<Result<FoundRecord>> find = index.Find(OpContext(), log, wanted, fresh);
    LS_CO_ASSIGN(const FoundRecord found, co_await find);
    const bool right = found.record != nullptr && found.record->span.start == Offset(record * kMessages) &&
                       found.record->index.location == objects[static_cast<std::size_t>(record)];
    if (!right) co_return Corrupt("a lookup found the wrong record").With("log", log.value()).With("record", record);
  }
  co_return OkStatus();
}

}  // namespace

Status RunLookup(const BenchOptions& options, BenchReport* report) {
  ThreadRuntime threads{ThreadRuntimeOptions()};
  Runtime& runtime = threads.runtime();
  const std::int64_t all_logs = Scaled(options, 10'000, 50);
  const std::int64_t cached_logs = Scaled(options, 1000, 10);
  const std::int64_t count = Scaled(options, 100'000, all_logs * kRecordsOfLog);
  LS_ASSIGN(const Folder folder, Folder::Make(options.directory, "lookup"));
  LS_ASSIGN(const std::unique_ptr<LmdbMetadataStore> meta, OpenLmdb(runtime, folder.path()));
  LS_TRY(Fill(*meta, all_logs));
  if (options.damage) {
    const LogId log(kFirstLog + 3);
    const IndexKey lost{log, Offset(5 * kMessages), 5 * 1024};
    LS_TRY(Wait(meta->Delete(OpContext(), Partition::OfLog(log), lost.Encode(), WriteGuard())));
  }
  std::vector<std::string> objects;
  for (std::int64_t record = 0; record < kRecordsOfLog; ++record) objects.push_back(ObjectOf(record));

  ReaderOptions reader;
  reader.index_cache_age = std::chrono::hours(1);
  LogIndex cached(runtime, *meta, reader);
  LS_TRY(Wait(LookUp(cached, cached_logs, cached_logs * kRecordsOfLog, false, objects)));
  reader.index_cache_age = Duration::zero();
  LogIndex uncached(runtime, *meta, reader);
  const auto time = [&](LogIndex& index, std::int64_t logs, bool fresh) -> Result<double> {
    const MonotonicTime before = runtime.Now();
    LS_TRY(Wait(LookUp(index, logs, count, fresh, objects)));
    report->Checked(count);
    return Micros(runtime.Now() - before) / static_cast<double>(count);
  };
  const Side in_cache = [&] { return time(cached, cached_logs, false); };
  const Side in_lmdb = [&] { return time(uncached, all_logs, true); };
  LS_ASSIGN(const Compared compared, Compare(options, in_cache, in_lmdb));
  report->AtMost("record in the cache; the trim marker is read from LMDB", compared.ours, 5, "us");
  report->AtMost("record and trim marker from LMDB", compared.peer, 50, "us");
  report->Note("mean of scattered lookups, one at a time, over 10 records of each of 1 000 logs (cached) and 10 000");
  return Wait(meta->Stop(OpContext()));
}

}  // namespace lakestream::bench
