#include "cli/counted.h"

#include <gtest/gtest.h>

namespace lakestream {
namespace {

TEST(Counted, OneIsNoneOfMany) {
  EXPECT_EQ(Counted(1, "log"), "1 log");
  EXPECT_EQ(Counted(0, "log"), "0 logs");
  EXPECT_EQ(Counted(12, "index record"), "12 index records");
  EXPECT_EQ(Counted(1, "entry", "entries"), "1 entry");
  EXPECT_EQ(Counted(2, "entry", "entries"), "2 entries");
  EXPECT_EQ(Counted(-1, "entry", "entries"), "-1 entries");
}

}  // namespace
}  // namespace lakestream
