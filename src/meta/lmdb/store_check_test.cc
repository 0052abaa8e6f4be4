#include "meta/lmdb/store_check.h"

#include <lmdb.h>

#include <cstring>
#include <fstream>
#include <functional>
#include <random>

#include "meta/lmdb/testing/lmdb_test_util.h"

namespace lakestream {
namespace {

/// LMDB on a directory that no store has open, past everything of this project. Begin and commit around `work`.
void BehindItsBack(const std::string& directory, const std::function<void(MDB_txn*)>& work) {
  MDB_env* env = nullptr;
  ASSERT_EQ(mdb_env_create(&env), 0);
  ASSERT_EQ(mdb_env_set_mapsize(env, std::size_t{1} << 30), 0);
  ASSERT_EQ(mdb_env_open(env, directory.c_str(), 0, 0640), 0);
  MDB_txn* txn = nullptr;
  ASSERT_EQ(mdb_txn_begin(env, nullptr, 0, &txn), 0);
  MDB_dbi dbi = 0;
  ASSERT_EQ(mdb_dbi_open(txn, nullptr, 0, &dbi), 0);
  ASSERT_EQ(dbi, kMainDbi);
  work(txn);
  ASSERT_EQ(mdb_txn_commit(txn), 0);
  mdb_env_close(env);
}

/// What the counters say, and what is there, read by hand.
void ExpectDigestOfDump(const std::string& directory) {
  BehindItsBack(directory, [](MDB_txn* txn) {
    MDB_cursor* cursor = nullptr;
    ASSERT_EQ(mdb_cursor_open(txn, kMainDbi, &cursor), 0);
    MDB_val k{};
    MDB_val v{};
    StoreDigest dump;
    Result<StoreCounters> counters = Corrupt("there are none");
    while (mdb_cursor_get(cursor, &k, &v, MDB_NEXT) == 0) {
      const std::string_view key(static_cast<const char*>(k.mv_data), k.mv_size);
      const std::string_view value(static_cast<const char*>(v.mv_data), v.mv_size);
      if (key == CountersKey()) {
        counters = DecodeCounters(value);
      } else if (key != StoreHeaderKey()) {
        dump.Add(key, value);
      }
    }
    mdb_cursor_close(cursor);
    ASSERT_TRUE(counters.ok());
    EXPECT_EQ(counters->digest.records, dump.records);
    EXPECT_EQ(counters->digest.sum, dump.sum);
  });
}

class StoreCheckTest : public testing::Test {
 protected:
  Status Verify() { return Wait(client_.store().Verify(OpContext())).status(); }
  /// As many as several pages of LMDB hold.
  void Fill(int records) {
    for (int i = 0; i < records; ++i) {
      ASSERT_TRUE(client_.Put("key" + std::to_string(1000 + i), std::string(100, 'v')).ok());
    }
  }

  TempDirectory directory_;
  LmdbClient client_{directory_.path()};
};

/// Random operations of every kind on few keys.
class OpStream {
 public:
  OpStream(LmdbClient& client, std::mt19937& random) : client_(client), random_(random) {}

  void Step() {
    LmdbMetadataStore& store = client_.store();
    const std::string key = Key();
    switch (random_() % 10) {
      case 0:
      case 1:
        (void)client_.Put(key, Value());
        break;
      case 2:
        (void)Wait(store.CreateIfAbsent(OpContext(), TestPartition(), key, Buffer::CopyOf(Value()), WriteGuard()));
        break;
      case 3: {
        const auto found = Wait(store.Get(OpContext(), TestPartition(), key));
        ASSERT_TRUE(found.ok());
        const std::int64_t version = *found ? (*found)->version - static_cast<std::int64_t>(random_() % 2) : 1;
        if (version >= 0) {
          (void)Wait(store.CompareAndSet(OpContext(), TestPartition(), key, Buffer::CopyOf(Value()), version,
                                         WriteGuard()));
        }
        break;
      }
      case 4:
        EXPECT_TRUE(Wait(store.Delete(OpContext(), TestPartition(), key, WriteGuard())).ok());
        break;
      case 5:
        if (random_() % 4 == 0) {
          EXPECT_TRUE(Wait(store.DeleteRange(OpContext(), TestPartition(), key, Key(), WriteGuard())).ok());
        }
        break;
      case 6:
        EXPECT_TRUE(client_.Sequence(static_cast<std::int64_t>(1 + random_() % 3), 1).ok());
        break;
      case 7:
        if (sessions_.size() < 3) sessions_.push_back(*Wait(store.OpenSession(OpContext(), std::chrono::seconds(5))));
        break;
      case 8:
        if (!sessions_.empty()) {
          (void)Wait(store.CreateEphemeral(OpContext(), TestPartition(), key, Buffer::CopyOf(Value()), Any()));
        }
        break;
      default:
        if (!sessions_.empty() && random_() % 4 == 0) {
          const auto session = sessions_.begin() + static_cast<std::ptrdiff_t>(random_() % sessions_.size());
          EXPECT_TRUE(Wait((*session)->Close(OpContext())).ok());
          sessions_.erase(session);
        }
    }
  }
  /// The sessions are then lost, not closed.
  void Forget() { sessions_.clear(); }

 private:
  std::string Key() { return (random_() % 2 == 0 ? "/" : "") + std::string("k") + std::to_string(random_() % 20); }
  std::string Value() { return std::string(random_() % 50 == 0 ? 9000 : random_() % 40, 'v'); }
  std::shared_ptr<MetadataSession> Any() { return sessions_[random_() % sessions_.size()]; }

  LmdbClient& client_;
  std::mt19937& random_;
  std::vector<std::shared_ptr<MetadataSession>> sessions_;
};

TEST_F(StoreCheckTest, TheDigestIsThatOfADumpAfterAnything) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    std::mt19937 random(seed);
    OpStream ops(client_, random);
    for (int i = 0; i < 150; ++i) {
      ops.Step();
      if (i % 30 != 0) continue;
      ASSERT_TRUE(Verify().ok()) << seed << " " << i;
    }
    ASSERT_TRUE(Verify().ok()) << Verify().ToString();
    ops.Forget();
    client_.Close();
    ExpectDigestOfDump(directory_.path());
    // With the sessions that were left behind ended, once more.
    ASSERT_EQ(client_.Open().ToString(), OkStatus().ToString());
    ASSERT_TRUE(client_.Put("last", "").ok());
  }
}

TEST_F(StoreCheckTest, ABatchThatIsComputedAgainCountsOnce) {
  client_.Close();
  TempDirectory directory;
  LmdbClient small(directory.path(), std::uint64_t{1} << 20);
  for (int i = 1; i <= 10; ++i) {
    ASSERT_TRUE(small.Sequence(3, 1, nullptr, OpContext(), std::size_t{1} << 20).ok());
    ASSERT_TRUE(Wait(small.store().Verify(OpContext())).ok());
  }
  EXPECT_GE(small.store().stats().map_changes, 3u);
  small.Close();
  ExpectDigestOfDump(directory.path());
}

TEST_F(StoreCheckTest, TwoProcessesKeepOneDigest) {
  ChildProcess child(directory_.path());
  ASSERT_EQ(child.Answer(), "ok");
  child.Send("sequence 20 3 100");
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(client_.Sequence(20, 5).ok());
    ASSERT_TRUE(Verify().ok()) << Verify().ToString();
  }
  ASSERT_EQ(child.Answer().size(), 62u);
  ASSERT_EQ(child.Ask("session").size(), 16u);
  ASSERT_EQ(child.Ask("ephemeral e"), "ok");
  child.Kill();
  EXPECT_EQ(client_.Get("e"), "none");
  EXPECT_TRUE(Verify().ok()) << Verify().ToString();
  client_.Close();
  ExpectDigestOfDump(directory_.path());
}

/// Another program's change, with the counters' transaction put right, so that only the digest can tell.
void ChangeUnseen(const std::string& directory, const std::function<void(MDB_txn*)>& change) {
  BehindItsBack(directory, [&change](MDB_txn* txn) {
    LmdbTxn stored(txn);
    std::string_view bytes;
    ASSERT_EQ(stored.Get(CountersKey(), &bytes), 0);
    StoreCounters counters = *DecodeCounters(bytes);
    counters.transaction = mdb_txn_id(txn);
    ASSERT_EQ(stored.Put(CountersKey(), EncodeCounters(counters)), 0);
    change(txn);
  });
}

std::string ValidRecord(std::string_view key) {
  StoredRecord record;
  record.version = 1;
  return EncodeRecordHeader(key, record);
}

TEST_F(StoreCheckTest, ARecordTakenOutIsMissed) {
  Fill(100);
  client_.Close();
  ChangeUnseen(directory_.path(), [](MDB_txn* txn) {
    for (int shard = 0; shard < 4; ++shard) LmdbTxn(txn).Delete(StoredKey(shard, "key1050"));
  });
  const std::string error = client_.Open().ToString();
  EXPECT_TRUE(error.starts_with("corrupt: the records of the metadata store are not those that were written")) << error;
  EXPECT_NE(error.find("records=99 expected=100"), std::string::npos) << error;
}

TEST_F(StoreCheckTest, ARecordPutInIsNoticed) {
  // The second replaces a record, so that only the digest differs.
  for (const std::string& key : {StoredKey(0, "foreign"), StoredKey(0, "key1001")}) {
    TempDirectory directory;
    LmdbClient client(directory.path());
    ASSERT_TRUE(client.Put("key1001", "v").ok());
    client.Close();
    ChangeUnseen(directory.path(), [&key](MDB_txn* txn) {
      ASSERT_EQ(LmdbTxn(txn).Put(key, ValidRecord(key)), 0);
    });
    const std::string error = client.Open().ToString();
    EXPECT_TRUE(error.starts_with("corrupt: the records of the metadata store are not")) << error;
  }
}

TEST_F(StoreCheckTest, KeysHaveAForm) {
  for (const std::string& key : {std::string("\0\1k", 3), std::string("\0\0k/", 4), std::string("\x09\0k", 3),
                                std::string("\xffz", 2), std::string("\0", 1)}) {
    TempDirectory directory;
    LmdbClient client(directory.path());
    client.Close();
    ChangeUnseen(directory.path(), [&key](MDB_txn* txn) {
      ASSERT_EQ(LmdbTxn(txn).Put(key, ValidRecord(key)), 0);
    });
    const std::string error = client.Open().ToString();
    EXPECT_TRUE(error.starts_with("corrupt: a key of the metadata store is malformed")) << error;
  }
}

TEST_F(StoreCheckTest, ATransactionOfAnotherProgramIsNoticed) {
  client_.Close();
  BehindItsBack(directory_.path(), [](MDB_txn* txn) {
    ASSERT_EQ(LmdbTxn(txn).Put(StoredKey(0, "k"), ValidRecord(StoredKey(0, "k"))), 0);
  });
  const std::string error = client_.Open().ToString();
  EXPECT_TRUE(error.starts_with("corrupt: the metadata store is not as its last transaction left it")) << error;
}

TEST_F(StoreCheckTest, ACompactedCopyIsAStore) {
  Fill(20);
  client_.Close();
  TempDirectory copy;
  MDB_env* env = nullptr;
  ASSERT_EQ(mdb_env_create(&env), 0);
  ASSERT_EQ(mdb_env_open(env, directory_.path().c_str(), 0, 0640), 0);
  ASSERT_EQ(mdb_env_copy2(env, copy.path().c_str(), MDB_CP_COMPACT), 0);
  mdb_env_close(env);
  LmdbClient client(copy.path());
  EXPECT_EQ(client.Keys("key", "kez").size(), 20u);
  ASSERT_TRUE(client.Put("k", "v").ok());
  EXPECT_TRUE(Wait(client.store().Verify(OpContext())).ok());
  client.Close();
  EXPECT_TRUE(client.Open().ok());
}

/// The pages of data.mdb with a flag of LMDB's page header: 1 for branches, 2 for leaves.
std::vector<std::size_t> PagesOf(const std::string& data, std::uint16_t flag) {
  std::vector<std::size_t> pages;
  for (std::size_t at = 2 * 4096; at + 4096 <= data.size(); at += 4096) {
    std::uint16_t flags;
    std::memcpy(&flags, &data[at + 10], sizeof(flags));
    if (flags == flag) pages.push_back(at);
  }
  return pages;
}

std::string Contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

TEST_F(StoreCheckTest, AHiddenLastKeyOfAPageIsMissed) {
  Fill(200);
  client_.Close();
  const std::string path = directory_.path() + "/data.mdb";
  const std::string whole = Contents(path);
  int refused = 0;
  for (const std::size_t page : PagesOf(whole, 2)) {
    std::string damaged = whole;
    std::uint16_t lower;
    std::memcpy(&lower, &damaged[page + 12], sizeof(lower));
    if (lower <= 18) continue;
    lower = static_cast<std::uint16_t>(lower - 2);
    std::memcpy(&damaged[page + 12], &lower, sizeof(lower));
    std::ofstream(path, std::ios::binary | std::ios::trunc) << damaged;
    const Status opened = client_.Open();
    // Pages that no longer belong to the tree, and those of the list of free pages, change nothing.
    if (opened.ok()) {
      EXPECT_EQ(client_.Keys("key", "kez").size(), 200u) << page;
    } else {
      EXPECT_EQ(opened.code(), StatusCode::kCorrupt) << opened.ToString();
      ++refused;
    }
    client_.Close();
  }
  EXPECT_GE(refused, 5);
}

TEST_F(StoreCheckTest, AKeyOfABranchThatMisleadsLookupsIsNoticed) {
  Fill(200);
  client_.Close();
  const std::string path = directory_.path() + "/data.mdb";
  const std::string whole = Contents(path);
  int refused = 0;
  for (const std::size_t page : PagesOf(whole, 1)) {
    std::string damaged = whole;
    std::uint16_t node;
    // Node 2's key: bytes 8 and on of the node.
    std::memcpy(&node, &damaged[page + 16 + 4], sizeof(node));
    damaged[page + node + 8 + 5] = static_cast<char>(damaged[page + node + 8 + 5] ^ 0x10);
    std::ofstream(path, std::ios::binary | std::ios::trunc) << damaged;
    const std::string error = client_.Open().ToString();
    if (error.starts_with("corrupt: a record of the metadata store is not where its key leads")) ++refused;
    client_.Close();
  }
  EXPECT_GE(refused, 1);
}

TEST_F(StoreCheckTest, OnlyStoresOfBoundedSizeAreCheckedAtOpen) {
  Fill(10);
  client_.Close();
  ChangeUnseen(directory_.path(), [](MDB_txn* txn) {
    ASSERT_EQ(LmdbTxn(txn).Put(StoredKey(0, "foreign"), ValidRecord(StoredKey(0, "foreign"))), 0);
  });
  LmdbOptions options;
  options.directory = directory_.path();
  for (const std::uint64_t bound : {0, 9}) {
    options.max_checked_records = bound;
    LmdbClient client(options);
    ASSERT_TRUE(client.Open().ok()) << bound;
    const Status verified = Wait(client.store().Verify(OpContext())).status();
    EXPECT_EQ(verified.code(), StatusCode::kCorrupt);
    EXPECT_EQ(client.Get("key1003").size(), 100u);
  }
  options.max_checked_records = 10;
  EXPECT_EQ(LmdbClient(options).Open().code(), StatusCode::kCorrupt);
}

TEST_F(StoreCheckTest, ADeadlineEndsTheWalk) {
  const auto late = Wait(client_.store().Verify(client_.After(std::chrono::seconds(-1))));
  EXPECT_EQ(late.status().code(), StatusCode::kDeadlineExceeded);
}

}  // namespace
}  // namespace lakestream
