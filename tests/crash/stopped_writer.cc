// Appends to one log and stops itself, as a stopped machine would, right after the store has taken an object
// and before the index names it. stopped_writer_test.py continues it and judges what came of it.
//
// usage: stopped_writer METADATA_DIR WAL_DIR LOG BURSTS STOP_AFTER_PUT PUBLISH_DEADLINE_MS
// Prints "LINE PARTITION OFFSET" per acknowledged entry, then "rewritten_sections N".

#include <signal.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "base/try.h"
#include "log/lease/lease_keeper.h"
#include "log/writer/log_writer.h"
#include "meta/lmdb/lmdb_metadata_store.h"
#include "objstore/local/local_object_store.h"
#include "runtime/thread_runtime.h"
#include "runtime/wait.h"
#include "runtime/when_all.h"

namespace lakestream {
namespace {

constexpr int kBurst = 20;  // appends at once: mostly one object

/// Counts the index puts that have their answer.
class WatchedMetadata final : public ForwardingMetadataStore {
 public:
  explicit WatchedMetadata(MetadataStore& inner) : ForwardingMetadataStore(inner) {}

  Task<std::vector<Result<SequencedPutAnswer>>> SequencedPut(OpContext context,
                                                             std::vector<SequencedPutRequest> requests) override {
    std::vector<Result<SequencedPutAnswer>> answers =
        co_await inner().SequencedPut(std::move(context), std::move(requests));
    answered_ += static_cast<int>(answers.size());
    co_return answers;
  }
  int answered() const { return answered_; }

 private:
  std::atomic<int> answered_{0};
};

/// Stops the process once, after a Put has been applied and when all objects before it are in the index: else it may
/// hold the lock of the metadata store, and all others stand still, too. Requires: one log, one PUT at a time.
class StoppingStore final : public ForwardingObjectStore {
 public:
  StoppingStore(Runtime& runtime, ObjectStore& inner, const WatchedMetadata& metadata, int stop_after)
      : ForwardingObjectStore(inner), runtime_(runtime), metadata_(metadata), before_(stop_after - 1), left_(stop_after) {}

  Task<Status> Put(OpContext context, std::string key, BufferChain bytes, PutMode mode) override {
    const Status status = co_await inner().Put(std::move(context), std::move(key), std::move(bytes), mode);
    if (status.ok() && --left_ == 0) {
      while (metadata_.answered() < before_) co_await Yield(runtime_);
      raise(SIGSTOP);
    }
    co_return status;
  }

 private:
  Runtime& runtime_;
  const WatchedMetadata& metadata_;
  const int before_;
  std::atomic<int> left_;
};

WriterOptions Options(const char* publish_deadline_ms) {
  WriterOptions options;
  options.max_puts_in_flight = 1;
  options.times.publish_deadline = std::chrono::milliseconds(std::atoll(publish_deadline_ms));
  return options;
}

Status AppendBursts(Runtime& runtime, LogWriter& writer, LogId log, int bursts) {
  for (int burst = 0; burst < bursts; ++burst) {
    std::vector<Task<Result<LogEntryHeader>>> appends;
    for (int i = 0; i < kBurst; ++i) {
      AppendRequest request;
      request.log = log;
      request.payload = Buffer("stopped " + std::to_string(burst * kBurst + i + 1));
      request.caller = 1;
      appends.push_back(writer.Append(OpContext(), std::move(request)));
    }
    const std::vector<Result<LogEntryHeader>> answers = Wait(WhenAll(runtime, std::move(appends)));
    for (int i = 0; i < kBurst; ++i) {
      const Result<LogEntryHeader>& answer = answers[static_cast<std::size_t>(i)];
      if (!answer.ok()) return answer.status();
      std::printf("%d 0 %lld\n", burst * kBurst + i + 1, static_cast<long long>(answer->offset.value()));
    }
    std::fflush(stdout);
  }
  return OkStatus();
}

Status Run(char** argv) {
  ThreadRuntime threads{ThreadRuntimeOptions()};
  Runtime& runtime = threads.runtime();
  LmdbOptions metadata;
  metadata.directory = argv[1];
  LS_ASSIGN(const std::unique_ptr<LmdbMetadataStore> meta,
            Wait(LmdbMetadataStore::Open(runtime, OpContext(), metadata)));
  LocalObjectStoreOptions objects;
  objects.directory = argv[2];
  LS_ASSIGN(const std::unique_ptr<LocalObjectStore> files, LocalObjectStore::Open(runtime, objects));
  WatchedMetadata watched(*meta);
  StoppingStore wal(runtime, *files, watched, std::atoi(argv[5]));
  const WriterOptions options = Options(argv[6]);
  LeaseKeeper leases(runtime, watched, options);
  LS_ASSIGN(const std::unique_ptr<LogWriter> writer, LogWriter::Open(runtime, watched, wal, leases, options));
  leases.Start();
  writer->Start();
  const Status appended = AppendBursts(runtime, *writer, LogId(std::atoll(argv[3])), std::atoi(argv[4]));
  std::printf("rewritten_sections %lld\n", static_cast<long long>(writer->stats().rewritten_sections));
  LS_TRY(Wait(writer->Stop(OpContext())));
  LS_TRY(Wait(leases.Stop(OpContext())));
  LS_TRY(Wait(meta->Stop(OpContext())));
  return appended;
}

}  // namespace
}  // namespace lakestream

int main(int argc, char** argv) {
  if (argc != 7) {
    std::fprintf(stderr, "usage: stopped_writer METADATA_DIR WAL_DIR LOG BURSTS STOP_AFTER_PUT PUBLISH_DEADLINE_MS\n");
    return 2;
  }
  const lakestream::Status status = lakestream::Run(argv);
  if (status.ok()) return 0;
  std::fprintf(stderr, "stopped_writer: %s\n", status.ToString().c_str());
  return 1;
}
