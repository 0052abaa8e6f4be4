#include "objstore/local/stored_checksum.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/xattr.h>

#include <charconv>

#include <fmt/format.h>

#include "base/try.h"
#include "runtime/posix/posix.h"

namespace lakestream {
namespace {

constexpr std::size_t kDigits = 8;
constexpr std::size_t kMaxSideFile = 64 << 10;

std::optional<std::uint32_t> ParseChecksum(std::string_view text) {
  if (text.size() != kDigits) return std::nullopt;
  std::uint32_t value = 0;
  for (const char c : text) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit && (c < 'a' || c > 'f')) return std::nullopt;
    value = value << 4 | static_cast<std::uint32_t>(digit ? c - '0' : c - 'a' + 10);
  }
  return value;
}

std::optional<std::uint64_t> ParseInode(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Result<std::string> ReadAll(int fd, const std::string& path) {
  std::string text(kMaxSideFile, '\0');
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

std::optional<std::uint32_t> FindChecksumLine(std::string_view text, ino_t inode) {
  std::optional<std::uint32_t> own;
  std::optional<std::uint32_t> any;
  int lines = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.size() < kDigits + 2 || line[kDigits] != ' ') continue;
    const auto crc32c = ParseChecksum(line.substr(0, kDigits));
    const auto line_inode = ParseInode(line.substr(kDigits + 1));
    if (!crc32c || !line_inode) continue;
    ++lines;
    any = crc32c;
    if (*line_inode == inode) own = crc32c;
  }
  if (own) return own;
  return lines == 1 ? any : std::nullopt;
}

Result<bool> SetChecksumAttribute(int fd, std::uint32_t crc32c, const std::string& key) {
  const std::string text = fmt::format("{:08x}", crc32c);
  if (::fsetxattr(fd, kChecksumAttribute, text.data(), text.size(), 0) == 0) return true;
  if (errno == ENOTSUP || errno == EPERM) return false;
  return ErrnoStatus(errno, "the checksum attribute could not be set", key);
}

Status AppendSideFile(int directory, const std::string& name, std::uint32_t crc32c, ino_t inode) {
  const std::string side = name + std::string(kSideFileSuffix);
  const UniqueFd fd = OpenAt(directory, side, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0666);
  if (!fd.valid()) return ErrnoStatus(errno, "the checksum file could not be opened", side);
  // It begins with an end of line: what a crash left half-written before it stays a line of its own.
  const std::string line = fmt::format("\n{:08x} {}\n", crc32c, inode);
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

Result<std::optional<std::uint32_t>> ReadChecksum(int fd, ino_t inode, int root, const std::string& key) {
  char text[kDigits + 1];
  const ssize_t size = ::fgetxattr(fd, kChecksumAttribute, text, sizeof(text));
  if (size >= 0 || errno == ERANGE) {
    const auto crc32c = ParseChecksum(std::string_view(text, size < 0 ? 0 : static_cast<std::size_t>(size)));
    if (!crc32c) return Corrupt("the checksum attribute is not eight hexadecimal digits").With("key", key);
    return crc32c;
  }
  if (errno != ENODATA && errno != ENOTSUP) {
    return ErrnoStatus(errno, "the checksum attribute could not be read", key);
  }
  const std::string side = key + std::string(kSideFileSuffix);
  const UniqueFd side_fd = OpenAt(root, side, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (!side_fd.valid()) {
    if (errno == ENOENT || errno == ENAMETOOLONG) return std::optional<std::uint32_t>();
    return ErrnoStatus(errno, "the checksum file could not be opened", side);
  }
  LS_ASSIGN(const std::string lines, ReadAll(side_fd.get(), side));
  return FindChecksumLine(lines, inode);
}

}  // namespace lakestream
