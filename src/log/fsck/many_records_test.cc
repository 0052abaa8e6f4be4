#include <gtest/gtest.h>

#include "base/testing/temp_directory.h"
#include "base/try.h"
#include "format/entry_index.h"
#include "format/index_key.h"
#include "format/wal_object.h"
#include "log/catalog/catalog_homes.h"
#include "log/catalog/stream_catalog.h"
#include "log/fsck/fsck.h"
#include "meta/lmdb/lmdb_metadata_store.h"
#include "objstore/memory/memory_object_store.h"
#include "runtime/thread_runtime.h"
#include "runtime/wait.h"

namespace lakestream {
namespace {

constexpr int kPartitions = 2000;
constexpr char kObject[] = "2026/11/30/10/0000-3f2b8f5e-1c2d-4e3f-8a9b-0c1d2e3f4a5b";

/// One object with an entry for each log, and the index records that name it.
Status WriteObject(MetadataStore& meta, ObjectStore& wal, const std::vector<LogId>& logs) {
  std::vector<WalSection> sections;
  for (const LogId log : logs) {
    const std::int32_t at = static_cast<std::int32_t>(sections.size());
    sections.push_back(WalSection{log, std::vector<WalEntry>(1, WalEntry{at, 1, 1})});
  }
  LS_ASSIGN(const Buffer header, EncodeWalHeader(sections));
  BufferChain chain(header);
  chain.Append(Buffer(std::string(logs.size(), 'x')));
  LS_TRY(Wait(wal.Put(OpContext(), kObject, chain, PutMode::kCreate)));
  std::vector<SequencedPutRequest> requests;
  for (const WalSection& section : sections) {
    LS_ASSIGN(const EntryIndex index, MakeRawEntryIndex(section, kObject, static_cast<std::int64_t>(logs.size()), true));
    requests.push_back(SequencedPutRequest{Partition::OfLog(section.log), IndexKeyPrefix(section.log), 1, 1,
                                           Buffer(EncodeEntryIndex(index)), WriteGuard(), nullptr});
  }
  for (const auto& answer : Wait(meta.SequencedPut(OpContext(), requests))) LS_TRY(answer.status());
  return OkStatus();
}

/// The look-ups of a store in this process end at once. So many in a row need more stack than a thread has in a build
/// without optimization (ADR 0002), unless the store yields.
TEST(FsckManyRecordsTest, AStoreThatAnswersAtOnceNeedsNoStackForEachRecord) {
  const TempDirectory folder;
  ThreadRuntime threads{ThreadRuntimeOptions{2, 4}};
  Runtime& runtime = threads.runtime();
  LmdbOptions options;
  options.directory = folder.path();
  options.create = true;
  auto meta = Wait(LmdbMetadataStore::Open(runtime, OpContext(), options));
  ASSERT_TRUE(meta.ok()) << meta.status().ToString();
  MemoryObjectStore wal(runtime);
  StreamCatalog catalog(runtime, **meta);
  const auto made = Wait(catalog.CreateStream(OpContext(), *StreamIdentifier::Parse("wide"), kPartitions, {}));
  ASSERT_TRUE(made.ok()) << made.status().ToString();
  const Status written = WriteObject(**meta, wal, made->logs);
  ASSERT_TRUE(written.ok()) << written.ToString();
  std::string findings;
  MemoryObjectStore compacted(runtime);
  CatalogHomes homes(**meta);
  const FsckStores stores{**meta, wal, compacted, homes};
  const auto checked = Wait(CheckDeployment(
      runtime, stores, OpContext(), FsckOptions(),
      [&findings](const Finding& finding) { findings += FindingText(finding) + "\n"; }));
  ASSERT_TRUE(checked.ok()) << checked.status().ToString();
  EXPECT_EQ(findings, "");
  EXPECT_EQ(checked->logs, static_cast<std::uint64_t>(kPartitions));
  EXPECT_GT(checked->records, static_cast<std::uint64_t>(4 * kPartitions));
  EXPECT_TRUE(Wait((*meta)->Stop(OpContext().WithDeadline(runtime.Now() + std::chrono::seconds(20)))).ok());
}

}  // namespace
}  // namespace lakestream
