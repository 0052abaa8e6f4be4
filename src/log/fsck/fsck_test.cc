#include "log/fsck/fsck.h"

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <set>
#include <sstream>

#include "format/catalog_records.h"
#include "format/compaction_record.h"
#include "log/catalog/stream_catalog.h"
#include "log/reader/testing/compacted_world.h"
#include "meta/shard.h"

namespace lakestream {
namespace {

const char kUuid[] = "3f2b8f5e-1c2d-4e3f-8a9b-0c1d2e3f4a5b";

/// A stream of two partitions with entries in both, all of it right.
class FsckWorld : public CompactedWorld {
 public:
  explicit FsckWorld(int shards = 4) : CompactedWorld(1, ReaderOptions(), shards) {
    StreamCatalog catalog(sim.runtime(), memory_meta);
    const auto made = sim.Run(catalog.CreateStream(OpContext(), *StreamIdentifier::Parse("s"), 2, {}));
    EXPECT_TRUE(made.ok()) << made.status().ToString();
    a = made->logs[0];
    b = made->logs[1];
    // One object for both, then one for each.
    const std::vector<WalSection> both = PutObject(Name(1), {{a, {{2, "abc"}, {1, "d"}}}, {b, {{1, "ef"}}}});
    keys.push_back(Publish(a, RecordOf(both[0], Name(1))));
    Publish(b, RecordOf(both[1], Name(1)));
    keys.push_back(Append(a, Name(2), {{3, "ghi"}}));
    keys.push_back(Append(a, Name(3), {{1, "j"}, {1, "kl"}}));
    Append(b, Name(4), {{1, "m"}});
  }

  static std::string Name(int number) {
    return "2026/11/30/10/00" + std::to_string(10 + number) + "-" + kUuid;
  }

  FsckStores Stores(MetadataStore& through, ObjectStore& wal) { return FsckStores{through, wal, compacted, homes}; }

  /// The findings, one a line.
  std::string Check(MetadataStore* through = nullptr, bool deep = false) {
    FsckOptions options;
    options.deep = deep;
    std::string lines;
    kinds.clear();
    const auto sink = [this, &lines](const Finding& finding) {
      kinds.insert(finding.kind);
      lines += FindingText(finding) + "\n";
    };
    const Result<FsckTotals> checked = sim.Run(CheckDeployment(
        sim.runtime(), Stores(through != nullptr ? *through : memory_meta, objects), OpContext(), options, sink));
    if (!checked.ok()) return checked.status().ToString();
    totals = *checked;
    return lines;
  }

  void PutKey(const std::string& partition, const std::string& key, const std::string& value) {
    ASSERT_TRUE(sim.Run(memory_meta.Put(OpContext(), Partition::Named(partition), key, Buffer::CopyOf(value),
                                        WriteGuard()))
                    .ok());
  }
  void PutKey(const std::string& key, const std::string& value) { PutKey(key, key, value); }
  void DeleteKey(const std::string& partition, const std::string& key) {
    ASSERT_TRUE(sim.Run(memory_meta.Delete(OpContext(), Partition::Named(partition), key, WriteGuard())).ok());
  }
  std::string GetKey(const std::string& key) {
    const auto got = sim.Run(memory_meta.Get(OpContext(), Partition::Named(key), key));
    EXPECT_TRUE(got.ok() && got->has_value()) << key;
    return std::string((*got)->value.text());
  }
  void PutText(const std::string& name, const std::string& bytes) {
    ASSERT_TRUE(sim.Run(memory_objects.Put(OpContext(), name, BufferChain(Buffer::CopyOf(bytes)), PutMode::kOverwrite))
                    .ok());
  }
  EntryIndex IndexAt(const std::string& key) {
    const std::string value = Value(a, key);
    Result<EntryIndex> index = DecodeEntryIndex(AsBytes(value), key);
    EXPECT_TRUE(index.ok());
    return *index;
  }
  void PutIndex(const std::string& key, const EntryIndex& index) { PutMeta(a, key, EncodeEntryIndex(index)); }
  /// What the last record says, under another key.
  void MoveLast(std::int64_t end, std::int64_t cumulative) {
    const EntryIndex last = IndexAt(keys.back());
    DeleteKey(a.ToString(), keys.back());
    PutIndex(IndexKey{a, Offset(end), cumulative}.Encode(), last);
  }
  /// A PARQUET record of one entry in place of records[1], with its file.
  void PutParquet(std::int64_t records, std::int64_t bytes, std::int64_t last_offset = 5) {
    CompactedDraft draft;
    draft.log = a;
    draft.start = Offset(6 - records);
    draft.end = Offset(6);
    draft.bytes = bytes;
    draft.cumulative_size = 7;
    draft.directory = PlainLogHomes::Of(a).directory;
    CompactedDraft::File file;
    file.name = "lks-1.parquet";
    file.last_offset = Offset(last_offset);
    file.serde_type = PlainLogHomes::Of(a).entry_serde_type;
    LogEntryHeader row;
    row.offset = draft.start;
    row.number_of_records = static_cast<std::int32_t>(records);
    row.entry_size = static_cast<std::int32_t>(bytes);
    row.cumulative_size = draft.cumulative_size;
    file.rows.push_back(row);
    file.payloads.push_back(Buffer(std::string(static_cast<std::size_t>(bytes), 'x')));
    draft.files.push_back(std::move(file));
    WriteFiles(draft);
    ASSERT_EQ(InstallRecord(draft), keys[1]);
  }
  /// The first two records of `a`, compacted into two files.
  CompactedDraft CompactA() { return Compact(a, 0, 6, {3}); }
  void PutCompaction(const CompactionRecord& record) {
    const Result<std::string> value = EncodeCompactionRecord(record, a);
    ASSERT_TRUE(value.ok()) << value.status().ToString();
    PutMeta(a, CompactionRecordKey(a), *value);
  }
  /// That a compaction of [0, 6) is about to be installed from these files.
  void PutInstalling(const CompactedDraft& draft) {
    FileIndex files;
    for (const CompactedDraft::File& file : draft.files) files.files.push_back({file.last_offset, file.name});
    const Result<EntryIndex> index = MakeParquetEntryIndex(files, draft.end - draft.start, draft.bytes);
    ASSERT_TRUE(index.ok()) << index.status().ToString();
    CompactionRecord record;
    record.state = CompactionInstalling{"owner", CompactionRange{draft.start, draft.end},
                                        IndexKey{a, draft.end, draft.cumulative_size}, EncodeEntryIndex(*index)};
    PutCompaction(record);
  }
  void Age(Duration by) { ASSERT_TRUE(sim.RunFor(by).ok()); }

  LogId a;
  LogId b;
  std::vector<std::string> keys;  ///< of the index records of `a`: [0, 3), [3, 6), [6, 8)
  std::set<FindingKind> kinds;
  FsckTotals totals;
};

struct Case {
  FindingKind kind;
  const char* name;
  std::function<void(FsckWorld&)> damage;
  std::string says;  ///< a part of its line; A and B stand for the log ids
};

using W = FsckWorld;

std::vector<Case> RecordCases() {
  return {
    {FindingKind::kMalformedKey, "OfAnIndexRecord",
     [](W& w) { w.PutMeta(w.a, IndexKeyPrefix(w.a) + "-x", ""); }, "-x"},
    {FindingKind::kMalformedKey, "OfAMarker", [](W& w) { w.PutKey("/mark-deleted-offsets/007", "1"); },
     "key=/mark-deleted-offsets/007"},
    {FindingKind::kMalformedKey, "OfACompaction", [](W& w) { w.PutKey("/lakestream/compaction/007", "{}"); },
     "key=/lakestream/compaction/007"},
    {FindingKind::kMisplacedRecord, "OfAMarker",
     [](W& w) {
       // Some name that another shard has.
       for (const char* name : {"x", "y", "z", "u", "v", "w"}) w.PutKey(name, TrimMarkerKey(w.b), "1");
       w.DeleteKey(w.b.ToString(), TrimMarkerKey(w.b));
     },
     "record=/mark-deleted-offsets/B belongs_to_partition=B"},
    {FindingKind::kMisplacedRecord, "OfAnIndexRecord",
     [](W& w) {
       const std::string value = w.Value(w.a, w.keys[2]);
       for (const char* name : {"x", "y", "z", "u", "v", "w"}) w.PutKey(name, w.keys[2], value);
       w.DeleteKey(w.a.ToString(), w.keys[2]);
     },
     "belongs_to_partition=A"},
    {FindingKind::kUnreadableRecord, "OfTheIndex", [](W& w) { w.PutMeta(w.a, w.keys[1], "no record"); },
     "-00000000000000000006-"},
    {FindingKind::kUnreadableRecord, "OffsetsThatDoNotFit",
     [](W& w) {
       EntryIndex index = w.IndexAt(w.keys[0]);
       index.entry_offsets->compressed_payload[11] = '\x83';
       w.PutIndex(w.keys[0], index);
     },
     "entry_offsets"},
    {FindingKind::kUnreadableRecord, "FilesThatDoNotEndTheRange", [](W& w) { w.PutParquet(3, 3, 6); }, "why="},
    {FindingKind::kUnreadableRecord, "OfAMarker",
     [](W& w) { w.PutMeta(w.a, TrimMarkerKey(w.a), "-1"); }, "record=/mark-deleted-offsets/A"},
    {FindingKind::kUnreadableRecord, "OfACompaction",
     [](W& w) { w.PutMeta(w.a, CompactionRecordKey(w.a), R"({"state":"later"})"); }, "field=state"},
    {FindingKind::kUnreadableRecord, "OfAStream", [](W& w) { w.PutKey("/admin/streams/default/s", "{"); },
     "record=/admin/streams/default/s"},
    {FindingKind::kLastingRecordInSession, "AMarker",
     [](W& w) {
       const auto session = w.sim.Run(w.memory_meta.OpenSession(OpContext(), std::chrono::seconds(10)));
       ASSERT_TRUE(w.sim
                       .Run(w.memory_meta.CreateEphemeral(OpContext(), Partition::OfLog(w.a), TrimMarkerKey(w.a),
                                                          Buffer::CopyOf("3"), *session))
                       .ok());
     },
     "record=/mark-deleted-offsets/A"},
    {FindingKind::kLeaseWithoutSession, "ALastingLease",
     [](W& w) { w.PutMeta(w.a, WriteLeaseKey(w.a, kUuid), kUuid); }, "log=A"},
    {FindingKind::kClaimWithoutSession, "ALastingClaim",
     [](W& w) { w.PutMeta(w.a, CompactionClaimKey(w.a, "s-1"), "s-1"); }, "log=A"},
    {FindingKind::kMalformedKey, "OfAnIsolation", [](W& w) { w.PutKey("/lakestream/isolated/x", "1"); },
     "key=/lakestream/isolated/x"},
    {FindingKind::kMalformedKey, "OfAClaim", [](W& w) { w.PutKey("/lakestream/compaction-claim/x", "s-1"); },
     "key=/lakestream/compaction-claim/x"},
  };
}

std::vector<Case> IndexCases() {
  return {
    {FindingKind::kIndexGap, "InTheMiddle", [](W& w) { w.DeleteKey(w.a.ToString(), w.keys[1]); },
     "log=A record=0000000000000000000A-00000000000000000008-00000000000000000010 from=3 to=6"},
    {FindingKind::kIndexGap, "AtTheBeginning", [](W& w) { w.DeleteKey(w.a.ToString(), w.keys[0]); }, "from=0 to=3"},
    {FindingKind::kIndexGap, "AboveTheMarker",
     [](W& w) {
       w.SetMarker(w.a, 5);
       w.DeleteKey(w.a.ToString(), w.keys[1]);
     },
     "from=3 to=6"},
    {FindingKind::kIndexOverlap, "OfRawRecords", [](W& w) { w.MoveLast(7, 10); }, "start=5 before_ends=6"},
    {FindingKind::kIndexOverlap, "OfACompactedRangeThatBeginsInsideARecord", [](W& w) { w.PutParquet(4, 3); },
     "start=2 before_ends=3"},
    {FindingKind::kCumulativeSize, "TooLarge", [](W& w) { w.MoveLast(8, 11); }, "size=11 expected=10"},
  };
}

std::vector<Case> ObjectCases() {
  return {
    {FindingKind::kMissingObject, "OfTheLastRecord", [](W& w) { w.RemoveObject(W::Name(3)); },
     "log=A from=6 to=8"},
    {FindingKind::kMissingObject, "ANameThatNoObjectCanHave",
     [](W& w) {
       EntryIndex index = w.IndexAt(w.keys[2]);
       index.location = "a//b";
       w.PutIndex(w.keys[2], index);
     },
     "object=a//b"},
    {FindingKind::kSectionMismatch, "AnotherCount",
     [](W& w) {
       EntryIndex index = w.IndexAt(w.keys[1]);
       index.file_size = 4;
       w.PutIndex(w.keys[1], index);
     },
     "field=file_size record_says=4 object_says=3"},
    {FindingKind::kSectionMismatch, "OtherBoundaries",
     [](W& w) {
       EntryIndex index = w.IndexAt(w.keys[0]);
       // [1, 3] instead of [2, 3].
       index.entry_offsets->compressed_payload = std::string("\0\0\0\2\0\0\0\0\0\0\x82\x81", 12);
       w.PutIndex(w.keys[0], index);
     },
     "field=entry_offsets record_says=1 object_says=2"},
    {FindingKind::kSectionMismatch, "NoSectionOfTheLog",
     [](W& w) {
       EntryIndex index = w.IndexAt(w.keys[2]);
       index.location = W::Name(4);
       w.PutIndex(w.keys[2], index);
     },
     "the object holds no entries of the log"},
    {FindingKind::kSectionNamedTwice, "ByTwoRecords", [](W& w) { w.Publish(w.a, w.IndexAt(w.keys[2])); },
     "log=A"},
    {FindingKind::kUnreadableObject, "Cut", [](W& w) { w.PutText(W::Name(3), std::string("\0\0\0", 3)); },
     "field=index_length"},
  };
}

std::vector<Case> CompactedCases() {
  return {
    {FindingKind::kMissingObject, "OfACompactedFile",
     [](W& w) { w.RemoveCompacted(w.CompactA().PathOf(1)); }, "object=lks-2.parquet log=A from=0 to=6 why="},
    {FindingKind::kMissingObject, "OfACompanion", [](W& w) { w.RemoveCompacted(w.CompactA().CompanionOf(0)); },
     "object=lks-1.parquet log=A from=0 to=6 why="},
    {FindingKind::kMissingObject, "ThatACompactionIsAboutToInstall",
     [](W& w) {
       const CompactedDraft draft = w.Draft(w.a, 0, 6, {});
       w.WriteFiles(draft);
       w.PutInstalling(draft);
       w.RemoveCompacted(draft.CompanionOf(0));
     },
     "record=/lakestream/compaction/A object=default/log-"},
    {FindingKind::kSectionMismatch, "ACompanionOfOtherRows",
     [](W& w) {
       const CompactedDraft draft = w.CompactA();
       w.PutCompacted(draft.CompanionOf(0), w.CompactedBytes(draft.CompanionOf(1)));
     },
     "object=lks-1.parquet log=A from=0 to=6 why="},
    {FindingKind::kSectionMismatch, "ACompanionThatIsCut",
     [](W& w) {
       const CompactedDraft draft = w.CompactA();
       const std::string bytes = w.CompactedBytes(draft.CompanionOf(0));
       w.PutCompacted(draft.CompanionOf(0), bytes.substr(0, bytes.size() - 9));
     },
     "object=lks-1.parquet"},
    {FindingKind::kSectionMismatch, "FewerRowsThanTheCompanionTells",
     [](W& w) {
       CompactedDraft draft = w.Draft(w.a, 0, 6, {});
       draft.files[0].payloads.pop_back();
       w.Install(draft);
     },
     "a compacted file and its companion have not as many rows"},
    {FindingKind::kSectionMismatch, "AFooterThatIsCut",
     [](W& w) {
       const CompactedDraft draft = w.CompactA();
       const std::string bytes = w.CompactedBytes(draft.PathOf(1));
       w.PutCompacted(draft.PathOf(1), bytes.substr(0, bytes.size() - 1));
     },
     "object=lks-2.parquet"},
    {FindingKind::kSectionMismatch, "AnotherBinding",
     [](W& w) {
       CompactedDraft draft = w.Draft(w.a, 0, 6, {});
       draft.files[0].serde_type = "KAFKA_PARQUET";
       w.Install(draft);
     },
     "entry_serde_type=KAFKA_PARQUET"},
    {FindingKind::kTrimmedRecordLacksObject, "OfACompactedRange",
     [](W& w) {
       const CompactedDraft draft = w.CompactA();
       w.SetMarker(w.a, 6);
       w.RemoveCompacted(draft.PathOf(0));
     },
     "log=A from=0 to=6"},
    {FindingKind::kYoungObjectInNoIndex, "BelowTheCompactedRoot",
     [](W& w) {
       w.WriteFiles(w.Draft(w.a, 0, 6, {}));
       w.Age(std::chrono::minutes(2));
     },
     "root=compacted"},
    {FindingKind::kObjectInNoIndex, "BelowTheCompactedRoot",
     [](W& w) {
       w.WriteFiles(w.Draft(w.a, 0, 6, {}));
       w.Age(std::chrono::hours(25));
     },
     "lks-1.index root=compacted"},
    {FindingKind::kForeignObject, "BelowTheCompactedRoot",
     [](W& w) { w.PutCompacted("default/s/ursa-1.parquet", "x"); }, "object=default/s/ursa-1.parquet root=compacted"},
  };
}

std::vector<Case> CatalogCases() {
  return {
    {FindingKind::kTrimMarker, "BeyondTheLog", [](W& w) { w.SetMarker(w.a, 8); },
     "log=A marker=8 last_record_from=6 to=8"},
    {FindingKind::kTrimMarker, "InsideTheLastRecord", [](W& w) { w.SetMarker(w.a, 7); }, "marker=7"},
    {FindingKind::kTrimMarker, "OfALogThatLostItsLastRecord",
     [](W& w) {
       w.SetMarker(w.a, 6);
       w.RemoveIndex(w.a, 0, 8);
     },
     "log=A marker=6"},
    {FindingKind::kUnregisteredLog, "WithoutAFence",
     [](W& w) { w.DeleteKey(LogRegistrationKey(w.a), LogRegistrationKey(w.a)); }, "log=A records=3"},
    {FindingKind::kFencedLogOfActiveStream, "AFence", [](W& w) { w.PutMeta(w.a, WriteFenceKey(w.a), "\x01"); },
     "log=A stream=default/s partition=0"},
    {FindingKind::kStreamLacksPartition, "ItsRecordIsGone",
     [](W& w) {
       const std::string key = PartitionKeyOf("default", "s", 1);
       w.DeleteKey(key, key);
     },
     "stream=default/s partition=1"},
    {FindingKind::kPartitionWithoutStream, "ItsConfigurationIsGone",
     [](W& w) { w.DeleteKey("/admin/streams/default/s", "/admin/streams/default/s"); },
     "record=/streams/default/s-partition-0 log=A"},
    {FindingKind::kPartitionWithoutStream, "AboveTheirNumber",
     [](W& w) { w.PutKey("/streams/default/s-partition-2", w.GetKey("/streams/default/s-partition-1")); },
     "record=/streams/default/s-partition-2"},
    {FindingKind::kStreamWithoutNamespace, "ItIsGone",
     [](W& w) { w.DeleteKey(NamespaceKey("default"), NamespaceKey("default")); }, "stream=default/s"},
    {FindingKind::kLogIdsDisagree, "TwoPartitionsOfOneLog",
     [](W& w) { w.PutKey("/streams/default/s-partition-1", w.GetKey("/streams/default/s-partition-0")); },
     "log=A record=/streams/default/s-partition-1"},
    {FindingKind::kLogIdsDisagree, "NotBound",
     [](W& w) {
       w.DeleteKey(std::string(kLogIdGeneratorKey), LogMappingKey(LogMappingNameOf("default", "s", 0)));
     },
     "the name is bound to no log id"},
    {FindingKind::kLogIdNotGivenOut, "OfAnIndexRecord",
     [](W& w) {
       const LogId unknown(1'000'000);
       w.Append(unknown, W::Name(5), {{1, "x"}});
     },
     "log=1000000"},
    {FindingKind::kLogIdNotGivenOut, "NoGenerator",
     [](W& w) { w.DeleteKey(std::string(kLogIdGeneratorKey), std::string(kLogIdGeneratorKey)); }, "log=B"},
  };
}

std::vector<Case> NoteCases() {
  return {
    {FindingKind::kGapBelowTrimMarker, "WhollyBelow",
     [](W& w) {
       w.SetMarker(w.a, 6);
       w.DeleteKey(w.a.ToString(), w.keys[1]);
     },
     "log=A record=0000000000000000000A-00000000000000000008-00000000000000000010 from=3 to=6"},
    {FindingKind::kUnfinishedCompaction, "BetweenItsTwoSteps", [](W& w) { w.PutParquet(6, 7); }, "log=A"},
    {FindingKind::kDroppedLogHasRecords, "WithFlaws",
     [](W& w) {
       w.PutMeta(w.a, WriteFenceKey(w.a), "\x01");
       w.DeleteKey(w.a.ToString(), w.keys[1]);
       w.DeleteKey(LogRegistrationKey(w.a), LogRegistrationKey(w.a));
       w.PutKey("/admin/streams/default/s",
                "{\"partitions\":2,\"partitioning\":{\"config\":{\"numPartitions\":\"2\"}},\"_creationKind\":"
                "\"NATIVE_CREATE\",\"_provisioning\":true,\"_provisioningState\":\"DROPPED\"}");
     },
     "log=A records=2 flaws=1"},
    {FindingKind::kTrimmedRecordLacksObject, "BelowTheMarker",
     [](W& w) {
       w.SetMarker(w.a, 6);
       w.RemoveObject(W::Name(2));
     },
     "log=A from=3 to=6"},
    {FindingKind::kYoungObjectInNoIndex, "YoungerThanTheGrace",
     [](W& w) {
       w.PutObject(W::Name(6), {{w.a, {{1, "lost"}}}});
       w.Age(std::chrono::minutes(2));
     },
     "bytes=24 age_s=120"},
    {FindingKind::kObjectInNoIndex, "OlderThanTheGrace",
     [](W& w) {
       w.PutObject(W::Name(6), {{w.a, {{1, "lost"}}}});
       w.Age(std::chrono::hours(25));
     },
     "bytes=24 age_s=90000"},
    {FindingKind::kForeignObject, "WithANameOfItsOwn", [](W& w) { w.PutText("notes.txt", "hello"); },
     "object=notes.txt bytes=5"},
    {FindingKind::kForeignRecord, "WithASlash", [](W& w) { w.PutKey("/compact/leader", "host"); },
     "key=/compact/leader"},
    {FindingKind::kForeignRecord, "WithoutOne", [](W& w) { w.PutKey("ursa-wal-delete-marker", "x"); },
     "key=ursa-wal-delete-marker"},
    {FindingKind::kUnfinishedCreation, "CutShort",
     [](W& w) {
       std::string config = w.GetKey("/admin/streams/default/s");
       config.insert(config.size() - 1, ",\"_provisioning\":true,\"_provisioningState\":\"PROVISIONING\"");
       w.PutKey("/admin/streams/default/t", config);
       w.Age(std::chrono::minutes(2));
     },
     "stream=default/t"},
  };
}

std::vector<Case> Cases() {
  std::vector<Case> all;
  for (std::vector<Case> (*some)() : {RecordCases, IndexCases, ObjectCases, CompactedCases, CatalogCases, NoteCases}) {
    for (Case& item : some()) all.push_back(std::move(item));
  }
  return all;
}

/// Made by the tests of the command: bytes in files, which a memory store does not have.
const std::set<FindingKind> kMadeElsewhere = {FindingKind::kMetadataStore, FindingKind::kDamagedObject,
                                              FindingKind::kUncheckedObject};

std::string Filled(std::string text, const FsckWorld& world) {
  const std::string digits = "0000000000000000000A";
  if (const std::size_t at = text.find(digits); at != std::string::npos) {
    text.replace(at, digits.size(), IndexKeyPrefix(world.a));
  }
  for (const auto& [letter, log] : {std::pair(std::string("A"), world.a), std::pair(std::string("B"), world.b)}) {
    for (const char* before : {"=", "/"}) {
      const std::size_t at = text.find(before + letter);
      if (at != std::string::npos) text.replace(at + 1, 1, log.ToString());
    }
  }
  return text;
}

TEST(FsckTest, ACleanDeploymentHasNoFindings) {
  for (const int shards : {1, 4}) {
    FsckWorld world(shards);
    EXPECT_EQ(world.Check(), "");
    EXPECT_EQ(world.totals.index_records, 5u);
    EXPECT_EQ(world.totals.logs, 2u);
    EXPECT_EQ(world.totals.objects, 4u);
    EXPECT_EQ(world.totals.sections, 5u);
    EXPECT_EQ(world.totals.damage + world.totals.notes, 0u);
  }
}

TEST(FsckTest, WhatCompactionMakesIsClean) {
  for (const bool deep : {false, true}) {
    FsckWorld world;
    const CompactedDraft draft = world.CompactA();
    world.RemoveObject(FsckWorld::Name(2));
    world.SetMarker(world.a, 4);
    EXPECT_EQ(world.Check(nullptr, deep), "");
    EXPECT_EQ(world.totals.compacted_objects, 4u);
    EXPECT_EQ(world.totals.index_records, 4u);
  }
}

TEST(FsckTest, WhatACompactionNamesIsNoGarbage) {
  FsckWorld world;
  const CompactedDraft draft = world.Draft(world.a, 0, 6, {3});
  world.WriteFiles(draft);
  world.Age(std::chrono::hours(25));
  CompactionRecord working;
  working.state = CompactionWorking{"owner", CompactionRange{draft.start, draft.end},
                                    std::vector<std::string>{draft.files[0].name, draft.files[1].name, "lks-9.parquet"}};
  world.PutCompaction(working);
  EXPECT_EQ(world.Check(), "") << "a file may come yet";
  world.PutInstalling(draft);
  EXPECT_EQ(world.Check(), "");
  CompactionRecord idle;
  idle.state = CompactionIdle{Offset(0)};
  world.PutCompaction(idle);
  EXPECT_EQ(world.Check().find("damage"), std::string::npos);
  EXPECT_EQ(world.totals.notes, 4u);
}

TEST(FsckTest, ADamagedRowIsFoundByReadingIt) {
  FsckWorld world;
  const CompactedDraft draft = world.CompactA();
  std::string bytes = world.CompactedBytes(draft.PathOf(0));
  bytes[40] = static_cast<char>(bytes[40] ^ 1);  // in the first page
  world.PutCompacted(draft.PathOf(0), bytes);
  EXPECT_EQ(world.Check(nullptr, false), "");
  const std::string lines = world.Check(nullptr, true);
  EXPECT_EQ(world.kinds, std::set<FindingKind>{FindingKind::kDamagedObject}) << lines;
  EXPECT_NE(lines.find("object=lks-1.parquet"), std::string::npos) << lines;
}

TEST(FsckTest, ALogThatWasTrimmedIsClean) {
  FsckWorld world;
  world.SetMarker(world.a, 6);
  EXPECT_EQ(world.Check(), "");
  world.RemoveIndex(world.a, 0, 6);
  world.RemoveObject(FsckWorld::Name(2));
  EXPECT_EQ(world.Check(), "");
}

TEST(FsckTest, LeasesOfLivingSessionsAreClean) {
  FsckWorld world;
  const auto session = world.sim.Run(world.memory_meta.OpenSession(OpContext(), std::chrono::seconds(10)));
  ASSERT_TRUE(world.sim
                  .Run(world.memory_meta.CreateEphemeral(OpContext(), Partition::OfLog(world.a),
                                                         WriteLeaseKey(world.a, kUuid), Buffer::CopyOf(kUuid),
                                                         *session))
                  .ok());
  EXPECT_EQ(world.Check(), "");
}

TEST(FsckTest, EachKindOfDamageIsNamed) {
  for (const Case& item : Cases()) {
    SCOPED_TRACE(std::string(FindingName(item.kind)) + " " + item.name);
    FsckWorld world;
    item.damage(world);
    const std::string lines = world.Check();
    EXPECT_TRUE(world.kinds.contains(item.kind)) << lines;
    EXPECT_NE(lines.find(Filled(item.says, world)), std::string::npos) << Filled(item.says, world) << "\n" << lines;
    EXPECT_EQ(world.totals.damage > 0, IsDamage(*world.kinds.begin())) << lines;
    if (!IsDamage(item.kind)) {
      EXPECT_EQ(world.totals.damage, 0u) << lines;
    }
    // Looking changes nothing.
    EXPECT_EQ(world.Check(), lines);
  }
}

TEST(FsckTest, EachKindHasATestAndALineInTheDocumentation) {
  std::ifstream file(std::string(LAKESTREAM_SOURCE_DIR) + "/docs/fsck.md");
  std::stringstream page;
  page << file.rdbuf();
  std::set<FindingKind> made = kMadeElsewhere;
  for (const Case& item : Cases()) made.insert(item.kind);
  for (int i = 0; i < kFindingKinds; ++i) {
    const auto kind = static_cast<FindingKind>(i);
    EXPECT_TRUE(made.contains(kind)) << FindingName(kind);
    const std::string row = "| `" + std::string(FindingName(kind)) + "` | " + std::string(FindingSentence(kind)) + " |";
    EXPECT_NE(page.str().find(row), std::string::npos) << row;
  }
}

/// Lets something happen just before the n-th call of one kind, as another process may.
class Meddling final : public ForwardingMetadataStore {
 public:
  using ForwardingMetadataStore::ForwardingMetadataStore;
  int before_read = 0;
  int before_scan = 0;
  bool done = false;
  std::function<Task<Status>()> meddle;

  Task<Result<std::vector<ReadAnswer>>> Read(OpContext context, std::vector<ReadRequest> requests) override {
    if (--before_read == 0) LS_CO_TRY(co_await Meddle());
    co_return co_await inner().Read(std::move(context), std::move(requests));
  }
  Task<Result<ScanPage>> Scan(OpContext context, KeyRange range, std::string cursor, int limit) override {
    if (--before_scan == 0) LS_CO_TRY(co_await Meddle());
    // Small pages, so that there are many moments.
    co_return co_await inner().Scan(std::move(context), std::move(range), std::move(cursor), std::min(limit, 1));
  }

 private:
  Task<Status> Meddle() {
    done = true;
    return meddle();
  }
};

Task<Status> AppendOne(FsckWorld& world) {
  const WalSection section = {world.a, std::vector<WalEntry>(1, WalEntry{0, 3, 1})};
  const std::vector<WalSection> sections(1, section);
  LS_CO_ASSIGN(const Buffer header, EncodeWalHeader(sections));
  BufferChain chain(header);
  chain.Append(Buffer::CopyOf("new"));
  LS_CO_TRY(co_await world.memory_objects.Put(OpContext(), FsckWorld::Name(9), chain, PutMode::kCreate));
  LS_CO_ASSIGN(const EntryIndex index, MakeRawEntryIndex(section, FsckWorld::Name(9), 3, true));
  SequencedPutRequest request = {Partition::OfLog(world.a), IndexKeyPrefix(world.a), 1, 3,
                                 Buffer(EncodeEntryIndex(index)), WriteGuard(), nullptr};
  std::vector<SequencedPutRequest> requests(1, request);
  const auto put = co_await world.memory_meta.SequencedPut(OpContext(), requests);
  co_return put.front().status();
}

/// An append, then a trim whose records and objects go at once, and a stream that is made.
Task<Status> ChangeMuch(FsckWorld& world) {
  Task<Status> append = AppendOne(world);
  LS_CO_TRY(co_await append);
  const Partition partition = Partition::OfLog(world.a);
  const Buffer six = Buffer::CopyOf("6");
  const auto marker = co_await world.memory_meta.Put(OpContext(), partition, TrimMarkerKey(world.a), six, WriteGuard());
  LS_CO_TRY(marker.status());
  LS_CO_TRY(co_await world.memory_meta.DeleteRange(OpContext(), partition, FirstIndexKey(world.a),
                                                   IndexKeyCeilingOf(world.a, Offset(6)), WriteGuard()));
  const std::vector<std::string> trimmed(1, FsckWorld::Name(2));
  LS_CO_TRY(co_await world.memory_objects.Delete(OpContext(), trimmed));
  StreamCatalog catalog(world.sim.runtime(), world.memory_meta);
  const StreamIdentifier id = *StreamIdentifier::Parse("other");
  const std::map<std::string, std::string> properties;
  co_return (co_await catalog.CreateStream(OpContext(), id, 1, properties)).status();
}

/// A whole drop of the stream, in its order: configuration, fences, index, registrations, mappings, partitions.
Task<Status> DropStream(FsckWorld& world) {
  MetadataStore& meta = world.memory_meta;
  const std::string config_key = StreamConfigKey("default", "s");
  LS_CO_ASSIGN(const ReadAnswer config, co_await meta.Get(OpContext(), Partition::OfKey(config_key), config_key));
  LS_CO_ASSIGN(StreamConfigRecord record, DecodeStreamConfig(config->value.text(), config_key));
  record.state = ProvisioningState::kDropped;
  LS_CO_ASSIGN(std::string dropped, EncodeStreamConfig(record));
  const Buffer dropped_bytes(std::move(dropped));
  const Buffer fence = Buffer::CopyOf(kWriteFenceValue);
  const auto put =
      co_await meta.Put(OpContext(), Partition::OfKey(config_key), config_key, dropped_bytes, WriteGuard());
  LS_CO_TRY(put.status());
  const std::vector<LogId> logs = {world.a, world.b};
  for (int i = 0; i < 2; ++i) {
    const LogId log = logs[static_cast<std::size_t>(i)];
    const Partition partition = Partition::OfLog(log);
    const auto fenced = co_await meta.Put(OpContext(), partition, WriteFenceKey(log), fence, WriteGuard());
    LS_CO_TRY(fenced.status());
    LS_CO_TRY(co_await meta.DeleteRange(OpContext(), partition, FirstIndexKey(log), LastIndexKey(log), WriteGuard()));
    const std::string registration = LogRegistrationKey(log);
    LS_CO_TRY(co_await meta.Delete(OpContext(), Partition::OfKey(registration), registration, WriteGuard()));
    const std::string mapping = LogMappingKey(LogMappingNameOf("default", "s", i));
    const Partition mappings = Partition::Named(kLogIdGeneratorKey);
    LS_CO_TRY(co_await meta.Delete(OpContext(), mappings, mapping, WriteGuard()));
    const std::string metadata = PartitionKeyOf("default", "s", i);
    LS_CO_TRY(co_await meta.Delete(OpContext(), Partition::OfKey(metadata), metadata, WriteGuard()));
  }
  co_return OkStatus();
}

/// Checks once for each moment at which the change may come.
void ExpectNoDamageAtAnyMoment(const std::function<Task<Status>(FsckWorld&)>& change) {
  for (const bool at_scan : {false, true}) {
    int call = 1;
    for (;; ++call) {
      SCOPED_TRACE((at_scan ? "scan " : "read ") + std::to_string(call));
      FsckWorld world;
      Meddling store(world.memory_meta);
      (at_scan ? store.before_scan : store.before_read) = call;
      store.meddle = [&] { return change(world); };
      const std::string lines = world.Check(&store);
      EXPECT_EQ(world.totals.damage, 0u) << lines;
      if (!store.done) break;
    }
    EXPECT_GT(call, 15);
  }
}

TEST(FsckTest, WhatIsAppendedTrimmedAndCreatedMeanwhileIsNotCalledDamage) { ExpectNoDamageAtAnyMoment(ChangeMuch); }
TEST(FsckTest, WhatIsDroppedMeanwhileIsNotCalledDamage) { ExpectNoDamageAtAnyMoment(DropStream); }

/// Trims the log's first two records, and deletes their objects, just before an object is looked at.
class TrimmingObjectStore final : public ForwardingObjectStore {
 public:
  TrimmingObjectStore(FsckWorld& world, ObjectStore& inner) : ForwardingObjectStore(inner), world_(world) {}
  Task<Result<ObjectInfo>> Head(OpContext context, std::string key) override {
    Task<Status> change = ChangeMuch(world_);
    LS_CO_TRY(co_await change);
    co_return co_await inner().Head(std::move(context), std::move(key));
  }

 private:
  FsckWorld& world_;
};

TEST(FsckTest, AnObjectThatGoesWithItsRecordIsNotCalledMissing) {
  for (const bool trimmed_meanwhile : {false, true}) {
    FsckWorld world;
    world.RemoveObject(FsckWorld::Name(2));
    TrimmingObjectStore objects(world, world.memory_objects);
    ObjectStore& through = trimmed_meanwhile ? static_cast<ObjectStore&>(objects) : world.memory_objects;
    int damage = 0;
    const auto checked = world.sim.Run(CheckDeployment(world.sim.runtime(), world.Stores(world.memory_meta, through),
                                                       OpContext(), FsckOptions(), [&damage](const Finding&) { ++damage; }));
    ASSERT_TRUE(checked.ok()) << checked.status().ToString();
    EXPECT_EQ(damage, trimmed_meanwhile ? 0 : 1);
  }
}

TEST(FsckTest, AnObjectThatWasJustWrittenMayStillGetItsRecord) {
  FsckWorld world;
  world.PutObject(FsckWorld::Name(6), {{world.a, {{1, "soon"}}}});
  world.Age(std::chrono::seconds(59));
  EXPECT_EQ(world.Check(), "");
  world.Age(std::chrono::seconds(2));
  EXPECT_NE(world.Check(), "");
}

TEST(FsckTest, AMisplacedRecordAtTheEndOfARunIsFound) {
  constexpr int kShards = 4;
  int behind = 0;
  for (int i = 0; i < 20; ++i) {
    const std::string name = "p" + std::to_string(i);
    FsckWorld world(kShards);
    const int own = ShardOf(Partition::OfLog(world.a), kShards);
    const int other = ShardOf(Partition::Named(name), kShards);
    if (own == other) continue;
    behind += other > own ? 1 : 0;
    // No other log's records come between.
    world.DeleteKey(world.b.ToString(), IndexKey{world.b, Offset(1), 2}.Encode());
    world.DeleteKey(world.b.ToString(), IndexKey{world.b, Offset(2), 3}.Encode());
    world.PutKey(name, world.keys[2], world.Value(world.a, world.keys[2]));
    world.DeleteKey(world.a.ToString(), world.keys[2]);
    const std::string lines = world.Check();
    EXPECT_TRUE(world.kinds.contains(FindingKind::kMisplacedRecord)) << lines;
  }
  EXPECT_GT(behind, 0);
}

TEST(FsckTest, ADamagedRecordIsToldAlsoWhileAppendsGoOn) {
  FsckWorld world;
  world.DeleteKey(world.a.ToString(), world.keys[1]);
  Meddling store(world.memory_meta);
  store.before_read = 3;
  store.meddle = [&world] { return AppendOne(world); };
  const std::string lines = world.Check(&store);
  EXPECT_TRUE(store.done);
  EXPECT_NE(lines.find("index records leave a gap"), std::string::npos) << lines;
  EXPECT_EQ(world.totals.damage, 1u) << lines;
}

TEST(FsckTest, AnErrorOfAStoreIsNoDamage) {
  FsckWorld world;
  Meddling store(world.memory_meta);
  store.before_read = 3;
  store.meddle = []() -> Task<Status> { co_return Unavailable("not now"); };
  EXPECT_EQ(world.Check(&store), "unavailable: not now");
}

TEST(FindingTest, TextAndJson) {
  const Finding finding = Finding(FindingKind::kIndexGap).With("log", 7).With("object", "a b\n");
  EXPECT_EQ(FindingText(finding), "index records leave a gap log=7 object=\"a b\\n\"");
  EXPECT_EQ(DumpJson(FindingJson(finding)),
            "{\"kind\":\"index_gap\",\"severity\":\"damage\",\"message\":\"index records leave a gap log=7 "
            "object=\\\"a b\\\\n\\\"\",\"log\":7,\"object\":\"a b\\n\"}");
}

}  // namespace
}  // namespace lakestream
