#include "log/trim/hard_trim.h"

#include <gtest/gtest.h>

#include <string>

#include "format/entry_index.h"
#include "format/file_index.h"
#include "format/index_key.h"
#include "format/log_records.h"
#include "meta/memory/memory_metadata_store.h"
#include "meta/wrap/fault_metadata_store.h"
#include "objstore/memory/memory_object_store.h"
#include "objstore/wrap/fault_object_store.h"
#include "runtime/sim/sim_runtime.h"

namespace lakestream {
namespace {

const LogId kLog(7);

class OneHome final : public LogHomes {
 public:
  Task<Result<LogHome>> Find(OpContext, LogId) override {
    if (!known) co_return NotFound("the log belongs to no stream");
    co_return LogHome{"shop/orders", "RAW", "Entry"};
  }
  bool known = true;
};

class HardTrimTest : public testing::Test {
 protected:
  HardTrimTest() : leases_(sim_.runtime(), store_, WriterOptions()) {}
  ~HardTrimTest() override { EXPECT_TRUE(sim_.Run(leases_.Stop(OpContext())).ok()); }

  void PutIndex(LogId log, std::int64_t end, const EntryIndex& index) {
    const std::string key = IndexKey{log, Offset(end), end * 10}.Encode();
    ASSERT_TRUE(sim_.Run(memory_.Put(OpContext(), Partition::OfLog(log), key, Buffer(EncodeEntryIndex(index)),
                                     WriteGuard()))
                    .ok());
  }
  void PutRaw(LogId log, std::int64_t start, std::int64_t end) {
    const auto records = static_cast<std::int32_t>(end - start);
    const WalSection section{log, {WalEntry{0, records * 10, records}}};
    PutIndex(log, end, *MakeRawEntryIndex(section, "object", records * 10, true));
  }
  /// A record with one file of this name, which is there with its companion.
  void PutParquet(std::int64_t start, std::int64_t end, const std::string& name) {
    FileIndex files;
    files.files.push_back(CompactedFile{Offset(end - 1), name + ".parquet"});
    PutIndex(kLog, end, *MakeParquetEntryIndex(files, end - start, (end - start) * 10));
    for (const char* suffix : {".parquet", ".index"}) {
      const Status put = sim_.Run(objects_.Put(OpContext(), "shop/orders/" + name + suffix,
                                               BufferChain(Buffer::CopyOf("x")), PutMode::kCreate));
      ASSERT_TRUE(put.ok());
    }
  }
  /// Two PARQUET records, a RAW one, another PARQUET one, and two RAW ones; and neighbours.
  void Fill() {
    PutRaw(LogId(6), 0, 10);
    PutRaw(LogId(8), 0, 10);
    PutParquet(0, 10, "a");
    PutParquet(10, 20, "b");
    PutRaw(kLog, 20, 30);
    PutParquet(30, 40, "c");
    PutRaw(kLog, 40, 50);
    PutRaw(kLog, 50, 60);
  }
  void SetMarker(std::int64_t b) {
    ASSERT_TRUE(sim_.Run(memory_.Put(OpContext(), Partition::OfLog(kLog), TrimMarkerKey(kLog),
                                     Buffer(std::to_string(b)), WriteGuard()))
                    .ok());
  }
  Result<HardTrimOutcome> Trim(std::int64_t through) {
    const OpContext context = OpContext().WithDeadline(sim_.runtime().Now() + std::chrono::seconds(60));
    return sim_.Run(HardTrim(sim_.runtime(), store_, faulty_, leases_, homes_, context, kLog, Offset(through)));
  }
  /// The ends of the log's records, then the files that are there.
  std::string Left() {
    std::string text;
    int neighbours = 0;
    for (const MetadataRecord& record : memory_.backend()->Dump()) {
      const Result<IndexKey> key = IndexKey::Decode(record.key);
      if (!key.ok()) continue;
      neighbours += key->log == kLog ? 0 : 1;
      if (key->log == kLog) text += std::to_string(key->end.value()) + " ";
    }
    EXPECT_EQ(neighbours, 2);
    const Result<ListPage> page = sim_.Run(objects_.List(OpContext(), "shop/orders/", "", 100));
    for (const ObjectInfo& object : page->objects) text += object.key.substr(12) + " ";
    return text;
  }
  std::size_t Leases() {
    std::size_t count = 0;
    for (const MetadataRecord& record : memory_.backend()->Dump()) count += record.key.starts_with("/stream-write-lea");
    return count;
  }

  SimScheduler sim_{1};
  MemoryMetadataStore memory_{sim_.runtime(), MemoryMetadataOptions{1}};
  MetadataFaultPlan meta_faults_{sim_.runtime()};
  FaultMetadataStore store_{sim_.runtime(), memory_, meta_faults_};
  MemoryObjectStore objects_{sim_.runtime()};
  FaultPlan object_faults_{sim_.runtime()};
  FaultObjectStore faulty_{sim_.runtime(), objects_, object_faults_};
  OneHome homes_;
  LeaseKeeper leases_;
};

TEST_F(HardTrimTest, StopsAtMarkerAndAtWhatWasAsked) {
  Fill();
  auto outcome = Trim(60);
  ASSERT_TRUE(outcome.ok()) << outcome.status().ToString();
  EXPECT_EQ(outcome->limit, Offset(0));
  EXPECT_EQ(Left(), "10 20 30 40 50 60 a.index a.parquet b.index b.parquet c.index c.parquet ");

  SetMarker(35);
  outcome = Trim(15);
  ASSERT_TRUE(outcome.ok()) << outcome.status().ToString();
  EXPECT_EQ(outcome->limit, Offset(15));
  EXPECT_EQ(outcome->records, 1);
  EXPECT_EQ(outcome->files, 1);
  EXPECT_EQ(Left(), "20 30 40 50 60 b.index b.parquet c.index c.parquet ");

  // The record that the marker lies in stays whole.
  outcome = Trim(60);
  ASSERT_TRUE(outcome.ok()) << outcome.status().ToString();
  EXPECT_EQ(outcome->limit, Offset(35));
  EXPECT_EQ(Left(), "40 50 60 c.index c.parquet ");
  EXPECT_EQ(Leases(), 1u);
}

TEST_F(HardTrimTest, TheLastRecordStays) {
  Fill();
  SetMarker(1'000);
  const auto outcome = Trim(1'000);
  ASSERT_TRUE(outcome.ok()) << outcome.status().ToString();
  EXPECT_EQ(outcome->limit, Offset(50));
  EXPECT_EQ(Left(), "60 ");
}

TEST_F(HardTrimTest, MoreThanAPage) {
  for (int i = 0; i < 2'500; ++i) PutRaw(kLog, i, i + 1);
  PutRaw(LogId(6), 0, 10);
  PutRaw(LogId(8), 0, 10);
  SetMarker(2'400);
  const auto outcome = Trim(2'400);
  ASSERT_TRUE(outcome.ok()) << outcome.status().ToString();
  EXPECT_EQ(outcome->records, 2'400);
  EXPECT_TRUE(Left().starts_with("2401 "));
}

TEST_F(HardTrimTest, AfterAnyFaultTheSameCallGoesOn) {
  using Op = MetadataOp;
  struct Case {
    Op op;
    MetadataFault fault;
  };
  const Case cases[] = {{Op::kRead, MetadataFault::FailUnavailable()},
                        {Op::kScan, MetadataFault::FailUnavailable()},
                        {Op::kDeleteRange, MetadataFault::FailUnavailable()},
                        {Op::kDeleteRange, MetadataFault::LoseAnswer()},
                        {Op::kDeleteRange, MetadataFault::LoseSessions()},
                        {Op::kCreateEphemeral, MetadataFault::FailUnavailable()}};
  for (const Case& c : cases) {
    SCOPED_TRACE(MetadataOpName(c.op));
    sim_.Run(store_.LoseSessions()).ok();
    SetMarker(0);
    for (const char* gone : {"a", "b"}) {
      std::vector<std::string> keys = {std::string("shop/orders/") + gone + ".parquet",
                                       std::string("shop/orders/") + gone + ".index",
                                       "shop/orders/c.parquet", "shop/orders/c.index"};
      ASSERT_TRUE(sim_.Run(objects_.Delete(OpContext(), std::move(keys))).ok());
    }
    Fill();
    SetMarker(40);
    meta_faults_.OnNext(c.op, "", c.fault);
    for (int attempt = 0; attempt < 3 && !Trim(40).ok(); ++attempt) {
    }
    EXPECT_EQ(Left(), "50 60 ");
    EXPECT_EQ(meta_faults_.rules_left(), 0);
  }
}

TEST_F(HardTrimTest, RecordsStayUntilTheirFilesAreGone) {
  Fill();
  SetMarker(40);
  object_faults_.OnNext(ObjectOp::kDelete, "", Fault::FailUnavailable());
  EXPECT_EQ(Trim(40).status().code(), StatusCode::kUnavailable);
  EXPECT_TRUE(Left().starts_with("10 20 30 40 50 60 "));
  homes_.known = false;
  EXPECT_EQ(Trim(40).status().code(), StatusCode::kNotFound);
  EXPECT_TRUE(Left().starts_with("10 20 30 40 50 60 "));
  homes_.known = true;
  EXPECT_TRUE(Trim(40).ok());
  EXPECT_EQ(Left(), "50 60 ");
}

TEST_F(HardTrimTest, ADamagedRecordStays) {
  Fill();
  SetMarker(40);
  ASSERT_TRUE(sim_.Run(memory_.Put(OpContext(), Partition::OfLog(kLog), IndexKey{kLog, Offset(20), 200}.Encode(),
                                   Buffer::CopyOf("no record"), WriteGuard()))
                  .ok());
  EXPECT_EQ(Trim(40).status().code(), StatusCode::kCorrupt);
  EXPECT_TRUE(Left().starts_with("10 20 30 40 50 60 a.index a.parquet "));
}

TEST_F(HardTrimTest, AFencedLogIsNotTrimmed) {
  Fill();
  SetMarker(40);
  ASSERT_TRUE(sim_.Run(memory_.CreateIfAbsent(OpContext(), Partition::OfLog(kLog), WriteFenceKey(kLog),
                                              Buffer::CopyOf(kWriteFenceValue), WriteGuard()))
                  .ok());
  EXPECT_EQ(Trim(40).status().code(), StatusCode::kFenced);
  EXPECT_TRUE(Left().starts_with("10 20 30 40 50 60 "));
  EXPECT_EQ(Trim(-1).status().code(), StatusCode::kInvalidArgument);
}

TEST_F(HardTrimTest, ADeleteThatNeverAnswersKeepsItsLease) {
  Fill();
  SetMarker(40);
  meta_faults_.Always(MetadataOp::kDeleteRange, "", MetadataFault::LoseAnswer());
  EXPECT_EQ(Trim(40).status().code(), StatusCode::kIndeterminate);
  ASSERT_TRUE(sim_.Run(leases_.Stop(OpContext())).ok());
  EXPECT_EQ(Leases(), 1u);
}

}  // namespace
}  // namespace lakestream
