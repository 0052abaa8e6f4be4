#include "cli/stop_signals.h"

#include <signal.h>

#include <atomic>

#include "cli/wake_fd.h"

namespace lakestream {
namespace {

std::atomic<int> g_received{0};

// Made before the handlers are, and never destroyed: a handler may run at any time.
WakeFd& Wake() {
  static WakeFd* const wake = new WakeFd;
  return *wake;
}

void OnSignal(int number) {
  g_received.store(number);
  Wake().Signal();
}

void SetHandler(int number, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  // One-shot, and calls in progress return: the second signal finds the default.
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(number, &action, nullptr);
}

}  // namespace

StopSignals::StopSignals() {
  Wake();
  SetHandler(SIGINT, OnSignal);
  SetHandler(SIGTERM, OnSignal);
}

StopSignals::~StopSignals() {
  SetHandler(SIGINT, SIG_DFL);
  SetHandler(SIGTERM, SIG_DFL);
}

int StopSignals::received() const { return g_received.load(); }
int StopSignals::fd() const { return Wake().fd(); }

}  // namespace lakestream
