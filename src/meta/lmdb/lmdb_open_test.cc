#include <lmdb.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "meta/lmdb/file_system.h"
#include "meta/lmdb/testing/lmdb_test_util.h"

namespace lakestream {
namespace {

LmdbOptions Options(const std::string& directory, bool create) {
  LmdbOptions options;
  options.directory = directory;
  options.create = create;
  options.map_size = std::uint64_t{1} << 30;
  return options;
}

std::string OpenError(LmdbOptions options) { return LmdbClient(std::move(options)).Open().ToString(); }

/// A file of LMDB with one record, made without this project.
void MakeForeign(const std::string& directory, std::string key, std::string value) {
  MDB_env* env = nullptr;
  ASSERT_EQ(mdb_env_create(&env), 0);
  ASSERT_EQ(mdb_env_open(env, directory.c_str(), 0, 0640), 0);
  MDB_txn* txn = nullptr;
  ASSERT_EQ(mdb_txn_begin(env, nullptr, 0, &txn), 0);
  MDB_dbi dbi = 0;
  ASSERT_EQ(mdb_dbi_open(txn, nullptr, 0, &dbi), 0);
  MDB_val k{key.size(), key.data()};
  MDB_val v{value.size(), value.data()};
  ASSERT_EQ(mdb_put(txn, dbi, &k, &v, 0), 0);
  ASSERT_EQ(mdb_txn_commit(txn), 0);
  mdb_env_close(env);
}

TEST(LmdbOpenTest, WhatIsNoStoreIsRefusedAndLeftAlone) {
  TempDirectory directory;
  EXPECT_TRUE(OpenError(Options(directory.path() + "/none", false)).starts_with("not_found: "));
  EXPECT_TRUE(OpenError(Options(directory.path(), false)).starts_with("not_found: "));
  EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
  std::ofstream(directory.path() + "/letter.txt") << "dear";
  EXPECT_TRUE(OpenError(Options(directory.path(), true)).starts_with("invalid_argument: a new metadata store needs"));
  EXPECT_TRUE(OpenError(Options(directory.path() + "/letter.txt", true)).starts_with("invalid_argument: "));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory.path()), {}), 1);
}

TEST(LmdbOpenTest, AnotherProgramsFileIsRefused) {
  TempDirectory directory;
  MakeForeign(directory.path(), "somebody", "else");
  for (const bool create : {false, true}) {
    EXPECT_TRUE(OpenError(Options(directory.path(), create)).starts_with("invalid_argument: the LMDB file is not"));
  }
  TempDirectory garbage;
  std::ofstream(garbage.path() + "/data.mdb") << std::string(10000, 'g');
  EXPECT_TRUE(OpenError(Options(garbage.path(), true)).starts_with("corrupt: the metadata store cannot be opened"));
}

TEST(LmdbOpenTest, ANewerLayoutIsRefused) {
  TempDirectory directory;
  MakeForeign(directory.path(), "\xffh", std::string("lakemeta\0\0\0\x03\0\0\0\x01", 16));
  const std::string error = OpenError(Options(directory.path(), true));
  EXPECT_TRUE(error.starts_with("invalid_argument: the metadata store has a layout that this program does not know")) << error;
  EXPECT_NE(error.find("layout=3"), std::string::npos);
}

TEST(LmdbOpenTest, OptionsHaveLimits) {
  TempDirectory directory;
  for (const int shards : {0, -1, 256}) {
    LmdbOptions options = Options(directory.path(), true);
    options.shards = shards;
    EXPECT_TRUE(OpenError(options).starts_with("invalid_argument: the number of shards")) << shards;
  }
  LmdbOptions options = Options(directory.path(), true);
  options.map_size = 4096;
  EXPECT_TRUE(OpenError(options).starts_with("invalid_argument: "));
  EXPECT_TRUE(OpenError(Options("", true)).starts_with("invalid_argument: "));
  EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
}

TEST(LmdbOpenTest, AStoreKeepsItsShardsAndItsFiles) {
  TempDirectory directory;
  LmdbOptions options = Options(directory.path() + "/deep/er", true);
  options.shards = 5;
  LmdbClient client(options);
  ASSERT_TRUE(client.Open().ok());
  EXPECT_EQ(client.store().shards(), 5);
  ASSERT_TRUE(client.Put("a", "1").ok());
  client.Close();
  options.shards = 2;
  options.create = false;
  LmdbClient again(options);
  ASSERT_TRUE(again.Open().ok());
  EXPECT_EQ(again.store().shards(), 5);
  EXPECT_EQ(again.Get("a"), "1");
  for (const char* name : {"/data.mdb", "/lock.mdb", "/sessions"}) {
    EXPECT_TRUE(std::filesystem::exists(options.directory + name)) << name;
  }
}

TEST(LmdbOpenTest, OneProcessHasOneEnvironment) {
  TempDirectory directory;
  LmdbClient first(Options(directory.path(), true));
  ASSERT_TRUE(first.Open().ok());
  const std::string last = std::filesystem::path(directory.path()).filename().string();
  const std::string other_name = directory.path() + "/../" + last;
  auto second = Wait(LmdbMetadataStore::Open(first.runtime(), OpContext(), Options(other_name, true)));
  ASSERT_TRUE(second.ok()) << second.status().ToString();
  const std::uint64_t before = (*second)->stats().commits;
  ASSERT_TRUE(first.Put("a", "1").ok());
  EXPECT_EQ((*second)->stats().commits, before + 1);
  EXPECT_TRUE(OpenError(Options(directory.path(), true)).starts_with("invalid_argument: ")) << "another runtime";
  // The environment stays open for the second.
  first.Close();
  EXPECT_TRUE(Wait((*second)->Put(OpContext(), TestPartition(), "b", Buffer(), WriteGuard())).ok());
  EXPECT_TRUE(Wait((*second)->Stop(OpContext())).ok());
  EXPECT_EQ(Wait((*second)->Get(OpContext(), TestPartition(), "b")).status().code(), StatusCode::kUnavailable);
}

TEST(LmdbOpenTest, FileSystemsAreJudgedByTheirTypes) {
  EXPECT_EQ(JudgeFileSystem(0xEF53).verdict, FileSystemVerdict::kGood);
  EXPECT_EQ(JudgeFileSystem(0x58465342).verdict, FileSystemVerdict::kGood);
  EXPECT_EQ(JudgeFileSystem(0x9123683E).verdict, FileSystemVerdict::kGood);
  EXPECT_EQ(JudgeFileSystem(0x794C7630).verdict, FileSystemVerdict::kGood);
  EXPECT_EQ(JudgeFileSystem(0x01021994).verdict, FileSystemVerdict::kDoubtful);
  EXPECT_EQ(JudgeFileSystem(0x6969).verdict, FileSystemVerdict::kRefused);
  EXPECT_EQ(JudgeFileSystem(0xFF534D42).verdict, FileSystemVerdict::kRefused);
  EXPECT_EQ(JudgeFileSystem(static_cast<int>(0xFF534D42)).verdict, FileSystemVerdict::kRefused);
  EXPECT_EQ(JudgeFileSystem(0xFE534D42).verdict, FileSystemVerdict::kRefused);
  EXPECT_EQ(JudgeFileSystem(0x01021997).verdict, FileSystemVerdict::kRefused);
  EXPECT_EQ(JudgeFileSystem(0x65735546).verdict, FileSystemVerdict::kRefused);
}

}  // namespace
}  // namespace lakestream
