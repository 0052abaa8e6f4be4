#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/testing/temp_directory.h"
#include "meta/lmdb/lmdb_metadata_store.h"
#include "runtime/thread_runtime.h"
#include "runtime/wait.h"

namespace lakestream {

/// Another process with its own client of a store; it is this program, started again. Killed at the end.
/// Each command is a line and has a line as answer: see lmdb_test_main.cc.
class ChildProcess {
 public:
  struct Options {
    bool own_pid_namespace = false;
    std::uint64_t map_size = std::uint64_t{1} << 30;
  };
  /// The first answer is that of opening the store.
  explicit ChildProcess(const std::string& directory, Options options);
  explicit ChildProcess(const std::string& directory) : ChildProcess(directory, Options()) {}
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  pid_t pid() const { return pid_; }
  void Send(const std::string& command);
  /// Empty when the child is gone.
  std::string Answer();
  std::string Ask(const std::string& command) {
    Send(command);
    return Answer();
  }
  /// Returns when the child has stopped itself.
  void WaitUntilStopped();
  void Signal(int signal);
  /// Kills it and returns when it is gone.
  void Kill();

 private:
  pid_t pid_ = -1;
  int to_child_ = -1;
  int from_child_ = -1;
  std::string unread_;
};

/// A store of this process with a runtime of its own, and the calls of tests in short form.
class LmdbClient {
 public:
  /// Opens or makes the store.
  explicit LmdbClient(const std::string& directory, std::uint64_t map_size = std::uint64_t{1} << 30);
  /// Leaves that to Open.
  explicit LmdbClient(LmdbOptions options) : options_(std::move(options)) {}

  LmdbMetadataStore& store() { return *store_; }
  Runtime& runtime() { return runtime_.runtime(); }
  /// Closes the store; Open opens it anew.
  void Close() { store_.reset(); }
  Status Open();

  OpContext After(Duration time) { return OpContext().WithDeadline(runtime().Now() + time); }
  Status Put(const std::string& key, const std::string& value);
  /// "none" where there is no record, the status where the read fails.
  std::string Get(const std::string& key);
  std::vector<std::string> Keys(const std::string& from, const std::string& to);
  Result<SequencedPutAnswer> Sequence(std::int64_t log, std::int64_t count, std::function<Status()> admit = nullptr,
                                      OpContext context = OpContext(), std::size_t value_bytes = 10);

 private:
  ThreadRuntime runtime_{ThreadRuntimeOptions()};
  LmdbOptions options_;
  std::unique_ptr<LmdbMetadataStore> store_;
};

/// The partition that the short forms use.
inline Partition TestPartition() { return Partition::OfLog(LogId(7)); }
std::string LogPrefix(std::int64_t log);

}  // namespace lakestream
