#include "meta/lmdb/change_page.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "base/testing/temp_directory.h"

namespace lakestream {
namespace {

using std::chrono::seconds;

/// Two pages of one directory are as those of two processes.
class ChangePageTest : public testing::Test {
 protected:
  std::shared_ptr<ChangePage> Open() {
    const Result<std::shared_ptr<ChangePage>> opened = ChangePage::Open(directory_.path());
    EXPECT_TRUE(opened.ok()) << opened.status().ToString();
    return *opened;
  }

  TempDirectory directory_;
};

TEST_F(ChangePageTest, OthersSeeWhatWasTouchedOnceAndTheOwnIsNotSeen) {
  const auto mine = Open();
  const auto theirs = Open();
  mine->Touch({3, 1023});
  mine->Touch({3});
  EXPECT_EQ(theirs->AwaitOthers(seconds(20)).slots, (std::vector<int>{3, 1023}));
  EXPECT_TRUE(theirs->AwaitOthers(Duration(1)).slots.empty());
  EXPECT_TRUE(mine->AwaitOthers(Duration(1)).slots.empty());
  theirs->Touch({3});
  EXPECT_EQ(mine->AwaitOthers(seconds(20)).slots, std::vector<int>{3});
}

TEST_F(ChangePageTest, EverythingMayBeTouched) {
  const auto mine = Open();
  const auto theirs = Open();
  mine->TouchAll();
  const ChangePage::Others seen = theirs->AwaitOthers(seconds(20));
  EXPECT_TRUE(seen.all);
  EXPECT_TRUE(seen.slots.empty());
  EXPECT_FALSE(theirs->AwaitOthers(Duration(1)).all);
  EXPECT_FALSE(mine->AwaitOthers(Duration(1)).all);
}

TEST_F(ChangePageTest, WhatWasBeforeIsNotSeen) {
  const auto mine = Open();
  mine->Touch({7});
  mine->TouchAll();
  const auto theirs = Open();
  const ChangePage::Others seen = theirs->AwaitOthers(Duration(1));
  EXPECT_FALSE(seen.all);
  EXPECT_TRUE(seen.slots.empty());
}

TEST_F(ChangePageTest, WhoWaitsIsWoken) {
  const auto mine = Open();
  const auto theirs = Open();
  // Each way, again and again: a wake-up that can be lost is lost here, and the test ends at its limit.
  std::thread other([&theirs] {
    for (int i = 0; i < 2000; ++i) {
      while (theirs->AwaitOthers(seconds(300)).slots.empty()) {
      }
      theirs->Touch({2});
    }
  });
  for (int i = 0; i < 2000; ++i) {
    mine->Touch({1});
    while (mine->AwaitOthers(seconds(300)).slots.empty()) {
    }
  }
  other.join();
}

TEST_F(ChangePageTest, ClosingEndsTheWait) {
  const auto mine = Open();
  const auto theirs = Open();
  std::thread waiting([&mine] {
    while (!mine->closed()) (void)mine->AwaitOthers(seconds(300));
  });
  mine->Close();
  waiting.join();
  EXPECT_TRUE(mine->AwaitOthers(seconds(300)).slots.empty());
  EXPECT_FALSE(theirs->closed());
}

TEST_F(ChangePageTest, AFileThatIsTooShortIsMadeLonger) {
  { std::ofstream(directory_.path() + "/changes") << "short"; }
  const auto mine = Open();
  const auto theirs = Open();
  mine->Touch({1000});
  EXPECT_EQ(theirs->AwaitOthers(seconds(20)).slots, std::vector<int>{1000});
}

TEST_F(ChangePageTest, WhatIsNoFileIsRefused) {
  std::filesystem::create_directory(directory_.path() + "/changes");
  EXPECT_EQ(ChangePage::Open(directory_.path()).status().code(), StatusCode::kUnavailable);
}

}  // namespace
}  // namespace lakestream
