#include "log/compactor/log_planner.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/broken_rule.h"
#include "base/try.h"
#include "format/index_key.h"

namespace lakestream {

namespace {

constexpr int kRecordsPerPage = 500;

KeyRange IndexRange(LogId log, std::string from, std::string to) {
  KeyRange range;
  range.partition = Partition::OfLog(log);
  range.from = std::move(from);
  range.to = std::move(to);
  return range;
}

struct Decoded {
  model::PlanRecord plan;
  RangeRecord record;
};

Result<Decoded> Decode(const MetadataRecord& stored) {
  Decoded decoded;
  LS_ASSIGN(const IndexKey key, IndexKey::Decode(stored.key));
  LS_ASSIGN(decoded.record.index, DecodeEntryIndex(stored.value.span(), stored.key));
  LS_ASSIGN(decoded.record.span, model::SpanOf(key, decoded.record.index));
  LS_ASSIGN(decoded.plan, model::PlanRecordOf(key, decoded.record.index, stored.created_ms));
  decoded.record.key = stored.key;
  decoded.record.created_ms = stored.created_ms;
  return decoded;
}

/// What can be part of the range.
bool Candidate(const Decoded& decoded, const CompactionLook& look, Offset next) {
  return decoded.plan.kind == FileType::kRaw && decoded.plan.end > std::max(next, look.trim_marker);
}

}  // namespace

Task<Result<LogPlan>> PlanLog(MetadataStore& meta, OpContext context, LogId log, CompactionLook look,
                              model::CompactionOptions options, std::int64_t now_ms) {
  if (Broken(Rule::kYoungRecordsStay)) options.settle_time = Duration(0);
  model::CompactionSituation situation;
  situation.state = look.state();
  if (const auto* idle = std::get_if<CompactionIdle>(&look.record.state)) situation.next = idle->next;
  situation.quarantined = look.record.quarantined;
  situation.trim_marker = look.trim_marker;
  situation.now_ms = now_ms;
  model::CompactionPlan plan(options, situation);
  LogPlan answer;
  // From the record that ends at `next` on, for its time.
  const KeyRange range = IndexRange(log, IndexKeyFloorOf(log, situation.next), LastIndexKey(log));
  std::optional<std::string> cursor = "";
  while (cursor && plan.wants_more()) {
    LS_CO_ASSIGN(ScanPage page, co_await meta.Scan(context, range, *cursor, kRecordsPerPage));
    for (const MetadataRecord& stored : page.records) {
      if (!IsIndexKeyOf(stored.key, log)) continue;
      LS_CO_ASSIGN(Decoded decoded, Decode(stored));
      const bool candidate = Candidate(decoded, look, situation.next);
      plan.Add(std::move(decoded.plan));
      if (candidate) answer.records.push_back(std::move(decoded.record));
      if (!plan.wants_more()) break;
    }
    cursor = std::move(page.next);
  }
  answer.decision = plan.Finish();
  if (answer.decision.kind != model::CompactionDecision::Kind::kCompact) answer.records.clear();
  std::erase_if(answer.records, [&](const RangeRecord& record) {
    return record.span.start < answer.decision.range.start || record.span.end > answer.decision.range.end;
  });
  co_return answer;
}

Task<Result<model::RangeCheck::Answer>> CheckRange(MetadataStore& meta, OpContext context, LogId log,
                                                   CompactionRange range, std::int64_t cumulative_after,
                                                   Offset trim_marker) {
  model::RangeCheck check(range, cumulative_after, trim_marker);
  const KeyRange keys = IndexRange(log, IndexKeyFloorOf(log, range.start + 1), IndexKeyCeilingOf(log, range.end));
  std::optional<std::string> cursor = "";
  while (cursor) {
    LS_CO_ASSIGN(ScanPage page, co_await meta.Scan(context, keys, *cursor, kRecordsPerPage));
    for (const MetadataRecord& stored : page.records) {
      if (!IsIndexKeyOf(stored.key, log)) continue;
      LS_CO_ASSIGN(const Decoded decoded, Decode(stored));
      check.Add(decoded.plan);
    }
    cursor = std::move(page.next);
  }
  co_return check.Finish();
}

}  // namespace lakestream
