#include "cli/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "base/try.h"
#include "runtime/wait.h"

namespace lakestream {
namespace {

constexpr std::string_view kStandardInput = "-";
constexpr std::size_t kMaxStandardInput = std::size_t{1} << 30;
constexpr std::size_t kReadBytes = std::size_t{1} << 20;

Status ReadFailed(std::string_view file) {
  return Unavailable("the file cannot be read").With("file", file).With("reason", std::strerror(errno));
}

struct OpenFile {
  explicit OpenFile(int f) : fd(f) {}
  ~OpenFile() { close(fd); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  const int fd;
};

Result<Buffer> ReadAt(int fd, const std::string& path, std::uint64_t offset, std::uint64_t length) {
  std::string bytes(length, '\0');
  std::size_t got = 0;
  while (got < bytes.size()) {
    const ssize_t count = pread(fd, bytes.data() + got, bytes.size() - got, static_cast<off_t>(offset + got));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return ReadFailed(path);
    if (count == 0) break;
    got += static_cast<std::size_t>(count);
  }
  bytes.resize(got);
  return Buffer(std::move(bytes));
}

Result<ByteSource> OpenStandardInput() {
  std::string bytes;
  while (true) {
    const std::size_t had = bytes.size();
    bytes.resize(had + kReadBytes);
    const ssize_t count = read(STDIN_FILENO, bytes.data() + had, kReadBytes);
    bytes.resize(had + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    if (count == 0) break;
    if (count < 0 && errno != EINTR) return ReadFailed("standard input");
    if (bytes.size() > kMaxStandardInput) {
      return ResourceExhausted("standard input is too long; give the file by its path")
          .With("limit", kMaxStandardInput);
    }
  }
  ByteSource source;
  source.name = kStandardInput;
  source.size = bytes.size();
  source.fetch = [all = Buffer(std::move(bytes))](std::uint64_t offset, std::uint64_t length) -> Result<Buffer> {
    const std::size_t from = std::min<std::uint64_t>(offset, all.size());
    return all.Slice(from, std::min<std::uint64_t>(length, all.size() - from));
  };
  return source;
}

}  // namespace

bool MeansFile(const Environment& environment, const std::string& source) {
  if (source == kStandardInput) return true;
  return !environment.deployment_named() && access(source.c_str(), F_OK) == 0;
}

Result<ByteSource> OpenFileSource(const std::string& path) {
  if (path == kStandardInput) return OpenStandardInput();
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    const StatusCode code = errno == ENOENT ? StatusCode::kNotFound : StatusCode::kUnavailable;
    return Status(code, "the file cannot be opened").With("file", path).With("reason", std::strerror(errno));
  }
  const auto file = std::make_shared<const OpenFile>(fd);
  struct stat info = {};
  if (fstat(fd, &info) != 0) return ReadFailed(path);
  if (!S_ISREG(info.st_mode)) return InvalidArgument("this is not a file; \"-\" reads a pipe").With("file", path);
  ByteSource source;
  source.name = path;
  source.size = static_cast<std::uint64_t>(info.st_size);
  source.fetch = [file, path, size = source.size](std::uint64_t offset, std::uint64_t length) {
    const std::uint64_t from = std::min(offset, size);
    return ReadAt(file->fd, path, from, std::min(length, size - from));
  };
  return source;
}

Result<ByteSource> OpenObjectSource(Deployment& deployment, const std::string& key) {
  ObjectStore& objects = deployment.wal();
  LS_ASSIGN(const ObjectInfo info, Wait(objects.Head(OpContext(), key)));
  ByteSource source;
  if (const std::optional<std::string> file = deployment.WalFile(key)) {
    LS_ASSIGN(source, OpenFileSource(*file));
  } else {
    source.size = info.size;
    source.fetch = [&objects, key](std::uint64_t offset, std::uint64_t length) {
      return Wait(objects.Get(OpContext(), key, ByteRange{offset, length}));
    };
  }
  source.name = key;
  source.stored_crc32c = info.crc32c;
  return source;
}

}  // namespace lakestream
