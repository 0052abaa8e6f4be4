#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "format/file_index.h"
#include "format/index_key.h"
#include "log/lease/lease_keeper.h"
#include "log/reader/testing/compacted_world.h"
#include "log/retention/retainer.h"
#include "meta/wrap/fault_metadata_store.h"
#include "objstore/wrap/fault_object_store.h"

namespace lakestream {

/// Creation times as a store gives them whose clock was ahead by so much: of leases, which retainers ask.
class AheadMetadataStore final : public ForwardingMetadataStore {
 public:
  AheadMetadataStore(MetadataStore& inner, const std::int64_t& ahead_ms)
      : ForwardingMetadataStore(inner), ahead_ms_(ahead_ms) {}
  Task<Result<WriteAnswer>> CreateEphemeral(OpContext context, Partition partition, std::string key, Buffer value,
                                            std::shared_ptr<MetadataSession> session) override {
    return Later(ahead_ms_, inner().CreateEphemeral(std::move(context), std::move(partition), std::move(key),
                                                    std::move(value), std::move(session)));
  }

 private:
  static Task<Result<WriteAnswer>> Later(std::int64_t ms, Task<Result<WriteAnswer>> call) {
    Result<WriteAnswer> made = co_await call;
    if (made.ok()) made->created_ms += ms;
    co_return made;
  }
  const std::int64_t& ahead_ms_;
};

/// Logs written and compacted by hand, and retainers at them.
class RetainerWorld : public CompactedWorld {
 public:
  explicit RetainerWorld(std::uint64_t seed = 1) : CompactedWorld(seed) {}
  ~RetainerWorld() { EXPECT_TRUE(sim.Run(leases_.Stop(OpContext())).ok()); }

  RetainerParts Parts() { return RetainerParts{sim.runtime(), faulty_meta_, objects, faulty_files_, leases_, homes}; }

  Status Pass(std::vector<RetainedLog> logs, std::map<LogId, RetentionOutcome>* outcomes,
              OpContext context = OpContext(), RetainerOptions options = RetainerOptions()) {
    Retainer retainer(Parts(), options);
    return PassBy(retainer, std::move(logs), outcomes, std::move(context));
  }
  Status PassBy(Retainer& retainer, std::vector<RetainedLog> logs, std::map<LogId, RetentionOutcome>* outcomes,
                OpContext context = OpContext()) {
    const RetentionObserver observer = [outcomes](const RetentionOutcome& outcome) {
      EXPECT_TRUE(outcomes->emplace(outcome.log, outcome).second);
    };
    return sim.Run(retainer.Pass(std::move(context), std::move(logs), observer));
  }
  RetentionOutcome RetainBy(Retainer& retainer, LogId log, model::RetentionRules rules) {
    std::map<LogId, RetentionOutcome> outcomes;
    const Status passed = PassBy(retainer, std::vector<RetainedLog>(1, RetainedLog{log, rules}), &outcomes);
    EXPECT_TRUE(passed.ok()) << passed.ToString();
    return outcomes[log];
  }
  RetentionOutcome Retain(LogId log, model::RetentionRules rules, RetainerOptions options = RetainerOptions()) {
    Retainer retainer(Parts(), options);
    return RetainBy(retainer, log, rules);
  }
  /// By a process on this node, with its clock.
  RetentionOutcome RetainOn(SimNode& node, LogId log, model::RetentionRules rules) {
    LeaseKeeper leases(node.runtime(), faulty_meta_, WriterOptions());
    RetentionOutcome outcome;
    {
      Retainer retainer(RetainerParts{node.runtime(), faulty_meta_, objects, faulty_files_, leases, homes},
                        RetainerOptions());
      outcome = RetainBy(retainer, log, rules);
    }
    EXPECT_TRUE(sim.Run(leases.Stop(OpContext())).ok());
    return outcome;
  }

  /// What the rules let go, from the entries as readers see them, up to the log's last record.
  std::int64_t Expected(LogId log, const model::RetentionRules& rules) {
    const std::unique_ptr<LogReader> fresh = Fresh();
    const Result<LogExtent> extent = sim.Run(fresh->Extent(OpContext(), log));
    EXPECT_TRUE(extent.ok());
    const std::vector<IndexKey> keys = Keys(log);
    if (keys.empty()) return extent->trim_marker.value();
    const Offset last = keys.size() == 1 ? Offset(0) : keys[keys.size() - 2].end;
    const Result<LogRead> read = ReadWith(*fresh, log, 0);
    EXPECT_TRUE(read.ok()) << Text(read);
    const std::int64_t now = ToMillis(sim.runtime().clock.Wall());
    Offset keep = extent->trim_marker;
    for (const LogEntry& entry : read->entries) {
      const bool goes = (rules.bytes && extent->cumulative_size - entry.header.cumulative_size >= *rules.bytes) ||
                        (rules.records && extent->end - entry.header.end() >= *rules.records) ||
                        (rules.ms && now - entry.header.timestamp_ms > *rules.ms);
      if (!goes || entry.header.end() > last) break;
      keep = std::max(keep, entry.header.end());
    }
    return keep.value();
  }

  /// Compacts some RAW records that follow each other, without the log's last one, if there are any.
  bool CompactSome(LogId log, Random& random) {
    std::vector<std::pair<std::int64_t, std::int64_t>> runs;
    const std::vector<IndexKey> keys = Keys(log);
    for (std::size_t i = 0; i + 1 < keys.size(); ++i) {
      const EntryIndex index = *DecodeEntryIndex(Buffer(Value(log, keys[i].Encode())).span(), "");
      const std::int64_t start = keys[i].end.value() - index.message_count;
      if (index.file_type != FileType::kRaw) continue;
      if (!runs.empty() && runs.back().second == start && random.Below(4) > 0) {
        runs.back().second = keys[i].end.value();
      } else {
        runs.emplace_back(start, keys[i].end.value());
      }
    }
    const std::int64_t marker = MarkerOf(log);
    std::erase_if(runs, [marker](const auto& run) { return run.second <= marker; });
    if (runs.empty()) return false;
    const auto [start, end] = runs[random.Below(runs.size())];
    if (start < marker) return false;  // a draft reads from the start on
    Compact(log, start, end);
    return true;
  }

  /// "P6 R9": the kinds and ends of the log's index records.
  std::string Index(LogId log) {
    std::string text;
    for (const IndexKey& key : Keys(log)) {
      const EntryIndex index = *DecodeEntryIndex(Buffer(Value(log, key.Encode())).span(), "");
      if (!text.empty()) text += " ";
      text += (index.file_type == FileType::kRaw ? "R" : "P") + std::to_string(key.end.value());
    }
    return text;
  }
  std::size_t Files() {
    const Result<ListPage> page = sim.Run(memory_compacted.List(OpContext(), "", "", 1000));
    EXPECT_TRUE(page.ok());
    return page->objects.size();
  }
  /// Every record of the metadata store.
  std::string Dump() {
    std::string text;
    for (const MetadataRecord& record : memory_meta.backend()->Dump()) {
      text += record.key + "=" + std::string(record.value.text()) + "@" + std::to_string(record.version) + "\n";
    }
    return text;
  }
  static std::string Told(const RetentionOutcome& outcome) {
    std::string text(RetentionOutcomeName(outcome.kind));
    for (const std::int64_t number :
         {outcome.before.value(), outcome.after.value(), outcome.records, outcome.bytes, outcome.kept_records,
          outcome.kept_bytes, outcome.index_records, outcome.files, outcome.reclaimed_bytes,
          static_cast<std::int64_t>(outcome.capped)}) {
      text += " " + std::to_string(number);
    }
    return text + " " + std::string(model::RetentionReasonName(outcome.reason)) + " " + outcome.status.ToString();
  }

  std::int64_t clock_ahead_ms = 0;  ///< of the store, as leases show it
  MetadataFaultPlan meta_faults{sim.runtime()};
  FaultPlan object_faults{sim.runtime()};

 private:
  std::vector<IndexKey> Keys(LogId log) {
    std::vector<IndexKey> keys;
    for (const MetadataRecord& record : memory_meta.backend()->Dump()) {
      const Result<IndexKey> key = IndexKey::Decode(record.key);
      if (key.ok() && key->log == log) keys.push_back(*key);
    }
    return keys;
  }
  std::int64_t MarkerOf(LogId log) {
    const auto got = sim.Run(memory_meta.Get(OpContext(), Partition::OfLog(log), TrimMarkerKey(log)));
    EXPECT_TRUE(got.ok());
    return *got ? std::stoll(std::string((*got)->value.text())) : 0;
  }

  AheadMetadataStore ahead_{meta, clock_ahead_ms};
  FaultMetadataStore faulty_meta_{sim.runtime(), ahead_, meta_faults};
  FaultObjectStore faulty_files_{sim.runtime(), compacted, object_faults};
  LeaseKeeper leases_{sim.runtime(), faulty_meta_, WriterOptions()};
};

}  // namespace lakestream
