#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/gate.h"
#include "runtime/sim/sim_runtime.h"
#include "sim/evidence.h"
#include "sim/object_watch.h"
#include "sim/plan.h"
#include "sim/process.h"

namespace lakestream::sim {

/// One run: processes, their clients, the troubles, and what was seen.
class World : private Process::Observer {
 public:
  World(SimScheduler& scheduler, const Plan& plan);
  ~World() override;

  /// The whole run. Afterwards `evidence` is complete.
  void Run();
  Evidence& evidence() { return evidence_; }

  // For clients and troubles.

  const Plan& plan() const { return plan_; }
  SimScheduler& scheduler() { return scheduler_; }
  Far& far() { return far_; }
  LogId AnyLog(Random& random) const;
  /// Bytes of an entry, at most.
  std::int64_t MostPayload(LogId log) const;
  /// False once the clients have done enough, or the troubled phase is over.
  bool TakeOperation();
  Place NextPlace() { return ++last_place_; }
  /// Writes down that a call began; the number leads to it afterwards.
  std::size_t Begin(Operation operation);
  /// Writes down that it ended; what the answer says is filled in by the caller.
  Operation& End(std::size_t number, Status status);
  /// The same for a check.
  std::size_t BeginCheck(const Process& process);
  void EndCheck(std::size_t number, Status status, std::vector<std::string> damage);
  /// The same of a call to the catalog.
  std::size_t BeginCall(CatalogCall call);
  CatalogCall& EndCall(std::size_t number, Status status);
  /// Clients may append to these from now on.
  void Learn(const std::string& stream, const std::vector<LogId>& logs);
  /// Which version of a name clients use; now and then the next one.
  int Version(int slot, Random& random);
  bool goes_on() const { return clients_go_on_; }
  /// An append that must succeed, now that all is well.
  void LastAppend(Process& process, LogId log);
  AppendNumber NextAppend() { return ++last_append_; }
  /// The same of a pass of a compactor.
  std::size_t BeginPass(const Process& process);
  CompactionPass& PassOf(std::size_t number) { return evidence_.passes[number]; }
  void EndPass(std::size_t number, const Result<CompactionTotals>& totals);
  /// The same of a pass of a collector.
  std::size_t BeginCollection(const Process& process);
  void EndCollection(std::size_t number, const Result<CollectionReport>& report);
  /// It is about to have an object deleted.
  void Collected(const Process& process, const std::string& object);
  const std::vector<LogId>& logs() const { return logs_; }
  /// What happened to a process, for the probes.
  void Happened(Happening::Kind kind, const Process& process);

  std::vector<Process*> AliveProcesses();
  Process* FindAlive(const std::string& name);
  Process& Start(const std::string& name);
  void Kill(Process& process);

 private:
  void OnObjectPut(const std::string& process, const std::string& object) override;
  void OnLease(const std::string& process, const std::string& key) override;
  void OnLatePut(const std::string& process, const std::string& object, const BufferChain& bytes) override;
  void OnBatch(std::size_t done, std::size_t failed) override;
  void OnDamage() override { ++evidence_.met.flipped_headers; }
  void OnUpload(const std::string& object) override;
  void OnCollection(const std::string& process, const std::string& key) override { collections_[process] = key; }
  void OnPage(const std::string& process, const KeyRange& range, const std::string& cursor, Place last) override;
  Place LastChange() const override { return evidence_.store.empty() ? 0 : evidence_.store.back().place; }
  void OnLockWait(const std::string&) override { ++evidence_.met.lock_waits; }
  void WatchStore();
  std::string OwnerBefore(const LogChange& change);
  void StartClients(Process& process);
  void TroubledPhase();
  void RestPhase();
  void LastWords();
  void CheckPending(const char* when);
  void CheckDeletions();
  void CollectDeletions();
  void CollectFinal();
  void CollectFinalObjects();
  /// Objects that are none of this project's.
  void PutForeign();
  void CollectCounts();

  SimScheduler& scheduler_;
  const Plan plan_;
  Evidence evidence_;
  Place last_place_ = 0;
  AppendNumber last_append_ = 0;
  int operations_left_;
  bool clients_go_on_ = true;
  Far far_;
  std::optional<ObjectWatch> object_watch_;  ///< where something is compacted, or collected
  std::map<std::string, int> lives_;
  std::map<LogId, std::string> compaction_owners_;
  std::map<std::string, std::string> collections_;  ///< the key of a process's latest pass
  /// Of a process and where its scan begins: the latest change when its last page had been read.
  std::map<std::pair<std::string, std::string>, Place> pages_;
  std::vector<std::unique_ptr<Process>> processes_;  ///< dead ones stay: what they sent may still arrive
  std::vector<LogId> logs_;
  std::vector<LogId> catalog_logs_;  ///< that clients know of
  std::map<int, int> versions_;      ///< of the names of plain streams
  Gate gate_;  ///< of the troubles and the deletions
};

}  // namespace lakestream::sim
