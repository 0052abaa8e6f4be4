#include "log/backup/backup.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/testing/temp_directory.h"
#include "format/compaction_record.h"
#include "format/entry_index.h"
#include "format/log_records.h"
#include "log/holds/holds.h"
#include "log/backup/manifest.h"
#include "log/backup/restore.h"
#include "log/deployment/deployment_config.h"
#include "meta/lmdb/lmdb_copy.h"
#include "runtime/posix/new_folder.h"
#include "runtime/thread_runtime.h"
#include "runtime/wait.h"

namespace lakestream {
namespace {

namespace fs = std::filesystem;

class BackupTest : public testing::Test {
 protected:
  std::string Path(const std::string& name) const { return folder_.path() + "/" + name; }
  std::unique_ptr<Deployment> Open(const std::string& name, bool create = false) {
    DeploymentOptions options = EmbeddedDeployment(Path(name));
    options.create = create;
    auto opened = Wait(Deployment::Open(runtime(), std::move(options)));
    EXPECT_TRUE(opened.ok()) << opened.status().ToString();
    return opened.ok() ? *std::move(opened) : nullptr;
  }
  void Stop(std::unique_ptr<Deployment>& deployment) {
    const OpContext context = OpContext().WithDeadline(runtime().Now() + std::chrono::seconds(20));
    EXPECT_TRUE(Wait(deployment->Stop(context)).ok());
    deployment.reset();
  }
  LogId MakeStream(Deployment& deployment, const std::string& name) {
    const auto made = Wait(deployment.catalog().CreateStream(OpContext(), *StreamIdentifier::Parse(name), 1, {}));
    EXPECT_TRUE(made.ok()) << made.status().ToString();
    return made->logs[0];
  }
  /// The offset, or the status.
  Result<Offset> Append(Deployment& deployment, LogId log, const std::string& payload) {
    AppendRequest request;
    request.log = log;
    request.payload = Buffer::CopyOf(payload);
    const auto header = Wait(deployment.writer().Append(OpContext(), std::move(request)));
    if (!header.ok()) return header.status();
    return header->offset;
  }
  std::string ReadAll(Deployment& deployment, LogId log) {
    const auto read = Wait(deployment.reader().Read(OpContext(), log, Offset(0), ReadBounds()));
    if (!read.ok()) return read.status().ToString();
    std::string text;
    for (const LogEntry& entry : read->entries) text += std::string(entry.payload.text()) + " ";
    return text;
  }
  Result<BackupReport> BackUp(Deployment& deployment, const std::string& name) {
    return Wait(BackUpMetadata(runtime(), deployment, OpContext(), Path(name), "# text\n"));
  }
  Result<RestoreReport> Restore(const std::string& backup, const std::string& to) {
    lost_.clear();
    return Wait(RestoreMetadata(runtime(), OpContext(), Path(backup), EmbeddedDeployment(Path(to)),
                                [this](const LostObject& object) { lost_.push_back(object); }));
  }
  std::vector<std::string> Leases(Deployment& deployment, LogId log) {
    const KeyBounds bounds = WriteLeaseKeys(log);
    KeyRange range;
    range.partition = Partition::OfLog(log);
    range.from = bounds.first;
    range.to = bounds.end;
    const auto page = Wait(deployment.metadata().List(OpContext(), range, "", 100));
    EXPECT_TRUE(page.ok());
    return page->keys;
  }
  /// A deployment "one" with the entries a and b, and a copy of it.
  LogId MakeAndBackUp() {
    auto deployment = Open("one", true);
    const LogId log = MakeStream(*deployment, "s");
    EXPECT_TRUE(Append(*deployment, log, "a").ok());
    EXPECT_TRUE(Append(*deployment, log, "b").ok());
    EXPECT_TRUE(BackUp(*deployment, "copy").ok());
    Stop(deployment);
    return log;
  }
  void LoseMetadata(const std::string& name) { fs::rename(Path(name) + "/meta", Path(name) + "-old-meta"); }
  Runtime& runtime() { return threads_.runtime(); }

  const TempDirectory folder_;
  ThreadRuntime threads_{ThreadRuntimeOptions{2, 8}};
  std::vector<LostObject> lost_;
};

TEST_F(BackupTest, WhatWasAcknowledgedBeforeTheCopyIsThereAfterIt) {
  auto deployment = Open("one", true);
  const LogId log = MakeStream(*deployment, "s");
  ASSERT_TRUE(Append(*deployment, log, "a").ok());
  ASSERT_TRUE(Append(*deployment, log, "b").ok());
  const auto copied = BackUp(*deployment, "copy");
  ASSERT_TRUE(copied.ok()) << copied.status().ToString();
  EXPECT_EQ(copied->usable_until_ms - copied->made_ms, 24 * 3'600'000);
  EXPECT_EQ(copied->bytes, fs::file_size(Path("copy/metadata.mdb")));
  EXPECT_EQ(*ReadWholeFile(Path("copy/deployment.toml")), "# text\n");
  const auto manifest = DecodeBackupManifest(*ReadWholeFile(Path("copy/backup.json")), "backup.json");
  ASSERT_TRUE(manifest.ok());
  EXPECT_EQ(manifest->deployment_id, deployment->id());
  EXPECT_EQ(manifest->records, copied->records);
  // After the copy: an entry of the log, and a log that the copy does not know.
  ASSERT_TRUE(Append(*deployment, log, "lost").ok());
  const LogId newer = MakeStream(*deployment, "newer");
  ASSERT_TRUE(Append(*deployment, newer, "gone").ok());
  Stop(deployment);

  LoseMetadata("one");
  fs::rename(Path("one"), Path("two"));
  const auto restored = Restore("copy", "two");
  ASSERT_TRUE(restored.ok()) << restored.status().ToString();
  EXPECT_EQ(restored->made_ms, copied->made_ms);
  EXPECT_EQ(restored->lost_objects, 2u);
  EXPECT_EQ(restored->lost_entries, 2);
  EXPECT_EQ(restored->lost_bytes, 8);
  ASSERT_EQ(lost_.size(), 2u);
  EXPECT_EQ(lost_[0].entries, 1);
  EXPECT_EQ(lost_[0].bytes, fs::file_size(Path("two/wal/") + lost_[0].key));
  EXPECT_EQ(restored->damage, 0u);
  EXPECT_GT(restored->epoch, 1);
  EXPECT_GT(restored->given_out, newer.value());
  EXPECT_FALSE(fs::exists(Path("two/meta.partial")));

  auto again = Open("two");
  EXPECT_EQ(ReadAll(*again, log), "a b ");
  EXPECT_EQ(again->record().epoch, restored->epoch);
  const auto appended = Append(*again, log, "c");
  ASSERT_TRUE(appended.ok()) << appended.status().ToString();
  EXPECT_EQ(*appended, Offset(2));
  EXPECT_EQ(ReadAll(*again, log), "a b c ");
  EXPECT_GT(MakeStream(*again, "newer"), newer);
  const auto holds = Wait(ListHolds(again->metadata(), OpContext()));
  ASSERT_TRUE(holds.ok() && holds->size() == 1);
  EXPECT_EQ(holds->front().name, restored->hold);
  Stop(again);
}

TEST_F(BackupTest, EveryRestoreHasAnEpochOfItsOwn) {
  MakeAndBackUp();
  LoseMetadata("one");
  const auto first = Restore("copy", "one");
  ASSERT_TRUE(first.ok()) << first.status().ToString();
  fs::remove_all(Path("one/meta"));
  const auto second = Restore("copy", "one");
  ASSERT_TRUE(second.ok()) << second.status().ToString();
  EXPECT_GT(second->epoch, first->epoch);
}

TEST_F(BackupTest, MetadataThatIsThereIsNotReplaced) {
  const LogId log = MakeAndBackUp();
  EXPECT_EQ(Restore("copy", "one").status().code(), StatusCode::kAlreadyExists);
  auto deployment = Open("one");
  EXPECT_EQ(ReadAll(*deployment, log), "a b ");
  EXPECT_EQ(deployment->record().epoch, 1);
  Stop(deployment);
  // Not the data, but something that is nobody's leftover.
  LoseMetadata("one");
  fs::create_directory(Path("one/meta"));
  std::ofstream(Path("one/meta/notes")) << "keep";
  EXPECT_EQ(Restore("copy", "one").status().code(), StatusCode::kAlreadyExists);
  EXPECT_TRUE(fs::exists(Path("one/meta/notes")));
  fs::rename(Path("one/meta/notes"), Path("one/meta/lock.mdb"));
  EXPECT_TRUE(Restore("copy", "one").ok());
}

TEST_F(BackupTest, WhatAppearsDuringARestoreStays) {
  auto deployment = Open("one", true);
  const LogId log = MakeStream(*deployment, "s");
  ASSERT_TRUE(BackUp(*deployment, "copy").ok());
  ASSERT_TRUE(Append(*deployment, log, "lost").ok());
  Stop(deployment);
  LoseMetadata("one");
  const auto appear = [this](const LostObject&) {
    fs::create_directory(Path("one/meta"));
    std::ofstream(Path("one/meta/data.mdb")) << "other";
  };
  const auto restored =
      Wait(RestoreMetadata(runtime(), OpContext(), Path("copy"), EmbeddedDeployment(Path("one")), appear));
  EXPECT_EQ(restored.status().code(), StatusCode::kAlreadyExists) << restored.status().ToString();
  EXPECT_EQ(*ReadWholeFile(Path("one/meta/data.mdb")), "other");
  EXPECT_FALSE(fs::exists(Path("one/meta.partial")));
}

TEST_F(BackupTest, NeedsTheObjectsInTheirPlace) {
  MakeAndBackUp();
  LoseMetadata("one");
  EXPECT_EQ(Restore("copy", "elsewhere").status().code(), StatusCode::kUnavailable);
  EXPECT_FALSE(fs::exists(Path("elsewhere")));
  DeploymentOptions other = EmbeddedDeployment(Path("one"));
  fs::create_directory(Path("other-wal"));
  other.wal_url = "file://" + Path("other-wal");
  const auto refused =
      Wait(RestoreMetadata(runtime(), OpContext(), Path("copy"), other, [](const LostObject&) {}));
  EXPECT_EQ(refused.status().code(), StatusCode::kPreconditionFailed);
  EXPECT_FALSE(fs::exists(Path("one/meta")));
  EXPECT_FALSE(fs::exists(Path("one/meta.partial")));
}

TEST_F(BackupTest, ObjectsThatAreGoneAreCounted) {
  MakeAndBackUp();
  LoseMetadata("one");
  for (const auto& file : fs::recursive_directory_iterator(Path("one/wal"))) {
    if (file.is_regular_file()) fs::remove(file.path());
  }
  const auto restored = Restore("copy", "one");
  ASSERT_TRUE(restored.ok()) << restored.status().ToString();
  EXPECT_EQ(restored->damage, 2u);
}

TEST_F(BackupTest, FilesThatACompactionIsAboutToInstallAreCountedWhereTheyAreGone) {
  auto deployment = Open("one", true);
  const LogId log = MakeStream(*deployment, "s");
  ASSERT_TRUE(Append(*deployment, log, "a").ok());
  ASSERT_TRUE(Append(*deployment, log, "b").ok());
  FileIndex files;
  files.files.push_back(CompactedFile{Offset(1), "lks-1.parquet"});
  const Result<EntryIndex> index = MakeParquetEntryIndex(files, 2, 2);
  ASSERT_TRUE(index.ok());
  CompactionRecord record;
  record.state = CompactionInstalling{"owner", CompactionRange{Offset(0), Offset(2)}, IndexKey{log, Offset(2), 2},
                                      EncodeEntryIndex(*index)};
  ASSERT_TRUE(Wait(deployment->metadata().Put(OpContext(), Partition::OfLog(log), CompactionRecordKey(log),
                                              Buffer(*EncodeCompactionRecord(record, log)), WriteGuard()))
                  .ok());
  ASSERT_TRUE(BackUp(*deployment, "copy").ok());
  Stop(deployment);
  LoseMetadata("one");
  const auto restored = Restore("copy", "one");
  ASSERT_TRUE(restored.ok()) << restored.status().ToString();
  EXPECT_EQ(restored->damage, 2u) << "the file and its companion";
}

TEST_F(BackupTest, LeasesOfTheCopyAreEndedThoughTheirProcessLives) {
  auto deployment = Open("one", true);
  const LogId log = MakeStream(*deployment, "s");
  ASSERT_TRUE(Append(*deployment, log, "a").ok());
  ASSERT_EQ(Leases(*deployment, log).size(), 1u);
  ASSERT_TRUE(BackUp(*deployment, "copy").ok());
  fs::create_directory(Path("two"));
  for (const char* root : {"wal", "compacted"}) {
    fs::copy(Path("one/") + root, Path("two/") + root, fs::copy_options::recursive);
  }
  const auto restored = Restore("copy", "two");
  ASSERT_TRUE(restored.ok()) << restored.status().ToString();
  EXPECT_EQ(restored->sessions_ended, 1u);
  auto second = Open("two");
  EXPECT_TRUE(Leases(*second, log).empty());
  EXPECT_EQ(ReadAll(*second, log), "a ");
  // The original is untouched.
  EXPECT_EQ(Leases(*deployment, log).size(), 1u);
  EXPECT_TRUE(Append(*deployment, log, "b").ok());
  EXPECT_TRUE(Append(*second, log, "c").ok());
  Stop(second);
  Stop(deployment);
}

TEST_F(BackupTest, AProcessOfTheTimeBeforeIsShutOut) {
  auto before = Open("one", true);
  const LogId log = MakeStream(*before, "s");
  ASSERT_TRUE(Append(*before, log, "a").ok());
  ASSERT_TRUE(BackUp(*before, "copy").ok());
  LoseMetadata("one");
  // Already now: what it writes would go to a file that nobody reads. It tries with another session first.
  const Status first = Append(*before, log, "b").status();
  EXPECT_EQ(first.code(), StatusCode::kUnavailable) << first.ToString();
  EXPECT_NE(first.message().find("moved or replaced"), std::string_view::npos) << first.ToString();
  EXPECT_EQ(Append(*before, log, "b").status().code(), StatusCode::kFenced);
  ASSERT_TRUE(Restore("copy", "one").ok());
  EXPECT_EQ(Append(*before, log, "b").status().code(), StatusCode::kFenced);
  EXPECT_EQ(ReadAll(*before, log), "a ");
  auto after = Open("one");
  ASSERT_NE(after, nullptr);
  EXPECT_TRUE(Append(*after, log, "c").ok());
  EXPECT_EQ(ReadAll(*after, log), "a c ");
  Stop(after);
  Stop(before);
}

TEST_F(BackupTest, AnotherEpochEndsTheAppendsOfAProcess) {
  auto deployment = Open("one", true);
  const LogId log = MakeStream(*deployment, "s");
  DeploymentRecord record = deployment->record();
  ++record.epoch;
  const std::string key(kDeploymentKey);
  ASSERT_TRUE(Wait(deployment->metadata().Put(OpContext(), Partition::OfKey(key), key,
                                              Buffer::CopyOf(*EncodeDeploymentRecord(record)), WriteGuard()))
                  .ok());
  const Status refused = Append(*deployment, log, "a").status();
  EXPECT_EQ(refused.code(), StatusCode::kFenced) << refused.ToString();
  EXPECT_NE(refused.message().find("restored from a backup"), std::string_view::npos) << refused.ToString();
  EXPECT_EQ(ReadAll(*deployment, log), "");
  Stop(deployment);
}

TEST_F(BackupTest, ADamagedBackupIsRefused) {
  MakeAndBackUp();
  LoseMetadata("one");
  EXPECT_EQ(Restore("none", "one").status().code(), StatusCode::kNotFound);
  const std::string file = Path("copy/metadata.mdb");
  const std::string whole = *ReadWholeFile(file);
  std::string damaged = whole;
  const std::size_t at = damaged.find("lakestream.binding");
  ASSERT_NE(at, std::string::npos);
  damaged[at] = 'L';
  std::ofstream(file, std::ios::binary) << damaged;
  EXPECT_EQ(Restore("copy", "one").status().code(), StatusCode::kCorrupt);
  fs::remove(file);
  EXPECT_EQ(Restore("copy", "one").status().code(), StatusCode::kNotFound);
  std::ofstream(file, std::ios::binary) << whole;
  const std::string manifest = *ReadWholeFile(Path("copy/backup.json"));
  std::ofstream(Path("copy/backup.json")) << "{";
  EXPECT_EQ(Restore("copy", "one").status().code(), StatusCode::kCorrupt);
  EXPECT_FALSE(fs::exists(Path("one/meta")));
  EXPECT_FALSE(fs::exists(Path("one/meta.partial")));
  std::ofstream(Path("copy/backup.json")) << manifest;
  EXPECT_TRUE(Restore("copy", "one").ok());
}

TEST_F(BackupTest, DamagedMetadataMakesNoBackup) {
  MakeAndBackUp();
  const std::string file = Path("one/meta/data.mdb");
  std::string bytes = *ReadWholeFile(file);
  for (std::size_t at = 0; (at = bytes.find("lakestream.binding", at)) != std::string::npos;) bytes[at] = 'L';
  std::ofstream(file, std::ios::binary) << bytes;
  DeploymentOptions options = EmbeddedDeployment(Path("one"));
  options.check_metadata = false;
  auto deployment = Wait(Deployment::Open(runtime(), options));
  ASSERT_TRUE(deployment.ok()) << deployment.status().ToString();
  EXPECT_EQ(BackUp(**deployment, "copy2").status().code(), StatusCode::kCorrupt);
  EXPECT_FALSE(fs::exists(Path("copy2")));
  EXPECT_FALSE(fs::exists(Path("copy2.partial")));
  Stop(*deployment);
}

TEST_F(BackupTest, WhatIsThereIsNotReplaced) {
  auto deployment = Open("one", true);
  fs::create_directory(Path("copy"));
  EXPECT_EQ(BackUp(*deployment, "copy").status().code(), StatusCode::kAlreadyExists);
  EXPECT_EQ(BackUp(*deployment, "none/copy").status().code(), StatusCode::kUnavailable);
  Stop(deployment);
}

TEST_F(BackupTest, OfMemoryThereIsNone) {
  DeploymentOptions options;
  options.metadata_url = options.wal_url = options.compacted_url = "memory:";
  options.create = true;
  auto deployment = Wait(Deployment::Open(runtime(), options));
  ASSERT_TRUE(deployment.ok());
  EXPECT_EQ(BackUp(**deployment, "copy").status().code(), StatusCode::kUnimplemented);
  EXPECT_EQ(Wait(RestoreMetadata(runtime(), OpContext(), Path("copy"), options, [](const LostObject&) {}))
                .status()
                .code(),
            StatusCode::kNotFound);
  Stop(*deployment);
}

}  // namespace
}  // namespace lakestream
