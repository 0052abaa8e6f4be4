#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>

#include "meta/lmdb/testing/lmdb_test_util.h"

namespace lakestream {
namespace {

using Strings = std::vector<std::string>;

/// What is left of another process's session: its name.
class NamedSession final : public MetadataSession {
 public:
  explicit NamedSession(std::string id) : id_(std::move(id)) {}
  const std::string& id() const override { return id_; }
  bool ProvablyAlive() const override { return false; }
  Task<Status> Close(OpContext) override { co_return OkStatus(); }

 private:
  std::string id_;
};

class LmdbSessionTest : public testing::Test {
 protected:
  /// A child with a session and two of its records.
  void StartHolder(ChildProcess& child) {
    ASSERT_EQ(child.Answer(), "ok");
    session_ = child.Ask("session");
    ASSERT_EQ(session_.size(), 16u);
    ASSERT_EQ(child.Ask("ephemeral /e/1"), "ok");
    ASSERT_EQ(child.Ask("ephemeral /e/2"), "ok");
    ASSERT_EQ(client_.Keys("/e/", "/e/~"), Strings({"/e/1", "/e/2"}));
  }
  StatusCode GuardedPut() {
    WriteGuard guard;
    guard.session = std::make_shared<NamedSession>(session_);
    return Wait(client_.store().Put(OpContext(), TestPartition(), "guarded", Buffer(), guard)).status().code();
  }
  bool HasFile() const { return std::filesystem::exists(directory_.path() + "/sessions/" + session_); }

  TempDirectory directory_;
  LmdbClient client_{directory_.path()};
  std::string session_;
};

TEST_F(LmdbSessionTest, KillEndsASessionAtTheNextRead) {
  ChildProcess child(directory_.path());
  StartHolder(child);
  EXPECT_EQ(GuardedPut(), StatusCode::kOk);
  EXPECT_TRUE(HasFile());
  child.Kill();
  EXPECT_EQ(client_.Keys("/e/", "/e/~"), Strings());
  EXPECT_EQ(GuardedPut(), StatusCode::kFenced);
  EXPECT_FALSE(HasFile());
  EXPECT_EQ(client_.store().stats().sessions_ended, 1u);
}

TEST_F(LmdbSessionTest, EachReadAndCreateEndsADeadSession) {
  for (const std::string how : {"get", "floor", "scan", "create", "compare"}) {
    SCOPED_TRACE(how);
    ChildProcess child(directory_.path());
    StartHolder(child);
    child.Kill();
    auto& store = client_.store();
    if (how == "get") {
      EXPECT_EQ(client_.Get("/e/2"), "none");
    }
    if (how == "floor") {
      const auto found = Wait(store.Floor(OpContext(), TestPartition(), "/e/2"));
      EXPECT_TRUE(found.ok() && !(*found && (*found)->key.starts_with("/e/")));
    }
    if (how == "scan") {
      const auto page = Wait(store.Scan(OpContext(), KeyRange{std::nullopt, "/e/", "/e/~"}, "", 1000));
      EXPECT_TRUE(page.ok() && page->records.empty());
    }
    if (how == "create") {
      const auto made = Wait(store.CreateIfAbsent(OpContext(), TestPartition(), "/e/1", Buffer(), WriteGuard()));
      EXPECT_TRUE(made.ok()) << made.status().ToString();
      EXPECT_TRUE(Wait(store.Delete(OpContext(), TestPartition(), "/e/1", WriteGuard())).ok());
    }
    if (how == "compare") {
      const auto set = Wait(store.CompareAndSet(OpContext(), TestPartition(), "/e/1", Buffer(), 1, WriteGuard()));
      EXPECT_EQ(set.status().code(), StatusCode::kPreconditionFailed);
    }
    EXPECT_EQ(GuardedPut(), StatusCode::kFenced);
    EXPECT_FALSE(HasFile());
  }
}

TEST_F(LmdbSessionTest, OpeningEndsDeadSessions) {
  ChildProcess child(directory_.path());
  StartHolder(child);
  child.Kill();
  client_.Close();
  ASSERT_TRUE(client_.Open().ok());
  EXPECT_EQ(client_.store().stats().sessions_ended, 1u);
  EXPECT_FALSE(HasFile());
}

TEST_F(LmdbSessionTest, OpeningTakesNoWriteTransactionWhereNothingIsToBeDone) {
  ASSERT_TRUE(client_.Put("a", "1").ok());
  ChildProcess holder(directory_.path());
  StartHolder(holder);
  holder.Send("stop 7");
  holder.WaitUntilStopped();
  client_.Close();
  // The write lock is held: whoever wanted it here would wait.
  EXPECT_TRUE(client_.Open().ok());
  EXPECT_EQ(client_.Get("a"), "1");
  EXPECT_EQ(client_.Keys("/e/", "/e/~").size(), 2u);
}

TEST_F(LmdbSessionTest, AForkDoesNotKeepASessionAlive) {
  ChildProcess child(directory_.path());
  StartHolder(child);
  const pid_t grandchild = std::stoi(child.Ask("fork"));
  ASSERT_GT(grandchild, 0);
  child.Kill();
  ASSERT_EQ(kill(grandchild, 0), 0) << "it must outlive its parent for this test";
  EXPECT_EQ(client_.Keys("/e/", "/e/~"), Strings());
  kill(grandchild, SIGKILL);
}

TEST_F(LmdbSessionTest, AStoppedProcessKeepsItsSession) {
  ChildProcess child(directory_.path());
  StartHolder(child);
  child.Signal(SIGSTOP);
  child.WaitUntilStopped();
  EXPECT_EQ(client_.Keys("/e/", "/e/~"), Strings({"/e/1", "/e/2"}));
  EXPECT_EQ(GuardedPut(), StatusCode::kOk);
  child.Signal(SIGCONT);
  EXPECT_EQ(child.Ask("ephemeral /e/3"), "ok");
}

TEST_F(LmdbSessionTest, ASessionOutlivesItsLockFileWhileItsProcessRuns) {
  ChildProcess child(directory_.path());
  StartHolder(child);
  ASSERT_TRUE(std::filesystem::remove(directory_.path() + "/sessions/" + session_));
  EXPECT_EQ(client_.Keys("/e/", "/e/~"), Strings({"/e/1", "/e/2"}));
  child.Kill();
  EXPECT_EQ(client_.Keys("/e/", "/e/~"), Strings());
}

TEST_F(LmdbSessionTest, StrayLockFilesAreRemovedAtOpen) {
  const std::string stray = directory_.path() + "/sessions/00000000deadbeef";
  const int file = open(stray.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0640);
  ASSERT_GE(file, 0);
  close(file);
  client_.Close();
  ASSERT_TRUE(client_.Open().ok());
  EXPECT_FALSE(std::filesystem::exists(stray));
}

TEST_F(LmdbSessionTest, ProvablyAliveUntilClosed) {
  auto session = *Wait(client_.store().OpenSession(OpContext(), std::chrono::seconds(2)));
  EXPECT_TRUE(session->ProvablyAlive());
  EXPECT_TRUE(Wait(session->Close(OpContext())).ok());
  EXPECT_FALSE(session->ProvablyAlive());
  auto lost = *Wait(client_.store().OpenSession(OpContext(), std::chrono::seconds(2)));
  client_.Close();
  EXPECT_FALSE(lost->ProvablyAlive());
}

TEST_F(LmdbSessionTest, AnotherPidNamespaceIsRefused) {
  ChildProcess child(directory_.path(), ChildProcess::Options{true});
  const std::string answer = child.Answer();
  if (answer.empty()) GTEST_SKIP() << "no right to make a PID namespace";
  EXPECT_NE(answer.find("invalid_argument: processes of another PID namespace use this metadata store"),
            std::string::npos)
      << answer;
  client_.Close();
  ChildProcess alone(directory_.path(), ChildProcess::Options{true});
  EXPECT_EQ(alone.Answer(), "ok");
  EXPECT_EQ(client_.Open().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace lakestream
