#include <utility>

#include "format/catalog_records.h"
#include "format/index_key.h"
#include "format/log_records.h"
#include "sim/testing/made_history.h"

// What the properties and probes of the catalog must accept and refuse.

namespace lakestream::sim {
namespace {

using Kind = CatalogCall::Kind;
constexpr char kStream[] = "default/s";

std::string Config(int partitions, ProvisioningState state, int pending = 0) {
  StreamConfigRecord config;
  config.SetPartitions(partitions);
  config.state = state;
  if (pending > 0) {
    config.pending_expansion = StreamConfigRecord::PendingExpansion();
    config.pending_expansion->base_partitions = partitions;
    config.pending_expansion->target_partitions = pending;
  }
  return *EncodeStreamConfig(config);
}

class CatalogHistory : public MadeHistory {
 public:
  void PutConfig(int partitions, ProvisioningState state, int pending = 0, const std::string& name = "s") {
    Store(StreamConfigKey("default", name), Config(partitions, state, pending), "k");
  }
  void PutMapping(int partition, LogId log, bool tombstone = false) {
    LogMappingRecord mapping;
    mapping.log = log;
    mapping.tombstone = tombstone;
    Store(MappingKey(partition), *EncodeLogMapping(mapping), "k");
  }
  void PutPartition(int partition, LogId log) {
    PutMapping(partition, log);
    Register(partition, log);
    PutRecord(partition, log);
  }
  void Register(int partition, LogId log) {
    LogRegistrationRecord registration;
    registration.key = LogMappingNameOf("default", "s", partition);
    Store(LogRegistrationKey(log), *EncodeLogRegistration(registration), "k");
  }
  void PutRecord(int partition, LogId log) {
    LogMetadataRecord record;
    record.log = log;
    Store(PartitionKeyOf("default", "s", partition), *EncodeLogMetadata(record), "k");
  }
  void Tombstone() { Store(StreamTombstoneKey("default", "s"), Config(0, ProvisioningState::kDropped), "k"); }
  void Fence(LogId log) { Store(WriteFenceKey(log), "\x01", log.ToString()); }
  void DropPartition(int partition, LogId log) {
    Remove(LogRegistrationKey(log));
    PutMapping(partition, log, true);
    Remove(PartitionKeyOf("default", "s", partition));
  }
  void RemoveConfig() { Remove(StreamConfigKey("default", "s")); }
  std::string MappingKey(int partition) { return LogMappingKey(LogMappingNameOf("default", "s", partition)); }

  CatalogCall& BeginCall(Kind kind, const std::string& asked = kStream) {
    CatalogCall call;
    call.kind = kind;
    call.process = "p.1";
    call.asked = call.stream = asked;
    call.began = Next();
    return evidence.catalog.emplace_back(std::move(call));
  }
  CatalogCall& EndCall(CatalogCall& call, Status status = OkStatus()) {
    call.ended = Next();
    call.status = std::move(status);
    return call;
  }
  CatalogCall& Call(Kind kind, Status status = OkStatus()) { return EndCall(BeginCall(kind), std::move(status)); }
};

/// A stream of two partitions that is created, loaded, grown to three, loaded and dropped.
CatalogHistory Made() {
  CatalogHistory h;
  CatalogCall& create = h.BeginCall(Kind::kCreate);
  h.PutConfig(2, ProvisioningState::kProvisioning);
  h.PutPartition(0, LogId(7));
  h.PutPartition(1, LogId(8));
  h.PutConfig(2, ProvisioningState::kActive);
  h.EndCall(create).logs = {LogId(7), LogId(8)};
  return h;
}
CatalogHistory Grown() {
  CatalogHistory h = Made();
  h.Call(Kind::kLoad).logs = {LogId(7), LogId(8)};
  CatalogCall& grow = h.BeginCall(Kind::kGrow);
  grow.partitions = 3;
  h.PutConfig(2, ProvisioningState::kActive, 3);
  h.PutPartition(2, LogId(9));
  h.PutConfig(3, ProvisioningState::kActive);
  h.EndCall(grow).grown = 3;
  h.Call(Kind::kLoad).logs = {LogId(7), LogId(8), LogId(9)};
  return h;
}
void DropAll(CatalogHistory& h) {
  h.Tombstone();
  h.PutConfig(3, ProvisioningState::kDropped);
  for (int i = 0; i < 3; ++i) h.Fence(LogId(7 + i));
  for (int i = 0; i < 3; ++i) h.DropPartition(i, LogId(7 + i));
  h.RemoveConfig();
}
CatalogHistory Dropped() {
  CatalogHistory h = Grown();
  CatalogCall& drop = h.BeginCall(Kind::kDrop);
  DropAll(h);
  h.EndCall(drop);
  return h;
}
MadeHistory Good() { return Dropped(); }

MadeHistory OneIdTwice() {
  CatalogHistory h = Made();
  h.PutPartition(5, LogId(7));
  return h;
}
MadeHistory TwoIdsOfOne() {
  CatalogHistory h = Made();
  h.PutMapping(0, LogId(11));
  return h;
}
MadeHistory TwoStreamsOfOneTopic() {
  CatalogHistory h;
  h.PutConfig(0, ProvisioningState::kActive, 0, "t-topic-id-aaaaaaaaaaaaaaaaaaaaaa");
  h.PutConfig(0, ProvisioningState::kActive, 0, "t-topic-id-bbbbbbbbbbbbbbbbbbbbbb");
  return h;
}
MadeHistory CreatedTwice() {
  CatalogHistory h = Made();
  h.Call(Kind::kCreate).logs = {LogId(7), LogId(10)};
  return h;
}
MadeHistory Damaged(bool lost) {
  CatalogHistory h = Made();
  if (lost) h.evidence.lost_records.insert(PartitionKeyOf("default", "s", 1));
  h.Call(Kind::kDrop, Indeterminate("a stream lacks a partition").With("cause", "corrupt"));
  return h;
}
MadeHistory DamagedInPassing() { return Damaged(false); }
MadeHistory DamagedByALoss() { return Damaged(true); }
MadeHistory Shrunk() {
  CatalogHistory h = Grown();
  h.Call(Kind::kLoad).logs = {LogId(7), LogId(8)};
  return h;
}
MadeHistory HalfGrown() {
  CatalogHistory h = Made();
  h.PutConfig(3, ProvisioningState::kActive);
  return h;
}
MadeHistory GrownTooLittle() {
  CatalogHistory h = Made();
  CatalogCall& grow = h.Call(Kind::kGrow);
  grow.partitions = 3;
  grow.grown = 2;
  return h;
}
MadeHistory BackAgain() {
  CatalogHistory h = Dropped();
  h.PutConfig(0, ProvisioningState::kActive);
  return h;
}
MadeHistory LoadedAfterADrop() {
  CatalogHistory h = Dropped();
  h.Call(Kind::kLoad).logs = {LogId(7)};
  return h;
}
/// Of two drops the one that began later was answered first.
MadeHistory LoadedAfterTheFirstAnswer() {
  CatalogHistory h = Grown();
  h.BeginCall(Kind::kDrop);
  const std::size_t slow = h.evidence.catalog.size() - 1;
  CatalogCall& drop = h.BeginCall(Kind::kDrop);
  DropAll(h);
  h.EndCall(drop);
  h.Call(Kind::kLoad).logs = {LogId(7)};
  h.EndCall(h.evidence.catalog[slow]);
  return h;
}
MadeHistory ActiveOnceDropped() {
  CatalogHistory h = Grown();
  h.Tombstone();
  h.PutConfig(3, ProvisioningState::kDropped);
  h.PutConfig(3, ProvisioningState::kActive);
  return h;
}
MadeHistory PartitionLeft() {
  CatalogHistory h = Grown();
  CatalogCall& drop = h.BeginCall(Kind::kDrop);
  h.Tombstone();
  h.PutConfig(3, ProvisioningState::kDropped);
  h.RemoveConfig();
  h.EndCall(drop);
  return h;
}
/// A slow creation makes a partition record again while the drop goes on, and a sweep removes it.
MadeHistory MadeAgainAndSwept() {
  CatalogHistory h = Grown();
  CatalogCall& drop = h.BeginCall(Kind::kDrop);
  DropAll(h);
  h.PutRecord(0, LogId(7));
  h.EndCall(drop);
  h.Remove(PartitionKeyOf("default", "s", 0));
  return h;
}
MadeHistory MadeAgainAndNotSwept() {
  CatalogHistory h = Dropped();
  h.PutRecord(0, LogId(7));
  return h;
}
/// The same of what ends in another way, or is made while the config is there.
MadeHistory AllMadeAgainAndSwept() {
  CatalogHistory h = Grown();
  CatalogCall& drop = h.BeginCall(Kind::kDrop);
  h.Tombstone();
  h.PutConfig(3, ProvisioningState::kDropped);
  for (int i = 0; i < 3; ++i) {
    h.Remove(LogRegistrationKey(LogId(7 + i)));
    h.Register(i, LogId(7 + i));
    h.PutMapping(i, LogId(7 + i), true);
    h.PutMapping(i, LogId(7 + i));
    h.Remove(PartitionKeyOf("default", "s", i));
    h.PutRecord(i, LogId(7 + i));
  }
  h.RemoveConfig();
  h.EndCall(drop);
  for (int i = 0; i < 3; ++i) h.DropPartition(i, LogId(7 + i));
  return h;
}
/// A log that was registered for a growth, whose mapping got lost before there was a partition.
MadeHistory OnlyRegistered(bool lost) {
  CatalogHistory h = Made();
  h.PutConfig(2, ProvisioningState::kActive, 3);
  h.PutPartition(2, LogId(9));
  h.Remove(PartitionKeyOf("default", "s", 2));
  h.Remove(h.MappingKey(2));
  if (lost) h.evidence.lost_records.insert(h.MappingKey(2));
  CatalogCall& drop = h.BeginCall(Kind::kDrop);
  h.Tombstone();
  h.PutConfig(3, ProvisioningState::kDropped);
  for (int i = 0; i < 2; ++i) h.DropPartition(i, LogId(7 + i));
  h.RemoveConfig();
  h.EndCall(drop);
  return h;
}
MadeHistory RegisteredAndLost() { return OnlyRegistered(true); }
MadeHistory RegisteredAndLeft() { return OnlyRegistered(false); }
/// A partition that came while the drop went on, before its config said so, is left.
MadeHistory LeftOfAGrowth() {
  CatalogHistory h = Made();
  CatalogCall& drop = h.BeginCall(Kind::kDrop);
  h.PutConfig(2, ProvisioningState::kActive, 3);
  h.PutPartition(2, LogId(9));
  h.Tombstone();
  h.PutConfig(3, ProvisioningState::kDropped);
  for (int i = 0; i < 2; ++i) h.DropPartition(i, LogId(7 + i));
  h.RemoveConfig();
  h.EndCall(drop);
  h.DropPartition(2, LogId(9));
  return h;
}
/// A drop that finds its stream DROPPED goes on; this one leaves what the first had left.
MadeHistory LeftOfTheFirstDrop() {
  CatalogHistory h = Grown();
  h.Tombstone();
  h.PutConfig(3, ProvisioningState::kDropped);
  CatalogCall& drop = h.BeginCall(Kind::kDrop);
  for (int i = 0; i < 3; ++i) h.PutMapping(i, LogId(7 + i), true);
  for (int i = 0; i < 3; ++i) h.Remove(PartitionKeyOf("default", "s", i));
  h.RemoveConfig();
  h.EndCall(drop);
  for (int i = 0; i < 3; ++i) h.Remove(LogRegistrationKey(LogId(7 + i)));
  return h;
}
MadeHistory ConfigNotSeen() {
  CatalogHistory h = Grown();
  CatalogCall& drop = h.BeginCall(Kind::kDrop);
  h.Tombstone();
  h.EndCall(drop);
  DropAll(h);
  return h;
}
/// A creation puts its config while a drop goes on.
MadeHistory CreatedMeanwhile(bool before_the_tombstone) {
  CatalogHistory h;
  CatalogCall& drop = h.BeginCall(Kind::kDrop);
  if (!before_the_tombstone) h.Tombstone();
  h.PutConfig(2, ProvisioningState::kProvisioning);
  if (before_the_tombstone) h.Tombstone();
  h.EndCall(drop);
  h.PutConfig(2, ProvisioningState::kDropped);
  h.RemoveConfig();
  return h;
}
MadeHistory ConfigBeforeTheTombstone() { return CreatedMeanwhile(true); }
MadeHistory ConfigBehindTheTombstone() { return CreatedMeanwhile(false); }
/// Another drop goes on with that creation when the first one is answered.
MadeHistory TakenOverMeanwhile(bool before_the_tombstone) {
  CatalogHistory h;
  CatalogCall& drop = h.BeginCall(Kind::kDrop);
  if (!before_the_tombstone) h.Tombstone();
  h.PutConfig(2, ProvisioningState::kProvisioning);
  if (before_the_tombstone) h.Tombstone();
  h.PutConfig(2, ProvisioningState::kDropped);
  h.EndCall(drop);
  h.RemoveConfig();
  return h;
}
MadeHistory TakenOverInTime() { return TakenOverMeanwhile(true); }
MadeHistory TakenOverTooLate() { return TakenOverMeanwhile(false); }
MadeHistory LeftWithoutAStateDropped() {
  CatalogHistory h = Grown();
  CatalogCall& drop = h.BeginCall(Kind::kDrop);
  h.Tombstone();
  h.RemoveConfig();
  h.EndCall(drop);
  for (int i = 0; i < 3; ++i) h.DropPartition(i, LogId(7 + i));
  return h;
}
MadeHistory LateAtTheEnd() {
  CatalogHistory h = Dropped();
  h.PutMapping(4, LogId(20));
  return h;
}
MadeHistory FenceRemoved() {
  CatalogHistory h = Dropped();
  h.Remove(WriteFenceKey(LogId(7)));
  return h;
}
/// A record of log 7, and then none, with a lease or a fence there or not.
MadeHistory Deleted(bool fenced, bool leased) {
  CatalogHistory h;
  const std::string record = IndexKey{LogId(7), Offset(1), 10}.Encode();
  h.Store(WriteLeaseKey(LogId(7), "t"), "t", "7");
  h.Store(record, "r", "7");
  if (fenced) h.Fence(LogId(7));
  if (!leased) h.Remove(WriteLeaseKey(LogId(7), "t"));
  h.Remove(record);
  return h;
}
MadeHistory DeletedWell() { return Deleted(true, false); }
MadeHistory DeletedWithoutFence() { return Deleted(false, false); }
MadeHistory DeletedUnderALease() { return Deleted(true, true); }
MadeHistory FencedWhileActive() {
  CatalogHistory h = Grown();
  h.Tombstone();
  h.Fence(LogId(7));
  return h;
}
/// A slow put of a config lands when all has been dropped, and what is late of the drop takes a partition.
MadeHistory CameTooLate(ProvisioningState state) {
  CatalogHistory h = Dropped();
  h.PutConfig(1, state);
  h.PutRecord(0, LogId(7));
  h.Remove(PartitionKeyOf("default", "s", 0));
  h.RemoveConfig();
  return h;
}
MadeHistory UndoneBehindATombstone() { return CameTooLate(ProvisioningState::kProvisioning); }
MadeHistory ActiveBehindATombstone() { return CameTooLate(ProvisioningState::kActive); }
/// That config came before the tombstone: its creation may be going on.
MadeHistory UndoneUnderACreation() {
  CatalogHistory h;
  h.PutConfig(1, ProvisioningState::kProvisioning);
  h.PutPartition(0, LogId(7));
  h.Tombstone();
  h.DropPartition(0, LogId(7));
  h.RemoveConfig();
  return h;
}
MadeHistory ConfigGoneFirst() {
  CatalogHistory h = Grown();
  h.PutConfig(3, ProvisioningState::kDropped);
  h.RemoveConfig();
  return h;
}
MadeHistory NotRegistered() {
  CatalogHistory h;
  h.PutConfig(1, ProvisioningState::kProvisioning);
  h.PutMapping(0, LogId(7));
  h.PutRecord(0, LogId(7));
  h.PutConfig(1, ProvisioningState::kActive);
  return h;
}
MadeHistory BoundToAnother() {
  CatalogHistory h = Made();
  h.PutMapping(0, LogId(9));
  h.PutConfig(2, ProvisioningState::kActive);
  return h;
}
MadeHistory OneRevisionTwice() {
  CatalogHistory h = Made();
  for (int i = 0; i < 2; ++i) {
    CatalogCall& set = h.Call(Kind::kSet);
    set.revision = 5;
    set.changed = true;
  }
  return h;
}
MadeHistory Listed(CatalogHistory h, std::vector<std::string> listed) {
  h.Call(Kind::kList).listed = std::move(listed);
  return h;
}
MadeHistory ListedOnce() { return Listed(Made(), {kStream}); }
MadeHistory ListedTwice() { return Listed(Made(), {kStream, kStream}); }
MadeHistory NotListed() { return Listed(Made(), {}); }
MadeHistory ListedWhenDropped() { return Listed(Dropped(), {kStream}); }
/// What is dropped meanwhile may be listed or not.
MadeHistory ListedMeanwhile(std::vector<std::string> listed) {
  CatalogHistory h = Grown();
  CatalogCall& list = h.BeginCall(Kind::kList);
  DropAll(h);
  h.EndCall(list).listed = std::move(listed);
  return h;
}
MadeHistory ListedBeforeItCame() {
  CatalogHistory h;
  h.Call(Kind::kList).listed = {kStream};
  h.PutConfig(0, ProvisioningState::kActive);
  return h;
}
MadeHistory NotSeenAsItCame() {
  CatalogHistory h;
  CatalogCall& list = h.BeginCall(Kind::kList);
  h.PutConfig(0, ProvisioningState::kActive);
  h.EndCall(list);
  return h;
}
MadeHistory SeenBeforeItWent() { return ListedMeanwhile({kStream}); }
MadeHistory NotSeenAsItWent() { return ListedMeanwhile({}); }
MadeHistory FieldLost() {
  CatalogHistory h = Made();
  std::string config = Config(2, ProvisioningState::kActive);
  config.insert(config.size() - 1, ",\"later\":1");
  h.Store(StreamConfigKey("default", "s"), config, "k");
  h.PutConfig(2, ProvisioningState::kActive, 3);
  return h;
}

const PropertyCaseRegistration kProperties[] = {
    PropertyCaseRegistration({"ids_used_once", Good, OneIdTwice}),
    PropertyCaseRegistration({"ids_used_once", Good, TwoIdsOfOne}),
    PropertyCaseRegistration({"one_stream_of_a_name", Good, TwoStreamsOfOneTopic}),
    PropertyCaseRegistration({"one_stream_of_a_name", Good, CreatedTwice}),
    PropertyCaseRegistration({"layout_only_grows", Good, Shrunk}),
    PropertyCaseRegistration({"layout_only_grows", Good, HalfGrown}),
    PropertyCaseRegistration({"layout_only_grows", Good, GrownTooLittle}),
    PropertyCaseRegistration({"layout_only_grows", DamagedByALoss, DamagedInPassing}),
    PropertyCaseRegistration({"dropped_stays_dropped", Good, BackAgain}),
    PropertyCaseRegistration({"dropped_stays_dropped", Good, LoadedAfterADrop}),
    PropertyCaseRegistration({"dropped_stays_dropped", Good, LoadedAfterTheFirstAnswer}),
    PropertyCaseRegistration({"dropped_stays_dropped", Good, ActiveOnceDropped}),
    PropertyCaseRegistration({"drop_leaves_nothing", Good, PartitionLeft}),
    PropertyCaseRegistration({"drop_leaves_nothing", Good, LateAtTheEnd}),
    PropertyCaseRegistration({"drop_leaves_nothing", MadeAgainAndSwept, MadeAgainAndNotSwept}),
    PropertyCaseRegistration({"drop_leaves_nothing", AllMadeAgainAndSwept, MadeAgainAndNotSwept}),
    PropertyCaseRegistration({"drop_leaves_nothing", RegisteredAndLost, RegisteredAndLeft}),
    PropertyCaseRegistration({"drop_leaves_nothing", Good, LeftOfAGrowth}),
    PropertyCaseRegistration({"drop_leaves_nothing", Good, LeftOfTheFirstDrop}),
    PropertyCaseRegistration({"drop_leaves_nothing", Good, ConfigNotSeen}),
    PropertyCaseRegistration({"drop_leaves_nothing", ConfigBehindTheTombstone, ConfigBeforeTheTombstone}),
    PropertyCaseRegistration({"drop_leaves_nothing", TakenOverTooLate, TakenOverInTime}),
    PropertyCaseRegistration({"drop_leaves_nothing", Good, LeftWithoutAStateDropped}),
    PropertyCaseRegistration({"deleted_without_leases", DeletedWell, FenceRemoved}),
    PropertyCaseRegistration({"deleted_without_leases", DeletedWell, DeletedWithoutFence}),
    PropertyCaseRegistration({"deleted_without_leases", DeletedWell, DeletedUnderALease}),
    PropertyCaseRegistration({"dropped_before_deleted", Good, FencedWhileActive}),
    PropertyCaseRegistration({"dropped_before_deleted", Good, ConfigGoneFirst}),
    PropertyCaseRegistration({"dropped_before_deleted", UndoneBehindATombstone, ActiveBehindATombstone}),
    PropertyCaseRegistration({"dropped_before_deleted", UndoneBehindATombstone, UndoneUnderACreation}),
    PropertyCaseRegistration({"registry_agrees", Good, NotRegistered}),
    PropertyCaseRegistration({"registry_agrees", Good, BoundToAnother}),
    PropertyCaseRegistration({"configs_are_swapped", Good, OneRevisionTwice}),
    PropertyCaseRegistration({"configs_are_swapped", Good, FieldLost}),
    PropertyCaseRegistration({"listings_are_whole", ListedOnce, ListedTwice}),
    PropertyCaseRegistration({"listings_are_whole", NotSeenAsItWent, NotListed}),
    PropertyCaseRegistration({"listings_are_whole", NotSeenAsItCame, ListedBeforeItCame}),
    PropertyCaseRegistration({"listings_are_whole", SeenBeforeItWent, ListedWhenDropped}),
};

MadeHistory Resumed() {
  CatalogHistory h;
  h.PutConfig(0, ProvisioningState::kProvisioning);
  CatalogCall& create = h.BeginCall(Kind::kCreate);
  h.PutConfig(0, ProvisioningState::kActive);
  h.EndCall(create);
  return h;
}
MadeHistory RolledBack() {
  CatalogHistory h;
  h.PutConfig(0, ProvisioningState::kProvisioning);
  h.PutConfig(0, ProvisioningState::kDropped);
  return h;
}
MadeHistory GrowthTakenOver() {
  CatalogHistory h = Made();
  h.PutConfig(2, ProvisioningState::kActive, 3);
  CatalogCall& grow = h.BeginCall(Kind::kGrow);
  h.PutPartition(2, LogId(9));
  h.PutConfig(3, ProvisioningState::kActive);
  h.EndCall(grow);
  return h;
}
MadeHistory DroppedWhileGrowing() {
  CatalogHistory h = Made();
  h.PutConfig(2, ProvisioningState::kActive, 3);
  h.PutConfig(3, ProvisioningState::kDropped);
  return h;
}
MadeHistory TimedOut() {
  CatalogHistory h = Made();
  h.Call(Kind::kDrop, Indeterminate("a log that is being deleted still has a writer"));
  return h;
}
MadeHistory Racing(Kind kind, Status other) {
  CatalogHistory h;
  h.BeginCall(kind);
  h.BeginCall(kind);
  h.EndCall(h.evidence.catalog[0]);
  h.EndCall(h.evidence.catalog[1], std::move(other));
  return h;
}
MadeHistory CreationsAtOnce() { return Racing(Kind::kCreate, AlreadyExists("the stream exists")); }
MadeHistory DropsAtOnce() { return Racing(Kind::kDrop, OkStatus()); }
MadeHistory Swept(std::int64_t CatalogCall::*found) {
  CatalogHistory h;
  h.Call(Kind::kSweep).*found = 1;
  return h;
}
MadeHistory SweptLate() { return Swept(&CatalogCall::late_logs); }
MadeHistory SweptDrop() { return Swept(&CatalogCall::finished_drops); }
MadeHistory SweptRest() { return Swept(&CatalogCall::rest); }
MadeHistory SweptHeld() { return Swept(&CatalogCall::held); }
MadeHistory TooLate() {
  CatalogHistory h;
  h.Call(Kind::kSet, PreconditionFailed("the stream has another revision"));
  return h;
}
MadeHistory TopicTwice() {
  CatalogHistory h;
  h.Call(Kind::kCreate).stream = "default/s-topic-id-a";
  h.Call(Kind::kCreate).stream = "default/s-topic-id-b";
  return h;
}
MadeHistory RecordLost() {
  CatalogHistory h = Made();
  h.evidence.lost_records.insert("/stream-id/7");
  return h;
}
/// All goes well, in one hand.
MadeHistory Plain() { return Dropped(); }

const ProbeCaseRegistration kProbes[] = {
    ProbeCaseRegistration({"creation_resumed", Resumed, Plain}),
    ProbeCaseRegistration({"creation_rolled_back", RolledBack, Plain}),
    ProbeCaseRegistration({"creations_raced", CreationsAtOnce, Plain}),
    ProbeCaseRegistration({"growth_resumed", GrowthTakenOver, Plain}),
    ProbeCaseRegistration({"growth_dropped", DroppedWhileGrowing, Plain}),
    ProbeCaseRegistration({"drain_timed_out", TimedOut, Plain}),
    ProbeCaseRegistration({"drops_raced", DropsAtOnce, Plain}),
    ProbeCaseRegistration({"drop_finished_by_sweep", SweptDrop, Plain}),
    ProbeCaseRegistration({"late_write_swept", SweptLate, Plain}),
    ProbeCaseRegistration({"rest_swept", SweptRest, Plain}),
    ProbeCaseRegistration({"sweep_held", SweptHeld, Plain}),
    ProbeCaseRegistration({"revision_taken", TooLate, Plain}),
    ProbeCaseRegistration({"topic_again", TopicTwice, Plain}),
    ProbeCaseRegistration({"registration_lost", RecordLost, Plain}),
};

}  // namespace
}  // namespace lakestream::sim
