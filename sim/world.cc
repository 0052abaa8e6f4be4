#include "sim/world.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/invariant.h"
#include "format/collection_records.h"
#include "format/index_key.h"
#include "format/log_records.h"
#include "format/wal_object.h"
#include "sim/catalog_clients.h"
#include "sim/clients.h"
#include "sim/collection_clients.h"
#include "sim/compaction_clients.h"
#include "sim/final_record.h"
#include "sim/troubles.h"

namespace lakestream::sim {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr Duration kSlice = seconds(1);
constexpr Duration kLastWord = minutes(5);

}  // namespace

World::World(SimScheduler& scheduler, const Plan& plan)
    : scheduler_(scheduler),
      plan_(plan),
      operations_left_(plan.operations),
      far_(scheduler, plan.shards),
      gate_(far_.runtime) {
  evidence_.guarded_writes = plan.guarded;
  evidence_.times = plan.writer.times;
  evidence_.short_bodies = plan.objects.short_body > 0;
  const MetadataFaultRates& meta = plan.metadata;
  evidence_.fence_seen_within = 8 * (plan.writer.fence_poll + 2 * meta.max_delay);
  evidence_.isolation_seen_within = evidence_.fence_seen_within + plan.writer.put_deadline;
  evidence_.tail_wakes_within = seconds(1) + (meta.delay > 0 ? 4 * meta.max_delay : Duration(0)) +
                                (plan.objects.delay > 0 ? 4 * plan.objects.max_delay : Duration(0)) +
                                (meta.watch_late + meta.watch_missed > 0 ? 2 * plan.reader.tail_poll : Duration(0));
  // The catalog's ids begin at 1.
  const std::int64_t first = plan.catalogers > 0 ? 1'000'000 : 1;
  for (int i = 0; i < plan.logs; ++i) logs_.push_back(LogId(first + i));
  WatchStore();
  evidence_.retention = plan.retention;
  if (plan.compactors == 0 && !plan.collects) return;
  const auto next = [this] { return ObjectWatch::Moment{NextPlace(), scheduler_.Now()}; };
  object_watch_.emplace(evidence_, next, plan.collects, far_.objects, far_.compacted);
  if (plan.chaos.clocks == 0 && !plan.hard_trims) evidence_.settle_time = plan.compactor.plan.settle_time;
}

World::~World() {
  for (const std::unique_ptr<Process>& process : processes_) process->node().Kill();
}

void World::WatchStore() {
  far_.backend->Observe([this](const MetadataChange& change) {
    const bool heartbeat = change.record.key.starts_with("/heartbeat/");
    if (heartbeat) return;
    LogChange of_log = LogChange::Of(change);
    const bool alive = far_.backend->SessionAlive(change.removed ? change.record.session : OwnerBefore(of_log));
    evidence_.store.push_back(
        StoreEvent{NextPlace(), scheduler_.Now(), change, std::move(of_log), CatalogChange::Of(change), alive});
  });
}

/// The session that the log's compaction record named until this change of it; empty where it named none.
std::string World::OwnerBefore(const LogChange& change) {
  std::string now;
  if (!change.compaction) return now;
  if (const std::string* owner = OwnerOf(*change.compaction)) now = *owner;
  return std::exchange(compaction_owners_[change.log], std::move(now));
}

void World::OnObjectPut(const std::string& process, const std::string& object) {
  if (IsCollectionProbeName(object)) return;
  evidence_.puts.push_back(PutEvent{NextPlace(), scheduler_.Now(), process, object});
}

void World::OnLease(const std::string& process, const std::string& key) {
  const LogChange::Kind kind = LogChange::OfKey(key).kind;
  if (kind == LogChange::Kind::kLease) evidence_.lease_owners[key] = process;
  if (kind == LogChange::Kind::kClaim) evidence_.compactor_sessions[key.substr(key.rfind('/') + 1)] = process;
}

void World::OnUpload(const std::string& object) {
  if (object_watch_) object_watch_->Asked(object);
}

void World::OnLatePut(const std::string& process, const std::string& object, const BufferChain& bytes) {
  if (IsCollectionProbeName(object)) return;
  LatePut late{NextPlace(), process, object, {}};
  const Buffer whole = bytes.Flatten();
  const Result<WalHeader> header = DecodeWalHeader(whole.span(), whole.size(), object);
  LS_INVARIANT(header.ok(), "a writer writes objects that can be read");
  for (const WalSection& section : header->index.sections) late.logs.push_back(section.log);
  evidence_.late_puts.push_back(std::move(late));
}

void World::OnBatch(std::size_t done, std::size_t failed) {
  if (done > 0 && failed > 0) ++evidence_.met.mixed_batches;
}

void World::OnPage(const std::string& process, const KeyRange& range, const std::string& cursor, Place last) {
  Place& before = pages_[{process, range.from}];
  if (!cursor.empty()) {
    for (auto event = evidence_.store.rbegin(); event != evidence_.store.rend() && event->place > before; ++event) {
      const std::string& key = event->change.record.key;
      if (event->place > last || MetadataKeyLess(key, range.from) || !MetadataKeyLess(key, range.to)) continue;
      ++evidence_.met.torn_scans;
      break;
    }
  }
  before = LastChange();
}

LogId World::AnyLog(Random& random) const {
  if (!catalog_logs_.empty() && random.Below(4) != 0) {
    // Mostly the latest: older ones are likely to be gone.
    const std::size_t latest = std::min<std::size_t>(catalog_logs_.size(), 12);
    return catalog_logs_[catalog_logs_.size() - 1 - random.Below(latest)];
  }
  return logs_[random.Below(logs_.size())];
}

std::int64_t World::MostPayload(LogId log) const {
  if (!plan_.uneven) return plan_.max_payload;
  const std::int64_t place = log.value() - logs_.front().value();
  return std::max(plan_.max_payload >> (2 * place), static_cast<std::int64_t>(kSmallestPayload));
}

std::size_t World::BeginCall(CatalogCall call) {
  call.began = NextPlace();
  evidence_.catalog.push_back(std::move(call));
  return evidence_.catalog.size() - 1;
}

CatalogCall& World::EndCall(std::size_t number, Status status) {
  CatalogCall& call = evidence_.catalog[number];
  call.ended = NextPlace();
  call.status = std::move(status);
  scheduler_.Note(fmt::format("catalog {} {} {}", number, *call.ended, call.status.ToString()));
  return call;
}

void World::Learn(const std::string&, const std::vector<LogId>& logs) {
  for (const LogId log : logs) {
    if (std::find(catalog_logs_.begin(), catalog_logs_.end(), log) == catalog_logs_.end()) catalog_logs_.push_back(log);
  }
}

int World::Version(int slot, Random& random) {
  int& version = versions_[slot];
  const std::string name = fmt::format("default/s{}v{}", slot, version);
  const bool dropped = std::any_of(evidence_.catalog.begin(), evidence_.catalog.end(), [&name](const CatalogCall& call) {
    return call.kind == CatalogCall::Kind::kDrop && call.asked == name;
  });
  if (dropped && random.Below(4) == 0) ++version;
  return version;
}

bool World::TakeOperation() {
  if (!clients_go_on_ || operations_left_ <= 0) return false;
  --operations_left_;
  return true;
}

std::size_t World::Begin(Operation operation) {
  operation.began = NextPlace();
  operation.at = scheduler_.Now();
  evidence_.operations.push_back(std::move(operation));
  return evidence_.operations.size() - 1;
}

Operation& World::End(std::size_t number, Status status) {
  Operation& operation = evidence_.operations[number];
  operation.ended = NextPlace();
  operation.ended_at = scheduler_.Now();
  operation.status = std::move(status);
  // What clients see is part of the trace: two runs of a seed must agree in it.
  scheduler_.Note(fmt::format("{} {} {}", number, *operation.ended, operation.status.ToString()));
  return operation;
}

std::size_t World::BeginCheck(const Process& process) {
  evidence_.checks.push_back(Checked{process.title(), NextPlace(), std::nullopt, Status(), {}});
  return evidence_.checks.size() - 1;
}

void World::EndCheck(std::size_t number, Status status, std::vector<std::string> damage) {
  Checked& check = evidence_.checks[number];
  check.ended = NextPlace();
  check.status = std::move(status);
  check.damage = std::move(damage);
  scheduler_.Note(fmt::format("check {} {} {}", number, check.status.ToString(), check.damage.size()));
}

std::size_t World::BeginPass(const Process& process) {
  evidence_.passes.push_back(CompactionPass{process.title(), NextPlace(), std::nullopt, Status(), {}, {}});
  return evidence_.passes.size() - 1;
}

void World::EndPass(std::size_t number, const Result<CompactionTotals>& totals) {
  CompactionPass& pass = evidence_.passes[number];
  pass.ended = NextPlace();
  pass.status = totals.status();
  if (totals.ok()) pass.totals = *totals;
  scheduler_.Note(fmt::format("pass {} {} {} {}", number, *pass.ended, pass.status.ToString(), pass.outcomes.size()));
}

std::size_t World::BeginCollection(const Process& process) {
  evidence_.collections.push_back(Collection{process.title(), NextPlace(), std::nullopt, Status(), {}});
  return evidence_.collections.size() - 1;
}

void World::EndCollection(std::size_t number, const Result<CollectionReport>& report) {
  Collection& collection = evidence_.collections[number];
  collection.ended = NextPlace();
  collection.status = report.status();
  if (report.ok()) collection.report = *report;
  scheduler_.Note(fmt::format("collection {} {} {}", number, *collection.ended, collection.status.ToString()));
}

void World::Collected(const Process& process, const std::string& object) {
  evidence_.collected.push_back(
      CollectedEvent{NextPlace(), scheduler_.Now(), process.title(), object, collections_[process.title()]});
}

void World::Happened(Happening::Kind kind, const Process& process) {
  evidence_.happenings.push_back(Happening{kind, NextPlace(), scheduler_.Now(), process.title()});
}

std::vector<Process*> World::AliveProcesses() {
  std::vector<Process*> alive;
  for (const std::unique_ptr<Process>& process : processes_) {
    if (process->alive()) alive.push_back(process.get());
  }
  return alive;
}

Process* World::FindAlive(const std::string& name) {
  for (Process* process : AliveProcesses()) {
    if (process->name() == name) return process;
  }
  return nullptr;
}

Process& World::Start(const std::string& name) {
  Process::Observer& observer = *this;
  processes_.push_back(std::make_unique<Process>(scheduler_, far_, plan_, name, ++lives_[name], observer));
  Process& process = *processes_.back();
  if (clients_go_on_) {
    process.Trouble(scheduler_.Stream("faults of " + process.title()));
    StartClients(process);
  }
  return process;
}

void World::Kill(Process& process) {
  Happened(Happening::Kind::kKilled, process);
  process.Kill();
  far_.lock.Drop(process.title());
}

void World::StartClients(Process& process) {
  int client = 0;
  SimNode& node = process.node();
  for (int i = 0; i < plan_.appenders; ++i) node.Spawn(RunAppender(*this, process, client++));
  for (int i = 0; i < plan_.readers; ++i) node.Spawn(RunReader(*this, process, client++));
  for (int i = 0; i < plan_.tailers; ++i) node.Spawn(RunTailer(*this, process, client++));
  for (int i = 0; i < plan_.trimmers; ++i) node.Spawn(RunTrimmer(*this, process, client++));
  for (int i = 0; i < plan_.checkers; ++i) node.Spawn(RunChecker(*this, process, client++));
  for (int i = 0; i < plan_.catalogers; ++i) node.Spawn(RunCataloger(*this, process, client++));
  for (int i = 0; i < plan_.compactors; ++i) node.Spawn(RunCompactor(*this, process, client++));
  if (plan_.collects) node.Spawn(RunCollector(*this, process, client++));
  for (int i = 0; i < plan_.retainers; ++i) node.Spawn(RunRetainer(*this, process, client++));
  for (int i = 0; i < plan_.holders; ++i) node.Spawn(RunHolder(*this, process, client++));
}

void World::Run() {
  if (!plan_.guarded) far_.heartbeats.Start();
  if (plan_.collects) PutForeign();
  for (int i = 0; i < plan_.processes; ++i) Start("p" + std::to_string(i));
  for (int i = 0; i < plan_.deleted_logs; ++i) gate_.Spawn(DeleteLog(*this, logs_[static_cast<std::size_t>(i)]));
  for (int i = 0; i < plan_.isolated_logs; ++i) gate_.Spawn(IsolateLog(*this, logs_[static_cast<std::size_t>(i)]));
  if (plan_.stuck_log) gate_.Spawn(IsolateStuckLog(*this));
  if (plan_.stranger) gate_.Spawn(RunStranger(*this));
  if (plan_.lost_registrations) gate_.Spawn(LoseRegistrations(*this));
  TroubledPhase();
  RestPhase();
  if (plan_.catalogers > 0) CheckStreams(*this);
  if (plan_.compactors > 0) CompactAll(*this);
  if (plan_.collects) CollectAll(*this);
  LastWords();
  CollectCounts();
  if (plan_.catalogers > 0) {
    for (Process* process : AliveProcesses()) process->Kill();
    const Status silent = scheduler_.RunFor(plan_.rest);
    if (!silent.ok()) evidence_.stuck.push_back("no rest after the processes have ended: " + silent.ToString());
    CheckDropped(*this);
    CollectDeletions();
  }
  CollectFinal();
  if (plan_.collects) CollectFinalObjects();
}

void World::TroubledPhase() {
  Gate troubles(far_.runtime);
  troubles.Spawn(RunTroubles(*this));
  const MonotonicTime begin = scheduler_.Now();
  const MonotonicTime end = begin + plan_.time;
  while (operations_left_ > 0 && scheduler_.Now() < end) {
    const Status ran = scheduler_.RunFor(kSlice);
    if (ran.ok()) continue;
    evidence_.stuck.push_back("the troubled phase never ends: " + ran.ToString());
    break;
  }
  clients_go_on_ = false;
  if (plan_.is_day && scheduler_.Now() >= end) evidence_.day = Day{begin, end};
}

void World::RestPhase() {
  std::vector<std::string> missing;
  far_.lock.DropAll();
  for (Process* process : AliveProcesses()) {
    process->Heal();
    process->node().Thaw();
  }
  for (const auto& [name, lives] : lives_) {
    if (FindAlive(name) == nullptr) missing.push_back(name);
  }
  for (const std::string& name : missing) Start(name);
  const Status rested = scheduler_.RunFor(plan_.rest);
  if (!rested.ok()) evidence_.stuck.push_back("no rest after the faults have ended: " + rested.ToString());
  CheckPending("after the faults had ended");
  CheckDeletions();
}

/// A log that was fenced is drained, unless a change that stays unknown holds a lease on it.
void World::CheckDeletions() {
  for (const Deletion& deletion : evidence_.deletions) {
    const bool unknown = std::any_of(
        evidence_.operations.begin(), evidence_.operations.end(), [&deletion](const Operation& operation) {
          return operation.log == deletion.log && operation.status.code() == StatusCode::kIndeterminate;
        });
    // Without guards a lease record may come late, when its keeper has given up on it, and stays with the session.
    if (deletion.deleted != 0 || unknown || !plan_.guarded) continue;
    evidence_.stuck.push_back(fmt::format("log {}, fenced at {}, still has leases", deletion.log.value(), deletion.fenced));
  }
}

void World::CheckPending(const char* when) {
  std::map<std::string, const Process*> alive;
  for (const Process* process : AliveProcesses()) alive.emplace(process->title(), process);
  for (const CatalogCall& call : evidence_.catalog) {
    if (!call.ended && alive.contains(call.process)) evidence_.stuck.push_back(ToString(call));
  }
  std::map<std::string, const Process*> pending;
  for (const Operation& operation : evidence_.operations) {
    const auto process = alive.find(operation.process);
    if (operation.ended || process == alive.end()) continue;
    const WriterStats stats = process->second->stats();
    evidence_.stuck.push_back(fmt::format("{} {}: {}; its writer: {} parked logs, {} objects, {} index puts", when,
                                          FormatDuration(plan_.rest), ToString(operation), stats.parked_logs, stats.objects,
                                          stats.index_puts));
    pending.insert(*process);
  }
  for (const Checked& check : evidence_.checks) {
    const auto process = alive.find(check.process);
    if (check.ended || process == alive.end()) continue;
    evidence_.stuck.push_back(fmt::format("{} {}: a check of {} since {}", when, FormatDuration(plan_.rest), check.process,
                                          check.began));
    pending.insert(*process);
  }
  for (const CompactionPass& pass : evidence_.passes) {
    const auto process = alive.find(pass.process);
    if (pass.ended || process == alive.end()) continue;
    evidence_.stuck.push_back(fmt::format("{} {}: a pass of {} since {}", when, FormatDuration(plan_.rest), pass.process,
                                          pass.began));
    pending.insert(*process);
  }
  for (const Collection& collection : evidence_.collections) {
    const auto process = alive.find(collection.process);
    if (collection.ended || process == alive.end()) continue;
    evidence_.stuck.push_back(fmt::format("{} {}: a collection of {} since {}", when, FormatDuration(plan_.rest),
                                          collection.process, collection.began));
    pending.insert(*process);
  }
  for (const auto& [title, process] : pending) {
    evidence_.stuck.push_back(fmt::format("{} waits at: {}", title, fmt::join(process->node().Waiting(), ", ")));
  }
}

/// Every log of every process takes an append and gives it back, and every process stops.
void World::LastWords() {
  for (Process* process : AliveProcesses()) {
    for (const LogId log : logs_) {
      const bool deleted = std::any_of(evidence_.deletions.begin(), evidence_.deletions.end(),
                                       [log](const Deletion& deletion) { return deletion.log == log; });
      if (deleted) continue;
      LastAppend(*process, log);
    }
    const OpContext soon = OpContext().WithDeadline(process->node().runtime().Now() + kLastWord);
    const Status stopped = scheduler_.Run(process->Stop(soon));
    if (!stopped.ok()) {
      evidence_.stuck.push_back(process->title() + " does not stop when all is well: " + stopped.ToString());
    }
  }
}

void World::LastAppend(Process& process, LogId log) {
  AppendRequest request;
  request.log = log;
  const AppendNumber number = NextAppend();
  request.payload = MakePayload(number, log, kSmallestPayload);
  Operation operation;
  operation.process = process.title();
  operation.client = -1;
  operation.log = log;
  operation.number = number;
  operation.size = static_cast<std::int64_t>(kSmallestPayload);
  const std::size_t begun = Begin(std::move(operation));
  const OpContext soon = OpContext().WithDeadline(process.node().runtime().Now() + kLastWord);
  const Result<LogEntryHeader> answer = scheduler_.Run(process.writer().Append(soon, std::move(request)));
  Operation& ended = End(begun, answer.status());
  if (!answer.ok()) {
    evidence_.stuck.push_back(fmt::format("log {} takes no appends of {} when all is well: {}", log.value(),
                                          process.title(), answer.status().ToString()));
    return;
  }
  ended.acknowledged = SeenEntry{answer->offset, 1,     number, answer->cumulative_size, answer->timestamp_ms,
                                 answer->entry_size};
}

/// Of the catalog's logs, by what the store did: one for each time that index records went.
void World::CollectDeletions() {
  struct Seen {
    Deletion deletion;
    int leases = 0;
    std::set<std::string> records;
  };
  using Kind = LogChange::Kind;
  std::map<LogId, Seen> logs;
  for (const StoreEvent& event : evidence_.store) {
    const std::string& key = event.change.record.key;
    const Kind kind = event.of_log.kind;
    if (kind != Kind::kIndex && kind != Kind::kFence && kind != Kind::kLease) continue;
    Seen& seen = logs[event.of_log.log];
    Deletion& deletion = seen.deletion;
    deletion.log = event.of_log.log;
    if (kind == Kind::kLease) seen.leases += event.change.removed ? -1 : 1;
    if (kind == Kind::kFence && deletion.fenced == 0) {
      deletion.fenced = event.place;
      deletion.fenced_at = event.at;
    }
    if (kind == Kind::kIndex && !event.change.removed) seen.records.insert(key);
    // A trim, or a compaction, leaves the last one.
    if (kind == Kind::kIndex && event.change.removed && seen.records.erase(key) > 0 && seen.records.empty() &&
        deletion.fenced != 0) {
      deletion.deleted = event.place;
      evidence_.deletions.push_back(deletion);
    }
    if (deletion.fenced != 0 && deletion.drained == 0 && seen.leases == 0) deletion.drained = event.place;
  }
  for (const auto& [log, seen] : logs) {
    if (seen.deletion.fenced != 0 && seen.deletion.deleted == 0) evidence_.deletions.push_back(seen.deletion);
  }
}

void World::CollectCounts() {
  for (const std::unique_ptr<Process>& process : processes_) {
    process->AddFaults(evidence_.met);
    process->AddCells(evidence_.compaction_cells);
    const WriterStats stats = process->stats();
    for (std::size_t s = 0; s < stats.cells.size(); ++s) {
      for (std::size_t e = 0; e < stats.cells[s].size(); ++e) evidence_.cells[s][e] += stats.cells[s][e];
    }
  }
}

void World::CollectFinal() {
  FsckOptions options;
  options.deep = true;
  options.times = plan_.writer.times;
  PlainLogHomes homes;
  const FsckStores stores{far_.meta, far_.objects, far_.compacted, homes};
  Task<Status> checking = Check(far_.runtime, stores, OpContext(), options, &evidence_.final_damage);
  const Status checked = scheduler_.Run(std::move(checking));
  if (!checked.ok()) evidence_.stuck.push_back("fsck cannot be finished at the end: " + checked.ToString());
  const auto fetch_from = [this](ObjectStore& store) {
    return [this, &store](const std::string& key) { return scheduler_.Run(store.Get(OpContext(), key, ByteRange())); };
  };
  const FetchObject wal = fetch_from(far_.objects);
  const FetchObject compacted = fetch_from(far_.compacted);
  for (const LogId log : logs_) evidence_.final[log];
  for (const MetadataRecord& record : far_.backend->Dump()) {
    const Result<IndexKey> key = IndexKey::Decode(record.key);
    if (key.ok()) {
      evidence_.final[key->log].records.push_back(ReadFinalRecord(record, *key, wal, compacted));
      continue;
    }
    MetadataChange change;
    change.record = record;
    LogChange of_log = LogChange::Of(change);
    FinalLog* log = of_log.kind == LogChange::Kind::kNone ? nullptr : &evidence_.final[of_log.log];
    if (of_log.marker) log->marker = *of_log.marker;
    if (of_log.kind == LogChange::Kind::kLease) log->leases.push_back(record.key);
    if (of_log.compaction) log->compaction = std::move(of_log.compaction);
  }
}

void World::PutForeign() {
  const auto put = [this](MemoryObjectStore& store, const std::string& root, const std::string& key) {
    const BufferChain bytes(Buffer::CopyOf("another program's\n"));
    const Status stored = scheduler_.Run(store.Put(OpContext(), key, bytes, PutMode::kCreate));
    LS_INVARIANT(stored.ok(), "an empty store takes an object");
    evidence_.foreign.insert(root + "/" + key);
  };
  const std::string uuid = "3f2b8f5e-1c2d-4e3f-8a9b-000000000001";
  put(far_.objects, "wal", "notes.txt");
  put(far_.objects, "wal", "2025/01/01/00/00/00/" + uuid + ".tmp");
  put(far_.compacted, "compacted", "default/log-1/ursa-" + uuid + ".parquet");
  put(far_.compacted, "compacted", "lks-" + uuid + ".parquet");
}

void World::CollectFinalObjects() {
  constexpr int kAll = 10'000;
  const auto list = [this](MemoryObjectStore& store, const std::string& root) {
    const Result<ListPage> page = scheduler_.Run(store.List(OpContext(), "", "", kAll));
    LS_INVARIANT(page.ok() && !page->next, "a store in memory lists all that it has");
    for (const ObjectInfo& info : page->objects) evidence_.final_objects.insert(root + "/" + info.key);
  };
  list(far_.objects, "wal");
  list(far_.compacted, "compacted");
}

}  // namespace lakestream::sim
