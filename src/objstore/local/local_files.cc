#include "objstore/local/local_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/logging.h"
#include "base/try.h"
#include "objstore/local/checked_read.h"
#include "objstore/local/list_files.h"
#include "objstore/local/stored_checksum.h"
#include "runtime/posix/directories.h"

namespace lakestream {
namespace {

constexpr std::size_t kMaxDirectories = 128;
constexpr Duration kTempFileAge = std::chrono::hours(24);

std::string FolderOf(const std::string& key) {
  const std::size_t slash = key.rfind('/');
  return slash == std::string::npos ? std::string() : key.substr(0, slash);
}
std::string NameOf(const std::string& key) {
  const std::size_t slash = key.rfind('/');
  return slash == std::string::npos ? key : key.substr(slash + 1);
}

/// True where an error number says that there is no such file.
bool MeansMissing(int error) { return error == ENOENT || error == ENOTDIR || error == ELOOP; }

}  // namespace

LocalFiles::LocalFiles(const LocalObjectStoreOptions& options, UniqueFd root)
    : path_(options.directory),
      directories_(std::move(root), kMaxDirectories),
      named_temp_files_(options.named_temp_files) {}

Result<std::shared_ptr<LocalFiles>> LocalFiles::Open(const LocalObjectStoreOptions& options, WallTime now) {
  if (options.directory.empty()) return InvalidArgument("an object store needs a directory");
  if (options.create) LS_TRY(MakeDirectories(options.directory));
  UniqueFd root = OpenAt(AT_FDCWD, options.directory, O_RDONLY | O_DIRECTORY);
  if (!root.valid()) {
    if (errno == ENOENT) return NotFound("the directory does not exist").With("path", options.directory);
    if (errno == ENOTDIR) return InvalidArgument("the path is no directory").With("path", options.directory);
    return ErrnoStatus(errno, "the directory could not be opened", options.directory);
  }
  const std::shared_ptr<LocalFiles> files(new LocalFiles(options, std::move(root)));
  // An unnamed file gets its name through /proc.
  if (::access("/proc/self/fd", X_OK) != 0) files->named_temp_files_ = true;
  const Result<ObjectLeftovers> removed = files->RemoveLeftovers(now - kTempFileAge);
  (void)removed;  // what stays takes room, and no more
  return files;
}

bool LocalFiles::IsReserved(const std::string& key) {
  return std::string_view(key).substr(0, key.find('/')) == kTempFolder || key.ends_with(kSideFileSuffix);
}

Status LocalFiles::Explain(const Status& status) const {
  const Status named = status.With("directory", path_);
  if (status.code() != StatusCode::kResourceExhausted) return named;
  struct statvfs about;
  if (::fstatvfs(directories_.root(), &about) != 0) return named;
  return named.With("free_bytes", static_cast<std::uint64_t>(about.f_bavail) * about.f_frsize)
      .With("free_inodes", static_cast<std::uint64_t>(about.f_favail));
}

Result<int> LocalFiles::TempDirectory() {
  const std::lock_guard lock(mutex_);
  if (!temp_directory_.valid()) {
    const std::string folder(kTempFolder);
    if (::mkdirat(directories_.root(), folder.c_str(), 0777) != 0 && errno != EEXIST) {
      return ErrnoStatus(errno, "the temporary directory could not be made", folder);
    }
    temp_directory_ = OpenAt(directories_.root(), folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (!temp_directory_.valid()) return ErrnoStatus(errno, "the temporary directory could not be opened", folder);
  }
  return temp_directory_.get();
}

Result<ObjectLeftovers> LocalFiles::RemoveLeftovers(WallTime before) {
  const std::string folder(kTempFolder);
  ObjectLeftovers removed;
  UniqueFd fd = OpenAt(directories_.root(), folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (!fd.valid()) {
    if (MeansMissing(errno)) return removed;
    return Explain(ErrnoStatus(errno, "the temporary directory could not be opened", folder));
  }
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::fdopendir(fd.get()), ::closedir);
  if (!stream) return Explain(ErrnoStatus(errno, "the temporary directory could not be read", folder));
  fd.Release();
  while (const dirent* entry = ::readdir(stream.get())) {
    struct stat about;
    const int directory = ::dirfd(stream.get());
    if (::fstatat(directory, entry->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(about.st_mode)) continue;
    if (ModifiedTime(about) >= before) continue;
    if (::unlinkat(directory, entry->d_name, 0) != 0) {
      if (MeansMissing(errno)) continue;
      return Explain(ErrnoStatus(errno, "a temporary file could not be removed", folder + "/" + entry->d_name));
    }
    ++removed.uploads;
    removed.bytes += about.st_size;
  }
  return removed;
}

Result<LocalFiles::Draft> LocalFiles::Begin(const std::string& key, const std::string& temp_name) {
  for (bool again = false;; again = true) {
    Result<Draft> draft = TryBegin(key, temp_name);
    if (draft.ok()) return draft;
    const Status status = draft.status();
    if (status.code() != StatusCode::kNotFound) return Explain(status);
    if (again) return Explain(status.As(StatusCode::kUnavailable));
    directories_.ForgetAll();
  }
}

Result<LocalFiles::Draft> LocalFiles::TryBegin(const std::string& key, const std::string& temp_name) {
  LS_ASSIGN(DirectoryCache::Directory directory, directories_.Ensure(FolderOf(key)));
  if (!named_temp_files_) {
    Result<TempFile> unnamed = TempFile::CreateUnnamed(directory->get(), key);
    if (unnamed.ok()) return Draft{std::move(directory), *std::move(unnamed)};
    if (unnamed.status().code() != StatusCode::kUnimplemented) return unnamed.status();
    named_temp_files_ = true;
  }
  LS_ASSIGN(const int temp_directory, TempDirectory());
  LS_ASSIGN(TempFile named, TempFile::CreateNamed(temp_directory, temp_name, key));
  return Draft{std::move(directory), std::move(named)};
}

Status LocalFiles::Append(Draft& draft, const BufferChain& bytes) {
  const Status appended = draft.file.Append(bytes);
  return appended.ok() ? appended : Explain(appended);
}

Status LocalFiles::StoreChecksum(const Draft& draft, const std::string& key) {
  LS_ASSIGN(const bool done, SetChecksumAttribute(draft.file.fd(), draft.file.checksum(), key));
  if (done) return OkStatus();
  LS_ASSIGN(const ino_t inode, draft.file.inode());
  LS_TRY(AppendSideFile(draft.directory->get(), NameOf(key), draft.file.checksum(), inode));
  ++side_files_;
  return OkStatus();
}

Status LocalFiles::Publish(Draft& draft, const std::string& key, const StillWanted& wanted) {
  const int directory = draft.directory->get();
  // The checksum is durable with the bytes, and both before the object can be seen.
  Status ready = StoreChecksum(draft, key);
  if (ready.ok()) ready = draft.file.Sync();
  if (!ready.ok()) return Explain(ready);
  LS_TRY(wanted());
  const std::string name = NameOf(key);
  const int error = draft.file.Link(directory, name);
  if (error != 0) return LinkFailed(error, draft, key);
  if (::fsync(directory) == 0) return OkStatus();
  const int sync_error = errno;
  // Without its name, nobody takes the object for a durable one; whether a crash brings it back is open.
  ::unlinkat(directory, name.c_str(), 0);
  const Status failed = ErrnoStatus(sync_error, "the directory of the object could not be synced", key);
  return Explain(failed.As(StatusCode::kIndeterminate));
}

Status LocalFiles::LinkFailed(int error, const Draft& draft, const std::string& key) {
  struct stat about;
  const bool there =
      ::fstatat(draft.directory->get(), NameOf(key).c_str(), &about, AT_SYMLINK_NOFOLLOW) == 0;
  if (error == EEXIST) {
    if (there && S_ISDIR(about.st_mode)) {
      return InvalidArgument("other keys continue this one").With("key", key);
    }
    return AlreadyExists("the key has an object").With("key", key);
  }
  if (error == ENOENT) {
    directories_.ForgetAll();
    return Explain(Unavailable("the directory of the object was removed").With("key", key));
  }
  const Status failed = Explain(ErrnoStatus(error, "the object could not be given its name", key));
  // An error that left the name behind all the same.
  return there ? failed.As(StatusCode::kIndeterminate) : failed;
}

Result<LocalFiles::OpenObject> LocalFiles::OpenForRead(const std::string& key) {
  if (IsReserved(key)) return NotFound("no such object").With("key", key);
  OpenObject object;
  // Without O_NONBLOCK a foreign pipe would hold the thread.
  object.fd = OpenAt(directories_.root(), key, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (!object.fd.valid()) {
    if (MeansMissing(errno) || errno == ENAMETOOLONG || errno == ENXIO) {
      return NotFound("no such object").With("key", key);
    }
    return Explain(ErrnoStatus(errno, "the object could not be opened", key));
  }
  struct stat about;
  if (::fstat(object.fd.get(), &about) != 0) {
    return Explain(ErrnoStatus(errno, "the object could not be examined", key));
  }
  if (!S_ISREG(about.st_mode)) return NotFound("no such object").With("key", key);
  object.size = static_cast<std::uint64_t>(about.st_size);
  object.inode = about.st_ino;
  object.modified = ModifiedTime(about);
  return object;
}

Result<Buffer> LocalFiles::Get(const std::string& key, ByteRange range) {
  LS_ASSIGN(const OpenObject object, OpenForRead(key));
  LS_ASSIGN(const std::optional<ObjectChecksum> checksum,
            ReadChecksum(object.fd.get(), object.inode, directories_.root(), key));
  if (!checksum) ++without_checksum_;
  Result<Buffer> bytes = ReadChecked(object.fd.get(), object.size, checksum, range, key);
  if (bytes.status().code() == StatusCode::kCorrupt) ++corrupt_;
  return bytes;
}

Result<ObjectInfo> LocalFiles::Head(const std::string& key) {
  LS_ASSIGN(const OpenObject object, OpenForRead(key));
  LS_ASSIGN(const std::optional<ObjectChecksum> checksum,
            ReadChecksum(object.fd.get(), object.inode, directories_.root(), key));
  ObjectInfo info;
  info.key = key;
  info.size = object.size;
  info.modified = object.modified;
  if (checksum) info.crc32c = checksum->whole;
  return info;
}

Result<ListPage> LocalFiles::List(const std::string& prefix, const std::string& start_after, int limit) {
  return ListFiles(directories_.root(), prefix, start_after, static_cast<std::size_t>(limit));
}

Status LocalFiles::Delete(const std::vector<std::string>& keys) {
  std::map<std::string, UniqueFd> folders;
  Status failed;
  for (const std::string& key : keys) {
    if (IsReserved(key)) continue;
    const std::string folder = FolderOf(key);
    auto found = folders.find(folder);
    if (found == folders.end()) {
      UniqueFd fd = OpenAt(directories_.root(), folder.empty() ? "." : folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
      if (!fd.valid()) {
        if (MeansMissing(errno) || errno == ENAMETOOLONG) continue;
        failed = ErrnoStatus(errno, "the directory could not be opened", folder);
        break;
      }
      found = folders.emplace(folder, std::move(fd)).first;
    }
    const std::string name = NameOf(key);
    const int directory = found->second.get();
    if (::unlinkat(directory, name.c_str(), 0) != 0 && !MeansMissing(errno) && errno != ENAMETOOLONG) {
      const int error = errno;
      struct stat about;
      const bool folder_of_others =
          ::fstatat(directory, name.c_str(), &about, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(about.st_mode);
      if (folder_of_others) continue;
      failed = ErrnoStatus(error, "the object could not be deleted", key);
      break;
    }
    ::unlinkat(directory, (name + std::string(kSideFileSuffix)).c_str(), 0);
  }
  // Also where nothing was there: an earlier call may have failed to sync what it removed.
  for (const auto& [folder, fd] : folders) {
    if (::fsync(fd.get()) == 0 || (errno == EROFS && !failed.ok())) continue;
    const Status unsynced = ErrnoStatus(errno, "the directory could not be synced", folder);
    return Explain(unsynced.As(StatusCode::kIndeterminate));
  }
  return failed.ok() ? OkStatus() : Explain(failed);
}

LocalObjectStoreCounters LocalFiles::counters() const {
  LocalObjectStoreCounters counters;
  counters.without_checksum = without_checksum_.load();
  counters.corrupt = corrupt_.load();
  counters.side_files = side_files_.load();
  return counters;
}

}  // namespace lakestream
