#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "log/reader/compacted_file_cache.h"
#include "log/reader/testing/compacted_world.h"
#include "log/reader/wal_object_cache.h"
#include "runtime/thread_runtime.h"
#include "runtime/wait.h"
#include "runtime/when_all.h"

namespace lakestream {
namespace {

const LogId kLog(7);

/// Bytes that do not compress, other ones for each number.
std::string Noise(std::uint32_t number, std::size_t bytes) {
  std::string text(bytes, ' ');
  std::uint32_t state = number * 2654435761u + 1;
  for (char& c : text) {
    state = state * 1664525 + 1013904223;
    c = static_cast<char>(state >> 24);
  }
  return text;
}

/// Entries of one record each, 64 to an object, compacted into one file; the log's last record stays RAW.
class CompactedCacheTest : public testing::Test {
 protected:
  static constexpr int kEntries = 2048;
  static constexpr std::size_t kSize = 4000;

  void SetUp() override {
    for (int i = 0; i < kEntries; i += 64) {
      std::vector<TestEntry> entries;
      for (int k = i; k < i + 64; ++k) entries.push_back(TestEntry{1, Noise(static_cast<std::uint32_t>(k), kSize)});
      world_.Append(kLog, "o" + std::to_string(i), entries);
    }
    world_.Append(kLog, "last", {{1, "last"}});
    draft_ = world_.Compact(kLog, 0, kEntries);
    world_.compacted.gets.clear();
  }

  std::size_t Gets(bool companion) const {
    return static_cast<std::size_t>(
        std::count_if(world_.compacted.gets.begin(), world_.compacted.gets.end(), [&](const auto& get) {
          return companion == get.key.ends_with(".index");
        }));
  }
  /// Of the Parquet file.
  std::uint64_t BytesGot() const {
    std::uint64_t bytes = 0;
    for (const auto& get : world_.compacted.gets) {
      if (!get.key.ends_with(".index")) bytes += *get.range.length;
    }
    return bytes;
  }
  void Check(const Result<LogRead>& read, std::int64_t from, std::size_t count) {
    ASSERT_TRUE(read.ok()) << read.status().ToString();
    ASSERT_EQ(read->entries.size(), count);
    for (std::size_t i = 0; i < count; ++i) {
      const std::int64_t offset = from + static_cast<std::int64_t>(i);
      ASSERT_EQ(read->entries[i].header.offset, Offset(offset));
      ASSERT_EQ(read->entries[i].payload.text(), Noise(static_cast<std::uint32_t>(offset), kSize));
    }
  }
  void ReadOne(LogReader& reader, std::int64_t offset) {
    Check(world_.ReadWith(reader, kLog, offset, ReadBounds{1, 1}), offset, 1);
  }

  CompactedWorld world_;
  CompactedDraft draft_;
};

TEST_F(CompactedCacheTest, OneEntryColdAndWarm) {
  const std::unique_ptr<LogReader> reader = world_.Fresh();
  ReadOne(*reader, 1234);
  EXPECT_EQ(Gets(true), 1u);
  EXPECT_EQ(Gets(false), 2u);  // the file's end and a page; a HEAD is not counted here
  EXPECT_LE(BytesGot(), std::uint64_t{128} << 10);
  // Another page costs one GET of it, the same one nothing.
  world_.compacted.gets.clear();
  ReadOne(*reader, 77);
  EXPECT_EQ(world_.compacted.gets.size(), 1u);
  EXPECT_LE(BytesGot(), std::uint64_t{70} << 10);
  ReadOne(*reader, 77);
  ReadOne(*reader, 76);
  ReadOne(*reader, 1235);
  EXPECT_EQ(world_.compacted.gets.size(), 1u);
}

TEST_F(CompactedCacheTest, ALongReadTakesManyPagesAtOnce) {
  const std::unique_ptr<LogReader> reader = world_.Fresh();
  std::int64_t at = 100;
  while (at < kEntries) {
    const Result<LogRead> read = world_.ReadWith(*reader, kLog, at, ReadBounds{1'000'000, 4 << 20});
    ASSERT_TRUE(read.ok());
    const std::int64_t in_file = std::min<std::int64_t>(read->next.value(), kEntries) - at;
    ASSERT_GT(in_file, 0);
    at += in_file;
  }
  // 8 MiB in two reads, and a GET more where one row group ends.
  EXPECT_EQ(Gets(true), 1u);
  EXPECT_LE(Gets(false), 5u);
  EXPECT_LE(BytesGot(), std::uint64_t{kEntries} * kSize + (std::uint64_t{256} << 10));
}

TEST_F(CompactedCacheTest, AReaderThatGoesOnReadsAhead) {
  const std::unique_ptr<LogReader> reader = world_.Fresh();
  for (std::int64_t at = 0; at < kEntries; ++at) ReadOne(*reader, at);
  // 125 pages of 64 KiB, eight at once but for the first ones.
  EXPECT_GE(Gets(false), 2u + 15u);
  EXPECT_LE(Gets(false), 2u + 25u);
  EXPECT_LE(BytesGot(), std::uint64_t{kEntries} * kSize + (std::uint64_t{128} << 10));
}

TEST_F(CompactedCacheTest, SeveralReadersThatGoOnReadAheadAndOthersDoNot) {
  const std::unique_ptr<LogReader> reader = world_.Fresh();
  for (std::int64_t at = 0; at < 200; ++at) {
    for (const std::int64_t begin : {0, 500, 1000}) ReadOne(*reader, begin + at);
  }
  // Thirteen pages each.
  EXPECT_LE(world_.compacted.gets.size(), 2u + 3u * 4u);
  // One that begins with the first row of a page, the one before which is kept.
  const Result<Buffer> file = world_.sim.Run(world_.memory_compacted.Get(OpContext(), draft_.PathOf(0), ByteRange()));
  ASSERT_TRUE(file.ok());
  const Result<ParquetFile> opened = ParquetFile::Open("o", file->size(), file->span());
  ASSERT_TRUE(opened.ok());
  const std::int64_t page = opened->FindRow(1500)->first_row;
  ReadOne(*reader, page - 1);
  for (const std::int64_t elsewhere : {3, 5, 7, 9}) ReadOne(*reader, elsewhere);
  world_.compacted.gets.clear();
  ReadOne(*reader, page);
  EXPECT_EQ(world_.compacted.gets.size(), 1u);
  EXPECT_LE(BytesGot(), std::uint64_t{70} << 10);
}

TEST_F(CompactedCacheTest, ConcurrentReadersShareTheirGets) {
  const std::unique_ptr<LogReader> reader = world_.Fresh();
  std::vector<Task<Result<LogRead>>> reads;
  for (int i = 0; i < 20; ++i) reads.push_back(reader->Read(OpContext(), kLog, Offset(500), ReadBounds{3, 1 << 20}));
  auto results = world_.sim.RunUntilDone(WhenAll(world_.sim.runtime(), std::move(reads)));
  ASSERT_TRUE(results);
  for (const Result<LogRead>& read : *results) Check(read, 500, 3);
  EXPECT_EQ(world_.compacted.gets.size(), 3u);
}

TEST_F(CompactedCacheTest, RawAndCompactedShareOneBudget) {
  CacheBudget budget(300'000);
  ReaderOptions options;
  WalObjectCache raw(world_.sim.runtime(), world_.objects, options, budget);
  CompactedFileCache files(world_.sim.runtime(), world_.compacted, budget);
  const auto open_raw = [&](int i) {
    ASSERT_TRUE(world_.sim.Run(raw.OpenWhole(OpContext(), "o" + std::to_string(i))).ok());
    EXPECT_LE(budget.bytes(), budget.limit());
  };
  const auto rows = [&] {
    world_.compacted.gets.clear();
    EXPECT_TRUE(world_.sim.Run(files.Rows(OpContext(), draft_.PathOf(0), kEntries)).ok());
    return world_.compacted.gets.size();
  };
  open_raw(0);  // 256 KB
  EXPECT_EQ(rows(), 1u);
  EXPECT_EQ(rows(), 0u);
  EXPECT_GT(budget.bytes(), 256'000 + 12 * kEntries);
  open_raw(64);  // the other object goes, not what was used since
  EXPECT_EQ(rows(), 0u);
  // Left unused for two others, they go, too.
  open_raw(128);
  open_raw(192);
  EXPECT_EQ(rows(), 1u);
  ReaderOptions none;
  none.cache_bytes = 0;
  const std::unique_ptr<LogReader> reader = world_.Fresh(none);
  for (const std::int64_t at : {5, 5, 900}) ReadOne(*reader, at);
}

TEST(CompactedPages, WithoutCompressionEachKeepsItselfAlone) {
  constexpr std::size_t kSize = 4000;
  CompactedWorld world;
  std::vector<TestEntry> entries;
  for (int k = 0; k < 256; ++k) entries.push_back(TestEntry{1, Noise(static_cast<std::uint32_t>(k), kSize)});
  world.Append(kLog, "a", entries);
  CompactedDraft draft = world.Draft(kLog, 0, 256, {});
  draft.compression = Compression::kNone;
  world.Install(draft);
  const Result<LogRead> read = world.ReadWith(*world.Fresh(), kLog, 0);
  ASSERT_TRUE(read.ok() && read->entries.size() == 256);
  // Payloads of one page lie side by side; those of another one lie elsewhere.
  const std::vector<LogEntry>& got = read->entries;
  EXPECT_EQ(got[1].payload.data(), got[0].payload.data() + kSize + 4);
  EXPECT_NE(got[17].payload.data(), got[16].payload.data() + kSize + 4);
}

/// Cuts or delays what Get answers.
class TroubledStore final : public ForwardingObjectStore {
 public:
  using ForwardingObjectStore::ForwardingObjectStore;
  int cut_get = -1;  ///< this Get, counted from 0, answers half
  int gets = 0;
  Task<Result<Buffer>> Get(OpContext context, std::string key, ByteRange range) override {
    return Troubled(inner(), std::move(context), std::move(key), range, gets++ == cut_get);
  }

 private:
  static Task<Result<Buffer>> Troubled(ObjectStore& inner, OpContext context, std::string key, ByteRange range,
                                       bool cut) {
    Task<Result<Buffer>> get = inner.Get(std::move(context), std::move(key), range);
    Result<Buffer> got = co_await get;
    if (!got.ok() || !cut) co_return got;
    co_return got->Slice(0, got->size() / 2);
  }
};

TEST_F(CompactedCacheTest, AShortAnswerIsCorruptAndNotKept) {
  for (int cut = 0; cut < 3; ++cut) {
    TroubledStore store(world_.memory_compacted);
    store.cut_get = cut;
    LogReader reader(world_.sim.runtime(), world_.meta, world_.objects, store, world_.homes, ReaderOptions());
    const Result<LogRead> read = world_.ReadWith(reader, kLog, 1000, ReadBounds{1, 1});
    EXPECT_EQ(read.status().code(), StatusCode::kCorrupt) << ReaderWorld::Text(read);
    EXPECT_NE(read.status().message().find("object=default/log-7/lks-1."), std::string_view::npos);
    ReadOne(reader, 1000);
  }
}

TEST(CompactedDamage, EachFlippedByteIsFoundOrHarmless) {
  CompactedWorld world;
  for (int i = 0; i < 4; ++i) world.Append(kLog, "o" + std::to_string(i), {{2, "first"}, {1, "second"}});
  const CompactedDraft draft = world.Compact(kLog, 0, 12, {6});
  const std::string whole = world.FreshText(kLog, 0);
  int found = 0;
  int flips = 0;
  for (const std::string& key : {draft.PathOf(0), draft.CompanionOf(0), draft.PathOf(1), draft.CompanionOf(1)}) {
    const std::string bytes = world.CompactedBytes(key);
    for (std::size_t at = 0; at < bytes.size(); ++at, ++flips) {
      std::string flipped = bytes;
      flipped[at] = static_cast<char>(flipped[at] ^ (1 << (at % 8)));
      world.PutCompacted(key, flipped);
      const Result<LogRead> read = world.ReadWith(*world.Fresh(), kLog, 0);
      if (read.ok()) {
        // What comes before the damage, or all of it.
        EXPECT_TRUE(whole.starts_with(ReaderWorld::Text(read).substr(0, ReaderWorld::Text(read).rfind("->"))))
            << key << " " << at;
        if (read->next < Offset(12)) ++found;
        continue;
      }
      ++found;
      EXPECT_TRUE(read.status().code() == StatusCode::kCorrupt || read.status().code() == StatusCode::kUnimplemented)
          << key << " " << at << ": " << read.status().ToString();
      EXPECT_NE(read.status().message().find("object=" + key), std::string_view::npos)
          << at << ": " << read.status().ToString();
    }
    world.PutCompacted(key, bytes);
  }
  EXPECT_GT(found, flips / 4);
  EXPECT_EQ(world.FreshText(kLog, 0), whole);
}

/// Answers only when told to.
class HeldStore final : public ForwardingObjectStore {
 public:
  HeldStore(Runtime& runtime, ObjectStore& inner) : ForwardingObjectStore(inner), go(runtime.executor) {}
  Event go;
  Task<Result<Buffer>> Get(OpContext context, std::string key, ByteRange range) override {
    return Held(inner(), go, std::move(context), std::move(key), range);
  }

 private:
  static Task<Result<Buffer>> Held(ObjectStore& inner, Event& go, OpContext context, std::string key,
                                   ByteRange range) {
    const Status waited = co_await go.WaitFor(context);
    if (!waited.ok()) co_return waited;
    Task<Result<Buffer>> get = inner.Get(std::move(context), std::move(key), range);
    co_return co_await get;
  }
};

Task<void> ReadInto(LogReader& reader, OpContext context, std::int64_t from, std::optional<Result<LogRead>>* slot) {
  Task<Result<LogRead>> reading = reader.Read(std::move(context), kLog, Offset(from), ReadBounds{1, 1});
  slot->emplace(co_await reading);
}

TEST_F(CompactedCacheTest, ASlowStoreEndsWithTheDeadlineAndHarmsNobodyElse) {
  HeldStore held(world_.sim.runtime(), world_.memory_compacted);
  LogReader reader(world_.sim.runtime(), world_.meta, world_.objects, held, world_.homes, ReaderOptions());
  std::optional<Result<LogRead>> hasty;
  std::optional<Result<LogRead>> patient;
  SimNode& node = world_.sim.AddNode("readers");
  const MonotonicTime soon = world_.sim.runtime().Now() + std::chrono::milliseconds(5);
  node.Spawn(ReadInto(reader, OpContext().WithDeadline(soon), 9, &hasty));
  node.Spawn(ReadInto(reader, OpContext(), 9, &patient));
  ASSERT_TRUE(world_.sim.RunFor(std::chrono::milliseconds(20)).ok());
  ASSERT_TRUE(hasty);
  EXPECT_EQ(hasty->status().code(), StatusCode::kDeadlineExceeded);
  EXPECT_FALSE(patient);
  held.go.Set();
  ASSERT_TRUE(world_.sim.RunFor(std::chrono::milliseconds(20)).ok());
  ASSERT_TRUE(patient);
  Check(*patient, 9, 1);
}

Task<Result<std::int64_t>> ReadSome(LogReader& reader, std::int64_t from, std::int64_t to) {
  std::int64_t read_bytes = 0;
  for (Offset at(from); at < Offset(to);) {
    Task<Result<LogRead>> reading = reader.Read(OpContext(), kLog, at, ReadBounds{11, 1 << 20});
    LS_CO_ASSIGN(const LogRead read, co_await reading);
    for (const LogEntry& entry : read.entries) {
      const auto number = static_cast<std::uint32_t>(entry.header.offset.value());
      if (entry.payload.text() != Noise(number, static_cast<std::size_t>(entry.header.entry_size))) {
        co_return Corrupt("another payload");
      }
      read_bytes += entry.header.entry_size;
    }
    at = read.next;
  }
  co_return read_bytes;
}

TEST_F(CompactedCacheTest, ManyThreadsAtOnce) {
  ThreadRuntime threads(ThreadRuntimeOptions{4, 2});
  Runtime& runtime = threads.runtime();
  MemoryMetadataStore meta(runtime);
  MemoryObjectStore objects(runtime);
  PlainLogHomes homes;
  // The same files, and a record of them alone.
  for (const std::string& key : {draft_.PathOf(0), draft_.CompanionOf(0)}) {
    BufferChain chain{Buffer(world_.CompactedBytes(key))};
    ASSERT_TRUE(Wait(objects.Put(OpContext(), key, std::move(chain), PutMode::kCreate)).ok());
  }
  const std::string key = IndexKey{kLog, draft_.end, draft_.cumulative_size}.Encode();
  Buffer value(world_.Value(kLog, key));
  ASSERT_TRUE(Wait(meta.Put(OpContext(), Partition::OfLog(kLog), key, value, WriteGuard())).ok());
  ReaderOptions options;
  options.cache_bytes = 400'000;  // so that pages come and go
  LogReader reader(runtime, meta, objects, objects, homes, options);
  std::vector<Task<Result<std::int64_t>>> readers;
  for (int i = 0; i < 16; ++i) readers.push_back(ReadSome(reader, 100 * i, 100 * i + 300));
  for (const Result<std::int64_t>& bytes : Wait(WhenAll(runtime, std::move(readers)))) {
    ASSERT_TRUE(bytes.ok()) << bytes.status().ToString();
    EXPECT_GE(*bytes, 300 * static_cast<std::int64_t>(kSize));
  }
}

}  // namespace
}  // namespace lakestream
