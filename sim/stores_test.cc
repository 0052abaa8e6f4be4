#include <gtest/gtest.h>

#include "format/wal_object.h"
#include "meta/memory/memory_metadata_store.h"
#include "objstore/memory/memory_object_store.h"
#include "runtime/sim/sim_runtime.h"
#include "runtime/testing/co_test.h"
#include "runtime/when_all.h"
#include "sim/damaged_reads.h"
#include "sim/near_metadata_store.h"

// What stands between a simulated process and its stores, beside the fault wrappers.

namespace lakestream::sim {
namespace {

using std::chrono::seconds;

struct Answers {
  int right = 0;
  int noticed = 0;  ///< no header, or one that says something else of a log's entries than where they begin
  int unnoticed = 0;
};

Task<void> ReadDamaged(DamagedReads& reads, std::string written, Answers& answers) {
  const Result<WalHeader> header = DecodeWalHeader(AsBytes(written), written.size(), "w");
  CO_ASSERT_OK(header);
  const ByteRange all;
  for (int i = 0; i < 2000; ++i) {
    const Result<Buffer> got = co_await reads.Get(OpContext(), "w", all);
    CO_ASSERT_OK(got);
    CO_ASSERT_EQ(got->text().substr(header->header_size), std::string_view(written).substr(header->header_size));
    if (got->text() == written) {
      ++answers.right;
      continue;
    }
    const Result<WalHeader> wrong = DecodeWalHeader(got->span(), got->size(), "w");
    bool noticed = !wrong.ok();
    for (std::size_t s = 0; !noticed && s < header->index.sections.size(); ++s) {
      const WalSection& was = header->index.sections[s];
      const WalSection& is = wrong->index.sections[s];
      noticed = was.log != is.log || was.RecordCount() != is.RecordCount() || was.PayloadBytes() != is.PayloadBytes();
    }
    ++(noticed ? answers.noticed : answers.unnoticed);
  }
}

TEST(DamagedReads, FlipsWhatCanBeNoticedAndNoPayload) {
  SimScheduler scheduler(7);
  Runtime& runtime = scheduler.runtime();
  MemoryObjectStore memory(runtime);
  int told = 0;
  DamagedReads reads(memory, memory, [&told] { ++told; });
  const std::vector<WalSection> sections = {WalSection{LogId(1), {WalEntry{0, 4, 1}, WalEntry{4, 4, 2}}},
                                            WalSection{LogId(2), {WalEntry{8, 4, 1}}}};
  const Result<Buffer> head = EncodeWalHeader(sections);
  ASSERT_TRUE(head.ok());
  const std::string object = std::string(head->text()) + "onetwothree!";
  const BufferChain bytes(Buffer::CopyOf(object));
  ASSERT_TRUE(scheduler.Run(memory.Put(OpContext(), "w", bytes, PutMode::kCreate)).ok());
  Answers answers;
  reads.Trouble(&scheduler.Stream("damage"), 5000);
  ASSERT_TRUE(scheduler.Run(ReadDamaged(reads, object, answers)).ok());
  EXPECT_GT(answers.noticed, 500);
  EXPECT_GT(answers.right, 500);
  EXPECT_EQ(answers.unnoticed, 0);
  EXPECT_EQ(answers.noticed, told);
}

class Seen final : public NearMetadataStore::Observer {
 public:
  void OnPage(const std::string&, const KeyRange&, const std::string&, std::int64_t) override {}
  std::int64_t LastChange() const override { return 0; }
  void OnLockWait(const std::string&) override { ++waits; }
  int waits = 0;
};

Task<Status> PutAt(MetadataStore& store, OpContext context) {
  const Buffer value;
  const Result<WriteAnswer> put = co_await store.Put(std::move(context), Partition::Named("p"), "k", value, WriteGuard());
  co_return put.status();
}

TEST(WriteLock, StopsTheWritesOfOthers) {
  SimScheduler scheduler(7);
  Runtime& runtime = scheduler.runtime();
  MemoryMetadataStore memory(runtime);
  WriteLock lock(runtime);
  Seen seen;
  NearMetadataStore own(runtime, memory, lock, "stopped", seen);
  NearMetadataStore other(runtime, memory, lock, "other", seen);
  const MonotonicTime begun = scheduler.Now();
  lock.Hold("stopped", begun + seconds(10));
  EXPECT_TRUE(scheduler.Run(PutAt(own, OpContext())).ok());
  EXPECT_EQ(seen.waits, 0);
  const OpContext short_of_it = OpContext().WithDeadline(begun + seconds(2));
  EXPECT_EQ(scheduler.Run(PutAt(other, short_of_it)).code(), StatusCode::kUnavailable);
  EXPECT_TRUE(scheduler.Run(PutAt(other, OpContext())).ok());
  EXPECT_GE(scheduler.Now() - begun, seconds(10));
  EXPECT_EQ(seen.waits, 2);
  lock.Hold("stopped", scheduler.Now() + seconds(10));
  lock.Drop("stopped");
  EXPECT_TRUE(scheduler.Run(PutAt(other, OpContext())).ok());
  EXPECT_EQ(seen.waits, 2);
}

}  // namespace
}  // namespace lakestream::sim
