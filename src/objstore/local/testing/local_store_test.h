#pragma once

#include <gtest/gtest.h>
#include <sys/mount.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>

#include "base/testing/temp_directory.h"
#include "objstore/local/local_object_store.h"
#include "runtime/thread_runtime.h"
#include "runtime/wait.h"

namespace lakestream {

namespace fs = std::filesystem;

/// A file system mounted for a test.
class Mount {
 public:
  explicit Mount(const char* type, const std::string& options) {
    mounted_ = ::mount(type, directory_.path().c_str(), type, 0, options.c_str()) == 0;
  }
  ~Mount() {
    if (mounted_) ::umount2(directory_.path().c_str(), MNT_DETACH);
  }
  bool mounted() const { return mounted_; }
  const std::string& path() const { return directory_.path(); }
  bool MakeReadOnly() const {
    return ::mount(nullptr, directory_.path().c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr) == 0;
  }

 private:
  TempDirectory directory_;
  bool mounted_ = false;
};

// In CI these tests have to run: there a mount that fails fails the test.
#define NEEDS_MOUNT(mount)                                                         \
  do {                                                                             \
    if (!(mount).mounted()) {                                                      \
      ASSERT_EQ(std::getenv("CI"), nullptr) << "CI has to allow mounts";           \
      GTEST_SKIP() << "mounting is not allowed here";                              \
    }                                                                              \
  } while (false)

/// A directory, and what a test does with a store in it.
class LocalStoreTest : public testing::Test {
 protected:
  LocalStoreTest() : threads_(ThreadRuntimeOptions{}) {}

  Runtime& runtime() { return threads_.runtime(); }
  std::unique_ptr<LocalObjectStore> Open(const std::string& directory, bool named = false) {
    LocalObjectStoreOptions options;
    options.directory = directory;
    options.named_temp_files = named;
    return LocalObjectStore::Open(runtime(), options).value();
  }
  Status Put(ObjectStore& store, const std::string& key, std::string bytes) {
    return Wait(store.Put(OpContext(), key, BufferChain(Buffer(std::move(bytes))), PutMode::kCreate));
  }
  Result<Buffer> Get(ObjectStore& store, const std::string& key, ByteRange range = ByteRange()) {
    return Wait(store.Get(OpContext(), key, range));
  }
  std::string Text(const Result<Buffer>& bytes) {
    return bytes.ok() ? std::string(bytes->text()) : std::string(StatusCodeName(bytes.status().code()));
  }
  std::string Keys(ObjectStore& store) {
    const Result<ListPage> page = Wait(store.List(OpContext(), "", "", 1000));
    if (!page.ok()) return page.status().ToString();
    std::string text;
    for (const ObjectInfo& object : page->objects) text += object.key + " ";
    return text;
  }
  void WriteFile(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  }
  /// Flips a bit of one byte.
  void Flip(const std::string& path, std::uint64_t offset) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(offset));
    const int byte = file.get();
    file.seekp(static_cast<std::streamoff>(offset));
    file.put(static_cast<char>(byte ^ 1));
  }

  ThreadRuntime threads_;
  TempDirectory directory_;
};

}  // namespace lakestream
