#include "runtime/posix/new_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/testing/temp_directory.h"

namespace lakestream {
namespace {

namespace fs = std::filesystem;

class NewFolderTest : public testing::Test {
 protected:
  const TempDirectory directory_;
  const std::string path_ = directory_.path() + "/new";
};

TEST_F(NewFolderTest, StandsThereWhole) {
  auto folder = NewFolder::Begin(path_ + "/");
  ASSERT_TRUE(folder.ok()) << folder.status().ToString();
  EXPECT_EQ((*folder)->partial(), path_ + ".partial");
  ASSERT_TRUE((*folder)->WriteFile("a", "one").ok());
  std::ofstream(directory_.path() + "/source") << std::string(3'000'000, 'x');
  ASSERT_TRUE((*folder)->CopyFile(directory_.path() + "/source", "b").ok());
  EXPECT_EQ((*folder)->CopyFile(directory_.path() + "/none", "c").code(), StatusCode::kNotFound);
  EXPECT_FALSE((*folder)->WriteFile("a", "two").ok());
  EXPECT_FALSE(fs::exists(path_));
  ASSERT_TRUE((*folder)->Finish().ok());
  EXPECT_FALSE(fs::exists(path_ + ".partial"));
  EXPECT_EQ(*ReadWholeFile(path_ + "/a"), "one");
  EXPECT_EQ(*ReadWholeFile(path_ + "/b"), std::string(3'000'000, 'x'));
  (*folder)->Abandon();
  EXPECT_TRUE(fs::exists(path_));
  EXPECT_EQ(NewFolder::Begin(path_).status().code(), StatusCode::kAlreadyExists);
}

TEST_F(NewFolderTest, WhatAKilledProcessLeftIsRemoved) {
  fs::create_directories(path_ + ".partial/deep/er");
  std::ofstream(path_ + ".partial/half") << "half";
  auto folder = NewFolder::Begin(path_);
  ASSERT_TRUE(folder.ok()) << folder.status().ToString();
  EXPECT_TRUE(fs::is_empty((*folder)->partial()));
  (*folder)->Abandon();
  EXPECT_FALSE(fs::exists(path_ + ".partial"));
}

TEST_F(NewFolderTest, WhatIsBeingWrittenIsNot) {
  auto first = NewFolder::Begin(path_);
  ASSERT_TRUE(first.ok());
  ASSERT_TRUE((*first)->WriteFile("a", "one").ok());
  EXPECT_EQ(NewFolder::Begin(path_).status().code(), StatusCode::kUnavailable);
  EXPECT_EQ(*ReadWholeFile(path_ + ".partial/a"), "one");
  first->reset();
  EXPECT_TRUE(NewFolder::Begin(path_).ok());
}

TEST_F(NewFolderTest, NothingIsReplaced) {
  auto folder = NewFolder::Begin(path_);
  ASSERT_TRUE(folder.ok());
  fs::create_directory(path_);
  EXPECT_EQ((*folder)->Finish().code(), StatusCode::kAlreadyExists);
  EXPECT_TRUE(fs::exists(path_ + ".partial"));
  EXPECT_EQ(NewFolder::Begin(directory_.path() + "/none/new").status().code(), StatusCode::kUnavailable);
  EXPECT_EQ(ReadWholeFile(path_ + "/none").status().code(), StatusCode::kNotFound);
}

}  // namespace
}  // namespace lakestream
