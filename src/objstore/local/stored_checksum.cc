#include "objstore/local/stored_checksum.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/try.h"
#include "runtime/posix/posix.h"

namespace lakestream {
namespace {

constexpr std::size_t kMaxSideFile = 1 << 20;

Result<std::string> ReadAll(int fd, const std::string& path) {
  struct stat about;
  if (::fstat(fd, &about) != 0) return ErrnoStatus(errno, "the checksum file could not be examined", path);
  std::string text(std::min(kMaxSideFile, static_cast<std::size_t>(about.st_size)), '\0');
  std::size_t used = 0;
  while (used < text.size()) {
    const ssize_t got = Uninterrupted([&] { return ::read(fd, text.data() + used, text.size() - used); });
    if (got < 0) return ErrnoStatus(errno, "the checksum file could not be read", path);
    if (got == 0) break;
    used += static_cast<std::size_t>(got);
  }
  text.resize(used);
  return text;
}

}  // namespace

std::optional<ObjectChecksum> FindChecksumLine(std::string_view text, ino_t inode) {
  std::optional<ObjectChecksum> own;
  std::optional<ObjectChecksum> any;
  int lines = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const std::size_t space = line.find(' ');
    if (space == std::string_view::npos) continue;
    auto checksum = ObjectChecksum::Parse(line.substr(0, space));
    const auto line_inode = ParseChecksumNumber(line.substr(space + 1));
    if (!checksum || !line_inode) continue;
    ++lines;
    if (*line_inode == inode) own = checksum;
    any = std::move(checksum);
  }
  if (own) return own;
  return lines == 1 ? any : std::nullopt;
}

Result<bool> SetChecksumAttribute(int fd, ObjectChecksum checksum, const std::string& key) {
  while (true) {
    const std::string text = checksum.Text();
    if (::fsetxattr(fd, kChecksumAttribute, text.data(), text.size(), 0) == 0) return true;
    if (errno == ENOTSUP || errno == EPERM) return false;
    // Attributes share little room: in ext4 the inode and one block, of 1 KiB in a small file system.
    const bool no_room = errno == ENOSPC || errno == E2BIG;
    if (!no_room || checksum.blocks.empty()) {
      return ErrnoStatus(errno, "the checksum attribute could not be set", key);
    }
    checksum.JoinBlocks();
  }
}

Status AppendSideFile(int directory, const std::string& name, const ObjectChecksum& checksum, ino_t inode) {
  const std::string side = name + std::string(kSideFileSuffix);
  const UniqueFd fd = OpenAt(directory, side, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0666);
  if (!fd.valid()) return ErrnoStatus(errno, "the checksum file could not be opened", side);
  // It begins with an end of line: what a crash left half-written before it stays a line of its own.
  const std::string line = fmt::format("\n{} {}\n", checksum.Text(), inode);
  const ssize_t written = Uninterrupted([&] { return ::write(fd.get(), line.data(), line.size()); });
  if (written < 0) return ErrnoStatus(errno, "the checksum file could not be written", side);
  if (written != static_cast<ssize_t>(line.size())) {
    return ErrnoStatus(ENOSPC, "the checksum file could not be written", side);
  }
  if (::fsync(fd.get()) != 0 || ::fsync(directory) != 0) {
    return ErrnoStatus(errno, "the checksum file could not be synced", side);
  }
  return OkStatus();
}

Result<std::optional<ObjectChecksum>> ReadChecksum(int fd, ino_t inode, int root, const std::string& key) {
  char text[ObjectChecksum::kMaxTextBytes + 1];
  const ssize_t size = ::fgetxattr(fd, kChecksumAttribute, text, sizeof(text));
  if (size >= 0 || errno == ERANGE) {
    auto checksum = ObjectChecksum::Parse(std::string_view(text, size < 0 ? 0 : static_cast<std::size_t>(size)));
    if (!checksum) return Corrupt("the checksum attribute is malformed").With("key", key);
    return checksum;
  }
  if (errno != ENODATA && errno != ENOTSUP) {
    return ErrnoStatus(errno, "the checksum attribute could not be read", key);
  }
  const std::string side = key + std::string(kSideFileSuffix);
  const UniqueFd side_fd = OpenAt(root, side, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (!side_fd.valid()) {
    if (errno == ENOENT || errno == ENAMETOOLONG) return std::optional<ObjectChecksum>();
    return ErrnoStatus(errno, "the checksum file could not be opened", side);
  }
  LS_ASSIGN(const std::string lines, ReadAll(side_fd.get(), side));
  return FindChecksumLine(lines, inode);
}

}  // namespace lakestream
