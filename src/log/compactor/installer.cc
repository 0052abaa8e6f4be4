#include "log/compactor/installer.h"

#include <algorithm>
#include <utility>

#include "base/broken_rule.h"
#include "base/invariant.h"
#include "format/entry_index.h"
#include "format/index_key.h"
#include "format/log_records.h"
#include "log/compactor/compaction_look.h"

namespace lakestream {

namespace {

using Action = model::InstallAction;
using How = model::InstallEvent;
using Step = model::InstallStep;

/// Steps in a row that have to be repeated before somebody else should look; the pauses between double.
constexpr int kMostRetries = 12;
constexpr Duration kFirstPause = std::chrono::milliseconds(10);
constexpr Duration kMostPause = std::chrono::seconds(2);

model::InstallCell Next(Step step, How event) {
  const model::InstallCell cell = model::NextInstall(step, event);
  if (Broken(Rule::kParquetIsNotReplaced) && event == How::kKeyForeign) {
    return model::NextInstall(step, How::kKeyRaw);
  }
  if (!Broken(Rule::kInstalledBeforeRetired) || cell.action != Action::kDo) return cell;
  // C4, then C3.
  if (step == Step::kLease) return model::InstallCell{Step::kDeleteRange, Action::kDo};
  if (step == Step::kDeleteRange) return model::InstallCell{Step::kGetKey, Action::kDo};
  if (cell.next == Step::kDeleteRange) return model::InstallCell{Step::kFinish, Action::kDo};
  return cell;
}

}  // namespace

Installer::Installer(Runtime& runtime, MetadataStore& meta, LeaseKeeper& leases, CellCounter& cells, LogId log,
                     CompactionRecord record, std::int64_t version, std::shared_ptr<MetadataSession> session)
    : runtime_(runtime),
      meta_(meta),
      leases_(leases),
      cells_(cells),
      log_(log),
      partition_(Partition::OfLog(log)),
      record_(std::move(record)),
      installing_(std::get<CompactionInstalling>(record_.state)),
      version_(version),
      session_(std::move(session)) {}

/// A fence that is seen meanwhile does not matter, the end of the session behind the lease does.
bool Installer::SessionsLive() const {
  return session_->ProvablyAlive() && (!lease_ || lease_.session()->ProvablyAlive());
}

Task<InstallEnd> Installer::Run(OpContext context) {
  Step step = Step::kLease;
  Duration pause = kFirstPause;
  InstallEnd end;
  for (int retries = 0;;) {
    How event = How::kSessionEnded;
    if (SessionsLive()) {
      Task<How> work = Do(context, step);
      event = co_await work;
      // Whether the step was done does not count any more: whoever comes next finds out.
      if (!SessionsLive()) event = How::kSessionEnded;
    }
    cells_.Note(step, event);
    const model::InstallCell cell = Next(step, event);
    LS_INVARIANT(cell.action != Action::kImpossible, "a step of an installation ends in one of its ways");
    end.action = cell.action;
    if (cell.action == Action::kDo) retries = 0;
    if (cell.action != Action::kDo && cell.action != Action::kRetry) break;
    if (cell.action == Action::kRetry) {
      if (++retries > kMostRetries) break;
      const Status slept = co_await SleepFor(runtime_, context, pause);
      pause = std::min(pause * 2, kMostPause);
      if (!slept.ok()) {
        last_ = slept;
        break;
      }
    }
    step = cell.next;
  }
  if (unknown_) end.unsettled = lease_;
  if (end.action != Action::kDone) end.status = last_;
  co_return end;
}

Task<How> Installer::Do(OpContext context, Step step) {
  switch (step) {
    case Step::kLease: return Lease(std::move(context));
    case Step::kGetKey: return GetKey(std::move(context));
    case Step::kPutRecord: return PutRecord(std::move(context));
    case Step::kDeleteRange: return DeleteRange(std::move(context));
    case Step::kFinish: return Finish(std::move(context));
  }
  DieInvariant("step", "an installation has five steps");
}

/// Of a step that is a write.
How Installer::EventOf(const Status& status) {
  if (status.ok()) return How::kDone;
  last_ = status.With("log", log_.value());
  switch (status.code()) {
    case StatusCode::kPreconditionFailed:
    case StatusCode::kAlreadyExists:
      return How::kConflict;
    case StatusCode::kFenced:
      return How::kSessionEnded;
    case StatusCode::kIndeterminate:
      return How::kUnknown;
    default:
      return How::kRefused;
  }
}

/// Of C3 and C4: their guard is the lease's session, whatever becomes of the owner's own.
How Installer::EventUnderLease(const Status& status) {
  const How event = EventOf(status);
  if (status.code() == StatusCode::kFenced) {
    lease_.Invalidate();
    last_ = last_.As(StatusCode::kUnavailable);
  }
  return event;
}

Task<How> Installer::Lease(OpContext context) {
  Result<LeaseUse> lease = co_await leases_.Acquire(std::move(context), log_);
  if (lease.ok()) {
    lease_ = *std::move(lease);
    co_return How::kDone;
  }
  last_ = lease.status();
  co_return last_.code() == StatusCode::kFenced ? How::kFenced : How::kRefused;
}

Task<How> Installer::GetKey(OpContext context) {
  const std::string key = installing_.key.Encode();
  const Result<ReadAnswer> got = co_await meta_.Get(std::move(context), partition_, key);
  if (!got.ok()) {
    last_ = got.status().With("log", log_.value());
    co_return How::kRefused;
  }
  const ReadAnswer& answer = *got;
  // Where the version is another one, a Put on the one before has been done, or never will be.
  if (!answer || answer->version != key_version_) unknown_ = false;
  if (!answer) co_return How::kKeyAbsent;
  if (answer->value.text() == installing_.value) co_return How::kKeyOurs;
  const Result<EntryIndex> index = DecodeEntryIndex(answer->value.span(), key);
  if (!index.ok() || (index->file_type != FileType::kRaw && !Broken(Rule::kParquetIsNotReplaced))) {
    last_ = Corrupt("an index record is not what a compaction is to replace").With("object", key);
    co_return How::kKeyForeign;
  }
  key_version_ = answer->version;
  co_return How::kKeyRaw;
}

Task<How> Installer::PutRecord(OpContext context) {
  const std::string key = installing_.key.Encode();
  const Buffer value = Buffer::CopyOf(installing_.value);
  const WriteGuard guard(lease_.session());
  if (Broken(Rule::kInstalledOnItsVersion)) {
    const Result<WriteAnswer> put = co_await meta_.Put(std::move(context), partition_, key, value, guard);
    co_return EventUnderLease(put.status());
  }
  const Result<WriteAnswer> set =
      co_await meta_.CompareAndSet(std::move(context), partition_, key, value, key_version_, guard);
  const How event = EventUnderLease(set.status());
  if (event == How::kUnknown) unknown_ = true;
  // The version has moved on: no earlier Put on it can be done any more.
  if (event == How::kDone || event == How::kConflict) unknown_ = false;
  co_return event;
}

Task<How> Installer::DeleteRange(OpContext context) {
  const WriteGuard guard(lease_.session());
  const std::string from = IndexKeyFloorOf(log_, installing_.range.start + 1);
  const std::string to = IndexKeyCeilingOf(log_, installing_.range.end - 1);
  const Status deleted = co_await meta_.DeleteRange(context, partition_, from, to, guard);
  const How event = EventUnderLease(deleted);
  unknown_ |= event == How::kUnknown;
  if (event != How::kDone) co_return event;
  // What is sent twice is the same twice, and none of these keys comes back.
  unknown_ = false;
  // For Ursa's collector, which goes by it; nothing here does.
  const std::string cursor_key = CompactionCursorKey(log_);
  const Buffer cursor(EncodeCompactionCursor(installing_.range.end + 1));
  const Result<WriteAnswer> put =
      co_await meta_.Put(std::move(context), Partition::OfKey(cursor_key), cursor_key, cursor, guard);
  if (!put.ok()) (void)EventUnderLease(put.status());
  co_return event;
}

Task<How> Installer::Finish(OpContext context) {
  CompactionRecord idle = record_;
  idle.state = CompactionIdle{installing_.range.end};
  std::optional<std::int64_t> version = version_;
  if (Broken(Rule::kFinishedOnItsVersion)) {
    const Result<ReadAnswer> now = co_await meta_.Get(context, partition_, CompactionRecordKey(log_));
    if (now.ok() && *now) version = (*now)->version;
  }
  Task<Status> swap = SwapCompaction(meta_, std::move(context), log_, std::move(idle), version, session_);
  co_return EventOf(co_await swap);
}

}  // namespace lakestream
