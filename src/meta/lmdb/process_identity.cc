#include "meta/lmdb/process_identity.h"

#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <fstream>
#include <sstream>

#include "runtime/posix/posix.h"

namespace lakestream {
namespace {

std::string ReadSmallFile(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return file ? text.str() : std::string();
}

/// 0 where there is no such process.
std::uint64_t StartTicks(std::int64_t pid) {
  const std::string stat = ReadSmallFile("/proc/" + std::to_string(pid) + "/stat");
  // The second field is the program's name in parentheses and may hold anything; 20 fields on stands the time.
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return 0;
  std::istringstream rest(stat.substr(name_end + 1));
  std::string field;
  for (int i = 0; i < 20; ++i) rest >> field;
  std::uint64_t ticks = 0;
  std::from_chars(field.data(), field.data() + field.size(), ticks);
  return ticks;
}

}  // namespace

SessionOwner ThisProcess() {
  SessionOwner self;
  self.pid = getpid();
  self.start_ticks = StartTicks(self.pid);
  self.boot_id = BootId();
  return self;
}

bool MayStillRun(const SessionOwner& owner) {
  if (owner.boot_id != BootId()) return false;
  const std::uint64_t ticks = StartTicks(owner.pid);
  return ticks != 0 && ticks == owner.start_ticks;
}

std::uint64_t PidNamespace() {
  struct stat info;
  return stat("/proc/self/ns/pid", &info) == 0 ? info.st_ino : 0;
}

ThreadState LookUpThread(std::int64_t thread) {
  ThreadState found;
  std::istringstream lines(ReadSmallFile("/proc/" + std::to_string(thread) + "/status"));
  std::string line;
  while (std::getline(lines, line)) {
    const std::size_t value = line.find_first_not_of("\t ", line.find(':') + 1);
    if (value == std::string::npos) continue;
    if (line.starts_with("Tgid:")) {
      std::from_chars(line.data() + value, line.data() + line.size(), found.pid);
    }
    if (line.starts_with("State:")) found.state = line.substr(value);
  }
  return found;
}

}  // namespace lakestream
