#include "sim/catalog_clients.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "base/try.h"
#include "format/catalog_records.h"
#include "log/catalog/stream_lister.h"
#include "sim/world.h"

namespace lakestream::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Longer than a drop waits for a writer, several times.
constexpr Duration kCallTime = seconds(120);
constexpr int kMostPartitions = 12;

std::string FullName(const StreamIdentifier& id) { return id.ns + "/" + id.name; }

CatalogCall Started(CatalogCall::Kind kind, const Process& process, const StreamIdentifier& id) {
  CatalogCall call;
  call.kind = kind;
  call.process = process.title();
  call.asked = FullName(id);
  return call;
}

OpContext CallContext(Process& process) {
  return OpContext().WithDeadline(process.node().runtime().Now() + kCallTime);
}

/// A few names that all processes fight for. A plain one that was dropped is used up, and the next one takes its place;
/// topics come back.
StreamIdentifier AnyName(World& world, Random& random) {
  const int slot = static_cast<int>(random.Below(static_cast<std::uint64_t>(world.plan().names)));
  StreamIdentifier id;
  const bool topic = world.plan().topics && slot % 2 == 1;
  id.name = topic ? fmt::format("topic{}", slot) : fmt::format("s{}v{}", slot, world.Version(slot, random));
  return id;
}

bool IsTopic(const StreamIdentifier& id) { return id.name.starts_with("topic"); }

Task<void> CreateOne(World& world, Process& process, StreamIdentifier id, int partitions) {
  CatalogCall call = Started(CatalogCall::Kind::kCreate, process, id);
  call.partitions = partitions;
  const std::size_t begun = world.BeginCall(std::move(call));
  std::map<std::string, std::string> properties;
  if (IsTopic(id)) properties.emplace("lakestream.binding", "kafka");
  Task<Result<StreamMetadata>> create =
      process.catalog().CreateStream(CallContext(process), id, partitions, properties);
  const Result<StreamMetadata> made = co_await create;
  CatalogCall& ended = world.EndCall(begun, made.status());
  if (!made.ok()) co_return;
  ended.stream = FullName(made->id);
  ended.logs = made->logs;
  world.Learn(ended.stream, made->logs);
}

Task<std::optional<std::int64_t>> LoadOne(World& world, Process& process, StreamIdentifier id) {
  const std::size_t begun = world.BeginCall(Started(CatalogCall::Kind::kLoad, process, id));
  Task<Result<StreamMetadata>> load = process.catalog().LoadStream(CallContext(process), id);
  const Result<StreamMetadata> loaded = co_await load;
  CatalogCall& ended = world.EndCall(begun, loaded.status());
  if (!loaded.ok()) co_return std::optional<std::int64_t>();
  ended.stream = FullName(loaded->id);
  ended.logs = loaded->logs;
  world.Learn(ended.stream, loaded->logs);
  co_return loaded->revision;
}

Task<void> ListAll(World& world, Process& process) {
  const std::size_t begun = world.BeginCall(Started(CatalogCall::Kind::kList, process, StreamIdentifier()));
  StreamLister lister = process.catalog().ListStreams();
  std::vector<std::string> listed;
  Status status;
  while (true) {
    Task<Result<std::vector<StreamListing>>> next = lister.Next(CallContext(process));
    const Result<std::vector<StreamListing>> page = co_await next;
    status = page.status();
    if (!page.ok() || page->empty()) break;
    for (const StreamListing& stream : *page) {
      if (stream.state == LifecycleState::kActive) listed.push_back(FullName(stream.id));
    }
  }
  world.EndCall(begun, status).listed = std::move(listed);
}

Task<void> GrowOne(World& world, Process& process, StreamIdentifier id, int partitions) {
  CatalogCall call = Started(CatalogCall::Kind::kGrow, process, id);
  call.partitions = partitions;
  const std::size_t begun = world.BeginCall(std::move(call));
  Task<Result<int>> grow = process.catalog().GrowStream(CallContext(process), id, partitions);
  const Result<int> grown = co_await grow;
  CatalogCall& ended = world.EndCall(begun, grown.status());
  if (grown.ok()) ended.grown = *grown;
}

/// By the revision of a stream that was just loaded.
Task<void> SetOne(World& world, Process& process, StreamIdentifier id, std::uint64_t value) {
  Task<std::optional<std::int64_t>> load = LoadOne(world, process, id);
  const std::optional<std::int64_t> revision = co_await load;
  if (!revision) co_return;
  CatalogCall call = Started(CatalogCall::Kind::kSet, process, id);
  call.revision = revision;
  PropertyChange change;
  change.set["value"] = std::to_string(value);
  change.revision = revision;
  const std::size_t begun = world.BeginCall(std::move(call));
  Task<Result<StreamProperties>> set = process.catalog().SetProperties(CallContext(process), id, std::move(change));
  const Result<StreamProperties> now = co_await set;
  CatalogCall& ended = world.EndCall(begun, now.status());
  if (now.ok()) ended.changed = now->changed;
}

Task<void> DropOne(World& world, Process& process, StreamIdentifier id) {
  // By the stream's own name, so that it is known what was dropped.
  Task<Result<std::optional<StreamListing>>> find = process.catalog().FindStream(CallContext(process), id);
  const Result<std::optional<StreamListing>> found = co_await find;
  if (!found.ok()) co_return;
  if (!*found && IsTopic(id)) co_return;
  const StreamIdentifier stream = *found ? (*found)->id : id;
  CatalogCall call = Started(CatalogCall::Kind::kDrop, process, id);
  call.stream = FullName(stream);
  const std::size_t begun = world.BeginCall(std::move(call));
  Task<Result<StreamDropped>> drop = process.catalog().DropStream(CallContext(process), stream);
  const Result<StreamDropped> dropped = co_await drop;
  world.EndCall(begun, dropped.status());
}

Task<void> SweepAll(World& world, Process& process) {
  const std::size_t begun = world.BeginCall(Started(CatalogCall::Kind::kSweep, process, StreamIdentifier()));
  Task<Result<SweepReport>> sweep = process.catalog().Sweep(CallContext(process));
  const Result<SweepReport> swept = co_await sweep;
  CatalogCall& ended = world.EndCall(begun, swept.status());
  if (!swept.ok()) co_return;
  ended.late_logs = swept->late_logs;
  ended.finished_drops = swept->finished_drops;
  ended.rest = swept->partitions;
  ended.held = swept->held;
}

Task<void> OneCall(World& world, Process& process, Random& random) {
  const StreamIdentifier id = AnyName(world, random);
  const CatalogRates& rates = world.plan().catalog;
  const int all = rates.create + rates.load + rates.list + rates.grow + rates.set + rates.drop + rates.sweep;
  int drawn = static_cast<int>(random.Below(static_cast<std::uint64_t>(all)));
  const auto falls = [&drawn](int rate) { return (drawn -= rate) < 0; };
  const int partitions = 1 + static_cast<int>(random.Below(kMostPartitions));
  if (falls(rates.create)) {
    co_await CreateOne(world, process, id, 1 + partitions % 4);
  } else if (falls(rates.load)) {
    (void)co_await LoadOne(world, process, id);
  } else if (falls(rates.list)) {
    co_await ListAll(world, process);
  } else if (falls(rates.grow)) {
    co_await GrowOne(world, process, id, partitions);
  } else if (falls(rates.set)) {
    co_await SetOne(world, process, id, random.Next());
  } else if (falls(rates.drop)) {
    co_await DropOne(world, process, id);
  } else {
    co_await SweepAll(world, process);
  }
}

/// The keys of the store that begin so, with their records.
std::vector<MetadataRecord> RecordsBelow(World& world, const std::string& prefix) {
  std::vector<MetadataRecord> found;
  for (const MetadataRecord& record : world.far().backend->Dump()) {
    if (record.key.starts_with(prefix)) found.push_back(record);
  }
  return found;
}

}  // namespace

Task<void> RunCataloger(World& world, Process& process, int client) {
  Random& random = world.scheduler().Stream("catalog " + process.title() + " " + std::to_string(client));
  while (world.TakeOperation()) {
    co_await OneCall(world, process, random);
    const auto most = static_cast<std::uint64_t>(world.plan().pause.count()) + 1;
    const Duration pause(static_cast<std::int64_t>(random.Below(most)));
    const Status slept = co_await SleepFor(process.node().runtime(), OpContext(), pause);
    if (!slept.ok()) co_return;
  }
}

Task<void> RunStranger(World& world) {
  Random& random = world.scheduler().Stream("stranger");
  MetadataStore& meta = world.far().meta;
  while (world.goes_on()) {
    const Status slept = co_await SleepFor(world.far().runtime, OpContext(), milliseconds(500 + random.Below(4000)));
    if (!slept.ok()) co_return;
    for (const MetadataRecord& record : RecordsBelow(world, StreamConfigKey("default", ""))) {
      if (random.Below(3) != 0) continue;
      Result<StreamConfigRecord> config = DecodeStreamConfig(record.value.text(), record.key);
      if (!config.ok() || !config->unknown.empty()) continue;
      JsonMember later;
      later.name = "laterRelease";
      later.value = JsonValue::Int(static_cast<std::int64_t>(random.Below(1000)));
      config->unknown.push_back(std::move(later));
      const Buffer value(*EncodeStreamConfig(*config));
      const Partition home = Partition::OfKey(record.key);
      (void)co_await meta.CompareAndSet(OpContext(), home, record.key, value, record.version, WriteGuard());
    }
  }
}

Task<void> LoseRegistrations(World& world) {
  Random& random = world.scheduler().Stream("lost registrations");
  MetadataStore& meta = world.far().meta;
  while (world.goes_on()) {
    const Status slept = co_await SleepFor(world.far().runtime, OpContext(), seconds(1 + random.Below(10)));
    if (!slept.ok()) co_return;
    const bool mapping = random.Below(2) == 0;
    const std::vector<MetadataRecord> records = RecordsBelow(world, mapping ? "/stream-id-generator/" : "/stream-id/");
    if (records.empty()) continue;
    const std::string key = records[random.Below(records.size())].key;
    world.evidence().lost_records.insert(key);
    const Partition home = mapping ? Partition::Named(kLogIdGeneratorKey) : Partition::OfKey(key);
    (void)co_await meta.Delete(OpContext(), home, key, WriteGuard());
  }
}

void CheckStreams(World& world) {
  const std::vector<Process*> alive = world.AliveProcesses();
  std::set<std::string> tombstones;
  const std::string prefix = StreamTombstoneKey("default", "");
  for (const MetadataRecord& record : RecordsBelow(world, prefix)) tombstones.insert(record.key.substr(prefix.size()));
  for (const MetadataRecord& record : RecordsBelow(world, StreamConfigKey("default", ""))) {
    const Result<StreamConfigRecord> config = DecodeStreamConfig(record.value.text(), record.key);
    StreamIdentifier id;
    id.name = record.key.substr(StreamConfigKey("default", "").size());
    if (!config.ok() || config->state != ProvisioningState::kActive || tombstones.contains(id.name)) continue;
    Process& process = *alive.front();
    const Result<StreamMetadata> loaded =
        world.scheduler().Run(process.catalog().LoadStream(CallContext(process), id));
    if (!loaded.ok()) {
      world.evidence().stuck.push_back(id.name + " cannot be opened when all is well: " + loaded.status().ToString());
      continue;
    }
    for (const LogId log : loaded->logs) world.LastAppend(process, log);
  }
}

void CheckDropped(World& world) {
  CatalogOptions options;
  options.drain_timeout = Duration(0);
  StreamCatalog catalog(world.far().runtime, world.far().meta, options);
  const std::string prefix = StreamTombstoneKey("default", "");
  for (const MetadataRecord& record : RecordsBelow(world, prefix)) {
    StreamIdentifier id;
    id.name = record.key.substr(prefix.size());
    const Result<StreamDropped> dropped = world.scheduler().Run(catalog.DropStream(OpContext(), id));
    if (dropped.ok()) continue;
    world.evidence().stuck.push_back(id.name + " is not dropped when all is well: " + dropped.status().ToString());
  }
  const Result<SweepReport> first = world.scheduler().Run(catalog.Sweep(OpContext()));
  const Result<SweepReport> second = world.scheduler().Run(catalog.Sweep(OpContext()));
  if (!first.ok() || !second.ok() || second->held + second->partitions + second->finished_drops > 0) {
    const SweepReport left = second.ok() ? *second : SweepReport();
    world.evidence().stuck.push_back(fmt::format("a second sweep finds {} drops and {} partitions, {} are held; {}",
                                                 left.finished_drops, left.partitions, left.held,
                                                 second.status().ToString()));
  }
  if (first.ok()) {
    world.evidence().last_sweep_late += first->late_logs;
    world.evidence().last_sweep_rest += first->partitions;
  }
}

}  // namespace lakestream::sim
