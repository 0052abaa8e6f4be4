#include "log/gc/candidate_list.h"

#include <gtest/gtest.h>

#include "log/gc/testing/gc_world.h"

namespace lakestream {
namespace {

CollectionCandidate Candidate(int number) {
  return CollectionCandidate{"wal/" + std::to_string(100'000 + number), 10, std::nullopt};
}

Task<Status> Write(CandidateWriter& writer, int count) {
  for (int i = 0; i < count; ++i) {
    Task<Status> add = writer.Add(Candidate(i));
    LS_CO_TRY(co_await add);
  }
  co_return OkStatus();
}

Task<Result<int>> Count(MetadataStore& meta, CollectionResultRecord result) {
  CandidateReader reader(meta, OpContext(), result.pass, result.records);
  int count = 0;
  Task<Status> first = reader.Advance();
  LS_CO_TRY(co_await first);
  while (reader.current() != nullptr) {
    EXPECT_EQ(reader.current()->object, Candidate(count).object);
    ++count;
    Task<Status> next = reader.Advance();
    LS_CO_TRY(co_await next);
  }
  co_return count;
}

TEST(CandidateList, ComesBackAsItWasWritten) {
  for (const int count : {0, 1, 499, 500, 501, 1500}) {
    GcWorld w;
    EXPECT_EQ(w.sim.Run(ReadCandidateBase(w.memory_meta, OpContext()))->number, 0);
    CandidateWriter writer(w.memory_meta, OpContext(), 7);
    ASSERT_TRUE(w.sim.Run(Write(writer, count)).ok());
    EXPECT_EQ(w.sim.Run(ReadCandidateBase(w.memory_meta, OpContext()))->number, 0) << "not before it is published";
    const BootStamp boot{"boot", 5};
    EXPECT_EQ(*w.sim.Run(writer.Publish(1, boot)), true);
    const Result<CandidateBase> base = w.sim.Run(ReadCandidateBase(w.memory_meta, OpContext()));
    ASSERT_TRUE(base.ok() && base->result);
    EXPECT_EQ(base->number, 1);
    EXPECT_EQ(base->result->pass, 7);
    EXPECT_EQ(base->result->candidates, count);
    EXPECT_EQ(base->result->bytes, 10 * count);
    EXPECT_EQ(base->result->records, (count + 499) / 500);
    EXPECT_EQ(base->result->boot, boot);
    EXPECT_EQ(*w.sim.Run(Count(w.memory_meta, *base->result)), count);
  }
}

TEST(CandidateList, TheFirstOfANumberCounts) {
  GcWorld w;
  CandidateWriter first(w.memory_meta, OpContext(), 7);
  CandidateWriter second(w.memory_meta, OpContext(), 8);
  ASSERT_TRUE(w.sim.Run(Write(first, 1)).ok());
  ASSERT_TRUE(w.sim.Run(Write(second, 2)).ok());
  EXPECT_EQ(*w.sim.Run(first.Publish(1, std::nullopt)), true);
  EXPECT_EQ(*w.sim.Run(second.Publish(1, std::nullopt)), false);
  EXPECT_EQ(w.sim.Run(ReadCandidateBase(w.memory_meta, OpContext()))->result->pass, 7);
  ASSERT_TRUE(w.sim.Run(second.Discard()).ok());
  EXPECT_EQ(*w.sim.Run(second.Publish(2, std::nullopt)), true);
  EXPECT_EQ(w.sim.Run(ReadCandidateBase(w.memory_meta, OpContext()))->result->candidates, 0);
}

TEST(CandidateList, RecordsThatAreGoneAreNotAnEmptyList) {
  GcWorld w;
  CandidateWriter writer(w.memory_meta, OpContext(), 7);
  ASSERT_TRUE(w.sim.Run(Write(writer, 600)).ok());
  ASSERT_TRUE(w.sim.Run(writer.Publish(1, std::nullopt)).ok());
  const CollectionResultRecord result = writer.result();
  ASSERT_TRUE(w.sim.Run(w.memory_meta.Delete(OpContext(), CollectionHome(), CandidatesKey(7, 1), WriteGuard())).ok());
  EXPECT_EQ(w.sim.Run(Count(w.memory_meta, result)).status().code(), StatusCode::kNotFound);
}

}  // namespace
}  // namespace lakestream
