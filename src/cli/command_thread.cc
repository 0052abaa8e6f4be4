#include "cli/command_thread.h"

#include <poll.h>

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/gate.h"
#include "runtime/wait.h"

namespace lakestream {
namespace {

Task<void> RunAndTell(Task<Status> task, CommandThread* thread, std::optional<Status>* end) {
  const Status status = co_await task;
  thread->Do([end, status] { end->emplace(status); });
}

}  // namespace

Status CommandThread::Run(Task<Status> task) {
  std::optional<Status> end;
  Gate gate(environment_.runtime());
  gate.Spawn(RunAndTell(std::move(task), this, &end));
  std::vector<std::function<void()>> asked;
  while (!end) {
    asked.clear();
    queue_.TakeAll(&asked);
    for (const std::function<void()>& what : asked) what();
    if (!asked.empty()) continue;
    environment_.out().Flush();
    std::array<pollfd, 2> fds{pollfd{queue_.fd(), POLLIN, 0}, pollfd{signals_.fd(), POLLIN, 0}};
    if (signals_.received() != 0) stop_.request_stop();
    poll(fds.data(), stop_.stop_requested() ? 1 : 2, -1);
  }
  Wait(gate.Close());
  return *end;
}

}  // namespace lakestream
