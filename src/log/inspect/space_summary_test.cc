#include "log/inspect/space_summary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "format/entry_index.h"
#include "log/catalog/binding.h"
#include "log/reader/testing/compacted_world.h"

namespace lakestream {
namespace {

class SpaceSummaryTest : public testing::Test {
 protected:
  LogId Create(const std::string& name) {
    const StreamIdentifier id{"default", name};
    std::map<std::string, std::string> properties;
    properties.emplace(kBindingProperty, BindingName(Binding::kRaw));
    Result<StreamMetadata> stream =
        world_.sim.Run(catalog_.CreateStream(OpContext(), id, 1, std::move(properties)));
    EXPECT_TRUE(stream.ok()) << stream.status().ToString();
    return stream->logs[0];
  }
  void Put(ObjectStore& store, const std::string& key, std::size_t bytes) {
    const BufferChain chain(Buffer::CopyOf(std::string(bytes, 'x')));
    ASSERT_TRUE(world_.sim.Run(store.Put(OpContext(), key, chain, PutMode::kCreate)).ok());
  }
  SpaceSummary Summarize() {
    Result<SpaceSummary> summary =
        world_.sim.Run(SummarizeSpace(world_.meta, world_.objects, world_.compacted, catalog_, OpContext()));
    EXPECT_TRUE(summary.ok()) << summary.status().ToString();
    return *std::move(summary);
  }

  CompactedWorld world_;
  StreamCatalog catalog_{world_.sim.runtime(), world_.meta};
};

TEST_F(SpaceSummaryTest, OfNothing) {
  const SpaceSummary summary = Summarize();
  EXPECT_EQ(summary.all().objects, 0);
  EXPECT_TRUE(summary.streams.empty());
}

TEST_F(SpaceSummaryTest, EachByteIsCountedOnce) {
  const LogId small = Create("small");
  const LogId large = Create("large");
  world_.Append(small, "a", {{1, "abc"}});
  world_.Append(large, "b", {{1, "defgh"}, {1, "ij"}});
  Put(world_.compacted, "default/small/lks-1.parquet", 1000);
  Put(world_.compacted, "default/small/lks-1.index", 10);
  Put(world_.compacted, "default/gone/lks-2.parquet", 4);
  Put(world_.compacted, "elsewhere", 7);
  const SpaceSummary summary = Summarize();
  EXPECT_EQ(summary.wal.objects, 2);
  EXPECT_EQ(summary.compacted.objects, 2);
  EXPECT_EQ(summary.compacted.bytes, 1004);
  EXPECT_EQ(summary.companions.objects, 1);
  EXPECT_EQ(summary.companions.bytes, 10);
  EXPECT_EQ(summary.other.bytes, 7);
  EXPECT_EQ(summary.payload_bytes(), 10);
  ASSERT_EQ(summary.streams.size(), 3U);
  EXPECT_EQ(summary.streams[0].name, "small");
  EXPECT_EQ(summary.streams[0].wal_bytes, 3);
  EXPECT_EQ(summary.streams[0].compacted_bytes, 1010);
  EXPECT_EQ(summary.streams[1].name, "large");
  EXPECT_EQ(summary.streams[1].bytes(), 7);
  EXPECT_EQ(summary.streams[2].name, "default/gone");
  EXPECT_EQ(summary.streams[2].logs, 0);
  // Two headers, and what is no stream's.
  EXPECT_EQ(summary.shared_bytes(), summary.wal.bytes - 10 + 7);
  EXPECT_GT(summary.wal.bytes, 10);
  EXPECT_EQ(summary.all().bytes, summary.wal.bytes + 1004 + 10 + 7);
}

TEST_F(SpaceSummaryTest, BeyondOnePage) {
  const LogId log = Create("s");
  for (int i = 0; i < 1500; ++i) world_.Append(log, "o" + std::to_string(10000 + i), {{1, "x"}});
  const SpaceSummary summary = Summarize();
  EXPECT_EQ(summary.wal.objects, 1500);
  EXPECT_EQ(summary.streams[0].wal_bytes, 1500);
}

/// Drops a stream as soon as a page with its record has been read.
class DropsAfterAPage final : public ForwardingMetadataStore {
 public:
  DropsAfterAPage(MetadataStore& inner, StreamCatalog& catalog) : ForwardingMetadataStore(inner), catalog_(catalog) {}
  Task<Result<ScanPage>> Scan(OpContext context, KeyRange range, std::string cursor, int limit) override {
    Task<Result<ScanPage>> scan = inner().Scan(std::move(context), std::move(range), std::move(cursor), limit);
    Result<ScanPage> page = co_await scan;
    const auto is_of_stream = [](const MetadataRecord& record) { return record.key.ends_with("/dropped"); };
    const bool listed = page.ok() && std::any_of(page->records.begin(), page->records.end(), is_of_stream);
    if (listed && !std::exchange(dropped_, true)) {
      const StreamIdentifier id{"default", "dropped"};
      auto drop = catalog_.DropStream(OpContext(), id);
      const auto answer = co_await drop;
      EXPECT_TRUE(answer.ok());
    }
    co_return page;
  }

  bool dropped() const { return dropped_; }

 private:
  StreamCatalog& catalog_;
  bool dropped_ = false;
};

TEST_F(SpaceSummaryTest, AStreamThatIsDroppedMeanwhile) {
  Create("dropped");
  world_.Append(Create("stays"), "a", {{1, "abc"}});
  DropsAfterAPage meta(world_.meta, catalog_);
  StreamCatalog listed(world_.sim.runtime(), meta);
  const Result<SpaceSummary> summary =
      world_.sim.Run(SummarizeSpace(meta, world_.objects, world_.compacted, listed, OpContext()));
  ASSERT_TRUE(summary.ok()) << summary.status().ToString();
  EXPECT_TRUE(meta.dropped());
  ASSERT_EQ(summary->streams.size(), 1U);
  EXPECT_EQ(summary->streams[0].name, "stays");
}

}  // namespace
}  // namespace lakestream
