#include "log/compactor/compaction_look.h"

#include <utility>
#include <vector>

#include "base/broken_rule.h"
#include "base/try.h"
#include "format/log_records.h"

namespace lakestream {

namespace {

std::string OwnerOf(const CompactionRecord& record) {
  if (const auto* working = std::get_if<CompactionWorking>(&record.state)) return working->owner;
  if (const auto* installing = std::get_if<CompactionInstalling>(&record.state)) return installing->owner;
  return std::string();
}

}  // namespace

model::CompactionState CompactionLook::state() const {
  using State = model::CompactionState;
  if (!version) return State::kAbsent;
  if (std::holds_alternative<CompactionWorking>(record.state)) return State::kWorking;
  if (std::holds_alternative<CompactionInstalling>(record.state)) return State::kInstalling;
  return std::holds_alternative<CompactionDropped>(record.state) ? State::kDropped : State::kIdle;
}

Task<Result<CompactionLook>> LookAtCompaction(MetadataStore& meta, OpContext context, LogId log,
                                              std::string own_session) {
  const Partition partition = Partition::OfLog(log);
  std::vector<ReadRequest> requests;
  requests.push_back(ReadRequest{partition, CompactionRecordKey(log), KeyComparison::kEqual});
  requests.push_back(ReadRequest{partition, TrimMarkerKey(log), KeyComparison::kEqual});
  requests.push_back(ReadRequest{partition, WriteFenceKey(log), KeyComparison::kEqual});
  LS_CO_ASSIGN(const std::vector<ReadAnswer> answers, co_await meta.Read(context, std::move(requests)));
  CompactionLook look;
  if (answers[0]) {
    look.value = std::string(answers[0]->value.text());
    look.version = answers[0]->version;
    LS_CO_ASSIGN(look.record, DecodeCompactionRecord(look.value, log));
    look.owner = OwnerOf(look.record);
  }
  if (answers[1]) {
    LS_CO_ASSIGN(look.trim_marker, DecodeTrimMarker(answers[1]->value.text(), answers[1]->key));
  }
  look.fenced = answers[2].has_value();
  look.owner_lives = look.owner == own_session;
  if (look.owner.empty() || look.owner_lives) co_return look;
  const std::string claim_key = CompactionClaimKey(log, look.owner);
  LS_CO_ASSIGN(const ReadAnswer claim, co_await meta.Get(std::move(context), partition, claim_key));
  look.owner_lives = claim.has_value();
  co_return look;
}

Task<Status> SwapCompaction(MetadataStore& meta, OpContext context, LogId log, CompactionRecord record,
                            std::optional<std::int64_t> version, std::shared_ptr<MetadataSession> session) {
  LS_CO_ASSIGN(std::string value, EncodeCompactionRecord(record, log));
  const Partition partition = Partition::OfLog(log);
  const std::string key = CompactionRecordKey(log);
  const Buffer bytes(std::move(value));
  const WriteGuard guard(std::move(session));
  if (Broken(Rule::kCompactionRecordIsSwapped)) {
    const Result<WriteAnswer> put = co_await meta.Put(std::move(context), partition, key, bytes, guard);
    co_return put.status();
  }
  if (!version) {
    const Result<WriteAnswer> created = co_await meta.CreateIfAbsent(std::move(context), partition, key, bytes, guard);
    co_return created.status();
  }
  const Result<WriteAnswer> set =
      co_await meta.CompareAndSet(std::move(context), partition, key, bytes, *version, guard);
  co_return set.status();
}

}  // namespace lakestream
