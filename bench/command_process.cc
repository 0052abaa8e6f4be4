#include "bench/command_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "base/try.h"
#include "bench/surroundings.h"

namespace lakestream::bench {
namespace {

struct Pipe {
  UniqueFd reading;
  UniqueFd writing;
};

Result<Pipe> MakePipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return ErrnoStatus(errno, "no pipe can be made", "");
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

}  // namespace

Result<std::unique_ptr<CommandProcess>> CommandProcess::Start(const std::string& program,
                                                              std::vector<std::string> arguments,
                                                              const std::string& input) {
  LS_ASSIGN(Pipe to, MakePipe());
  LS_ASSIGN(Pipe from, MakePipe());
  if (!input.empty()) {
    to.writing = UniqueFd();
    to.reading = OpenAt(AT_FDCWD, input, O_RDONLY);
    if (!to.reading.valid()) return ErrnoStatus(errno, "the input of a process cannot be opened", input);
  }
  arguments.insert(arguments.begin(), program);
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, to.reading.get(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, from.writing.get(), STDOUT_FILENO);
  pid_t pid = 0;
  const int rc = posix_spawn(&pid, program.c_str(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (rc != 0) return ErrnoStatus(rc, "a process cannot be started", program);
  return std::unique_ptr<CommandProcess>(new CommandProcess(pid, std::move(to.writing), std::move(from.reading)));
}

CommandProcess::~CommandProcess() {
  if (pid_ == 0) return;
  kill(pid_, SIGKILL);
  (void)Uninterrupted([this] { return waitpid(pid_, nullptr, 0); });
}

Status CommandProcess::Send(std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = Uninterrupted([&] { return write(input_.get(), text.data(), text.size()); });
    if (count < 0) return ErrnoStatus(errno, "a process takes no more input", "");
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return OkStatus();
}

Result<std::string> CommandProcess::ReadLine() {
  while (true) {
    const std::size_t end = read_.find('\n');
    if (end != std::string::npos) {
      std::string line = read_.substr(0, end);
      read_.erase(0, end + 1);
      return line;
    }
    std::array<char, 4096> more;
    const ssize_t count = Uninterrupted([&] { return read(output_.get(), more.data(), more.size()); });
    if (count <= 0) return Unavailable("a process gives no more output");
    read_.append(more.data(), static_cast<std::size_t>(count));
  }
}

Status CommandProcess::Finish() {
  input_ = UniqueFd();
  int how = 0;
  if (Uninterrupted([&] { return waitpid(pid_, &how, 0); }) < 0) return ErrnoStatus(errno, "a process is lost", "");
  pid_ = 0;
  if (WIFEXITED(how) && WEXITSTATUS(how) == 0) return OkStatus();
  return Unavailable("a process of the benchmark has failed").With("wait_status", how);
}

// Not from wait4(): what that tells begins with the memory of the process that started it.
Result<std::int64_t> CommandProcess::PeakBytes() const {
  LS_ASSIGN(const std::int64_t kib, ProcessNumber("status", "VmHWM", std::to_string(pid_)));
  return kib << 10;
}

Status CommandProcess::Terminate() {
  constexpr int kEndedBySignal = 128 + SIGTERM;
  kill(pid_, SIGTERM);
  int how = 0;
  if (Uninterrupted([&] { return waitpid(pid_, &how, 0); }) < 0) return ErrnoStatus(errno, "a process is lost", "");
  pid_ = 0;
  if (WIFEXITED(how) && WEXITSTATUS(how) == kEndedBySignal) return OkStatus();
  return Unavailable("a process of the benchmark did not end as it was asked to").With("wait_status", how);
}

}  // namespace lakestream::bench
