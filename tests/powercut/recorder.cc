// Preloaded into a process: writes down, in the order in which they took effect, the calls that change files below
// RECORD_ROOT and what was written to standard output. RECORD_LOG is the file; disk.py reads it.
//
// One lock is held over each call and its line, so that the order of the lines is the order of the effects.

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <string_view>

namespace {

template <class F>
F Real(const char* name) {
  return reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
}

std::mutex& Lock() {
  static std::mutex* const lock = new std::mutex;
  return *lock;
}

std::string_view Root() {
  static const char* const root = std::getenv("RECORD_ROOT");
  return root == nullptr ? std::string_view() : root;
}

void Line(std::string text) {
  static const int log = [] {
    const char* path = std::getenv("RECORD_LOG");
    const long fd = path == nullptr ? -1 : syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    // Far from the numbers that a program expects to get.
    return fd < 0 ? -1 : static_cast<int>(syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 900));
  }();
  text += '\n';
  const long written = syscall(SYS_write, log, text.data(), text.size());
  if (log >= 0 && written != static_cast<long>(text.size())) std::abort();
}

std::string Hex(const void* data, std::size_t size) {
  static const char digits[] = "0123456789abcdef";
  const auto* bytes = static_cast<const std::uint8_t*>(data);
  std::string text;
  text.reserve(size * 2);
  for (std::size_t i = 0; i < size; ++i) {
    text += digits[bytes[i] >> 4];
    text += digits[bytes[i] & 15];
  }
  return text;
}

/// Where a descriptor or a path with its directory leads.
std::string PathOf(int fd) {
  char path[PATH_MAX];
  const ssize_t size = readlink(("/proc/self/fd/" + std::to_string(fd)).c_str(), path, sizeof(path));
  return size < 0 ? std::string() : std::string(path, static_cast<std::size_t>(size));
}
std::string PathOf(int directory, const char* path) {
  if (path[0] == '/') return path;
  char here[PATH_MAX];
  const std::string base = directory == AT_FDCWD ? std::string(getcwd(here, sizeof(here))) : PathOf(directory);
  return base + "/" + path;
}
bool Below(std::string_view path) {
  return !Root().empty() && path.starts_with(Root()) && (path.size() == Root().size() || path[Root().size()] == '/');
}

std::string InodeOf(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 ? std::to_string(info.st_ino) : "0";
}
std::string InodeOf(int fd) {
  struct stat info;
  return fstat(fd, &info) == 0 ? std::to_string(info.st_ino) : "0";
}

/// "directory-inode name-in-hex" of an entry.
std::string EntryOf(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  const std::size_t slash = path.rfind('/');
  const std::string name = path.substr(slash + 1);
  return InodeOf(path.substr(0, slash)) + " " + Hex(name.data(), name.size());
}

bool Recorded(int fd) { return Below(PathOf(fd)); }

void Written(int fd, off_t at, const void* data, std::size_t size) {
  const int flags = static_cast<int>(syscall(SYS_fcntl, fd, F_GETFL));
  const char* how = (flags & O_DSYNC) != 0 ? "dwrite " : "write ";
  Line(how + InodeOf(fd) + " " + std::to_string(at) + " " + Hex(data, size));
}

std::string Gather(const iovec* parts, int count, std::size_t size) {
  std::string all;
  for (int i = 0; i < count; ++i) all.append(static_cast<const char*>(parts[i].iov_base), parts[i].iov_len);
  all.resize(size);
  return all;
}

off_t Position(int fd) {
  const auto flags = syscall(SYS_fcntl, fd, F_GETFL);
  return static_cast<off_t>(syscall(SYS_lseek, fd, 0, (flags & O_APPEND) != 0 ? SEEK_END : SEEK_CUR));
}

template <class Call>
int Open(int directory, const char* path, int flags, Call call) {
  const std::string whole = PathOf(directory, path);
  if (!Below(whole)) return call();
  const std::lock_guard lock(Lock());
  struct stat info;
  const bool there = stat(whole.c_str(), &info) == 0;
  const int fd = call();
  if (fd < 0) return fd;
  if ((flags & O_TMPFILE) == O_TMPFILE) {
    Line("file " + InodeOf(fd));
  } else if (!there) {
    Line("create " + EntryOf(whole) + " " + InodeOf(fd));
  } else if ((flags & O_TRUNC) != 0) {
    Line("truncate " + InodeOf(fd) + " 0");
  }
  return fd;
}

ssize_t Write(int fd, off_t at, bool moves, const void* data, ssize_t (*call)(int, const void*, std::size_t, off_t),
              std::size_t size) {
  const bool output = fd == STDOUT_FILENO && moves;
  if (!output && !Recorded(fd)) return call(fd, data, size, at);
  const std::lock_guard lock(Lock());
  if (!output && moves) at = Position(fd);
  // What was said is written down first: a reader may act on it at once.
  if (output) Line("said " + Hex(data, size));
  const ssize_t written = call(fd, data, size, at);
  const int error = errno;
  if (!output && written > 0) Written(fd, at, data, static_cast<std::size_t>(written));
  errno = error;
  return written;
}

template <class Call>
ssize_t WriteParts(int fd, const iovec* parts, int count, off_t at, bool moves, Call call) {
  if (!Recorded(fd)) return call();
  const std::lock_guard lock(Lock());
  if (moves) at = Position(fd);
  const ssize_t written = call();
  const int error = errno;
  if (written > 0) {
    const std::string all = Gather(parts, count, static_cast<std::size_t>(written));
    Written(fd, at, all.data(), all.size());
  }
  errno = error;
  return written;
}

template <class Call>
int Noted(bool recorded, const std::string& line, Call call) {
  if (!recorded) return call();
  const std::lock_guard lock(Lock());
  const int result = call();
  const int error = errno;
  if (result == 0) Line(line);
  errno = error;
  return result;
}

}  // namespace

extern "C" {

#define RECORDED_OPEN(NAME)                                                       \
  int NAME(const char* path, int flags, ...) {                                    \
    va_list more;                                                                 \
    va_start(more, flags);                                                        \
    const mode_t mode = va_arg(more, mode_t);                                     \
    va_end(more);                                                                 \
    static const auto real = Real<int (*)(const char*, int, mode_t)>(#NAME);      \
    return Open(AT_FDCWD, path, flags, [&] { return real(path, flags, mode); });  \
  }
#define RECORDED_OPENAT(NAME)                                                                 \
  int NAME(int directory, const char* path, int flags, ...) {                                 \
    va_list more;                                                                             \
    va_start(more, flags);                                                                    \
    const mode_t mode = va_arg(more, mode_t);                                                 \
    va_end(more);                                                                             \
    static const auto real = Real<int (*)(int, const char*, int, mode_t)>(#NAME);             \
    return Open(directory, path, flags, [&] { return real(directory, path, flags, mode); });  \
  }
RECORDED_OPEN(open)
RECORDED_OPEN(open64)
RECORDED_OPENAT(openat)
RECORDED_OPENAT(openat64)

ssize_t write(int fd, const void* data, size_t size) {
  return Write(fd, 0, true, data, [](int f, const void* d, std::size_t s, off_t) -> ssize_t {
    return syscall(SYS_write, f, d, s);
  }, size);
}
ssize_t pwrite(int fd, const void* data, size_t size, off_t at) {
  return Write(fd, at, false, data, [](int f, const void* d, std::size_t s, off_t a) -> ssize_t {
    return syscall(SYS_pwrite64, f, d, s, a);
  }, size);
}
ssize_t pwrite64(int fd, const void* data, size_t size, off64_t at) { return pwrite(fd, data, size, at); }
ssize_t writev(int fd, const iovec* parts, int count) {
  return WriteParts(fd, parts, count, 0, true, [&] { return syscall(SYS_writev, fd, parts, count); });
}
ssize_t pwritev(int fd, const iovec* parts, int count, off_t at) {
  static const auto real = Real<ssize_t (*)(int, const iovec*, int, off_t)>("pwritev");
  return WriteParts(fd, parts, count, at, false, [&] { return real(fd, parts, count, at); });
}
ssize_t pwritev64(int fd, const iovec* parts, int count, off64_t at) { return pwritev(fd, parts, count, at); }

int ftruncate(int fd, off_t size) noexcept {
  return Noted(Recorded(fd), "truncate " + InodeOf(fd) + " " + std::to_string(size),
               [&] { return static_cast<int>(syscall(SYS_ftruncate, fd, size)); });
}
int ftruncate64(int fd, off64_t size) noexcept { return ftruncate(fd, size); }

int fsync(int fd) {
  return Noted(Recorded(fd), "sync " + InodeOf(fd), [&] { return static_cast<int>(syscall(SYS_fsync, fd)); });
}
int fdatasync(int fd) {
  return Noted(Recorded(fd), "sync " + InodeOf(fd), [&] { return static_cast<int>(syscall(SYS_fdatasync, fd)); });
}

int mkdirat(int directory, const char* path, mode_t mode) noexcept {
  const std::string whole = PathOf(directory, path);
  if (!Below(whole)) return static_cast<int>(syscall(SYS_mkdirat, directory, path, mode));
  const std::lock_guard lock(Lock());
  const int result = static_cast<int>(syscall(SYS_mkdirat, directory, path, mode));
  const int error = errno;
  if (result == 0) Line("mkdir " + EntryOf(whole) + " " + InodeOf(whole));
  errno = error;
  return result;
}
int mkdir(const char* path, mode_t mode) noexcept { return mkdirat(AT_FDCWD, path, mode); }

int linkat(int from_directory, const char* from, int to_directory, const char* to, int flags) noexcept {
  const std::string target = PathOf(to_directory, to);
  return Noted(Below(target), "link " + EntryOf(target) + " " + InodeOf(PathOf(from_directory, from)), [&] {
    return static_cast<int>(syscall(SYS_linkat, from_directory, from, to_directory, to, flags));
  });
}

int unlinkat(int directory, const char* path, int flags) noexcept {
  const std::string whole = PathOf(directory, path);
  return Noted(Below(whole), "unlink " + EntryOf(whole),
               [&] { return static_cast<int>(syscall(SYS_unlinkat, directory, path, flags)); });
}
int unlink(const char* path) noexcept { return unlinkat(AT_FDCWD, path, 0); }

int renameat(int from_directory, const char* from, int to_directory, const char* to) noexcept {
  const std::string source = PathOf(from_directory, from);
  const std::string target = PathOf(to_directory, to);
  return Noted(Below(target), "rename " + EntryOf(source) + " " + EntryOf(target),
               [&] { return static_cast<int>(syscall(SYS_renameat, from_directory, from, to_directory, to)); });
}
int renameat2(int from_directory, const char* from, int to_directory, const char* to, unsigned flags) noexcept {
  const std::string source = PathOf(from_directory, from);
  const std::string target = PathOf(to_directory, to);
  return Noted(Below(target), "rename " + EntryOf(source) + " " + EntryOf(target),
               [&] { return static_cast<int>(syscall(SYS_renameat2, from_directory, from, to_directory, to, flags)); });
}
int rename(const char* from, const char* to) noexcept { return renameat(AT_FDCWD, from, AT_FDCWD, to); }

int fsetxattr(int fd, const char* name, const void* value, size_t size, int flags) noexcept {
  return Noted(Recorded(fd), "xattr " + InodeOf(fd) + " " + Hex(name, std::strlen(name)) + " " + Hex(value, size),
               [&] { return static_cast<int>(syscall(SYS_fsetxattr, fd, name, value, size, flags)); });
}

}  // extern "C"
