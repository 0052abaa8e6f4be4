#include "runtime/scratch.h"

#include <gtest/gtest.h>

#include "runtime/sim/sim_runtime.h"

namespace lakestream {
namespace {

TEST(MemoryScratch, KeepsBytes) {
  SimScheduler sim(1);
  MemoryScratchSpace space;
  const auto file = sim.Run(space.Open());
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(*sim.Run((*file)->Append(BufferChain(Buffer::CopyOf("one")))), 0u);
  EXPECT_EQ(*sim.Run((*file)->Append(BufferChain(Buffer::CopyOf("two")))), 3u);
  EXPECT_EQ(sim.Run((*file)->Read(2, 3))->text(), "etw");
}

}  // namespace
}  // namespace lakestream
