#include "log/gc/explanation.h"

#include <utility>

#include "base/try.h"
#include "log/holds/holds.h"
#include "log/gc/candidate_list.h"
#include "log/gc/name_scan.h"
#include "log/gc/object_names.h"

namespace lakestream {

namespace {

/// The key of a record that names the object; empty where none does.
Task<Result<std::string>> FindName(MetadataStore& meta, OpContext context, std::uint64_t reference) {
  std::string found;
  const NameScan::Sink take = [reference, &found](std::uint64_t name, const std::string& record_key) {
    if (found.empty() && name == reference) found = record_key;
  };
  NameScan names(meta, std::move(context), take);
  Task<Status> work = names.ReadWork();
  LS_CO_TRY(co_await work);
  if (!found.empty()) co_return found;
  Task<Status> index = names.ScanIndex();
  LS_CO_TRY(co_await index);
  co_return found;
}

Task<Result<std::optional<WallTime>>> CandidateSince(MetadataStore& meta, OpContext context, std::string object) {
  Task<Result<CandidateBase>> read = ReadCandidateBase(meta, context);
  LS_CO_ASSIGN(const CandidateBase base, co_await read);
  std::optional<WallTime> since;
  if (!base.result) co_return since;
  CandidateReader reader(meta, context, base.result->pass, base.result->records);
  do {
    Task<Status> advance = reader.Advance();
    LS_CO_TRY(co_await advance);
  } while (reader.current() != nullptr && reader.current()->object < object);
  const CollectionCandidate* const found = reader.current();
  if (found != nullptr && found->object == object) since = WallTimeFromMillis(found->since_ms.value_or(base.ended_ms));
  co_return since;
}

}  // namespace

Task<Result<ObjectOutlook>> ExplainObject(CollectorParts parts, const CollectorOptions& options, OpContext context,
                                          std::string object) {
  const std::optional<RootedName> name = RootedName::Parse(object);
  if (!name) {
    co_return InvalidArgument("an object is named by \"wal/\" or \"compacted/\" and its name there").With("object", object);
  }
  LS_CO_TRY(CheckObjectKey(name->key));
  ObjectOutlook outlook;
  outlook.object = object;
  ObjectStore& store = name->root == ObjectRoot::kWal ? parts.wal : parts.compacted;
  Task<Result<ObjectInfo>> head = store.Head(context, name->key);
  const Result<ObjectInfo> info = co_await head;
  if (info.status().code() == StatusCode::kNotFound) co_return outlook;
  LS_CO_TRY(info.status());
  outlook.exists = true;
  outlook.bytes = static_cast<std::int64_t>(info->size);
  outlook.modified = info->modified;
  const std::optional<std::uint64_t> reference = ReferenceOf(name->root, name->key);
  if (!reference) co_return outlook;
  Task<Result<std::vector<CollectionHold>>> list = ListHolds(parts.meta, context);
  LS_CO_ASSIGN(const std::vector<CollectionHold> holds, co_await list);
  for (const CollectionHold& hold : holds) outlook.holds.push_back(hold.name);
  Task<Result<std::string>> find = FindName(parts.meta, context, *reference);
  LS_CO_ASSIGN(outlook.named_by, co_await find);
  Task<Result<std::optional<WallTime>>> look = CandidateSince(parts.meta, context, object);
  LS_CO_ASSIGN(outlook.since, co_await look);
  const WallTime now = parts.runtime.clock.Wall();
  model::ObjectFacts facts;
  facts.ours = true;
  facts.named = !outlook.named_by.empty();
  facts.age = now - info->modified;
  if (outlook.since) facts.waited = model::Waited(*outlook.since, now);
  outlook.verdict = model::JudgeObject(facts, options.grace);
  // One pass makes a candidate of it, another one deletes it.
  if (outlook.verdict == model::ObjectVerdict::kYoung) outlook.not_before = info->modified + 2 * options.grace;
  if (outlook.verdict == model::ObjectVerdict::kCandidate) outlook.not_before = outlook.since.value_or(now) + options.grace;
  co_return outlook;
}

}  // namespace lakestream
