#include "runtime/posix/file_scratch.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/testing/temp_directory.h"
#include "runtime/thread_runtime.h"
#include "runtime/wait.h"

namespace lakestream {
namespace {

TEST(FileScratch, KeepsBytesWithoutAName) {
  ThreadRuntime threads{ThreadRuntimeOptions()};
  const TempDirectory directory;
  FileScratchSpace space(threads.runtime(), directory.path());
  auto file = Wait(space.Open());
  ASSERT_TRUE(file.ok()) << file.status().ToString();
  BufferChain two(Buffer::CopyOf("one"));
  two.Append(Buffer::CopyOf(std::string(300'000, 'x')));
  EXPECT_EQ(*Wait((*file)->Append(std::move(two))), 0u);
  EXPECT_EQ(*Wait((*file)->Append(BufferChain(Buffer::CopyOf("two")))), 300'003u);
  EXPECT_EQ(Wait((*file)->Read(0, 4))->text(), "onex");
  EXPECT_EQ(Wait((*file)->Read(300'002, 4))->text(), "xtwo");
  EXPECT_EQ(Wait((*file)->Read(300'002, 5)).status().code(), StatusCode::kUnavailable);
  EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
}

TEST(FileScratch, WithoutItsDirectory) {
  ThreadRuntime threads{ThreadRuntimeOptions()};
  FileScratchSpace space(threads.runtime(), "/no/such/directory");
  EXPECT_EQ(Wait(space.Open()).status().code(), StatusCode::kUnavailable);
}

}  // namespace
}  // namespace lakestream
