#include "objstore/open_object_store.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/testing/temp_directory.h"
#include "runtime/thread_runtime.h"
#include "runtime/wait.h"

namespace lakestream {
namespace {

TEST(OpenObjectStore, TakesUrls) {
  ThreadRuntime runtime(ThreadRuntimeOptions{});
  const TempDirectory directory;
  const std::string path = directory.path() + "/new/store";
  const auto memory = OpenObjectStore(runtime.runtime(), "memory:");
  ASSERT_TRUE(memory.ok());
  EXPECT_FALSE((*memory)->capabilities().create_only);
  const auto local = OpenObjectStore(runtime.runtime(), "file://" + path);
  ASSERT_TRUE(local.ok()) << local.status().ToString();
  EXPECT_TRUE((*local)->capabilities().create_only);
  EXPECT_TRUE(Wait((*local)->Put(OpContext(), "k", BufferChain(Buffer::CopyOf("x")), PutMode::kCreate)).ok());
  EXPECT_TRUE(std::filesystem::exists(path + "/k"));
  for (const char* url : {"", "memory", "memory:x", "file:relative", "file://relative", "ftp://x", "/tmp"}) {
    EXPECT_EQ(OpenObjectStore(runtime.runtime(), url).status().code(), StatusCode::kInvalidArgument) << url;
  }
}

}  // namespace
}  // namespace lakestream
