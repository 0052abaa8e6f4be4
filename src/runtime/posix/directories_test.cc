#include "runtime/posix/directories.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/testing/temp_directory.h"

namespace lakestream {
namespace {

class DirectoriesTest : public testing::Test {
 protected:
  TempDirectory directory_;
  const std::string folder_ = directory_.path();
};

TEST_F(DirectoriesTest, AllThatIsMissingIsMade) {
  for (const char* path : {"/a", "/a/b/c/d", "/a/e/", "/x//y///z//", "/a/b"}) {
    EXPECT_TRUE(MakeDirectories(folder_ + path).ok()) << path;
    EXPECT_TRUE(std::filesystem::is_directory(folder_ + path)) << path;
  }
  EXPECT_TRUE(MakeDirectories("/").ok());
  EXPECT_TRUE(MakeDirectories(".").ok());
}

TEST_F(DirectoriesTest, RelativePaths) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder_);
  for (const char* path : {"one", "two/three", "./four", "./five/six/"}) {
    EXPECT_TRUE(MakeDirectories(path).ok()) << path;
    EXPECT_TRUE(std::filesystem::is_directory(folder_ + "/" + path)) << path;
  }
  std::filesystem::current_path(before);
}

TEST_F(DirectoriesTest, AFileInTheWayIsNamed) {
  std::ofstream(folder_ + "/file") << "x";
  const Status status = MakeDirectories(folder_ + "/file/below");
  EXPECT_EQ(status.code(), StatusCode::kUnavailable);
  EXPECT_NE(status.ToString().find(folder_ + "/file/below"), std::string::npos) << status.ToString();
  EXPECT_FALSE(SyncDirectory(folder_ + "/file").ok());
  EXPECT_FALSE(SyncDirectory(folder_ + "/nothing").ok());
}

}  // namespace
}  // namespace lakestream
