#include "metrics/listen_address.h"

#include <gtest/gtest.h>

namespace lakestream {
namespace {

std::string Read(std::string_view text) {
  const Result<ListenAddress> address = ParseListenAddress(text);
  return address.ok() ? address->ToString() : std::string(StatusCodeName(address.status().code()));
}

TEST(ListenAddress, WithoutAHostItIsThisMachinesOwn) {
  EXPECT_EQ(Read("9464"), "127.0.0.1:9464");
  EXPECT_EQ(Read(":9464"), "127.0.0.1:9464");
  EXPECT_EQ(Read("0"), "127.0.0.1:0");
}

TEST(ListenAddress, AHostIsAnAddress) {
  EXPECT_EQ(Read("0.0.0.0:80"), "0.0.0.0:80");
  EXPECT_EQ(Read("[::1]:65535"), "[::1]:65535");
  EXPECT_EQ(ParseListenAddress("[::1]:1")->host, "::1");
}

TEST(ListenAddress, WhatIsNoneIsRefused) {
  for (const char* wrong : {"", ":", "localhost:1", "1.2.3.4", "1.2.3.4:", "1.2.3.4:65536", "1.2.3.4:-1", "::1:80", "[]:80",
                            "[::1", "1.2.3.4:80x", "1.2.3.4:80,81", "80 "}) {
    EXPECT_EQ(Read(wrong), "invalid_argument") << wrong;
  }
}

}  // namespace
}  // namespace lakestream
