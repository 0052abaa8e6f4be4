#include "log/backup/restore.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "base/try.h"
#include "format/catalog_records.h"
#include "format/deployment_record.h"
#include "log/backup/manifest.h"
#include "log/catalog/catalog_homes.h"
#include "log/deployment/store_url.h"
#include "log/fsck/catalog_pass.h"
#include "log/fsck/fsck_job.h"
#include "log/fsck/object_check.h"
#include "log/holds/holds.h"
#include "meta/lmdb/lmdb_copy.h"
#include "meta/lmdb/lmdb_metadata_store.h"
#include "objstore/local/local_object_store.h"
#include "runtime/posix/new_folder.h"

namespace lakestream {

namespace {

constexpr Duration kStopTime = std::chrono::seconds(30);
/// Log ids may have been given out after the copy without leaving a trace in an object. More than a store could give
/// out in the days that a copy is usable.
constexpr std::int64_t kSkippedIds = std::int64_t{1} << 32;
constexpr std::string_view kDataFile = "data.mdb";

namespace fs = std::filesystem;

/// Removes a metadata directory that has lost its data and holds only what LMDB and sessions leave beside it.
Status RemoveEmptyMetadata(const std::string& directory) {
  constexpr std::array<std::string_view, 3> kLeftovers = {"lock.mdb", "sessions", "changes"};
  std::error_code error;
  if (!fs::exists(fs::symlink_status(directory, error))) return OkStatus();
  if (fs::exists(directory + "/" + std::string(kDataFile), error)) {
    return AlreadyExists("there is metadata here; move it away first, or restore somewhere else")
        .With("metadata", directory);
  }
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    const std::string name = entry.path().filename().string();
    if (std::find(kLeftovers.begin(), kLeftovers.end(), name) != kLeftovers.end()) continue;
    return AlreadyExists("there is something at the metadata's place; move it away first")
        .With("metadata", directory)
        .With("found", name);
  }
  // One by one: what another process put there meanwhile must stay.
  for (const std::string_view name : kLeftovers) {
    if (!error) fs::remove_all(directory + "/" + std::string(name), error);
  }
  if (!error) fs::remove(directory, error);
  if (!error) return OkStatus();
  return ErrnoStatus(error.value(), "the metadata's place could not be cleared", directory);
}

Result<std::unique_ptr<LocalObjectStore>> OpenObjects(Runtime& runtime, const StoreUrl& url) {
  LocalObjectStoreOptions local;
  local.directory = url.path;
  local.create = false;
  Result<std::unique_ptr<LocalObjectStore>> store = LocalObjectStore::Open(runtime, local);
  if (store.status().code() != StatusCode::kNotFound) return store;
  return Unavailable("the deployment's objects are not there; bring them back first").With("path", url.path);
}

class Restore {
 public:
  Restore(Runtime& runtime, OpContext context, std::string backup, DeploymentOptions target,
          std::function<void(const LostObject&)> on_lost)
      : runtime_(runtime),
        context_(std::move(context)),
        backup_(std::move(backup)),
        target_(std::move(target)),
        on_lost_(std::move(on_lost)) {}

  Task<Result<RestoreReport>> Run() {
    auto prepare = [this] { return Prepare(); };
    Task<Status> preparing = RunBlocking(runtime_, std::move(prepare));
    Status done = co_await preparing;
    if (done.ok()) {
      Task<Status> change = OpenAndChange();
      done = co_await change;
    }
    auto end = [this, done] { return End(done); };
    Task<Status> ending = RunBlocking(runtime_, std::move(end));
    LS_CO_TRY(co_await ending);
    co_return report_;
  }

 private:
  /// Blocks. Checks all that can be checked before anything is made, then copies.
  Status Prepare() {
    const std::string manifest_file = backup_ + "/" + std::string(kBackupManifestFile);
    const Result<std::string> text = ReadWholeFile(manifest_file);
    if (text.status().code() == StatusCode::kNotFound) return NotFound("there is no backup here").With("path", backup_);
    LS_TRY(text.status());
    LS_ASSIGN(manifest_, DecodeBackupManifest(*text, manifest_file));
    LS_ASSIGN(metadata_, StoreUrl::Parse(target_.metadata_url));
    LS_ASSIGN(wal_url_, StoreUrl::Parse(target_.wal_url));
    LS_ASSIGN(compacted_url_, StoreUrl::Parse(target_.compacted_url));
    const bool files = metadata_.kind == StoreUrl::Kind::kLmdb && wal_url_.kind == StoreUrl::Kind::kFile &&
                       compacted_url_.kind == StoreUrl::Kind::kFile;
    if (!files) return InvalidArgument("only a deployment in files can be restored").With("metadata", target_.metadata_url);
    LS_TRY(CheckApart(metadata_, wal_url_, compacted_url_));
    const std::string copy = backup_ + "/" + std::string(kBackupMetadataFile);
    LS_ASSIGN(report_.records, VerifyLmdbCopy(copy));
    if (report_.records != manifest_.records) {
      return Corrupt("a backup does not hold what it says")
          .With("path", copy)
          .With("records", report_.records)
          .With("expected", manifest_.records);
    }
    LS_ASSIGN(wal_, OpenObjects(runtime_, wal_url_));
    LS_ASSIGN(compacted_, OpenObjects(runtime_, compacted_url_));
    LS_TRY(RemoveEmptyMetadata(metadata_.path));
    LS_ASSIGN(folder_, NewFolder::Begin(metadata_.path));
    return folder_->CopyFile(copy, kDataFile);
  }

  /// Blocks. Gives the folder its name, or takes it away.
  Status End(const Status& done) {
    const Status ended = done.ok() ? folder_->Finish() : done;
    if (!ended.ok() && folder_) folder_->Abandon();
    return ended;
  }

  Task<Status> OpenAndChange() {
    LmdbOptions options;
    options.directory = folder_->partial();
    Task<Result<std::unique_ptr<LmdbMetadataStore>>> open = LmdbMetadataStore::Open(runtime_, context_, options);
    LS_CO_ASSIGN(meta_, co_await open);
    Task<Status> change = Change();
    const Status changed = co_await change;
    const OpContext last_steps = OpContext().WithDeadline(runtime_.Now() + kStopTime);
    const Status stopped = co_await meta_->Stop(last_steps);
    meta_.reset();
    LS_CO_TRY(changed);
    co_return stopped;
  }

  Task<Status> Change() {
    const std::string key(kDeploymentKey);
    LS_CO_ASSIGN(const ReadAnswer answer, co_await meta_->Get(context_, Partition::OfKey(key), key));
    if (!answer) co_return Corrupt("a backup holds no deployment record").With("path", backup_);
    LS_CO_ASSIGN(record_, DecodeDeploymentRecord(answer->value.text()));
    LS_CO_TRY(CheckRoots());
    report_.made_ms = manifest_.made_ms;
    report_.usable_until_ms = manifest_.made_ms + record_.grace_ms;

    FsckOptions options;
    options.times = Times();
    const auto count = [this](const Finding& finding) {
      // What the restore is about to set right.
      const bool expected = finding.kind == FindingKind::kLogIdNotGivenOut;
      if (IsDamage(finding.kind) && !expected) ++report_.damage;
    };
    CatalogHomes homes(*meta_);
    const FsckStores stores{*meta_, *wal_, *compacted_, homes};
    FsckJob job(runtime_, stores, context_, options, count);
    Task<Status> compare = Compare(job);
    LS_CO_TRY(co_await compare);
    Task<Status> ids = MoveOn(job.greatest_log.value_or(LogId(0)));
    LS_CO_TRY(co_await ids);
    Task<Status> hold = Hold();
    LS_CO_TRY(co_await hold);
    Task<Status> epoch = SetEpoch(answer->version);
    co_return co_await epoch;
  }

  Status CheckRoots() const {
    const auto check = [](std::string_view field, const std::string& recorded, const std::string& asked) {
      if (recorded == asked) return OkStatus();
      return PreconditionFailed("the copied deployment has its objects elsewhere")
          .With("field", field)
          .With("recorded", recorded)
          .With("asked", asked);
    };
    LS_TRY(check("wal_root", record_.wal_root, RecordedRoot(metadata_, wal_url_)));
    return check("compacted_root", record_.compacted_root, RecordedRoot(metadata_, compacted_url_));
  }

  DeploymentTimes Times() const {
    DeploymentTimes times;
    times.grace = std::chrono::milliseconds(record_.grace_ms);
    times.publish_deadline = std::chrono::milliseconds(record_.publish_deadline_ms);
    times.index_deadline = std::chrono::milliseconds(record_.index_deadline_ms);
    return times;
  }

  /// Joins the copy with the objects; sees every log id.
  Task<Status> Compare(FsckJob& job) {
    Task<Status> compare = CompareObjects(job);
    LS_CO_TRY(co_await compare);
    Task<Status> catalog = CheckCatalog(job);
    LS_CO_TRY(co_await catalog);
    if (job.table.AllNamed()) co_return OkStatus();
    // An object whose index record came after the copy was begun at most so long before it.
    const WallTime since =
        WallTimeFromMillis(manifest_.made_ms) - job.options.times.publish_deadline - job.options.times.index_deadline;
    std::optional<std::string> after = "";
    while (after) {
      Task<Result<std::vector<ObjectInfo>>> next = job.NextObjects(*wal_, &after);
      LS_CO_ASSIGN(const std::vector<ObjectInfo> objects, co_await next);
      for (const ObjectInfo& info : objects) {
        if (info.modified < since || !job.table.Holds(SectionTable::ObjectHash(info.key))) continue;
        Task<Status> look = LookForLost(job, info);
        LS_CO_TRY(co_await look);
      }
    }
    co_return OkStatus();
  }

  Task<Status> LookForLost(FsckJob& job, ObjectInfo info) {
    Task<Result<WalHeader>> fetch = FetchWalHeader(*wal_, context_, info.key, info.size);
    LS_CO_ASSIGN(const WalHeader header, co_await fetch);
    LostObject lost;
    for (const WalSection& section : header.index.sections) {
      if (job.table.IsNamed(SectionTable::Of(info.key, section, header.payload_size))) continue;
      lost.entries += static_cast<std::int64_t>(section.entries.size());
      lost.payload_bytes += section.PayloadBytes();
    }
    if (lost.entries == 0) co_return OkStatus();
    lost.key = info.key;
    lost.bytes = info.size;
    ++report_.lost_objects;
    report_.lost_entries += lost.entries;
    report_.lost_bytes += lost.payload_bytes;
    on_lost_(lost);
    co_return OkStatus();
  }

  /// Ends the sessions of the copy, and moves the generator of log ids.
  Task<Status> MoveOn(LogId greatest) {
    Task<Result<std::uint64_t>> claim = meta_->ClaimCopy(context_, greatest.value(), kSkippedIds);
    LS_CO_ASSIGN(report_.sessions_ended, co_await claim);
    const std::string key(kLogIdGeneratorKey);
    const Buffer nothing;
    const Result<WriteAnswer> put =
        co_await meta_->Put(context_, Partition::OfKey(key), key, nothing, WriteGuard());
    LS_CO_TRY(put.status());
    report_.given_out = put->version;
    co_return OkStatus();
  }

  Task<Status> Hold() {
    // Two restores of one copy need epochs of their own, too.
    report_.epoch = std::max(record_.epoch + 1, ToMillis(runtime_.clock.Wall()));
    report_.hold = "restore-" + std::to_string(report_.epoch);
    const std::string reason = "metadata was restored from a copy; look for lost entries before objects are collected";
    Task<Status> add = AddHold(runtime_, *meta_, context_, report_.hold, reason);
    co_return co_await add;
  }

  Task<Status> SetEpoch(std::int64_t version) {
    DeploymentRecord record = record_;
    record.epoch = report_.epoch;
    LS_CO_ASSIGN(std::string value, EncodeDeploymentRecord(record));
    const std::string key(kDeploymentKey);
    const Buffer bytes(std::move(value));
    const Result<WriteAnswer> set =
        co_await meta_->CompareAndSet(context_, Partition::OfKey(key), key, bytes, version, WriteGuard());
    co_return set.status();
  }

  Runtime& runtime_;
  const OpContext context_;
  const std::string backup_;
  const DeploymentOptions target_;
  const std::function<void(const LostObject&)> on_lost_;
  BackupManifest manifest_;
  StoreUrl metadata_;
  StoreUrl wal_url_;
  StoreUrl compacted_url_;
  DeploymentRecord record_;
  std::unique_ptr<NewFolder> folder_;
  std::unique_ptr<LocalObjectStore> wal_;
  std::unique_ptr<LocalObjectStore> compacted_;
  std::unique_ptr<LmdbMetadataStore> meta_;
  RestoreReport report_;
};

}  // namespace

Task<Result<RestoreReport>> RestoreMetadata(Runtime& runtime, OpContext context, std::string backup,
                                            DeploymentOptions target,
                                            std::function<void(const LostObject&)> on_lost) {
  Restore restore(runtime, std::move(context), std::move(backup), std::move(target), std::move(on_lost));
  Task<Result<RestoreReport>> run = restore.Run();
  co_return co_await run;
}

}  // namespace lakestream
