#include "cli/commands/append.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/try.h"
#include "bindings/entry_binding.h"
#include "cli/append_report.h"
#include "cli/append_window.h"
#include "cli/exit_code.h"
#include "cli/line_splitter.h"
#include "cli/progress.h"
#include "cli/stop_signals.h"
#include "log/catalog/stream_lister.h"

namespace lakestream {
namespace {

/// The input, closed when it goes unless it is standard input.
class Input {
 public:
  static Result<Input> Open(const std::string& file) {
    if (file.empty() || file == "-") return Input(STDIN_FILENO);
    const int fd = open(file.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat info = {};
    if (fd >= 0 && fstat(fd, &info) == 0 && S_ISDIR(info.st_mode)) {
      close(fd);
      return InvalidArgument("the input is a folder").With("file", file);
    }
    if (fd >= 0) return Input(fd);
    const StatusCode code = errno == ENOENT ? StatusCode::kNotFound : StatusCode::kUnavailable;
    return Status(code, "the input file cannot be opened").With("file", file).With("reason", std::strerror(errno));
  }
  Input(Input&& other) noexcept : fd_(std::exchange(other.fd_, STDIN_FILENO)) {}
  Input& operator=(Input&&) = delete;
  ~Input() {
    if (fd_ != STDIN_FILENO) close(fd_);
  }
  int fd() const { return fd_; }

 private:
  explicit Input(int fd) : fd_(fd) {}
  int fd_;
};

/// One run of the command: a loop on one thread that reads, appends, and collects answers.
class AppendRun {
 public:
  AppendRun(Environment& environment, Deployment& deployment, const StreamMetadata& stream,
            Binding binding, const AppendOptions& options)
      : environment_(environment),
        deployment_(deployment),
        options_(options),
        stream_(LogicalIdOf(stream).ToString()),
        partitions_(static_cast<int>(stream.logs.size())),
        splitter_(options.raw || options.payload ? LineSplitter::Cut::kWhole : LineSplitter::Cut::kLines,
                  LongestLine(binding, options)),
        window_(environment.runtime(), deployment.writer(), stream.logs),
        progress_(environment, options.offsets) {
    if (binding == Binding::kRaw || options.payload) return;
    batches_.emplace(partitions_, options.batching, [this](AppendPiece piece) { window_.Start(std::move(piece)); });
  }

  int Run(int input) {
    started_ = environment_.runtime().Now();
    while (true) {
      Collect();
      if (report_.failed() || signals_.received() != 0) reading_ = false;
      if (reading_ && options_.offsets) CheckOutput();
      bool hungry = false;
      while (reading_ && !hungry && window_.HasRoom()) hungry = !StartNext();
      if (hungry || !reading_) Flush();
      if (!reading_ && window_.idle()) break;
      progress_.Show(report_.acknowledged(), report_.acknowledged_bytes());
      if (WaitForSomething(hungry && reading_ ? input : -1)) ReadSome(input);
    }
    return Finish();
  }

 private:
  /// Appends the next line; false when more input is needed first.
  bool StartNext() {
    Result<std::optional<Buffer>> line = splitter_.Next();
    if (!line.ok()) {
      input_status_ = line.status();
      reading_ = false;
      return false;
    }
    if (!line->has_value()) {
      if (at_end_) reading_ = false;
      return false;
    }
    AppendPiece piece;
    piece.line = splitter_.lines();
    piece.partition = options_.partition.value_or(static_cast<int>((piece.line - 1) % partitions_));
    piece.bytes = static_cast<std::int64_t>((*line)->size());
    piece.payload = **std::move(line);
    const Status status = Start(std::move(piece));
    if (status.ok()) return true;
    input_status_ = status;
    reading_ = false;
    return false;
  }

  /// `piece` is one line as it is.
  Status Start(AppendPiece piece) {
    if (batches_) {
      return batches_->Add(piece.partition, piece.line, piece.payload.text(), options_.timestamp_ms.value_or(read_at_ms_));
    }
    if (options_.payload) {
      LS_ASSIGN(piece.records, EntryBindingFor(Binding::kKafka).CountRecords(piece.payload.span()));
    }
    window_.Start(std::move(piece));
    return OkStatus();
  }

  /// Whatever was read goes on its way before more input is waited for.
  void Flush() {
    if (!batches_) return;
    const Status status = batches_->Flush(!reading_);
    if (status.ok()) return;
    if (input_status_.ok()) input_status_ = status;
    reading_ = false;
  }

  /// Whoever asked for the offsets and takes no more of them wants no more appended.
  void CheckOutput() {
    if (!environment_.out().closed()) return;
    input_status_ = environment_.out().status();
    if (input_status_.ok()) {
      input_status_ = Unavailable("the reader of the offsets went away; what was under way has ended")
                          .With("lines_read", splitter_.lines());
    }
    reading_ = false;
  }

  /// Waits for an answer, a signal, the reader of the offsets going away, or bytes of `input` (-1: not those). True
  /// when there is input.
  bool WaitForSomething(int input) {
    if (!reading_ && window_.idle()) return false;
    // After a signal its descriptor stays readable, so it is left out.
    const int signal = signals_.received() == 0 ? signals_.fd() : -1;
    const int offsets = options_.offsets && !environment_.out().closed() ? environment_.out().fd() : -1;
    std::array<pollfd, 4> fds{pollfd{window_.fd(), POLLIN, 0}, pollfd{signal, POLLIN, 0}, pollfd{input, POLLIN, 0},
                              pollfd{offsets, 0, 0}};
    const int timeout = progress_.shown() ? static_cast<int>(ToMillis(Progress::kEvery)) : -1;
    if (poll(fds.data(), fds.size(), timeout) <= 0) return false;
    if ((fds[3].revents & POLLERR) != 0) environment_.out().NoteReaderGone();
    return fds[2].revents != 0;
  }

  void ReadSome(int input) {
    const std::span<std::uint8_t> space = splitter_.Space();
    const ssize_t got = read(input, space.data(), space.size());
    if (got > 0) {
      splitter_.Filled(static_cast<std::size_t>(got));
      read_at_ms_ = ToMillis(environment_.runtime().clock.Wall());
    } else if (got == 0) {
      at_end_ = true;
      splitter_.Finish();
    } else if (errno != EINTR && errno != EAGAIN) {
      // What came before is whole lines and is appended; the part of a line after them is not.
      input_status_ = Unavailable("the input cannot be read").With("reason", std::strerror(errno));
      reading_ = false;
    }
  }

  void Collect() {
    window_.Collect([this](const EndedAppend& ended) {
      report_.Count(ended);
      if (!options_.offsets || !ended.result.ok()) return;
      const std::int64_t step = options_.partition || options_.payload ? 1 : partitions_;
      for (std::int64_t i = 0; i < ended.records; ++i) {
        environment_.out().Write(
            fmt::format("{} {} {}\n", ended.line + i * step, ended.partition, ended.result->offset.value() + i));
      }
    });
    environment_.out().Flush();
  }

  int Finish() {
    AppendReport::Circumstances circumstances;
    circumstances.stream = stream_;
    circumstances.elapsed = environment_.runtime().Now() - started_;
    circumstances.objects = deployment_.writer().stats().objects;
    circumstances.in_batches = batches_.has_value() || options_.payload;
    circumstances.ended_in_lf = splitter_.ended_in_lf() || options_.raw || options_.payload;
    circumstances.several_partitions = partitions_ > 1;
    const int signal = signals_.received();
    circumstances.input = input_status_;
    if (circumstances.input.ok() && signal != 0) {
      circumstances.input = Cancelled("a signal ended the reading; what was under way has ended")
                                .With("signal", signal)
                                .With("lines_read", splitter_.lines());
    }
    if (!environment_.quiet()) PrintRaw(report_.Text(circumstances));
    if (options_.json) environment_.out().Write(report_.Json(circumstances));
    if (report_.failed()) {
      const Status failure = report_.Failure();
      PrintError(failure);
      return report_.unknown() ? kExitMayHaveHappened : ExitCodeFor(failure.code());
    }
    if (!circumstances.input.ok()) PrintError(circumstances.input.With("acknowledged", report_.acknowledged()));
    if (!input_status_.ok()) return kExitFailed;
    return signal == 0 ? kExitOk : kExitSignalBase + signal;
  }

  static std::int64_t LongestLine(Binding binding, const AppendOptions& options) {
    const std::int64_t entry = WriterOptions().max_entry_bytes;
    const bool whole = binding == Binding::kRaw || options.payload;
    return whole ? entry : BatchAssembler::LongestLine(options.batching, entry);
  }

  Environment& environment_;
  Deployment& deployment_;
  const AppendOptions& options_;
  const std::string stream_;
  const int partitions_;
  LineSplitter splitter_;
  AppendWindow window_;
  std::optional<BatchAssembler> batches_;  // of a kafka stream
  std::int64_t read_at_ms_ = 0;            // when the last bytes came
  AppendReport report_;
  const StopSignals signals_;
  Progress progress_;
  bool reading_ = true;
  bool at_end_ = false;
  Status input_status_;
  MonotonicTime started_;
};

Result<int> Append(Environment& environment, const AppendOptions& options) {
  LS_ASSIGN(const Input input, Input::Open(options.file));
  LS_ASSIGN(Deployment * deployment, environment.Open(false));
  LS_TRY(environment.ServeMetrics(*deployment));
  LS_ASSIGN(const StreamMetadata stream, environment.LoadStream(*deployment, options.stream));
  if (options.partition) LS_TRY(CheckPartition(stream, *options.partition));
  LS_ASSIGN(const Binding binding, BindingOf(stream));
  if (binding == Binding::kRaw && options.shapes_records) {
    return InvalidArgument(
               "the stream's entries are opaque; --key, --header, --timestamp, --compression, --batch and --payload are for "
               "streams of binding kafka")
        .With("stream", options.stream);
  }
  AppendRun run(environment, *deployment, stream, binding, options);
  return run.Run(input.fd());
}

}  // namespace

int RunAppend(Environment& environment, const AppendOptions& options) {
  const Result<int> code = Append(environment, options);
  if (code.ok()) return *code;
  PrintError(code.status());
  return ExitCodeFor(code.status().code());
}

}  // namespace lakestream
