// What the store tells the kernel, and in which order, seen and disturbed by strace.

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "base/testing/temp_directory.h"

namespace lakestream {
namespace {

/// A system call of the driver that succeeded, or one of its lines.
struct Seen {
  std::string call;       // "fsync", or "say"
  std::string arguments;  // with the paths of descriptors: 7</dir/a>
};

struct Traced {
  std::string output;       // what the driver wrote
  std::vector<Seen> calls;  // in the order in which they ended
};

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// One line of strace -f: "PID call(args) = result", possibly in two halves around other threads' lines.
void AddLine(const std::string& line, std::map<std::string, std::string>& unfinished, std::vector<Seen>& calls) {
  const std::size_t space = line.find(' ');
  if (space == std::string::npos) return;
  const std::string pid = line.substr(0, space);
  std::string text = line.substr(line.find_first_not_of(' ', space));
  const std::size_t cut = text.find(" <unfinished ...>");
  if (cut != std::string::npos) {
    unfinished[pid] = text.substr(0, cut);
    return;
  }
  const std::size_t resumed = text.find(" resumed>");
  if (text.starts_with("<... ") && resumed != std::string::npos) text = unfinished[pid] + text.substr(resumed + 9);
  const std::size_t open = text.find('(');
  const std::size_t result = text.rfind(" = ");
  if (open == std::string::npos || result == std::string::npos || text[result + 3] == '-') return;
  Seen seen{text.substr(0, open), text.substr(open + 1, result - open - 1)};
  if (seen.call == "write" && seen.arguments.starts_with("1<")) {
    seen.call = "say";
    seen.arguments = seen.arguments.substr(seen.arguments.find('"') + 1);
  }
  calls.push_back(seen);
}

Traced RunTraced(const std::string& directory, const std::string& calls, const std::string& inject = "") {
  const TempDirectory scratch;
  const std::string trace = scratch.path() + "/trace";
  const std::string output = scratch.path() + "/output";
  // The leak check needs ptrace for itself.
  const std::string command = "ASAN_OPTIONS=detect_leaks=0 strace -f -y -s 200 -o " + trace +
                              " -e trace=openat,mkdirat,write,pwritev,fsync,fdatasync,linkat,fsetxattr,unlinkat " +
                              inject + " " LAKESTREAM_LOCAL_DRIVER " " + directory + " " + calls + " > " + output;
  const int status = std::system(command.c_str());
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << command;
  Traced traced;
  traced.output = ReadFile(output);
  std::map<std::string, std::string> unfinished;
  std::istringstream lines(ReadFile(trace));
  for (std::string line; std::getline(lines, line);) AddLine(line, unfinished, traced.calls);
  return traced;
}

/// What happened between the two lines of a call, as "call object" with the directory's path cut away.
std::vector<std::string> StepsOf(const Traced& traced, const std::string& call, const std::string& directory) {
  std::vector<std::string> steps;
  bool inside = false;
  for (const Seen& seen : traced.calls) {
    if (seen.call == "say") {
      if (seen.arguments.starts_with("begin " + call)) inside = true;
      if (seen.arguments.starts_with("ack " + call)) return steps;
      continue;
    }
    if (!inside) continue;
    std::string what = seen.call;
    if (what == "openat") {
      const bool creates = seen.arguments.find("O_TMPFILE") != std::string::npos ||
                           seen.arguments.find("O_CREAT") != std::string::npos;
      if (!creates) continue;
      what = "create";
    }
    const std::size_t from = seen.arguments.find('<');
    const std::size_t to = seen.arguments.find('>', from);
    std::string object = seen.arguments.substr(from + 1, to - from - 1);
    // UBSan asks whether memory can be read by writing it to a pipe.
    if (object.starts_with("pipe:")) continue;
    // A file without a name shows as "/dir/#inode (deleted)".
    if (object.find("#") != std::string::npos) object = "FILE";
    if (object.starts_with(directory)) object = "." + object.substr(directory.size());
    if (what == "linkat") {
      const std::size_t name = seen.arguments.rfind('"', seen.arguments.rfind('"') - 1);
      object = seen.arguments.substr(name + 1, seen.arguments.rfind('"') - name - 1);
    }
    steps.push_back(what + " " + object);
  }
  ADD_FAILURE() << "the call was not acknowledged: " << traced.output;
  return steps;
}

using Steps = std::vector<std::string>;

TEST(LocalSync, PutSyncsFileThenDirectoryBeforeItAnswers) {
  const TempDirectory directory;
  const Traced traced = RunTraced(directory.path(), "put:a/warm:10 put:a/k:1000");
  EXPECT_EQ(StepsOf(traced, "put:a/k:1000", directory.path()),
            (Steps{"create ./a", "pwritev FILE", "fsetxattr FILE", "fsync FILE", "linkat k", "fsync ./a"}));
}

TEST(LocalSync, NewDirectoriesAreSyncedFromBottomToTop) {
  const TempDirectory directory;
  const Traced traced = RunTraced(directory.path(), "put:a/b/c/k:1000 put:a/b/d/k:10");
  EXPECT_EQ(StepsOf(traced, "put:a/b/c/k:1000", directory.path()),
            (Steps{"mkdirat .", "mkdirat ./a", "mkdirat ./a/b", "fsync ./a/b", "fsync ./a", "fsync .",
                   "create ./a/b/c", "pwritev FILE", "fsetxattr FILE", "fsync FILE", "linkat k", "fsync ./a/b/c"}));
  EXPECT_EQ(StepsOf(traced, "put:a/b/d/k:10", directory.path()),
            (Steps{"mkdirat ./a/b", "fsync ./a/b", "create ./a/b/d", "pwritev FILE", "fsetxattr FILE", "fsync FILE",
                   "linkat k", "fsync ./a/b/d"}));
}

TEST(LocalSync, DirectoriesOfOthersAreSyncedOnce) {
  const TempDirectory directory;
  std::filesystem::create_directories(directory.path() + "/a/b");
  const Traced traced = RunTraced(directory.path(), "put:a/b/1:10 put:a/b/2:10");
  // mkdirat fails, so it is not shown.
  EXPECT_EQ(StepsOf(traced, "put:a/b/1:10", directory.path()),
            (Steps{"fsync ./a", "fsync .", "create ./a/b", "pwritev FILE", "fsetxattr FILE", "fsync FILE",
                   "linkat 1", "fsync ./a/b"}));
  EXPECT_EQ(StepsOf(traced, "put:a/b/2:10", directory.path()),
            (Steps{"create ./a/b", "pwritev FILE", "fsetxattr FILE", "fsync FILE", "linkat 2", "fsync ./a/b"}));
}

TEST(LocalSync, UploadsDoTheSame) {
  const TempDirectory directory;
  const Traced traced = RunTraced(directory.path(), "put:a/warm:10 upload:a/k:1000");
  EXPECT_EQ(StepsOf(traced, "upload:a/k:1000", directory.path()),
            (Steps{"create ./a", "pwritev FILE", "pwritev FILE", "fsetxattr FILE", "fsync FILE", "linkat k",
                   "fsync ./a"}));
}

TEST(LocalSync, NamedTempFilesDoTheSame) {
  const TempDirectory directory;
  const Traced traced = RunTraced(directory.path(), "--named put:a/warm:10 put:a/k:1000");
  Steps steps = StepsOf(traced, "put:a/k:1000", directory.path());
  for (std::string& step : steps) {
    if (step.find("./.tmp/") != std::string::npos) step = step.substr(0, step.find(' ')) + " FILE";
  }
  EXPECT_EQ(steps, (Steps{"create ./.tmp", "pwritev FILE", "fsetxattr FILE", "fsync FILE", "linkat k", "fsync ./a",
                          "unlinkat ./.tmp"}));
  EXPECT_TRUE(std::filesystem::is_empty(directory.path() + "/.tmp"));
}

TEST(LocalSync, DeletesAreSynced) {
  const TempDirectory directory;
  const Traced traced = RunTraced(directory.path(), "put:a/k:10 delete:a/k delete:a/k");
  EXPECT_EQ(StepsOf(traced, "delete:a/k", directory.path()), (Steps{"unlinkat ./a", "fsync ./a"}));
}

TEST(LocalSync, SideFilesAreDurableBeforeTheObject) {
  const TempDirectory directory;
  const Traced traced = RunTraced(directory.path(), "put:a/warm:10 put:a/k:1000 get:a/k delete:a/k",
                                  "-e inject=fsetxattr:error=EOPNOTSUPP");
  EXPECT_EQ(StepsOf(traced, "put:a/k:1000", directory.path()),
            (Steps{"create ./a", "pwritev FILE", "create ./a", "write ./a/k.crc32c", "fsync ./a/k.crc32c",
                   "fsync ./a", "fsync FILE", "linkat k", "fsync ./a"}));
  EXPECT_NE(traced.output.find("ack get:a/k ok"), std::string::npos) << traced.output;
  EXPECT_TRUE(std::filesystem::exists(directory.path() + "/a/warm.crc32c"));
  EXPECT_FALSE(std::filesystem::exists(directory.path() + "/a/k.crc32c"));
}

std::string AnswerTo(const Traced& traced, const std::string& call) {
  const std::string start = "ack " + call + " ";
  const std::size_t at = traced.output.rfind(start);
  if (at == std::string::npos) return "none";
  const std::size_t from = at + start.size();
  return traced.output.substr(from, traced.output.find_first_of(":\n", from) - from);
}

// In each of these the driver's first Put has opened the directory, and cost three syncs: of the store's
// directory, of the file, and of the directory "a".

TEST(LocalSync, AFailedSyncOfTheFileIsDefinite) {
  const TempDirectory directory;
  const Traced traced =
      RunTraced(directory.path(), "put:a/warm:10 put:a/k:10 get:a/k put:a/k:10", "-e inject=fsync:error=EIO:when=4");
  EXPECT_EQ(AnswerTo(traced, "get:a/k"), "not_found");
  EXPECT_NE(traced.output.find("ack put:a/k:10 unavailable"), std::string::npos) << traced.output;
  EXPECT_EQ(AnswerTo(traced, "put:a/k:10"), "ok");
}

TEST(LocalSync, AFullDiskAtSyncIsNamed) {
  const TempDirectory directory;
  const Traced traced =
      RunTraced(directory.path(), "put:a/warm:10 put:a/k:10 get:a/k", "-e inject=fsync:error=ENOSPC:when=4");
  EXPECT_EQ(AnswerTo(traced, "put:a/k:10"), "resource_exhausted");
  EXPECT_NE(traced.output.find("free_bytes="), std::string::npos) << traced.output;
  EXPECT_EQ(AnswerTo(traced, "get:a/k"), "not_found");
}

TEST(LocalSync, AFailedSyncOfTheDirectoryIsIndeterminate) {
  const TempDirectory directory;
  const Traced traced =
      RunTraced(directory.path(), "put:a/warm:10 put:a/k:10 get:a/k", "-e inject=fsync:error=EIO:when=5");
  EXPECT_EQ(AnswerTo(traced, "put:a/k:10"), "indeterminate");
  // Nobody may find by a look that it is there: it could be gone after a crash.
  EXPECT_EQ(AnswerTo(traced, "get:a/k"), "not_found");
}

TEST(LocalSync, ANewDirectoryThatIsNotDurableHoldsNothing) {
  const TempDirectory directory;
  const Traced traced =
      RunTraced(directory.path(), "put:a/k:10 get:a/k put:a/k:11", "-e inject=fsync:error=EIO:when=1");
  EXPECT_EQ(AnswerTo(traced, "put:a/k:10"), "unavailable");
  EXPECT_EQ(AnswerTo(traced, "get:a/k"), "not_found");
  // The next one syncs it again.
  EXPECT_EQ(AnswerTo(traced, "put:a/k:11"), "ok");
  const Steps steps = StepsOf(traced, "put:a/k:11", directory.path());
  EXPECT_EQ(std::count(steps.begin(), steps.end(), "fsync ."), 1);
}

TEST(LocalSync, AFailedSyncIsNotForgottenByRepeating) {
  // The kernel tells of a failed write-back once; a second fsync of the same file would say ok.
  const TempDirectory directory;
  const Traced traced =
      RunTraced(directory.path(), "put:a/warm:10 retry:a/k:10 get:a/k", "-e inject=fsync:error=EIO:when=4");
  EXPECT_EQ(AnswerTo(traced, "retry:a/k:10"), "unavailable");
  EXPECT_EQ(AnswerTo(traced, "get:a/k"), "not_found");
}

TEST(LocalSync, AFailedLinkIsDefinite) {
  const TempDirectory directory;
  const Traced traced = RunTraced(directory.path(), "put:a/warm:10 put:a/k:10 get:a/k",
                                  "-e inject=linkat:error=EIO:when=2");
  EXPECT_EQ(AnswerTo(traced, "put:a/k:10"), "unavailable");
  EXPECT_EQ(AnswerTo(traced, "get:a/k"), "not_found");
}

TEST(LocalSync, ADeleteThatIsNotDurableIsIndeterminate) {
  const TempDirectory directory;
  const Traced traced =
      RunTraced(directory.path(), "put:a/k:10 delete:a/k delete:a/k", "-e inject=fsync:error=EIO:when=4");
  EXPECT_NE(traced.output.find("ack delete:a/k indeterminate"), std::string::npos) << traced.output;
  EXPECT_EQ(AnswerTo(traced, "delete:a/k"), "ok");
}

}  // namespace
}  // namespace lakestream
