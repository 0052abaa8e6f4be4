#include "runtime/posix/file_scratch.h"

#include <fcntl.h>

#include <algorithm>

#include "base/try.h"
#include "runtime/posix/posix.h"

namespace lakestream {

namespace {

Status WriteAt(int fd, const std::string& directory, std::uint64_t offset, ByteSpan bytes) {
  while (!bytes.empty()) {
    const ssize_t wrote = Uninterrupted(
        [&] { return ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset)); });
    if (wrote < 0) return ErrnoStatus(errno, "a scratch file cannot be written", directory);
    bytes = bytes.subspan(static_cast<std::size_t>(wrote));
    offset += static_cast<std::uint64_t>(wrote);
  }
  return OkStatus();
}

Result<Buffer> ReadAt(int fd, const std::string& directory, std::uint64_t offset, std::size_t length) {
  std::string bytes(length, '\0');
  std::size_t done = 0;
  while (done < length) {
    const ssize_t got = Uninterrupted(
        [&] { return ::pread(fd, bytes.data() + done, length - done, static_cast<off_t>(offset + done)); });
    if (got < 0) return ErrnoStatus(errno, "a scratch file cannot be read", directory);
    if (got == 0) return Unavailable("a scratch file is shorter than what was written to it").With("path", directory);
    done += static_cast<std::size_t>(got);
  }
  return Buffer(std::move(bytes));
}

class FileScratch final : public ScratchFile {
 public:
  FileScratch(Runtime& runtime, std::string directory, UniqueFd fd)
      : runtime_(runtime), directory_(std::move(directory)), fd_(std::make_shared<UniqueFd>(std::move(fd))) {}

  Task<Result<std::uint64_t>> Append(BufferChain bytes) override {
    const std::uint64_t at = size_;
    size_ += bytes.size();
    // A call that is abandoned still runs to its end: it owns all that it uses.
    auto write = [fd = fd_, directory = directory_, at, chain = std::move(bytes)]() -> Status {
      std::uint64_t offset = at;
      for (const Buffer& part : chain.parts()) {
        LS_TRY(WriteAt(fd->get(), directory, offset, part.span()));
        offset += part.size();
      }
      return OkStatus();
    };
    Task<Status> writing = RunBlocking(runtime_, std::move(write));
    LS_CO_TRY(co_await writing);
    co_return at;
  }

  Task<Result<Buffer>> Read(std::uint64_t offset, std::size_t length) override {
    auto read = [fd = fd_, directory = directory_, offset, length]() -> Result<Buffer> {
      return ReadAt(fd->get(), directory, offset, length);
    };
    Task<Result<Buffer>> reading = RunBlocking(runtime_, std::move(read));
    co_return co_await reading;
  }

 private:
  Runtime& runtime_;
  const std::string directory_;  ///< for messages
  const std::shared_ptr<UniqueFd> fd_;
  std::uint64_t size_ = 0;
};

Result<UniqueFd> OpenUnnamed(const std::string& directory, const std::string& name) {
  UniqueFd fd = OpenAt(AT_FDCWD, directory, O_TMPFILE | O_RDWR, 0600);
  if (fd.valid()) return fd;
  // Not every file system has files without names.
  if (errno != EOPNOTSUPP && errno != EISDIR) {
    return ErrnoStatus(errno, "a scratch file cannot be made", directory);
  }
  const std::string path = directory + "/" + name;
  fd = OpenAt(AT_FDCWD, path, O_CREAT | O_EXCL | O_RDWR, 0600);
  if (!fd.valid()) return ErrnoStatus(errno, "a scratch file cannot be made", path);
  if (::unlink(path.c_str()) != 0) return ErrnoStatus(errno, "a scratch file cannot be unlinked", path);
  return fd;
}

}  // namespace

Task<Result<std::unique_ptr<ScratchFile>>> FileScratchSpace::Open() {
  auto open = [directory = directory_, name = "lakestream-" + runtime_.random.Uuid()]() -> Result<UniqueFd> {
    return OpenUnnamed(directory, name);
  };
  Task<Result<UniqueFd>> opening = RunBlocking(runtime_, std::move(open));
  LS_CO_ASSIGN(UniqueFd fd, co_await opening);
  co_return std::unique_ptr<ScratchFile>(std::make_unique<FileScratch>(runtime_, directory_, std::move(fd)));
}

}  // namespace lakestream
