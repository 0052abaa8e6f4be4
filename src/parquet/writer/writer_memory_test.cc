#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <new>
#include <string>

#include "base/testing/bytes.h"
#include "parquet/plain_arrow/plain_arrow.h"
#include "parquet/writer/parquet_writer.h"

// What a writer takes, and what becomes of it where there is no more.

namespace {
/// Allocations of so many bytes and more fail. Arrow's pages do not come from here; the writer's output does.
std::atomic<std::size_t> fails_from = ~std::size_t{0};
}  // namespace

// Not inlined: g++ 12 would see malloc meet delete, or new meet free, and warn.
[[gnu::noinline]] void* operator new(std::size_t size) {
  void* const memory = size < fails_from ? std::malloc(std::max<std::size_t>(size, 1)) : nullptr;
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace lakestream {
namespace {

constexpr std::size_t kRow = 10'000;

std::unique_ptr<ParquetWriter> OpenWriter() {
  ParquetWriterOptions options;
  options.record_name = "LogEntry";
  options.entry_serde_type = "LAKESTREAM_RAW_PARQUET";
  options.compression = Compression::kNone;
  Result<std::unique_ptr<ParquetWriter>> writer = ParquetWriter::Open(options);
  return writer.ok() ? *std::move(writer) : nullptr;
}

void ExpectBroken(ParquetWriter& writer) {
  const std::int64_t rows = writer.rows();
  const std::int64_t bytes = writer.payload_bytes();
  for (int again = 0; again < 2; ++again) {
    ExpectStatus(writer.Add(AsBytes("x")), StatusCode::kResourceExhausted, {"no memory"});
    ExpectStatus(writer.Finish(), StatusCode::kResourceExhausted, {"no memory"});
  }
  EXPECT_EQ(writer.rows(), rows);
  EXPECT_EQ(writer.payload_bytes(), bytes);
}

TEST(ParquetWriterMemory, IsThatOfAFewPagesHoweverLongTheFile) {
  const std::string row(kRow, 'r');
  const ArrowMemory before = MemoryOfArrow();
  const std::unique_ptr<ParquetWriter> writer = OpenWriter();
  std::int64_t most = 0;
  for (int i = 0; i < 6000; ++i) {
    ASSERT_TRUE(writer->Add(AsBytes(row)).ok());
    EXPECT_LT(writer->output_bytes(), std::uint64_t{256} << 10);
    writer->TakeOutput();
    most = std::max(most, MemoryOfArrow().from_malloc - before.from_malloc);
  }
  EXPECT_GT(most, 0);
  EXPECT_LT(most, 512 << 10);
  ASSERT_TRUE(writer->Finish().ok());
  EXPECT_EQ(MemoryOfArrow().from_own_allocator, before.from_own_allocator);
}

TEST(ParquetWriterMemory, WithoutAnyARowFailsAndNothingComesAfterIt) {
  const std::string row(kRow, 'r');
  const std::unique_ptr<ParquetWriter> writer = OpenWriter();
  fails_from = 50'000;
  Status added;
  std::int64_t rows = 0;
  for (; added.ok() && rows < 100; ++rows) added = writer->Add(AsBytes(row));
  fails_from = ~std::size_t{0};
  ExpectStatus(added, StatusCode::kResourceExhausted, {"no memory"});
  EXPECT_EQ(writer->rows(), rows - 1);
  EXPECT_EQ(writer->payload_bytes(), (rows - 1) * static_cast<std::int64_t>(kRow));
  ExpectBroken(*writer);
}

TEST(ParquetWriterMemory, WithoutAnyTheEndFailsAndIsNoEnd) {
  const std::unique_ptr<ParquetWriter> writer = OpenWriter();
  ASSERT_TRUE(writer->Add(AsBytes(std::string(60'000, 'r'))).ok());
  fails_from = 50'000;
  const Status finished = writer->Finish();
  fails_from = ~std::size_t{0};
  ExpectStatus(finished, StatusCode::kResourceExhausted, {"no memory"});
  ExpectBroken(*writer);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
#else
constexpr bool kSanitized = false;
#endif

/// What Add says where there are no pages for its payload. Ends the process.
[[noreturn]] void AddWithoutMemory() {
  static char payload[128 << 20];  // no memory before it is written
  const std::unique_ptr<ParquetWriter> writer = OpenWriter();
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlimit limit{pages * 4096 + (16 << 20), RLIM_INFINITY};
  if (setrlimit(RLIMIT_AS, &limit) != 0) std::exit(2);
  const Status added = writer->Add(AsBytes(std::string_view(payload, sizeof(payload))));
  std::exit(added.code() == StatusCode::kResourceExhausted ? 0 : 1);
}

TEST(ParquetWriterMemoryDeathTest, WithoutPagesARowFails) {
  // A sanitizer's own memory is beyond any limit.
  if (kSanitized) return;
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // Arrow has a thread
  EXPECT_EXIT(AddWithoutMemory(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace lakestream
