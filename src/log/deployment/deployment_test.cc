#include "log/deployment/deployment.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/testing/temp_directory.h"
#include "format/deployment_record.h"
#include "log/deployment/deployment_config.h"
#include "meta/lmdb/lmdb_metadata_store.h"
#include "runtime/thread_runtime.h"
#include "runtime/wait.h"

namespace lakestream {
namespace {

class DeploymentTest : public testing::Test {
 protected:
  DeploymentOptions At(const std::string& name, bool create) const {
    DeploymentOptions options = EmbeddedDeployment(folder_.path() + "/" + name);
    options.create = create;
    return options;
  }
  Result<std::unique_ptr<Deployment>> Open(DeploymentOptions options) {
    return Wait(Deployment::Open(threads_.runtime(), std::move(options)));
  }
  Status Stop(Deployment& deployment) {
    return Wait(deployment.Stop(OpContext().WithDeadline(threads_.runtime().Now() + std::chrono::seconds(20))));
  }
  Result<LogEntryHeader> Append(Deployment& deployment, LogId log, const std::string& payload) {
    AppendRequest request;
    request.log = log;
    request.payload = Buffer::CopyOf(payload);
    return Wait(deployment.writer().Append(OpContext(), std::move(request)));
  }
  std::string ReadAll(Deployment& deployment, LogId log) {
    const auto read = Wait(deployment.reader().Read(OpContext(), log, Offset(0), ReadBounds()));
    if (!read.ok()) return read.status().ToString();
    std::string text;
    for (const LogEntry& entry : read->entries) text += std::string(entry.payload.text()) + " ";
    return text;
  }
  /// Works on the record in the metadata store alone.
  std::unique_ptr<LmdbMetadataStore> OpenMeta(const std::string& name) {
    LmdbOptions options;
    options.directory = folder_.path() + "/" + name + "/meta";
    auto store = Wait(LmdbMetadataStore::Open(threads_.runtime(), OpContext(), options));
    EXPECT_TRUE(store.ok()) << store.status().ToString();
    return *std::move(store);
  }

  const TempDirectory folder_;
  ThreadRuntime threads_{ThreadRuntimeOptions{2, 8}};
};

TEST_F(DeploymentTest, IsMadeOnlyWhenAsked) {
  EXPECT_EQ(Open(At("one", false)).status().code(), StatusCode::kNotFound);
  EXPECT_FALSE(std::filesystem::exists(folder_.path() + "/one"));
  auto made = Open(At("one", true));
  ASSERT_TRUE(made.ok()) << made.status().ToString();
  const std::string id = (*made)->id();
  EXPECT_EQ(id.size(), 36u);
  EXPECT_TRUE(Stop(**made).ok());
  EXPECT_TRUE(Stop(**made).ok());
  made->reset();
  auto again = Open(At("one", true));
  ASSERT_TRUE(again.ok()) << again.status().ToString();
  EXPECT_EQ((*again)->id(), id);
  EXPECT_TRUE(Stop(**again).ok());
}

TEST_F(DeploymentTest, LeavesCompactionToAnotherFamilyWhereTheRecordSaysSo) {
  DeploymentOptions others = At("one", true);
  others.compactor_family = "others";
  auto made = Open(others);
  ASSERT_TRUE(made.ok()) << made.status().ToString();
  EXPECT_TRUE(Stop(**made).ok());
  made->reset();
  auto again = Open(At("one", false));
  ASSERT_TRUE(again.ok()) << again.status().ToString();
  const auto compactor = (*again)->MakeCompactor((*again)->DefaultCompactorOptions());
  EXPECT_EQ(compactor.status().code(), StatusCode::kPreconditionFailed) << compactor.status().ToString();
  EXPECT_NE(compactor.status().message().find("family=others"), std::string_view::npos);
  EXPECT_TRUE(Stop(**again).ok());
}

TEST_F(DeploymentTest, Compacts) {
  auto made = Open(At("one", true));
  ASSERT_TRUE(made.ok()) << made.status().ToString();
  Deployment& deployment = **made;
  EXPECT_EQ(deployment.DefaultCompactorOptions().plan.small_range_cost, model::kSmallRangeCostOnDisk);
  const auto stream = Wait(deployment.catalog().CreateStream(OpContext(), *StreamIdentifier::Parse("s"), 2, {}));
  ASSERT_TRUE(stream.ok()) << stream.status().ToString();
  for (const LogId log : stream->logs) {
    for (const char* payload : {"one", "two", "three"}) ASSERT_TRUE(Append(deployment, log, payload).ok());
  }
  CompactorOptions options = deployment.DefaultCompactorOptions();
  options.plan.small_range_cost = 0;
  EXPECT_EQ(options.plan.settle_time, Duration::zero()) << "LMDB's answers are definite";
  {
    const Result<std::unique_ptr<Compactor>> made = deployment.MakeCompactor(options);
    ASSERT_TRUE(made.ok()) << made.status().ToString();
    const std::unique_ptr<Compactor>& compactor = *made;
    const auto outlook = Wait(compactor->Plan(OpContext(), stream->logs[0]));
    ASSERT_TRUE(outlook.ok()) << outlook.status().ToString();
    EXPECT_EQ(outlook->decision.kind, model::CompactionDecision::Kind::kCompact);
    std::vector<std::string> outcomes;
    const CompactionObserver observer = [&](const CompactionOutcome& outcome) {
      outcomes.push_back(std::string(CompactionOutcomeName(outcome.kind)) + outcome.status.ToString());
    };
    const auto totals = Wait(compactor->Pass(OpContext(), stream->logs, observer));
    ASSERT_TRUE(totals.ok()) << totals.status().ToString();
    EXPECT_EQ(outcomes, std::vector<std::string>(2, "compactedok"));
    EXPECT_TRUE(Wait(compactor->Stop(OpContext())).ok());
  }
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path() + "/one/compacted/default/s")) {
    EXPECT_TRUE(entry.path().filename().string().starts_with("lks-")) << entry.path();
    ++files;
  }
  EXPECT_EQ(files, 4) << "a file and a companion for each log";
  EXPECT_TRUE(Stop(deployment).ok());
}

TEST_F(DeploymentTest, AppendsReadsAndTrimsAcrossRestartsAndMoves) {
  LogId log;
  {
    auto made = Open(At("one", true));
    ASSERT_TRUE(made.ok()) << made.status().ToString();
    Deployment& deployment = **made;
    const auto stream = Wait(deployment.catalog().CreateStream(OpContext(), *StreamIdentifier::Parse("s"), 2, {}));
    ASSERT_TRUE(stream.ok()) << stream.status().ToString();
    log = stream->logs[1];
    for (const std::string payload : {"a", "b", "c"}) {
      const auto header = Append(deployment, log, payload);
      ASSERT_TRUE(header.ok()) << header.status().ToString();
    }
    EXPECT_EQ(ReadAll(deployment, log), "a b c ");
    const auto trim = Wait(deployment.SoftTrim(OpContext(), log, Offset(0)));
    ASSERT_TRUE(trim.ok()) << trim.status().ToString();
    EXPECT_EQ(trim->after, Offset(1));
    EXPECT_EQ(ReadAll(deployment, log), "b c ");
    ASSERT_TRUE(Stop(deployment).ok());
  }
  std::filesystem::rename(folder_.path() + "/one", folder_.path() + "/two");
  auto moved = Open(At("two", false));
  ASSERT_TRUE(moved.ok()) << moved.status().ToString();
  const auto stream = Wait((*moved)->catalog().LoadStream(OpContext(), *StreamIdentifier::Parse("s")));
  ASSERT_TRUE(stream.ok());
  EXPECT_EQ(stream->logs[1], log);
  EXPECT_EQ(ReadAll(**moved, log), "b c ");
  ASSERT_TRUE(Append(**moved, log, "d").ok());
  EXPECT_EQ(ReadAll(**moved, log), "b c d ");
  EXPECT_TRUE(Stop(**moved).ok());
}

TEST_F(DeploymentTest, WalObjectsLieInTwentyFourDirectoriesADay) {
  auto made = Open(At("one", true));
  ASSERT_TRUE(made.ok());
  const auto stream = Wait((*made)->catalog().CreateStream(OpContext(), *StreamIdentifier::Parse("s"), 1, {}));
  ASSERT_TRUE(Append(**made, stream->logs[0], "a").ok());
  EXPECT_TRUE(Stop(**made).ok());
  int files = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder_.path() + "/one/wal")) {
    const std::string name = file.path().lexically_relative(folder_.path() + "/one/wal").string();
    if (!file.is_regular_file() || name.starts_with(".")) continue;
    ++files;
    EXPECT_EQ(std::count(name.begin(), name.end(), '/'), 4) << name;  // yyyy/MM/dd/HH/{mmss}-{uuid}
  }
  EXPECT_EQ(files, 1);
}

TEST_F(DeploymentTest, TwoInOneProcessShareIt) {
  auto first = Open(At("one", true));
  auto second = Open(At("one", true));
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ((*first)->id(), (*second)->id());
  const auto stream = Wait((*first)->catalog().CreateStream(OpContext(), *StreamIdentifier::Parse("s"), 1, {}));
  ASSERT_TRUE(stream.ok());
  ASSERT_TRUE(Append(**first, stream->logs[0], "a").ok());
  ASSERT_TRUE(Append(**second, stream->logs[0], "b").ok());
  EXPECT_EQ(ReadAll(**first, stream->logs[0]), "a b ");
  EXPECT_TRUE(Stop(**first).ok());
  EXPECT_EQ(ReadAll(**second, stream->logs[0]), "a b ");
  EXPECT_TRUE(Stop(**second).ok());
}

TEST_F(DeploymentTest, OtherRootsAreRefused) {
  auto made = Open(At("one", true));
  ASSERT_TRUE(made.ok());
  ASSERT_TRUE(Stop(**made).ok());
  made->reset();
  for (const bool create : {false, true}) {
    DeploymentOptions other_wal = At("one", create);
    other_wal.wal_url = "file://" + folder_.path() + "/one/wal2";
    auto refused = Open(other_wal);
    EXPECT_EQ(refused.status().code(), StatusCode::kPreconditionFailed);
    EXPECT_NE(refused.status().message().find("field=wal_root recorded=wal asked=wal2"), std::string_view::npos)
        << refused.status().ToString();
    EXPECT_FALSE(std::filesystem::exists(folder_.path() + "/one/wal2"));
    DeploymentOptions other_compacted = At("one", create);
    other_compacted.compacted_url = "memory:";
    EXPECT_EQ(Open(other_compacted).status().code(), StatusCode::kPreconditionFailed);
  }
}

TEST_F(DeploymentTest, AMissingRootIsNotMadeAnew) {
  auto made = Open(At("one", true));
  ASSERT_TRUE(made.ok());
  ASSERT_TRUE(Stop(**made).ok());
  made->reset();
  std::filesystem::remove_all(folder_.path() + "/one/wal");
  EXPECT_EQ(Open(At("one", true)).status().code(), StatusCode::kUnavailable);
  EXPECT_FALSE(std::filesystem::exists(folder_.path() + "/one/wal"));
}

TEST_F(DeploymentTest, LostMetadataIsNotBuriedUnderANewDeployment) {
  {
    auto made = Open(At("one", true));
    ASSERT_TRUE(made.ok());
    const auto stream = Wait((*made)->catalog().CreateStream(OpContext(), *StreamIdentifier::Parse("s"), 1, {}));
    ASSERT_TRUE(Append(**made, stream->logs[0], "a").ok());
    ASSERT_TRUE(Stop(**made).ok());
  }
  for (const char* gone : {"/one/meta/data.mdb", "/one/meta"}) {
    std::filesystem::remove_all(folder_.path() + gone);
    for (const bool create : {false, true, true}) {
      EXPECT_EQ(Open(At("one", create)).status().code(), StatusCode::kCorrupt) << gone << create;
    }
  }
}

TEST_F(DeploymentTest, ANewerFormatAndADamagedRecordAreRefused) {
  auto made = Open(At("one", true));
  ASSERT_TRUE(made.ok());
  ASSERT_TRUE(Stop(**made).ok());
  made->reset();
  const auto open_with = [&](const std::string& record) {
    auto store = OpenMeta("one");
    const std::string key(kDeploymentKey);
    EXPECT_TRUE(Wait(store->Put(OpContext(), Partition::OfKey(key), key, Buffer::CopyOf(record), WriteGuard())).ok());
    EXPECT_TRUE(Wait(store->Stop(OpContext())).ok());
    store.reset();
    auto opened = Open(At("one", false));
    return opened.ok() ? Stop(**opened) : opened.status();
  };
  auto store = OpenMeta("one");
  const std::string key(kDeploymentKey);
  const auto got = Wait(store->Get(OpContext(), Partition::OfKey(key), key));
  ASSERT_TRUE(got.ok() && got->has_value());
  std::string record((*got)->value.text());
  EXPECT_TRUE(Wait(store->Stop(OpContext())).ok());
  store.reset();
  const std::size_t at = record.find(":3,");
  ASSERT_NE(at, std::string::npos) << record;
  const Status newer = open_with(std::string(record).replace(at, 3, ":4,"));
  EXPECT_EQ(newer.code(), StatusCode::kUnimplemented) << newer.ToString();
  const Status damaged = open_with("{");
  EXPECT_EQ(damaged.code(), StatusCode::kCorrupt) << damaged.ToString();
  EXPECT_TRUE(open_with(record).ok());
}

TEST_F(DeploymentTest, TimesOfAnExistingDeploymentAreItsOwn) {
  DeploymentOptions options = At("one", true);
  options.times.publish_deadline = std::chrono::seconds(1);
  options.times.index_deadline = std::chrono::seconds(1);
  options.times.grace = std::chrono::seconds(19);
  EXPECT_EQ(Open(options).status().code(), StatusCode::kInvalidArgument);
  options.times.grace = std::chrono::seconds(20);
  auto made = Open(options);
  ASSERT_TRUE(made.ok()) << made.status().ToString();
  EXPECT_TRUE(Stop(**made).ok());
  made->reset();
  // What other times a process has in mind, also bad ones, does not count any more.
  options.times.grace = std::chrono::seconds(3);
  auto again = Open(options);
  ASSERT_TRUE(again.ok()) << again.status().ToString();
  EXPECT_TRUE(Stop(**again).ok());
  again->reset();
  auto store = OpenMeta("one");
  const std::string key(kDeploymentKey);
  const auto got = Wait(store->Get(OpContext(), Partition::OfKey(key), key));
  const auto record = DecodeDeploymentRecord((*got)->value.text());
  ASSERT_TRUE(record.ok());
  EXPECT_EQ(record->grace_ms, 20'000);
  EXPECT_EQ(record->wal_root, "wal");
  EXPECT_EQ(record->compacted_root, "compacted");
  EXPECT_TRUE(Wait(store->Stop(OpContext())).ok());
}

TEST_F(DeploymentTest, BadOptionsAreRefused) {
  const auto code = [&](auto change) {
    DeploymentOptions options = At("one", true);
    change(options);
    return Open(options).status().code();
  };
  EXPECT_EQ(code([](auto& o) { o.metadata_url = ""; }), StatusCode::kInvalidArgument);
  EXPECT_EQ(code([](auto& o) { o.metadata_url = o.wal_url; }), StatusCode::kInvalidArgument);
  EXPECT_EQ(code([](auto& o) { o.wal_url = o.metadata_url; }), StatusCode::kInvalidArgument);
  EXPECT_EQ(code([](auto& o) { o.wal_url = o.compacted_url; }), StatusCode::kInvalidArgument);
  EXPECT_EQ(code([](auto& o) { o.reader.tail_poll = Duration(0); }), StatusCode::kInvalidArgument);
  EXPECT_EQ(code([](auto& o) { o.reader.first_fetch_bytes = 3; }), StatusCode::kInvalidArgument);
  EXPECT_EQ(code([](auto& o) { o.writer.max_puts_in_flight = 0; }), StatusCode::kInvalidArgument);
}

TEST_F(DeploymentTest, InMemory) {
  DeploymentOptions options;
  options.metadata_url = options.wal_url = options.compacted_url = "memory:";
  EXPECT_EQ(Open(options).status().code(), StatusCode::kNotFound);
  options.create = true;
  auto made = Open(options);
  ASSERT_TRUE(made.ok()) << made.status().ToString();
  const auto stream = Wait((*made)->catalog().CreateStream(OpContext(), *StreamIdentifier::Parse("s"), 1, {}));
  ASSERT_TRUE(stream.ok());
  ASSERT_TRUE(Append(**made, stream->logs[0], "a").ok());
  EXPECT_EQ(ReadAll(**made, stream->logs[0]), "a ");
  EXPECT_TRUE(Stop(**made).ok());
}

}  // namespace
}  // namespace lakestream
