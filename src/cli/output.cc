#include "cli/output.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "codec/utf8.h"

namespace lakestream {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{256} << 10;
constexpr std::string_view kEraseLine = "\r\x1b[K";

std::atomic<bool> g_progress_shown{false};

void WriteError(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
    if (written > 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      return;
    }
  }
}

}  // namespace

void Output::Write(std::string_view bytes) {
  if (closed()) return;
  if (buffer_.size() + bytes.size() > kBufferBytes) Flush();
  if (bytes.size() >= kBufferBytes) {
    WriteOut(bytes);
  } else {
    buffer_.append(bytes);
  }
}

void Output::Flush() {
  if (buffer_.empty()) return;
  WriteOut(buffer_);
  buffer_.clear();
}

void Output::WriteOut(std::string_view bytes) {
  while (!bytes.empty() && !closed()) {
    const ssize_t written = write(fd_, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EPIPE) {
      reader_gone_ = true;
    } else if (errno != EINTR) {
      status_ = Unavailable("standard output cannot be written").With("reason", std::strerror(errno));
    }
  }
}

void PrintRaw(std::string_view text) {
  if (g_progress_shown.exchange(false)) WriteError(kEraseLine);
  WriteError(text);
}

void PrintProgress(std::string_view text) {
  PrintRaw(text);
  g_progress_shown = true;
}

void PrintNote(std::string_view text) {
  std::string line = "lakestream: ";
  line += Printable(text);
  line += '\n';
  PrintRaw(line);
}

void PrintError(const Status& status) { PrintNote(status.message()); }

}  // namespace lakestream
