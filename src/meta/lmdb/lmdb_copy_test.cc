#include "meta/lmdb/lmdb_copy.h"

#include <filesystem>
#include <fstream>

#include "meta/lmdb/testing/lmdb_test_util.h"

namespace lakestream {
namespace {

namespace fs = std::filesystem;

class LmdbCopyTest : public testing::Test {
 protected:
  Status Copy(const std::string& name) {
    const Status copied = Wait(client_.store().CopyTo(OpContext(), copies_.path() + "/" + name));
    return copied;
  }
  /// A directory with a copy as its store.
  std::string StoreOf(const std::string& name) {
    const std::string directory = copies_.path() + "/store-" + name;
    fs::create_directory(directory);
    fs::copy_file(copies_.path() + "/" + name, directory + "/data.mdb");
    return directory;
  }

  TempDirectory directory_;
  TempDirectory copies_;
  LmdbClient client_{directory_.path()};
};

TEST_F(LmdbCopyTest, HoldsTheSnapshotAndNothingLater) {
  ASSERT_TRUE(client_.Put("a", "1").ok());
  ASSERT_TRUE(Copy("one").ok());
  ASSERT_TRUE(client_.Put("a", "2").ok());
  const auto records = VerifyLmdbCopy(copies_.path() + "/one");
  ASSERT_TRUE(records.ok()) << records.status().ToString();
  EXPECT_EQ(*records, *Wait(client_.store().Verify(OpContext())));
  LmdbClient copy(StoreOf("one"));
  EXPECT_EQ(copy.Get("a"), "1");
  ASSERT_TRUE(copy.Put("b", "3").ok());
  EXPECT_EQ(client_.Get("a"), "2");
  EXPECT_EQ(client_.Get("b"), "none");
}

TEST_F(LmdbCopyTest, OldBytesStayBehind) {
  ASSERT_TRUE(client_.Put("a", std::string(100'000, 'z') + "secret").ok());
  ASSERT_TRUE(Wait(client_.store().Delete(OpContext(), TestPartition(), "a", WriteGuard())).ok());
  ASSERT_TRUE(Copy("one").ok());
  std::ifstream file(copies_.path() + "/one", std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  EXPECT_EQ(bytes.find("secret"), std::string::npos);
  EXPECT_LT(bytes.size(), 100'000u);
}

TEST_F(LmdbCopyTest, AChangedBitIsFound) {
  for (int i = 0; i < 200; ++i) ASSERT_TRUE(client_.Put("key" + std::to_string(i), "some-value").ok());
  ASSERT_TRUE(Copy("one").ok());
  const std::string path = copies_.path() + "/one";
  std::string bytes;
  {
    std::ifstream file(path, std::ios::binary);
    bytes.assign((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  }
  bytes[bytes.find("some-value")] ^= 1;
  std::ofstream(path, std::ios::binary) << bytes;
  EXPECT_EQ(VerifyLmdbCopy(path).status().code(), StatusCode::kCorrupt);
  EXPECT_EQ(VerifyLmdbCopy(copies_.path() + "/none").status().code(), StatusCode::kNotFound);
}

TEST_F(LmdbCopyTest, IsMadeThoughAnotherProcessStandsStillInAWrite) {
  ASSERT_TRUE(client_.Put("a", "1").ok());
  ChildProcess child(directory_.path());
  ASSERT_EQ(child.Answer(), "ok");
  child.Send("stop 9");
  child.WaitUntilStopped();
  EXPECT_TRUE(Copy("one").ok());
  child.Signal(SIGCONT);
  child.Kill();
  EXPECT_TRUE(VerifyLmdbCopy(copies_.path() + "/one").ok());
}

TEST_F(LmdbCopyTest, FollowsAMapThatAnotherProcessMadeLarger) {
  constexpr std::uint64_t kSmall = std::uint64_t{1} << 20;
  const TempDirectory directory;
  LmdbClient small(directory.path(), kSmall);
  ChildProcess::Options options;
  options.map_size = kSmall;
  ChildProcess child(directory.path(), options);
  ASSERT_EQ(child.Answer(), "ok");
  ASSERT_EQ(child.Ask("put big 3000000"), "ok");
  ASSERT_TRUE(Wait(small.store().CopyTo(OpContext(), copies_.path() + "/one")).ok());
  EXPECT_GT(fs::file_size(copies_.path() + "/one"), 3'000'000u);
  EXPECT_EQ(small.store().stats().map_changes, 1u);
  EXPECT_TRUE(VerifyLmdbCopy(copies_.path() + "/one").ok());
}

TEST_F(LmdbCopyTest, ClaimingEndsEverySessionAndMovesTheVersions) {
  const auto session = Wait(client_.store().OpenSession(OpContext(), std::chrono::seconds(10)));
  ASSERT_TRUE(session.ok());
  ASSERT_TRUE(Wait(client_.store().CreateEphemeral(OpContext(), TestPartition(), "/lease", Buffer(), *session)).ok());
  ASSERT_TRUE(Copy("one").ok());
  LmdbClient copy(StoreOf("one"));
  // Its process lives, so nobody but the claim may end it.
  EXPECT_EQ(copy.Get("/lease"), "");
  const auto ended = Wait(copy.store().ClaimCopy(OpContext(), 1'000'000, 500));
  ASSERT_TRUE(ended.ok()) << ended.status().ToString();
  EXPECT_EQ(*ended, 1u);
  EXPECT_EQ(copy.Get("/lease"), "none");
  const auto put = Wait(copy.store().Put(OpContext(), TestPartition(), "a", Buffer(), WriteGuard()));
  ASSERT_TRUE(put.ok());
  EXPECT_EQ(put->version, 1'000'501);
  // Versions that are above that already are only skipped.
  ASSERT_TRUE(Wait(copy.store().ClaimCopy(OpContext(), 7, 10)).ok());
  EXPECT_EQ(Wait(copy.store().Put(OpContext(), TestPartition(), "a", Buffer(), WriteGuard()))->version, 1'000'512);
  EXPECT_TRUE(Wait(copy.store().Verify(OpContext())).ok());
  EXPECT_EQ(Wait(copy.store().ClaimCopy(OpContext(), std::numeric_limits<std::int64_t>::max(), 0)).status().code(),
            StatusCode::kResourceExhausted);
  EXPECT_TRUE((*session)->ProvablyAlive());
  EXPECT_EQ(client_.Get("/lease"), "");
}

TEST_F(LmdbCopyTest, NothingIsWrittenToAFileThatIsNoLongerInItsPlace) {
  ASSERT_TRUE(client_.Put("a", "1").ok());
  ASSERT_TRUE(Copy("one").ok());
  const std::string data = directory_.path() + "/data.mdb";
  fs::rename(data, directory_.path() + "/away");
  EXPECT_EQ(client_.Put("a", "2").code(), StatusCode::kFenced);
  fs::copy_file(copies_.path() + "/one", data);
  EXPECT_EQ(client_.Put("a", "2").code(), StatusCode::kFenced);
  EXPECT_EQ(Copy("two").code(), StatusCode::kFenced);
  EXPECT_EQ(client_.Get("a"), "1");
  fs::remove(data);
  fs::rename(directory_.path() + "/away", data);
  EXPECT_TRUE(client_.Put("a", "3").ok());
}

TEST_F(LmdbCopyTest, NorWhereAFileStandsInThePlaceOfItsDirectory) {
  const std::string place = copies_.path() + "/meta";
  LmdbClient client(place);
  ASSERT_TRUE(client.Put("a", "1").ok());
  fs::rename(place, copies_.path() + "/away");
  EXPECT_EQ(client.Put("a", "2").code(), StatusCode::kFenced);
  std::ofstream(place, std::ios::binary) << "x";
  EXPECT_EQ(client.Put("a", "2").code(), StatusCode::kFenced);
}

}  // namespace
}  // namespace lakestream
