#include "bench/surroundings.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/statfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "format/deployment_record.h"
#include "meta/lmdb/file_system.h"
#include "revision.inc"

namespace lakestream::bench {
namespace {

std::string Versions() {
#ifdef __clang__
  constexpr const char* kCompiler = "clang " __clang_version__;
#else
  constexpr const char* kCompiler = "g++ " __VERSION__;
#endif
#ifdef __OPTIMIZE__
  constexpr const char* kBuild = "optimized";
#else
  constexpr const char* kBuild = "not optimized";
#endif
  return fmt::format("lakestream {}, format version {}, {} ({}), lmdb {}, fmt {}", LAKESTREAM_VERSION, kFormatVersion,
                     kCompiler, kBuild, LAKESTREAM_LMDB_VERSION, FMT_VERSION);
}

/// The rest of the first line that begins with `name` and a colon.
std::string LineOf(const std::string& file, const std::string& name) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos || line.compare(0, name.size(), name) != 0) continue;
    const std::size_t begin = line.find_first_not_of(" \t", colon + 1);
    return begin == std::string::npos ? std::string() : line.substr(begin);
  }
  return "unknown";
}

std::string Machine() {
  struct utsname kernel {};
  uname(&kernel);
  const double pages = static_cast<double>(sysconf(_SC_PHYS_PAGES));
  const double gib = pages * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 30);
  return fmt::format("{}, {} processors, {:.0f} GiB, {} {}", LineOf("/proc/cpuinfo", "model name"),
                     sysconf(_SC_NPROCESSORS_ONLN), gib, kernel.sysname, kernel.release);
}

std::string Load() {
  double load[3] = {};
  if (getloadavg(load, 3) != 3) return "unknown";
  return fmt::format("{:.2f} {:.2f} {:.2f}", load[0], load[1], load[2]);
}

}  // namespace

Surroundings Surroundings::Read() { return Surroundings{LAKESTREAM_REVISION, Versions(), Machine(), Load()}; }

std::string Surroundings::Text() const {
  return fmt::format("revision {}; {}\n{}; load {}\n", revision, versions, machine, load);
}

JsonValue Surroundings::Json() const {
  JsonValue json = JsonValue::Object();
  json.Add("revision", JsonValue::String(revision)).Add("versions", JsonValue::String(versions));
  json.Add("machine", JsonValue::String(machine)).Add("load", JsonValue::String(load));
  return json;
}

std::string FileSystemName(const std::string& directory) {
  struct statfs about {};
  if (statfs(directory.c_str(), &about) != 0) return "unknown";
  return JudgeFileSystem(about.f_type).name;
}

double ProcessorSeconds() {
  struct rusage used {};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

Result<std::int64_t> ProcessNumber(const std::string& file, const std::string& name, const std::string& pid) {
  const std::string text = LineOf("/proc/" + pid + "/" + file, name);
  char* end = nullptr;
  const std::int64_t number = std::strtoll(text.c_str(), &end, 10);
  if (end != text.c_str()) return number;
  return Unavailable("the kernel does not tell").With("file", file).With("name", name);
}

}  // namespace lakestream::bench
