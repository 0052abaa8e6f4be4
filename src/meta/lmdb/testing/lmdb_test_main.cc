#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <iostream>
#include <sstream>

#include "meta/lmdb/testing/lmdb_test_util.h"

namespace lakestream {
namespace {

/// The other process of a test: obeys one line at a time.
///   session              opens a session; answers its id
///   ephemeral KEY        makes a record of that session
///   put KEY BYTES        writes a value
///   get KEY              answers the number of bytes, or "none"
///   sequence LOG COUNT N N sequenced puts of COUNT records; answers the last key
///   stop LOG             a sequenced put that stops this process inside its write transaction
///   fork                 leaves a grandchild behind; answers its process id
class Child {
 public:
  explicit Child(LmdbClient& client) : client_(client) {}

  std::string Obey(const std::string& line) {
    std::istringstream words(line);
    std::string command;
    words >> command;
    if (command == "session") return OpenSession();
    if (command == "ephemeral") return MakeEphemeral(Next(words));
    if (command == "put") {
      const std::string key = Next(words);
      return Put(key, std::stoul(Next(words)));
    }
    if (command == "get") return GetSize(Next(words));
    if (command == "stop") return StopInside(std::stol(Next(words)));
    if (command == "fork") return Fork();
    if (command == "sequence") {
      const std::int64_t log = std::stol(Next(words));
      const std::int64_t count = std::stol(Next(words));
      return Sequence(log, count, std::stol(Next(words)));
    }
    return "unknown command";
  }

 private:
  static std::string Next(std::istringstream& words) {
    std::string word;
    words >> word;
    return word;
  }
  std::string OpenSession() {
    auto opened = Wait(client_.store().OpenSession(OpContext(), std::chrono::seconds(2)));
    if (!opened.ok()) return opened.status().ToString();
    session_ = *opened;
    return session_->id();
  }
  std::string MakeEphemeral(std::string key) {
    return Wait(client_.store().CreateEphemeral(OpContext(), TestPartition(), std::move(key), Buffer(), session_))
        .status()
        .ToString();
  }
  std::string Put(const std::string& key, std::size_t bytes) {
    return client_.Put(key, std::string(bytes, 'c')).ToString();
  }
  std::string GetSize(const std::string& key) {
    const std::string value = client_.Get(key);
    return value == "none" ? value : std::to_string(value.size());
  }
  std::string Sequence(std::int64_t log, std::int64_t count, std::int64_t times) {
    std::string last;
    for (std::int64_t i = 0; i < times; ++i) {
      const auto put = client_.Sequence(log, count);
      if (!put.ok()) return put.status().ToString();
      last = put->key;
    }
    return last;
  }
  std::string StopInside(std::int64_t log) {
    const auto put = client_.Sequence(log, 1, [] {
      raise(SIGSTOP);
      return OkStatus();
    });
    return put.ok() ? put->key : put.status().ToString();
  }
  /// Answers when the new process runs, so that its handlers of the fork have run too: the parent may be back earlier.
  std::string Fork() {
    int running[2];
    if (pipe2(running, O_CLOEXEC) != 0) return "no pipe";
    const pid_t grandchild = fork();
    if (grandchild == 0) {
      close(running[1]);
      close(running[0]);
      while (true) pause();
    }
    close(running[1]);
    char end;
    const bool closed = read(running[0], &end, 1) == 0;
    close(running[0]);
    return closed ? std::to_string(grandchild) : "no end of the pipe";
  }

  LmdbClient& client_;
  std::shared_ptr<MetadataSession> session_;
};

int RunChild(const std::string& directory, std::uint64_t map_size) {
  LmdbOptions options;
  options.directory = directory;
  options.create = true;
  options.shards = 4;
  options.map_size = map_size;
  LmdbClient client(options);
  const Status opened = client.Open();
  std::cout << opened.ToString() << std::endl;
  if (!opened.ok()) return 0;
  Child child(client);
  std::string line;
  while (std::getline(std::cin, line)) std::cout << child.Obey(line) << std::endl;
  return 0;
}

}  // namespace
}  // namespace lakestream

int main(int argc, char** argv) {
  if (argc == 4 && std::string_view(argv[1]) == "--child") {
    // At once and without destructors, as a process ends whose writer may be stuck.
    _exit(lakestream::RunChild(argv[2], std::stoull(argv[3])));
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
