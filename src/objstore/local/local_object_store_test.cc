#include "objstore/local/local_object_store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "objstore/local/stored_checksum.h"
#include "objstore/local/testing/local_store_test.h"
#include "runtime/testing/co_test.h"
#include "runtime/when_all.h"

namespace lakestream {
namespace {

using LocalObjectStoreTest = LocalStoreTest;

TEST_F(LocalObjectStoreTest, OpenSaysWhatIsWrong) {
  LocalObjectStoreOptions options;
  options.directory = directory_.path() + "/a/b/c";
  EXPECT_EQ(LocalObjectStore::Open(runtime(), options).status().code(), StatusCode::kNotFound);
  WriteFile(directory_.path() + "/file", "x");
  options.directory = directory_.path() + "/file";
  EXPECT_EQ(LocalObjectStore::Open(runtime(), options).status().code(), StatusCode::kInvalidArgument);
  options.directory = "";
  EXPECT_EQ(LocalObjectStore::Open(runtime(), options).status().code(), StatusCode::kInvalidArgument);
  options.directory = directory_.path() + "/a/b/c/";
  options.create = true;
  const auto made = LocalObjectStore::Open(runtime(), options);
  ASSERT_TRUE(made.ok()) << made.status().ToString();
  EXPECT_TRUE(Put(**made, "k", "x").ok());
  EXPECT_TRUE(fs::exists(directory_.path() + "/a/b/c/k"));
  EXPECT_TRUE(LocalObjectStore::Open(runtime(), options).ok());
}

TEST_F(LocalObjectStoreTest, TheChecksumIsAnAttribute) {
  const auto store = Open(directory_.path());
  ASSERT_TRUE(Put(*store, "check", "123456789").ok());
  char text[16] = {};
  ASSERT_EQ(::getxattr((directory_.path() + "/check").c_str(), kChecksumAttribute, text, sizeof(text)), 8);
  EXPECT_STREQ(text, "e3069283");
  EXPECT_EQ(store->counters().side_files, 0);
}

TEST_F(LocalObjectStoreTest, DamageIsReportedWithTheKey) {
  const auto store = Open(directory_.path());
  const std::string bytes(100'000, 'x');
  for (const char* key : {"d/flipped", "d/cut", "d/grown", "d/empty"}) ASSERT_TRUE(Put(*store, key, bytes).ok());
  std::fstream flip(directory_.path() + "/d/flipped", std::ios::in | std::ios::out | std::ios::binary);
  flip.seekp(54'321);
  flip.put('y');
  flip.close();
  fs::resize_file(directory_.path() + "/d/cut", 99'999);
  fs::resize_file(directory_.path() + "/d/grown", 100'001);
  fs::resize_file(directory_.path() + "/d/empty", 0);
  for (const std::string key : {"d/flipped", "d/cut", "d/grown", "d/empty"}) {
    const Status status = Get(*store, key).status();
    EXPECT_EQ(status.code(), StatusCode::kCorrupt) << key;
    EXPECT_NE(status.message().find("key=" + key), std::string_view::npos) << status.ToString();
  }
  EXPECT_EQ(store->counters().corrupt, 4);
  // A part beside the damage is right.
  EXPECT_EQ(Text(Get(*store, "d/flipped", ByteRange{65'536, 3})), "xxx");
  EXPECT_EQ(Get(*store, "d/flipped", ByteRange{54'320, 3}).status().code(), StatusCode::kCorrupt);
  // A range that happens to be the whole is.
  EXPECT_EQ(Get(*store, "d/flipped", ByteRange{0, 100'000}).status().code(), StatusCode::kCorrupt);
}

TEST_F(LocalObjectStoreTest, ABadAttributeIsCorrupt) {
  const auto store = Open(directory_.path());
  for (const std::string bad : {"", "1234567", "E3069283", "e30692831", "0xe30692", "e3069283e3069283e3", "e3069283:",
                                "e3069283:9:65536:e3069283"}) {
    ASSERT_TRUE(Put(*store, "k", "123456789").ok());
    ASSERT_EQ(::setxattr((directory_.path() + "/k").c_str(), kChecksumAttribute, bad.data(), bad.size(), 0), 0);
    EXPECT_EQ(Get(*store, "k").status().code(), StatusCode::kCorrupt) << bad;
    EXPECT_EQ(Wait(store->Head(OpContext(), "k")).status().code(), StatusCode::kCorrupt) << bad;
    ASSERT_TRUE(Wait(store->Delete(OpContext(), {"k"})).ok());
  }
}

TEST_F(LocalObjectStoreTest, ObjectsWithoutChecksumAreReadAndCounted) {
  const auto store = Open(directory_.path());
  WriteFile(directory_.path() + "/foreign", "by hand");
  EXPECT_EQ(Text(Get(*store, "foreign")), "by hand");
  EXPECT_EQ(store->counters().without_checksum, 1);
  const Result<ObjectInfo> info = Wait(store->Head(OpContext(), "foreign"));
  ASSERT_TRUE(info.ok());
  EXPECT_FALSE(info->crc32c.has_value());
}

TEST_F(LocalObjectStoreTest, OnlyRegularFilesAreObjects) {
  const auto store = Open(directory_.path());
  ASSERT_TRUE(Put(*store, "dir/k", "x").ok());
  const std::string& root = directory_.path();
  ASSERT_EQ(::mkfifo((root + "/pipe").c_str(), 0644), 0);
  fs::create_symlink(root + "/dir/k", root + "/link");
  fs::create_directory_symlink(root + "/dir", root + "/dirlink");
  fs::create_directories(root + "/hollow/folder");
  fs::create_directories(root + "/.tmp");
  WriteFile(root + "/.tmp/half", "x");
  WriteFile(root + "/foreign", "x");
  WriteFile(root + "/foreign.crc32c", "x");
  WriteFile(root + "/with\nnewline", "x");
  EXPECT_EQ(Keys(*store), "dir/k foreign ");
  for (const char* key : {"pipe", "link", "hollow", "hollow/folder", ".tmp/half", "foreign.crc32c"}) {
    EXPECT_EQ(Text(Get(*store, key)), "not_found") << key;
    EXPECT_EQ(Wait(store->Head(OpContext(), key)).status().code(), StatusCode::kNotFound) << key;
  }
  for (const char* key : {".tmp", ".tmp/k", "a.crc32c", ".crc32c", "a/b.crc32c"}) {
    EXPECT_EQ(Put(*store, key, "x").code(), StatusCode::kInvalidArgument) << key;
    EXPECT_TRUE(Wait(store->Delete(OpContext(), {key})).ok());
  }
  EXPECT_EQ(Put(*store, "dirlink/k2", "x").code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(fs::exists(root + "/.tmp/half"));
}

TEST_F(LocalObjectStoreTest, DirectoriesMayVanish) {
  const auto store = Open(directory_.path());
  ASSERT_TRUE(Put(*store, "a/b/1", "x").ok());
  fs::remove_all(directory_.path() + "/a");
  // The store still holds the directory open.
  const Status after = Put(*store, "a/b/2", "y");
  ASSERT_TRUE(after.ok()) << after.ToString();
  EXPECT_EQ(Text(Get(*store, "a/b/2")), "y");
  // Removed while an object is on its way: it is not done, and the next attempt finds out.
  auto upload = Wait(store->StartUpload(OpContext(), "a/b/3", PutMode::kCreate)).value();
  fs::remove_all(directory_.path() + "/a");
  const Status status = Wait(upload->Complete(OpContext()));
  EXPECT_EQ(status.code(), StatusCode::kUnavailable) << status.ToString();
  EXPECT_TRUE(Put(*store, "a/b/3", "z").ok());
}

TEST_F(LocalObjectStoreTest, TheContextIsAskedBeforeTheObjectIsSeen) {
  LocalObjectStoreOptions options;
  options.directory = directory_.path();
  const std::shared_ptr<LocalFiles> files = LocalFiles::Open(options, runtime().clock.Wall()).value();
  LocalFiles::Draft draft = files->Begin("k", "temp").value();
  ASSERT_TRUE(files->Append(draft, BufferChain(Buffer::CopyOf("x"))).ok());
  const auto ended = [] { return DeadlineExceeded("too late"); };
  EXPECT_EQ(files->Publish(draft, "k", ended).code(), StatusCode::kDeadlineExceeded);
  EXPECT_EQ(files->Head("k").status().code(), StatusCode::kNotFound);
  const auto wanted = [] { return OkStatus(); };
  EXPECT_TRUE(files->Publish(draft, "k", wanted).ok());
  EXPECT_TRUE(files->Head("k").ok());
}

TEST_F(LocalObjectStoreTest, OldTempFilesAreRemovedAtOpen) {
  const std::string tmp = directory_.path() + "/.tmp";
  fs::create_directories(tmp + "/folder");
  WriteFile(tmp + "/old", "x");
  WriteFile(tmp + "/young", "x");
  timespec times[2] = {};
  times[0].tv_sec = times[1].tv_sec = ToMillis(runtime().clock.Wall()) / 1000 - 25 * 3600;
  ASSERT_EQ(::utimensat(AT_FDCWD, (tmp + "/old").c_str(), times, 0), 0);
  Open(directory_.path());
  EXPECT_FALSE(fs::exists(tmp + "/old"));
  EXPECT_TRUE(fs::exists(tmp + "/young"));
  EXPECT_TRUE(fs::exists(tmp + "/folder"));
}

TEST_F(LocalObjectStoreTest, LeftoversAreTempFilesThatNobodyWritesAnyMore) {
  const std::string tmp = directory_.path() + "/.tmp";
  const auto store = Open(directory_.path(), /*named=*/true);
  EXPECT_EQ(Wait(store->RemoveLeftovers(OpContext(), runtime().clock.Wall()))->uploads, 0) << "there is no .tmp yet";
  fs::create_directories(tmp + "/folder");
  WriteFile(tmp + "/old", "123");
  timespec times[2] = {};
  times[0].tv_sec = times[1].tv_sec = ToMillis(runtime().clock.Wall()) / 1000 - 3600;
  ASSERT_EQ(::utimensat(AT_FDCWD, (tmp + "/old").c_str(), times, 0), 0);
  auto upload = Wait(store->StartUpload(OpContext(), "up", PutMode::kCreate)).value();
  ASSERT_TRUE(Wait(upload->Append(OpContext(), BufferChain(Buffer::CopyOf("x")))).ok());
  const auto minutes_ago = [this](int minutes) { return runtime().clock.Wall() - std::chrono::minutes(minutes); };
  EXPECT_EQ(Wait(store->RemoveLeftovers(OpContext(), minutes_ago(61)))->uploads, 0);
  const auto removed = Wait(store->RemoveLeftovers(OpContext(), minutes_ago(59)));
  ASSERT_TRUE(removed.ok()) << removed.status().ToString();
  EXPECT_EQ(removed->uploads, 1);
  EXPECT_EQ(removed->bytes, 3);
  EXPECT_FALSE(fs::exists(tmp + "/old"));
  ASSERT_TRUE(Wait(upload->Complete(OpContext())).ok());

  auto ended = Wait(store->StartUpload(OpContext(), "ended", PutMode::kCreate)).value();
  ASSERT_TRUE(Wait(ended->Append(OpContext(), BufferChain(Buffer::CopyOf("x")))).ok());
  EXPECT_EQ(Wait(store->RemoveLeftovers(OpContext(), minutes_ago(-1)))->uploads, 1);
  EXPECT_EQ(Wait(ended->Complete(OpContext())).code(), StatusCode::kUnavailable);
  EXPECT_EQ(Wait(store->Head(OpContext(), "ended")).status().code(), StatusCode::kNotFound);
}

TEST_F(LocalObjectStoreTest, AbandonedUploadsLeaveNoFile) {
  for (const bool named : {false, true}) {
    const auto store = Open(directory_.path(), named);
    auto upload = Wait(store->StartUpload(OpContext(), "up", PutMode::kCreate)).value();
    ASSERT_TRUE(Wait(upload->Append(OpContext(), BufferChain(Buffer::CopyOf("x")))).ok());
    upload.reset();
    auto aborted = Wait(store->StartUpload(OpContext(), "up", PutMode::kCreate)).value();
    ASSERT_TRUE(Wait(aborted->Abort(OpContext())).ok());
    std::size_t files = 0;
    for (const auto& entry : fs::recursive_directory_iterator(directory_.path())) files += entry.is_regular_file();
    EXPECT_EQ(files, 0u);
  }
}

TEST_F(LocalObjectStoreTest, DescriptorsAreBounded) {
  const auto store = Open(directory_.path());
  const auto count = [] {
    return std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator());
  };
  const auto before = count();
  for (int i = 0; i < 300; ++i) ASSERT_TRUE(Put(*store, "d" + std::to_string(i) + "/k", "x").ok());
  EXPECT_LE(count() - before, 130);
  EXPECT_EQ(Text(Get(*store, "d0/k")), "x");
  ASSERT_TRUE(Put(*store, "d0/again", "x").ok());
}

TEST_F(LocalObjectStoreTest, TwoStoresOfOneDirectoryRace) {
  const auto one = Open(directory_.path());
  const auto two = Open(directory_.path(), true);
  for (int round = 0; round < 20; ++round) {
    const std::string key = "race" + std::to_string(round) + "/k";
    std::vector<Task<Status>> tasks;
    tasks.push_back(one->Put(OpContext(), key, BufferChain(Buffer::CopyOf("one")), PutMode::kCreate));
    tasks.push_back(two->Put(OpContext(), key, BufferChain(Buffer::CopyOf("two")), PutMode::kCreate));
    const std::vector<Status> answers = Wait(WhenAll(runtime(), std::move(tasks)));
    EXPECT_NE(answers[0].ok(), answers[1].ok()) << answers[0].ToString() << answers[1].ToString();
    EXPECT_EQ(Text(Get(*one, key)), answers[0].ok() ? "one" : "two");
  }
}

TEST_F(LocalObjectStoreTest, LargeFoldersAreListedInPages) {
  const auto store = Open(directory_.path());
  fs::create_directories(directory_.path() + "/many");
  // More folders without objects than a scan keeps names: they must not end the listing.
  for (int i = 0; i < 1500; ++i) fs::create_directories(directory_.path() + "/many/a" + std::to_string(10'000 + i));
  for (int i = 0; i < 2500; ++i) WriteFile(directory_.path() + "/many/b" + std::to_string(10'000 + i), "x");
  std::string start;
  int objects = 0;
  for (bool more = true; more;) {
    const Result<ListPage> page = Wait(store->List(OpContext(), "many/", start, 700));
    ASSERT_TRUE(page.ok());
    for (const ObjectInfo& object : page->objects) {
      EXPECT_EQ(object.key, "many/b" + std::to_string(10'000 + objects));
      ++objects;
    }
    more = page->next.has_value();
    ASSERT_TRUE(!more || *page->next > start);
    if (more) start = *page->next;
  }
  EXPECT_EQ(objects, 2500);
}

TEST_F(LocalObjectStoreTest, AFullDiskIsNamedAndLosesNothing) {
  const Mount mount("tmpfs", "size=1m");
  NEEDS_MOUNT(mount);
  for (const bool named : {false, true}) {
    const auto store = Open(mount.path(), named);
    const std::string kept = named ? "kept-named" : "kept";
    ASSERT_TRUE(Put(*store, kept, std::string(100'000, 'k')).ok());
    const Status full = Put(*store, "large", std::string(2 << 20, 'x'));
    EXPECT_EQ(full.code(), StatusCode::kResourceExhausted) << full.ToString();
    const std::string directory = "directory=" + mount.path();
    for (const char* part : {directory.c_str(), "path=large", "free_bytes="}) {
      EXPECT_NE(full.message().find(part), std::string_view::npos) << full.ToString();
    }
    EXPECT_EQ(Text(Get(*store, "large")), "not_found");
    EXPECT_EQ(Get(*store, kept)->size(), 100'000u);
    // The space is free again.
    EXPECT_TRUE(Put(*store, named ? "small-named" : "small", std::string(300'000, 's')).ok());
    auto upload = Wait(store->StartUpload(OpContext(), "up", PutMode::kCreate)).value();
    const BufferChain part(Buffer(std::string(2 << 20, 'x')));
    EXPECT_EQ(Wait(upload->Append(OpContext(), part)).code(), StatusCode::kResourceExhausted);
    EXPECT_TRUE(Wait(upload->Append(OpContext(), BufferChain(Buffer::CopyOf("fits")))).ok());
    EXPECT_TRUE(Wait(upload->Complete(OpContext())).ok());
    EXPECT_EQ(Text(Get(*store, "up")), "fits");
    ASSERT_TRUE(Wait(store->Delete(OpContext(), {"up"})).ok());
  }
}

TEST_F(LocalObjectStoreTest, NoInodesAreLeft) {
  const Mount mount("tmpfs", "size=1m,nr_inodes=4");
  NEEDS_MOUNT(mount);
  const auto store = Open(mount.path());
  Status status;
  for (int i = 0; i < 10 && status.ok(); ++i) status = Put(*store, "k" + std::to_string(i), "x");
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  EXPECT_NE(status.message().find("free_inodes=0"), std::string_view::npos) << status.ToString();
  EXPECT_EQ(Text(Get(*store, "k0")), "x");
}

TEST_F(LocalObjectStoreTest, AReadOnlyMountIsReadAndNamed) {
  const Mount mount("tmpfs", "size=1m");
  NEEDS_MOUNT(mount);
  ASSERT_TRUE(Put(*Open(mount.path()), "d/k", "x").ok());
  ASSERT_TRUE(mount.MakeReadOnly());
  const auto store = Open(mount.path());
  EXPECT_EQ(Text(Get(*store, "d/k")), "x");
  EXPECT_EQ(Keys(*store), "d/k ");
  for (const Status& status : {Put(*store, "d/new", "y"), Put(*store, "e/new", "y"),
                               Wait(store->Delete(OpContext(), {"d/k"}))}) {
    EXPECT_EQ(status.code(), StatusCode::kUnavailable) << status.ToString();
    EXPECT_NE(status.message().find("read-only"), std::string_view::npos) << status.ToString();
  }
  EXPECT_EQ(Text(Get(*store, "d/k")), "x");
}

TEST_F(LocalObjectStoreTest, WithoutAttributesAFileHoldsTheChecksum) {
  const Mount mount("ramfs", "");  // it has no extended attributes
  NEEDS_MOUNT(mount);
  const auto store = Open(mount.path());
  ASSERT_TRUE(Put(*store, "d/k", "123456789").ok());
  EXPECT_EQ(store->counters().side_files, 1);
  EXPECT_TRUE(fs::exists(mount.path() + "/d/k.crc32c"));
  const Result<ObjectInfo> info = Wait(store->Head(OpContext(), "d/k"));
  ASSERT_TRUE(info.ok());
  EXPECT_EQ(info->crc32c, 0xe3069283u);
  EXPECT_EQ(Keys(*store), "d/k ");
  // A creator that lost adds a line; the object keeps its own.
  EXPECT_EQ(Put(*store, "d/k", "other bytes").code(), StatusCode::kAlreadyExists);
  EXPECT_EQ(Text(Get(*store, "d/k")), "123456789");
  EXPECT_EQ(store->counters().without_checksum, 0);
  std::fstream(mount.path() + "/d/k", std::ios::in | std::ios::out).put('X');
  EXPECT_EQ(Text(Get(*store, "d/k")), "corrupt");
  ASSERT_TRUE(Wait(store->Delete(OpContext(), {"d/k"})).ok());
  EXPECT_FALSE(fs::exists(mount.path() + "/d/k.crc32c"));
  ASSERT_TRUE(Put(*store, "d/k", "again").ok());
  EXPECT_EQ(Text(Get(*store, "d/k")), "again");
}

TEST_F(LocalObjectStoreTest, SideFilesOfACopiedTreeCount) {
  const auto store = Open(directory_.path());
  WriteFile(directory_.path() + "/k", "123456789");
  // One line of another inode: the tree was copied. Two: nobody knows whose.
  WriteFile(directory_.path() + "/k.crc32c", "\ne3069283 1\n");
  EXPECT_EQ(Text(Get(*store, "k")), "123456789");
  EXPECT_EQ(store->counters().without_checksum, 0);
  WriteFile(directory_.path() + "/k.crc32c", "\ne3069284 1\n");
  EXPECT_EQ(Text(Get(*store, "k")), "corrupt");
  WriteFile(directory_.path() + "/k.crc32c", "\ne3069284 1\n\ne3069283 2\n");
  EXPECT_EQ(Text(Get(*store, "k")), "123456789");
  EXPECT_EQ(store->counters().without_checksum, 1);
  // A line that a crash cut, then a whole one.
  WriteFile(directory_.path() + "/k.crc32c", "\ne306\ne3069283 7\n");
  EXPECT_EQ(Text(Get(*store, "k")), "123456789");
  EXPECT_EQ(store->counters().without_checksum, 1);
}

}  // namespace
}  // namespace lakestream
