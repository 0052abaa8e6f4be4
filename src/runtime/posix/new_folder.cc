#include "runtime/posix/new_folder.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "base/try.h"
#include "runtime/posix/directories.h"

namespace lakestream {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
constexpr int kFileMode = 0640;

std::string Above(const std::string& path) {
  const std::string above = std::filesystem::path(path).parent_path().string();
  return above.empty() ? "." : above;
}

bool SameFile(int fd, const std::string& path) {
  struct stat open_one;
  struct stat named;
  if (::fstat(fd, &open_one) != 0 || ::stat(path.c_str(), &named) != 0) return false;
  return open_one.st_dev == named.st_dev && open_one.st_ino == named.st_ino;
}

Status WriteAll(int fd, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = Uninterrupted([&] { return ::write(fd, bytes.data(), bytes.size()); });
    if (written < 0) return ErrnoStatus(errno, "the file could not be written", path);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return OkStatus();
}

Status SyncFile(int fd, const std::string& path) {
  if (::fsync(fd) == 0) return OkStatus();
  return ErrnoStatus(errno, "the file could not be synced", path);
}

UniqueFd MakeFile(const std::string& path) {
  return OpenAt(AT_FDCWD, path, O_WRONLY | O_CREAT | O_EXCL, kFileMode);
}

}  // namespace

NewFolder::NewFolder(std::string path) : path_(std::move(path)), partial_(path_ + ".partial") {}

Result<std::unique_ptr<NewFolder>> NewFolder::Begin(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  std::unique_ptr<NewFolder> folder(new NewFolder(std::move(path)));
  std::error_code error;
  if (std::filesystem::exists(std::filesystem::symlink_status(folder->path_, error))) {
    return AlreadyExists("there is something at the new folder's place").With("path", folder->path_);
  }
  if (::mkdir(folder->partial_.c_str(), 0777) != 0 && errno != EEXIST) {
    return ErrnoStatus(errno, "the folder could not be made", folder->partial_);
  }
  folder->lock_ = OpenAt(AT_FDCWD, folder->partial_, O_RDONLY | O_DIRECTORY);
  if (!folder->lock_.valid()) return ErrnoStatus(errno, "the folder could not be opened", folder->partial_);
  const bool locked = ::flock(folder->lock_.get(), LOCK_EX | LOCK_NB) == 0;
  // One who finished meanwhile has given it its name: then it is not ours to empty.
  if (!locked || !SameFile(folder->lock_.get(), folder->partial_)) {
    return Unavailable("another process is writing this folder").With("path", folder->partial_);
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder->partial_, error)) {
    std::error_code failed;
    std::filesystem::remove_all(entry.path(), failed);
    if (failed) return ErrnoStatus(failed.value(), "what was left there could not be removed", entry.path().string());
  }
  if (error) return ErrnoStatus(error.value(), "the folder could not be read", folder->partial_);
  return folder;
}

Status NewFolder::WriteFile(std::string_view name, std::string_view bytes) {
  const std::string path = partial_ + "/" + std::string(name);
  const UniqueFd file = MakeFile(path);
  if (!file.valid()) return ErrnoStatus(errno, "the file could not be made", path);
  LS_TRY(WriteAll(file.get(), bytes, path));
  return SyncFile(file.get(), path);
}

Status NewFolder::CopyFile(const std::string& from, std::string_view name) {
  const UniqueFd source = OpenAt(AT_FDCWD, from, O_RDONLY);
  if (!source.valid() && errno == ENOENT) return NotFound("there is no such file").With("path", from);
  if (!source.valid()) return ErrnoStatus(errno, "the file could not be opened", from);
  const std::string path = partial_ + "/" + std::string(name);
  const UniqueFd file = MakeFile(path);
  if (!file.valid()) return ErrnoStatus(errno, "the file could not be made", path);
  std::string piece(kPieceBytes, '\0');
  while (true) {
    const ssize_t got = Uninterrupted([&] { return ::read(source.get(), piece.data(), piece.size()); });
    if (got < 0) return ErrnoStatus(errno, "the file could not be read", from);
    if (got == 0) break;
    LS_TRY(WriteAll(file.get(), std::string_view(piece).substr(0, static_cast<std::size_t>(got)), path));
  }
  return SyncFile(file.get(), path);
}

Status NewFolder::Finish() {
  if (::fsync(lock_.get()) != 0) return ErrnoStatus(errno, "the folder could not be synced", partial_);
  int renamed = ::renameat2(AT_FDCWD, partial_.c_str(), AT_FDCWD, path_.c_str(), RENAME_NOREPLACE);
  // A file system without that call: a folder that is not empty is not replaced there either.
  if (renamed != 0 && errno == EINVAL) renamed = ::rename(partial_.c_str(), path_.c_str());
  if (renamed != 0) {
    if (errno == EEXIST || errno == ENOTEMPTY) return AlreadyExists("there is something at the new folder's place").With("path", path_);
    return ErrnoStatus(errno, "the folder could not be given its name", path_);
  }
  finished_ = true;
  const Status synced = SyncDirectory(Above(path_));
  return synced.ok() ? synced : synced.As(StatusCode::kIndeterminate);
}

void NewFolder::Abandon() {
  if (finished_) return;
  std::error_code ignored;
  std::filesystem::remove_all(partial_, ignored);
}

Result<std::string> ReadWholeFile(const std::string& path) {
  const UniqueFd file = OpenAt(AT_FDCWD, path, O_RDONLY);
  if (!file.valid() && errno == ENOENT) return NotFound("there is no such file").With("path", path);
  if (!file.valid()) return ErrnoStatus(errno, "the file could not be opened", path);
  std::string bytes;
  std::string piece(kPieceBytes, '\0');
  while (true) {
    const ssize_t got = Uninterrupted([&] { return ::read(file.get(), piece.data(), piece.size()); });
    if (got < 0) return ErrnoStatus(errno, "the file could not be read", path);
    if (got == 0) return bytes;
    bytes.append(piece, 0, static_cast<std::size_t>(got));
  }
}

}  // namespace lakestream
