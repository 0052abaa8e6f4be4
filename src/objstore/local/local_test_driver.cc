// Runs calls of a LocalObjectStore for tests that watch or disturb its system calls from outside. One thread
// does the blocking work, so that "the n-th fsync" means something. Usage:
//   objstore_local_driver DIRECTORY [--named] CALL...
// with calls put:KEY:BYTES, upload:KEY:BYTES, retry:KEY:BYTES (completes an upload up to twice), get:KEY,
// head:KEY, delete:KEY. Writes "begin CALL" before and "ack CALL CODE" after each, a write of its own each.

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "objstore/local/local_object_store.h"
#include "runtime/thread_runtime.h"
#include "runtime/wait.h"

namespace lakestream {
namespace {

struct Call {
  std::string verb;
  std::string key;
  std::size_t bytes = 0;
};

Call ParseCall(const std::string& text) {
  Call call;
  const std::size_t first = text.find(':');
  const std::size_t second = text.find(':', first + 1);
  call.verb = text.substr(0, first);
  call.key = text.substr(first + 1, second == std::string::npos ? second : second - first - 1);
  if (second != std::string::npos) call.bytes = std::stoul(text.substr(second + 1));
  return call;
}

Task<Status> Upload(ObjectStore& store, Call call, int completions) {
  Result<std::unique_ptr<ObjectUpload>> upload = co_await store.StartUpload(OpContext(), call.key, PutMode::kCreate);
  if (!upload.ok()) co_return upload.status();
  const BufferChain half(Buffer(std::string(call.bytes / 2, 'x')));
  for (int i = 0; i < 2; ++i) {
    const Status appended = co_await (*upload)->Append(OpContext(), half);
    if (!appended.ok()) co_return appended;
  }
  Status completed;
  for (int i = 0; i < completions; ++i) {
    completed = co_await (*upload)->Complete(OpContext());
    if (completed.ok()) break;
  }
  co_return completed;
}

Task<Status> Run(ObjectStore& store, Call call) {
  if (call.verb == "put") {
    BufferChain bytes(Buffer(std::string(call.bytes / 2, 'x')));
    bytes.Append(Buffer(std::string(call.bytes - call.bytes / 2, 'y')));
    co_return co_await store.Put(OpContext(), call.key, bytes, PutMode::kCreate);
  }
  if (call.verb == "upload") co_return co_await Upload(store, call, 1);
  if (call.verb == "retry") co_return co_await Upload(store, call, 2);
  if (call.verb == "get") {
    const Result<Buffer> got = co_await store.Get(OpContext(), call.key, ByteRange());
    co_return got.status();
  }
  if (call.verb == "head") {
    const Result<ObjectInfo> info = co_await store.Head(OpContext(), call.key);
    co_return info.status();
  }
  const std::vector<std::string> keys = {call.key};
  co_return co_await store.Delete(OpContext(), keys);
}

void Say(const std::string& line) {
  if (::write(STDOUT_FILENO, line.data(), line.size()) != static_cast<ssize_t>(line.size())) std::abort();
}

int Main(const std::vector<std::string>& arguments) {
  ThreadRuntimeOptions threads;
  threads.executor_threads = 1;
  threads.blocking_threads = 1;
  ThreadRuntime runtime(threads);
  LocalObjectStoreOptions options;
  options.directory = arguments.at(0);
  options.named_temp_files = arguments.size() > 1 && arguments[1] == "--named";
  const Result<std::unique_ptr<LocalObjectStore>> store = LocalObjectStore::Open(runtime.runtime(), options);
  if (!store.ok()) {
    Say(store.status().ToString() + "\n");
    return 1;
  }
  for (std::size_t i = options.named_temp_files ? 2 : 1; i < arguments.size(); ++i) {
    Say("begin " + arguments[i] + "\n");
    const Status status = Wait(Run(**store, ParseCall(arguments[i])));
    Say("ack " + arguments[i] + " " + (status.ok() ? "ok" : status.ToString()) + "\n");
  }
  return 0;
}

}  // namespace
}  // namespace lakestream

int main(int argc, char** argv) { return lakestream::Main(std::vector<std::string>(argv + 1, argv + argc)); }
