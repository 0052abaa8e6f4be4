#include "log/trim/soft_trim.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/broken_rule.h"
#include "base/try.h"
#include "format/entry_index.h"
#include "format/index_key.h"
#include "format/log_records.h"
#include "model/read_plan.h"
#include "model/trim.h"

namespace lakestream {

namespace {

/// Conflicts before a trim gives up, and the pauses between: 10 ms doubling to 320 ms, half of it by chance.
constexpr int kMaxAttempts = 10;
constexpr int kMaxBackoffDoublings = 5;
constexpr Duration kFirstBackoff = std::chrono::milliseconds(10);

struct MarkerRecord {
  Offset marker;
  std::optional<std::int64_t> version;  ///< none where there is no marker
};

struct TrimState {
  MarkerRecord marker;
  std::optional<Offset> last_record_start;
};

Result<MarkerRecord> DecodeMarker(const ReadAnswer& answer) {
  MarkerRecord record;
  if (!answer) return record;
  LS_ASSIGN(record.marker, DecodeTrimMarker(answer->value.text(), answer->key));
  record.version = answer->version;
  return record;
}

Task<Result<TrimState>> ReadState(MetadataStore& meta, OpContext context, LogId log) {
  const Partition partition = Partition::OfLog(log);
  std::vector<ReadRequest> requests;
  requests.push_back(ReadRequest{partition, TrimMarkerKey(log), KeyComparison::kEqual});
  requests.push_back(ReadRequest{partition, LastIndexKey(log), KeyComparison::kFloor});
  LS_CO_ASSIGN(const std::vector<ReadAnswer> answers, co_await meta.Read(std::move(context), std::move(requests)));
  TrimState state;
  LS_CO_ASSIGN(state.marker, DecodeMarker(answers[0]));
  const ReadAnswer& last = answers[1];
  if (!last || !IsIndexKeyOf(last->key, log)) co_return state;
  LS_CO_ASSIGN(const IndexKey key, IndexKey::Decode(last->key));
  LS_CO_ASSIGN(const EntryIndex index, DecodeEntryIndex(last->value.span(), last->key));
  LS_CO_ASSIGN(const model::IndexSpan span, model::SpanOf(key, index));
  state.last_record_start = span.start;
  co_return state;
}

Task<Status> WriteMarker(MetadataStore& meta, OpContext context, LogId log, Offset marker,
                         std::optional<std::int64_t> version, std::shared_ptr<MetadataSession> session) {
  const Partition partition = Partition::OfLog(log);
  const WriteGuard guard = {Broken(Rule::kTrimIsGuarded) ? nullptr : std::move(session)};
  const std::string key = TrimMarkerKey(log);
  const Buffer value(EncodeTrimMarker(marker));
  if (Broken(Rule::kMarkerIsSwapped)) {
    const Result<WriteAnswer> put = co_await meta.Put(std::move(context), partition, key, value, guard);
    co_return put.status();
  }
  if (version) {
    const Result<WriteAnswer> set =
        co_await meta.CompareAndSet(std::move(context), partition, key, value, *version, guard);
    co_return set.status();
  }
  const Result<WriteAnswer> created = co_await meta.CreateIfAbsent(std::move(context), partition, key, value, guard);
  co_return created.status();
}

enum class Settled { kDone, kNotDone, kUnknown };

/// What became of a write of `target` over `before` whose answer was lost. Once the marker has another version
/// than the write named, the write has happened or never will.
Task<Settled> SettleWrite(MetadataStore& meta, OpContext context, LogId log, MarkerRecord before, Offset target) {
  const Result<ReadAnswer> answer = co_await meta.Get(std::move(context), Partition::OfLog(log), TrimMarkerKey(log));
  if (!answer.ok()) co_return Settled::kUnknown;
  const Result<MarkerRecord> now = DecodeMarker(*answer);
  if (!now.ok()) co_return Settled::kUnknown;
  if (now->version == before.version) co_return Settled::kUnknown;
  co_return now->marker >= target ? Settled::kDone : Settled::kNotDone;
}

Duration BackoffAfter(Runtime& runtime, int attempt) {
  const Duration half = kFirstBackoff * (1 << std::min(attempt, kMaxBackoffDoublings)) / 2;
  return half + Duration(runtime.random.Below(static_cast<std::uint64_t>(half.count())));
}

}  // namespace

Task<Result<SoftTrimOutcome>> SoftTrim(Runtime& runtime, MetadataStore& meta, LeaseKeeper& leases, OpContext context,
                                       LogId log, Offset through) {
  if (log.value() < 0) co_return InvalidArgument("a log id is not negative").With("log", log.value());
  if (through.value() < 0) co_return InvalidArgument("an offset is not negative").With("offset", through.value());
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    if (attempt > 0) LS_CO_TRY(co_await SleepFor(runtime, context, BackoffAfter(runtime, attempt - 1)));
    LS_CO_ASSIGN(const LeaseUse lease, co_await leases.Acquire(context, log));
    LS_CO_ASSIGN(const TrimState state, co_await ReadState(meta, context, log));
    const model::TrimDecision decision = model::DecideTrim(state.marker.marker, state.last_record_start, through);
    SoftTrimOutcome outcome = {state.marker.marker, decision.marker, decision.capped};
    if (Broken(Rule::kTrimReportsWhatHappened)) outcome.after = through + 1;
    if (!decision.write) co_return outcome;
    if (!lease.Usable()) continue;

    Task<Status> write = WriteMarker(meta, context, log, decision.marker, state.marker.version, lease.session());
    const Status written = co_await write;
    switch (written.code()) {
      case StatusCode::kOk:
        co_return outcome;
      case StatusCode::kAlreadyExists:
      case StatusCode::kPreconditionFailed:
        break;
      case StatusCode::kFenced:
        // The session has ended; whether the log is fenced shows when the lease is taken again.
        lease.Invalidate();
        break;
      case StatusCode::kIndeterminate: {
        Task<Settled> settle = SettleWrite(meta, context, log, state.marker, decision.marker);
        const Settled settled = co_await settle;
        if (settled == Settled::kDone || Broken(Rule::kLostTrimIsNotSuccess)) co_return outcome;
        if (settled == Settled::kNotDone) break;
        lease.KeepForUnknownChange();
        co_return written.With("log", log.value()).With("marker", decision.marker.value());
      }
      default:
        co_return written.With("log", log.value());
    }
  }
  co_return Unavailable("others kept changing the trim marker")
      .With("log", log.value())
      .With("attempts", kMaxAttempts);
}

}  // namespace lakestream
