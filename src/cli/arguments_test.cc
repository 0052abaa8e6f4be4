#include "cli/arguments.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace lakestream {
namespace {

Result<Invocation> Parse(std::vector<const char*> words) {
  words.insert(words.begin(), "lakestream");
  return ParseArguments(static_cast<int>(words.size()), words.data());
}

TEST(Arguments, StreamsMayBeNamedLikeCommands) {
  const Result<Invocation> invocation = Parse({"append", "read", "append", "--partition", "3"});
  ASSERT_TRUE(invocation.ok()) << invocation.status().ToString();
  const auto& options = std::get<AppendOptions>(invocation->command);
  EXPECT_EQ(options.stream, "read");
  EXPECT_EQ(options.file, "append");
  EXPECT_EQ(options.partition, 3);
  const Result<Invocation> created = Parse({"stream", "create", "list"});
  ASSERT_TRUE(created.ok()) << created.status().ToString();
  EXPECT_EQ(std::get<StreamCreateOptions>(created->command).name, "list");
}

TEST(Arguments, TheOptionWinsOverTheEnvironment) {
  unsetenv("LAKESTREAM_DEPLOYMENT");
  EXPECT_EQ(Parse({"stream", "list"})->common.deployment, "./data");
  setenv("LAKESTREAM_DEPLOYMENT", "/from/environment", 1);
  EXPECT_EQ(Parse({"stream", "list"})->common.deployment, "/from/environment");
  EXPECT_EQ(Parse({"stream", "list", "--deployment", "x"})->common.deployment, "x");
  unsetenv("LAKESTREAM_DEPLOYMENT");
}

TEST(Arguments, ReadsWhereToStart) {
  EXPECT_EQ(std::get<ReadOptions>(Parse({"read", "s"})->command).from.kind, ReadFrom::Kind::kFirst);
  EXPECT_EQ(std::get<ReadOptions>(Parse({"read", "s", "--from", "end"})->command).from.kind, ReadFrom::Kind::kEnd);
  EXPECT_EQ(std::get<ReadOptions>(Parse({"read", "s", "--from", "12"})->command).from.offset, 12);
}

TEST(Arguments, BothFormsOfTrimNameTheFirstOffsetToKeep) {
  EXPECT_EQ(std::get<TrimOptions>(Parse({"trim", "s", "--before", "5"})->command).before, 5);
  EXPECT_EQ(std::get<TrimOptions>(Parse({"trim", "s", "--through", "5"})->command).before, 6);
  EXPECT_EQ(std::get<TrimOptions>(Parse({"trim", "s", "--through", "0"})->command).before, 1);
}

TEST(Arguments, HelpNamesTheWholeCommand) {
  const std::string all = std::get<HelpOptions>(Parse({"help"})->command).text;
  for (const char* command : {"stream", "append", "read", "trim", "version", "help"}) {
    EXPECT_NE(all.find(std::string("\n  ") + command), std::string::npos) << command << " in " << all;
  }
  const std::string text = std::get<HelpOptions>(Parse({"help", "stream", "create"})->command).text;
  EXPECT_NE(text.find("lakestream stream create"), std::string::npos) << text;
  const std::string flag = std::get<HelpOptions>(Parse({"append", "--help"})->command).text;
  EXPECT_NE(flag.find("--offsets"), std::string::npos) << flag;
}

TEST(Arguments, WrongUseIsOneLineThatSaysWhatToDo) {
  const std::vector<std::vector<const char*>> cases = {
      {},
      {"bogus"},
      {"--bogus"},
      {"stream"},
      {"stream", "bogus"},
      {"stream", "create"},
      {"stream", "create", "s", "--partitions", "0"},
      {"stream", "create", "s", "--partitions", "10001"},
      {"stream", "create", "s", "--partitions", "x"},
      {"stream", "create", "s", "more"},
      {"append"},
      {"append", "s", "f", "more"},
      {"append", "s", "--partition", "-1"},
      {"append", "s", "--offsets", "--json"},
      {"append", "s", "--bogus"},
      {"read"},
      {"read", "s", "--from", "x"},
      {"read", "s", "--from", "-1"},
      {"read", "s", "--from", "1x"},
      {"read", "s", "--from", "9223372036854775808"},
      {"read", "s", "--from"},
      {"read", "s", "--max", "0"},
      {"read", "s", "--raw", "--no-final-lf"},
      {"trim", "s"},
      {"trim", "s", "--before", "1", "--through", "1"},
      {"trim", "s", "--before", "0"},
      {"trim", "s", "--before", "x"},
      {"help", "bogus"},
  };
  for (const auto& words : cases) {
    std::string line;
    for (const char* word : words) line += std::string(word) + " ";
    const Status status = Parse(words).status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << line;
    EXPECT_EQ(status.message().find('\n'), std::string_view::npos) << status.message();
    EXPECT_NE(status.message().find("lakestream help"), std::string_view::npos) << line << status.message();
  }
}

}  // namespace
}  // namespace lakestream
