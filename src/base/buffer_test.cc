#include "lakestream/buffer.h"

#include <gtest/gtest.h>

namespace lakestream {
namespace {

TEST(Buffer, SliceSharesAndOutlivesItsParent) {
  Buffer slice;
  {
    const Buffer whole = Buffer::CopyOf("hello world");
    slice = whole.Slice(6, 5);
    EXPECT_EQ(slice.data(), whole.data() + 6);
  }
  EXPECT_EQ(slice.text(), "world");
  EXPECT_EQ(slice.Slice(5, 0).size(), 0u);
}

TEST(BufferDeathTest, SliceBeyondTheEnd) {
  const Buffer whole = Buffer::CopyOf("abc");
  EXPECT_DEATH((void)whole.Slice(2, 2), "slice lies within");
  EXPECT_DEATH((void)whole.Slice(4, static_cast<std::size_t>(-1)), "slice lies within");
}

TEST(BufferChain, CountsAndFlattens) {
  BufferChain chain;
  EXPECT_EQ(chain.Flatten().size(), 0u);
  const Buffer first = Buffer::CopyOf("ab");
  chain.Append(first);
  chain.Append(Buffer());
  EXPECT_EQ(chain.Flatten().data(), first.data());
  chain.Append(Buffer::CopyOf("cde"));
  EXPECT_EQ(chain.parts().size(), 2u);
  EXPECT_EQ(chain.size(), 5u);
  EXPECT_EQ(chain.Flatten().text(), "abcde");
}

}  // namespace
}  // namespace lakestream
