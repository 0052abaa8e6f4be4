#include "log/deployment/deployment_config.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/testing/temp_directory.h"

namespace lakestream {
namespace {

constexpr std::string_view kUrls =
    "metadata = \"lmdb:///d/meta\"\nwal = \"file:///d/wal\"\ncompacted = \"file:///d/compacted\"\n";

TEST(DeploymentConfig, ReadsEveryKey) {
  const auto options = ParseDeploymentConfig(std::string(kUrls) + R"(
compactor_family = "others"
[times]
publish_deadline = "1s"
index_deadline = "2s"
grace = "30s"
[writer]
max_entry_bytes = 1
target_object_bytes = 2
max_queued_bytes = 3
max_puts_in_flight = 4
put_budget_per_second = 5
put_budget_burst_seconds = 0.5
index_put_budget_per_second = 7.5
linger_max = "8ms"
linger_max_busy = "9ms"
linger_behind_put = "10us"
put_deadline = "11s"
settle_time = "12s"
lease_idle = "13s"
fence_poll = "14ms"
session_timeout = "15s"
[reader]
tail_poll = "16ms"
whole_object_bytes = 17
first_fetch_bytes = 18
cache_bytes = 19
index_cache_age = "20s"
)",
                                             "d.toml");
  ASSERT_TRUE(options.ok()) << options.status().ToString();
  using std::chrono::microseconds;
  using std::chrono::milliseconds;
  using std::chrono::seconds;
  EXPECT_EQ(options->metadata_url, "lmdb:///d/meta");
  EXPECT_EQ(options->wal_url, "file:///d/wal");
  EXPECT_EQ(options->compacted_url, "file:///d/compacted");
  EXPECT_EQ(options->compactor_family, "others");
  EXPECT_FALSE(options->create);
  EXPECT_EQ(options->times.publish_deadline, seconds(1));
  EXPECT_EQ(options->times.index_deadline, seconds(2));
  EXPECT_EQ(options->times.grace, seconds(30));
  const WriterOptions& w = options->writer;
  EXPECT_EQ(w.max_entry_bytes, 1);
  EXPECT_EQ(w.target_object_bytes, 2);
  EXPECT_EQ(w.max_queued_bytes, 3);
  EXPECT_EQ(w.max_puts_in_flight, 4);
  EXPECT_EQ(w.put_budget_per_second, 5);
  EXPECT_EQ(w.put_budget_burst_seconds, 0.5);
  EXPECT_EQ(w.index_put_budget_per_second, 7.5);
  EXPECT_EQ(w.linger_max, milliseconds(8));
  EXPECT_EQ(w.linger_max_busy, milliseconds(9));
  EXPECT_EQ(w.linger_behind_put, microseconds(10));
  EXPECT_EQ(w.put_deadline, seconds(11));
  EXPECT_EQ(w.settle_time, seconds(12));
  EXPECT_EQ(w.lease_idle, seconds(13));
  EXPECT_EQ(w.fence_poll, milliseconds(14));
  EXPECT_EQ(w.session_timeout, seconds(15));
  const ReaderOptions& r = options->reader;
  EXPECT_EQ(r.tail_poll, milliseconds(16));
  EXPECT_EQ(r.whole_object_bytes, 17);
  EXPECT_EQ(r.first_fetch_bytes, 18);
  EXPECT_EQ(r.cache_bytes, 19);
  EXPECT_EQ(r.index_cache_age, seconds(20));
}

TEST(DeploymentConfig, NamesWhatIsWrong) {
  const auto fails = [](const std::string& more, const std::string& key, const std::string& line) {
    const auto options = ParseDeploymentConfig(std::string(kUrls) + more, "d.toml");
    EXPECT_EQ(options.status().code(), StatusCode::kInvalidArgument) << more;
    const std::string message(options.status().message());
    EXPECT_NE(message.find("file=d.toml"), std::string::npos) << message;
    EXPECT_NE(message.find("key=" + key), std::string::npos) << message;
    EXPECT_NE(message.find("line=" + line), std::string::npos) << message;
  };
  fails("wall = 1", "wall", "4");
  fails("[writer]\n\nlinger = \"1ms\"", "writer.linger", "6");
  fails("[times]\ngrace = 5", "times.grace", "5");
  fails("[times]\ngrace = \"soon\"", "times.grace", "5");
  fails("[writer]\nmax_entry_bytes = \"much\"", "writer.max_entry_bytes", "5");
  fails("[writer]\nmax_entry_bytes = -1", "writer.max_entry_bytes", "5");
  fails("[writer]\nmax_puts_in_flight = 3000000000", "writer.max_puts_in_flight", "5");
  fails("[writer]\nput_budget_per_second = \"1\"", "writer.put_budget_per_second", "5");
  fails("[reader.more]\nx = 1", "reader.more", "4");
  fails("times = 3", "times", "4");

  const auto wrong_type = ParseDeploymentConfig("metadata = 1", "d.toml");
  EXPECT_NE(wrong_type.status().message().find("key=metadata"), std::string_view::npos);
  const auto missing = ParseDeploymentConfig("metadata = \"memory:\"\nwal = \"memory:\"", "d.toml");
  EXPECT_NE(missing.status().message().find("key=compacted"), std::string_view::npos);
  const auto broken = ParseDeploymentConfig("metadata = \"memory:\"\nwal = = 3", "d.toml");
  EXPECT_EQ(broken.status().code(), StatusCode::kInvalidArgument);
  EXPECT_NE(broken.status().message().find("line=2"), std::string_view::npos) << broken.status().ToString();
}

TEST(DeploymentConfig, ReadsAFile) {
  const TempDirectory folder;
  const std::string path = folder.path() + "/d.toml";
  EXPECT_EQ(LoadDeploymentConfig(path).status().code(), StatusCode::kNotFound);
  std::ofstream(path) << kUrls;
  const auto options = LoadDeploymentConfig(path);
  ASSERT_TRUE(options.ok()) << options.status().ToString();
  EXPECT_EQ(options->wal_url, "file:///d/wal");
  EXPECT_EQ(LoadDeploymentConfig(folder.path()).status().code(), StatusCode::kUnavailable);
}

TEST(EmbeddedDeployment, LiesInOneFolder) {
  const DeploymentOptions options = EmbeddedDeployment("/data/x/../one/");
  EXPECT_EQ(options.metadata_url, "lmdb:///data/one/meta");
  EXPECT_EQ(options.wal_url, "file:///data/one/wal");
  EXPECT_EQ(options.compacted_url, "file:///data/one/compacted");
  EXPECT_EQ(EmbeddedDeployment("d").wal_url,
            "file://" + (std::filesystem::current_path() / "d" / "wal").string());
}

}  // namespace
}  // namespace lakestream
