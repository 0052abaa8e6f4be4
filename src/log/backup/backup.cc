#include "log/backup/backup.h"

#include <sys/stat.h>

#include <memory>
#include <utility>

#include "base/try.h"
#include "log/backup/manifest.h"
#include "meta/lmdb/lmdb_copy.h"
#include "runtime/posix/new_folder.h"

namespace lakestream {

namespace {

struct Copied {
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;
};

/// Blocks. Requires: the metadata has been copied into the folder.
Result<Copied> FinishBackup(NewFolder& folder, BackupManifest manifest, const std::optional<std::string>& config) {
  const std::string file = folder.partial() + "/" + std::string(kBackupMetadataFile);
  LS_ASSIGN(manifest.records, VerifyLmdbCopy(file));
  struct stat about;
  if (::stat(file.c_str(), &about) != 0) return ErrnoStatus(errno, "the copy could not be examined", file);
  if (config) LS_TRY(folder.WriteFile(kBackupConfigFile, *config));
  LS_TRY(folder.WriteFile(kBackupManifestFile, EncodeBackupManifest(manifest)));
  LS_TRY(folder.Finish());
  return Copied{manifest.records, static_cast<std::uint64_t>(about.st_size)};
}

Task<Result<Copied>> Fill(Runtime& runtime, Deployment& deployment, OpContext context, NewFolder& folder,
                          BackupManifest manifest, std::optional<std::string> config) {
  const std::string file = folder.partial() + "/" + std::string(kBackupMetadataFile);
  LS_CO_TRY(co_await deployment.CopyMetadata(std::move(context), file));
  auto finish = [&folder, manifest = std::move(manifest), config = std::move(config)] {
    return FinishBackup(folder, manifest, config);
  };
  Task<Result<Copied>> finishing = RunBlocking(runtime, std::move(finish));
  co_return co_await finishing;
}

}  // namespace

Task<Result<BackupReport>> BackUpMetadata(Runtime& runtime, Deployment& deployment, OpContext context,
                                          std::string folder_path, std::optional<std::string> config) {
  using Begun = Result<std::unique_ptr<NewFolder>>;
  auto begin = [folder_path]() -> Begun { return NewFolder::Begin(folder_path); };
  Task<Begun> beginning = RunBlocking(runtime, std::move(begin));
  LS_CO_ASSIGN(const std::unique_ptr<NewFolder> folder, co_await beginning);

  BackupManifest manifest;
  manifest.deployment_id = deployment.id();
  manifest.epoch = deployment.record().epoch;
  manifest.made_ms = ToMillis(runtime.clock.Wall());
  manifest.grace_ms = deployment.record().grace_ms;
  manifest.metadata = deployment.options().metadata_url;
  manifest.wal = deployment.options().wal_url;
  manifest.compacted = deployment.options().compacted_url;
  BackupReport report;
  report.made_ms = manifest.made_ms;
  report.usable_until_ms = manifest.made_ms + manifest.grace_ms;
  Task<Result<Copied>> fill =
      Fill(runtime, deployment, std::move(context), *folder, std::move(manifest), std::move(config));
  const Result<Copied> copied = co_await fill;
  if (!copied.ok()) {
    auto abandon = [&folder] {
      folder->Abandon();
      return OkStatus();
    };
    Task<Status> abandoning = RunBlocking(runtime, std::move(abandon));
    LS_CO_TRY(co_await abandoning);
    co_return copied.status();
  }
  report.records = copied->records;
  report.bytes = copied->bytes;
  co_return report;
}

}  // namespace lakestream
