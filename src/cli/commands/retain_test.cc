#include "cli/commands/retain.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <map>
#include <string>
#include <utility>

#include "base/testing/temp_directory.h"
#include "cli/exit_code.h"
#include "runtime/thread_runtime.h"
#include "runtime/wait.h"

namespace lakestream {
namespace {

/// A deployment, and what a command prints there.
class RetainCommandTest : public testing::Test {
 protected:
  ~RetainCommandTest() override {
    EXPECT_TRUE(environment_.Close().ok());
    close(fd_);
  }

  /// A stream of three entries.
  void Fill(Deployment& deployment, const std::string& name, std::map<std::string, std::string> properties) {
    const auto stream =
        Wait(deployment.catalog().CreateStream(OpContext(), *StreamIdentifier::Parse(name), 1, std::move(properties)));
    ASSERT_TRUE(stream.ok()) << stream.status().ToString();
    for (int i = 0; i < 3; ++i) {
      AppendRequest request;
      request.log = stream->logs.front();
      request.payload = Buffer::CopyOf("entry");
      ASSERT_TRUE(Wait(deployment.writer().Append(OpContext(), std::move(request))).ok());
    }
  }
  std::string Printed() const {
    std::string text(4096, '\0');
    text.resize(static_cast<std::size_t>(pread(fd_, text.data(), text.size(), 0)));
    return text;
  }
  CommonOptions Here() const {
    CommonOptions options;
    options.deployment = folder_.path() + "/deployment";
    return options;
  }

  const TempDirectory folder_;
  const int fd_ = open((folder_.path() + "/printed").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ThreadRuntime threads_{ThreadRuntimeOptions{2, 8}};
  Output out_{fd_};
  Environment environment_{threads_.runtime(), out_, Here()};
};

/// Other programs set properties, too.
TEST_F(RetainCommandTest, ABadPropertyIsNamedAndStopsNoOtherStream) {
  const Result<Deployment*> deployment = environment_.Open(true);
  ASSERT_TRUE(deployment.ok()) << deployment.status().ToString();
  Fill(**deployment, "bad", {{"retention.ms", "7d"}});
  Fill(**deployment, "good", {{"lakestream.retention.records", "1"}});
  ASSERT_TRUE(environment_.Close().ok());
  testing::internal::CaptureStderr();
  EXPECT_EQ(RunRetain(environment_, RetainCommandOptions()), kExitFailed);
  const std::string errors = testing::internal::GetCapturedStderr();
  EXPECT_NE(errors.find("property=retention.ms value=7d stream=bad\n"), std::string::npos) << errors;
  EXPECT_NE(Printed().find("good/0: trimmed 2 records"), std::string::npos) << Printed();
}

}  // namespace
}  // namespace lakestream
