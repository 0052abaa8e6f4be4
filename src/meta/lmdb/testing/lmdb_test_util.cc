#include "meta/lmdb/testing/lmdb_test_util.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <system_error>

namespace lakestream {

ChildProcess::ChildProcess(const std::string& directory, Options options) {
  int to[2];
  int from[2];
  EXPECT_EQ(pipe2(to, O_CLOEXEC), 0);
  EXPECT_EQ(pipe2(from, O_CLOEXEC), 0);
  const std::string map_size = std::to_string(options.map_size);
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::array<const char*, 5> arguments = {program.c_str(), "--child", directory.c_str(), map_size.c_str(),
                                                nullptr};
  pid_ = fork();
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (options.own_pid_namespace) {
      if (unshare(CLONE_NEWPID) != 0) _exit(77);
      const pid_t inner = fork();
      if (inner > 0) {
        waitpid(inner, nullptr, 0);
        _exit(0);
      }
      prctl(PR_SET_PDEATHSIG, SIGKILL);
    }
    dup2(to[0], STDIN_FILENO);
    dup2(from[1], STDOUT_FILENO);
    execv(program.c_str(), const_cast<char* const*>(arguments.data()));
    _exit(127);
  }
  close(to[0]);
  close(from[1]);
  to_child_ = to[1];
  from_child_ = from[0];
}

ChildProcess::~ChildProcess() {
  Kill();
  close(to_child_);
  close(from_child_);
}

void ChildProcess::Send(const std::string& command) {
  const std::string line = command + "\n";
  EXPECT_EQ(write(to_child_, line.data(), line.size()), static_cast<ssize_t>(line.size()));
}

std::string ChildProcess::Answer() {
  while (unread_.find('\n') == std::string::npos) {
    char bytes[4096];
    const ssize_t got = read(from_child_, bytes, sizeof(bytes));
    if (got <= 0) return std::string();
    unread_.append(bytes, static_cast<std::size_t>(got));
  }
  const std::size_t end = unread_.find('\n');
  std::string line = unread_.substr(0, end);
  unread_.erase(0, end + 1);
  return line;
}

void ChildProcess::WaitUntilStopped() {
  int status = 0;
  EXPECT_EQ(waitpid(pid_, &status, WUNTRACED), pid_);
  EXPECT_TRUE(WIFSTOPPED(status));
}

void ChildProcess::Signal(int signal) { EXPECT_EQ(kill(pid_, signal), 0); }

void ChildProcess::Kill() {
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

LmdbClient::LmdbClient(const std::string& directory, std::uint64_t map_size) {
  options_.directory = directory;
  options_.create = true;
  options_.map_size = map_size;
  const Status opened = Open();
  EXPECT_TRUE(opened.ok()) << opened.ToString();
}

Status LmdbClient::Open() {
  auto opened = Wait(LmdbMetadataStore::Open(runtime(), After(std::chrono::seconds(30)), options_));
  if (!opened.ok()) return opened.status();
  store_ = *std::move(opened);
  return OkStatus();
}

Status LmdbClient::Put(const std::string& key, const std::string& value) {
  return Wait(store().Put(After(std::chrono::seconds(30)), TestPartition(), key, Buffer::CopyOf(value), WriteGuard()))
      .status();
}

std::string LmdbClient::Get(const std::string& key) {
  const Result<ReadAnswer> answer = Wait(store().Get(After(std::chrono::seconds(30)), TestPartition(), key));
  if (!answer.ok()) return answer.status().ToString();
  return *answer ? std::string((*answer)->value.text()) : "none";
}

std::vector<std::string> LmdbClient::Keys(const std::string& from, const std::string& to) {
  const KeyRange range{TestPartition(), from, to};
  const Result<KeyPage> page = Wait(store().List(After(std::chrono::seconds(30)), range, "", 1000));
  EXPECT_TRUE(page.ok()) << page.status().ToString();
  return page.ok() ? page->keys : std::vector<std::string>{page.status().ToString()};
}

Result<SequencedPutAnswer> LmdbClient::Sequence(std::int64_t log, std::int64_t count, std::function<Status()> admit,
                                                OpContext context, std::size_t value_bytes) {
  std::vector<SequencedPutRequest> requests;
  SequencedPutRequest request{Partition::OfLog(LogId(log)), LogPrefix(log), count, 10,
                              Buffer(std::string(value_bytes, 'v')), WriteGuard(), std::move(admit)};
  requests.push_back(std::move(request));
  return Wait(store().SequencedPut(std::move(context), std::move(requests))).front();
}

std::string LogPrefix(std::int64_t log) { return fmt::format("{:020d}", log); }

}  // namespace lakestream
