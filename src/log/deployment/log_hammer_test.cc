// Writer, reader, leases and soft trim, each public method from four executor threads at once, on memory stores and
// on LMDB with files. What was acknowledged must be there afterwards, once, at its offset.

#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <stop_token>

#include "base/testing/temp_directory.h"
#include "log/lease/lease_keeper.h"
#include "log/plain_log_homes.h"
#include "log/reader/log_reader.h"
#include "log/trim/soft_trim.h"
#include "log/writer/log_writer.h"
#include "meta/lmdb/lmdb_metadata_store.h"
#include "meta/memory/memory_metadata_store.h"
#include "objstore/local/local_object_store.h"
#include "objstore/memory/memory_object_store.h"
#include "runtime/testing/hammer.h"

namespace lakestream {
namespace {

using namespace std::chrono_literals;

constexpr int kLogs = 3;
constexpr int kAppends = 40;

/// What was acknowledged: text by log and offset.
class Ledger {
 public:
  void Add(LogId log, Offset offset, std::string text) {
    const std::lock_guard lock(mutex_);
    EXPECT_TRUE(entries_[log].emplace(offset, std::move(text)).second) << "an offset is given once";
  }
  std::map<Offset, std::string> Of(LogId log) {
    const std::lock_guard lock(mutex_);
    return entries_[log];
  }

 private:
  std::mutex mutex_;
  std::map<LogId, std::map<Offset, std::string>> entries_;
};

class LogHammerTest : public HammerTest {
 protected:
  void Open(MetadataStore& meta, ObjectStore& wal) {
    meta_ = &meta;
    WriterOptions options;
    options.fence_poll = 5ms;
    options.lease_idle = 10ms;
    options.target_object_bytes = 2000;
    options.max_entry_bytes = 1000;
    options.max_queued_bytes = 4000;  // so that appends wait for room
    options.linger_max = 20ms;
    leases_ = std::make_unique<LeaseKeeper>(runtime(), meta, options);
    leases_->Start();
    auto writer = LogWriter::Open(runtime(), meta, wal, *leases_, options);
    ASSERT_TRUE(writer.ok()) << writer.status().ToString();
    writer_ = *std::move(writer);
    writer_->Start();
    ReaderOptions reader;
    reader.tail_poll = 20ms;
    reader.index_cache_age = 5ms;
    reader.cache_bytes = 20'000;  // so that it has to let go of some
    reader_ = std::make_unique<LogReader>(runtime(), meta, wal, wal, homes_, reader);
  }

  void RunAll() {
    Hammer([this](Runtime&, int number) -> Task<void> {
      const LogId log(number % kLogs);
      if (number < 8) co_await Append(log, number, kAppends);
      if (number >= 8 && number < 11) co_await Tail(log, 2 * kAppends);
      if (number == 11) co_await Trim(log);
      if (number >= 12) co_await Look(log, number);
    });
    for (int log = 0; log < kLogs; ++log) Wait(Compare(LogId(log), Offset(log == 11 % kLogs ? kAppends / 2 : 0)));
    StopUnderLoad();
  }

 private:
  Task<void> Append(LogId log, int number, int count) {
    Offset before(-1);
    for (int i = 0; i < count; ++i) {
      std::string text = std::to_string(number) + ":" + std::to_string(i) + std::string(static_cast<std::size_t>(i) % 97, '.');
      AppendRequest request;
      request.log = log;
      request.payload = Buffer::CopyOf(text);
      request.caller = static_cast<CallerId>(number) + 1;
      const Result<LogEntryHeader> appended = co_await writer_->Append(OpContext(), std::move(request));
      if (stopping_ && !appended.ok()) co_return;
      CO_ASSERT_OK(appended);
      EXPECT_GT(appended->offset, before);
      before = appended->offset;
      ledger_.Add(log, before, std::move(text));
      ++acknowledged_;
      if (i % 16 == 0) co_await Cancelled(log);
    }
  }

  /// An append that is cancelled as it comes: it is done or not, and says which.
  Task<void> Cancelled(LogId log) {
    std::stop_source source;
    runtime().executor.Post([source]() mutable { source.request_stop(); });
    AppendRequest request;
    request.log = log;
    request.payload = Buffer::CopyOf("cancelled");
    const auto appended = co_await writer_->Append(OpContext().WithCancel(source.get_token()), std::move(request));
    if (appended.ok()) ledger_.Add(log, appended->offset, "cancelled");
  }

  /// Follows a log from its start to `count` entries; what is trimmed meanwhile is passed over.
  Task<void> Tail(LogId log, int count) {
    Offset at(0);
    while (at.value() < count) {
      const OpContext soon = OpContext().WithDeadline(runtime().Now() + 30s);
      const Result<LogRead> read = co_await reader_->ReadOrAwait(soon, log, at, ReadBounds());
      CO_ASSERT_OK(read);
      CO_ASSERT_TRUE(!read->entries.empty());
      for (const LogEntry& entry : read->entries) {
        EXPECT_GE(entry.header.offset, at);
        at = entry.header.end();
      }
      EXPECT_EQ(read->next, at);
    }
  }

  Task<void> Trim(LogId log) {
    for (int through = 0; through < kAppends / 2;) {
      const Result<SoftTrimOutcome> trimmed =
          co_await SoftTrim(runtime(), *meta_, *leases_, OpContext(), log, Offset(through));
      CO_ASSERT_OK(trimmed);
      EXPECT_LE(trimmed->before, trimmed->after);
      if (trimmed->after.value() > through) ++through;
      co_await Yield(runtime());
    }
  }

  Task<void> Look(LogId log, int number) {
    for (int i = 0; i < kAppends; ++i) {
      const Result<LogExtent> extent = co_await reader_->Extent(OpContext(), log);
      CO_ASSERT_OK(extent);
      EXPECT_LE(extent->first, extent->end);
      ReadBounds bounds;
      bounds.max_records = 1 + i;
      const Result<LogRead> read = co_await reader_->Read(OpContext(), log, extent->first, bounds);
      CO_ASSERT_OK(read);
      EXPECT_GE(writer_->stats().objects, 0);
      const Result<LeaseUse> use = co_await leases_->Acquire(OpContext(), log);
      CO_ASSERT_OK(use);
      const LeaseUse copy = *use;
      EXPECT_FALSE(copy.Fenced());
      EXPECT_EQ(copy.serial(), use->serial());
      EXPECT_TRUE(copy.session()->ProvablyAlive());
      if ((number + i) % 8 == 0) copy.Invalidate();
      (void)copy.Usable();
    }
  }

  Task<void> Compare(LogId log, Offset from) {
    const std::map<Offset, std::string> expected = ledger_.Of(log);
    std::map<Offset, std::string> got;
    Offset at = from;
    while (true) {
      const Result<LogRead> read = co_await reader_->Read(OpContext(), log, at, ReadBounds());
      CO_ASSERT_OK(read);
      if (read->entries.empty()) break;
      for (const LogEntry& entry : read->entries) got.emplace(entry.header.offset, entry.payload.text());
      at = read->next;
    }
    for (const auto& [offset, text] : expected) {
      if (offset >= from) {
        EXPECT_EQ(got[offset], text) << "offset " << offset.value();
      }
    }
  }

  void StopUnderLoad() {
    acknowledged_ = 0;
    stopping_ = true;
    Hammer([this](Runtime&, int number) -> Task<void> {
      if (number < 13) co_await Append(LogId(number % kLogs), 100 + number, 1'000'000);
      if (number >= 13) co_await StopSoon();
    });
    EXPECT_GE(acknowledged_, 50);
    EXPECT_TRUE(Wait(leases_->Stop(OpContext())).ok());
    for (int log = 0; log < kLogs; ++log) Wait(Compare(LogId(log), Offset(kAppends)));
  }

  Task<void> StopSoon() {
    while (acknowledged_ < 50) co_await Yield(runtime());
    const Status stopped = co_await writer_->Stop(OpContext().WithDeadline(runtime().Now() + 60s));
    EXPECT_TRUE(stopped.ok()) << stopped.ToString();
    (void)writer_->stats();
  }

  MetadataStore* meta_ = nullptr;
  std::unique_ptr<LeaseKeeper> leases_;
  std::unique_ptr<LogWriter> writer_;
  PlainLogHomes homes_;
  std::unique_ptr<LogReader> reader_;
  Ledger ledger_;
  std::atomic<bool> stopping_ = false;
  std::atomic<int> acknowledged_ = 0;

 protected:
  /// Before the stores go.
  void Close() {
    reader_.reset();
    writer_.reset();
    leases_.reset();
  }
};

TEST_F(LogHammerTest, OnMemoryStores) {
  MemoryMetadataStore meta(runtime());
  MemoryObjectStore wal(runtime());
  Open(meta, wal);
  RunAll();
  Close();
}

TEST_F(LogHammerTest, OnLmdbAndFiles) {
  const TempDirectory directory;
  LmdbOptions options;
  options.directory = directory.path() + "/meta";
  options.create = true;
  auto meta = Wait(LmdbMetadataStore::Open(runtime(), OpContext(), options));
  ASSERT_TRUE(meta.ok()) << meta.status().ToString();
  LocalObjectStoreOptions files;
  files.directory = directory.path() + "/wal";
  files.create = true;
  auto wal = LocalObjectStore::Open(runtime(), files);
  ASSERT_TRUE(wal.ok()) << wal.status().ToString();
  Open(**meta, **wal);
  RunAll();
  Close();
  EXPECT_TRUE(Wait((*meta)->Stop(OpContext())).ok());
}

}  // namespace
}  // namespace lakestream
