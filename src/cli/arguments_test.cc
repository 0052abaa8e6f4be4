#include "cli/arguments.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
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

TEST(Arguments, LogLevelComesFromTheOptionElseTheEnvironment) {
  unsetenv("LAKESTREAM_LOG");
  EXPECT_EQ(Parse({"stream", "list"})->common.log_level, LogLevel::kWarning);
  setenv("LAKESTREAM_LOG", "debug", 1);
  EXPECT_EQ(Parse({"stream", "list"})->common.log_level, LogLevel::kDebug);
  EXPECT_EQ(Parse({"stream", "list", "--log-level", "error"})->common.log_level, LogLevel::kError);
  setenv("LAKESTREAM_LOG", "loud", 1);
  const Status status = Parse({"stream", "list"}).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("LAKESTREAM_LOG"), std::string_view::npos) << status.message();
  unsetenv("LAKESTREAM_LOG");
}

TEST(Arguments, RunTakesTheDeploymentAsAWordOrAsAnOption) {
  unsetenv("LAKESTREAM_DEPLOYMENT");
  EXPECT_EQ(Parse({"run"})->common.deployment, "./data");
  EXPECT_EQ(Parse({"run", "/srv/lake"})->common.deployment, "/srv/lake");
  EXPECT_EQ(Parse({"run", "--deployment", "/srv/lake"})->common.deployment, "/srv/lake");
  EXPECT_FALSE(Parse({"run", "/srv/lake", "--deployment", "/srv/other"}).ok());
}

TEST(Arguments, RunTakesHowOftenEachJobIsDone) {
  const UpkeepOptions usual = std::get<RunCommandOptions>(Parse({"run"})->command).upkeep;
  EXPECT_EQ(usual.compact_every, std::chrono::seconds(10));
  EXPECT_EQ(usual.retain_every, std::chrono::seconds(60));
  const Result<Invocation> given = Parse({"run", "--compact-every", "250ms", "--retain-every", "2h", "--gc-every", "3s"});
  ASSERT_TRUE(given.ok()) << given.status().ToString();
  EXPECT_EQ(std::get<RunCommandOptions>(given->command).upkeep.compact_every, std::chrono::milliseconds(250));
  EXPECT_EQ(std::get<RunCommandOptions>(given->command).upkeep.retain_every, std::chrono::hours(2));
  EXPECT_EQ(std::get<RunCommandOptions>(given->command).upkeep.collect_every, std::chrono::seconds(3));
  EXPECT_FALSE(usual.collect_every.has_value());
  for (const char* wrong : {"0s", "1us", "-1s", "10", "366d", "9999999999d", "soon", ""}) {
    EXPECT_EQ(Parse({"run", "--retain-every", wrong}).status().code(), StatusCode::kInvalidArgument) << wrong;
  }
}

TEST(Arguments, MetricsAreServedWhereTheLineSays) {
  EXPECT_FALSE(Parse({"run"})->common.metrics.has_value());
  for (const std::vector<const char*>& words : std::vector<std::vector<const char*>>{
           {"run", "--metrics", "9464"}, {"append", "s", "--metrics", ":9464"}, {"read", "s", "--metrics", "127.0.0.1:9464"}}) {
    const Result<Invocation> invocation = Parse(words);
    ASSERT_TRUE(invocation.ok()) << invocation.status().ToString();
    ASSERT_TRUE(invocation->common.metrics.has_value());
    EXPECT_EQ(invocation->common.metrics->ToString(), "127.0.0.1:9464");
  }
  EXPECT_EQ(Parse({"run", "--metrics", "localhost:9464"}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_FALSE(Parse({"compact", "--metrics", "9464"}).ok());
}

TEST(Arguments, RunTellsWhatItDoesUnlessItIsToBeQuiet) {
  unsetenv("LAKESTREAM_LOG");
  EXPECT_EQ(Parse({"run"})->common.log_level, LogLevel::kInfo);
  EXPECT_EQ(Parse({"run", "-q"})->common.log_level, LogLevel::kWarning);
  EXPECT_EQ(Parse({"run", "-q", "--log-level", "debug"})->common.log_level, LogLevel::kDebug);
  EXPECT_EQ(Parse({"run", "--log-level", "error"})->common.log_level, LogLevel::kError);
}

TEST(Arguments, InspectKnowsWhetherADeploymentWasNamed) {
  EXPECT_FALSE(Parse({"inspect", "wal", "file"})->common.deployment_named);
  const Result<Invocation> named = Parse({"inspect", "wal", "key", "--deployment", "d"});
  EXPECT_TRUE(named->common.deployment_named);
  EXPECT_EQ(std::get<InspectWalOptions>(named->command).source, "key");
  EXPECT_EQ(std::get<InspectIndexOptions>(Parse({"inspect", "index", "--hex", "08"})->command).hex, "08");
  EXPECT_TRUE(std::get<InspectMetaOptions>(Parse({"inspect", "meta"})->command).key.empty());
}

TEST(Arguments, AppendShapesRecords) {
  const Result<Invocation> plain = Parse({"append", "s"});
  EXPECT_FALSE(std::get<AppendOptions>(plain->command).shapes_records);
  const Result<Invocation> invocation =
      Parse({"append", "s", "f", "--key", "k", "--header", "a=1", "--header", "b=c=d", "--header", "=", "--timestamp", "5",
             "--compression", "lz4", "--batch", "10"});
  ASSERT_TRUE(invocation.ok()) << invocation.status().ToString();
  const auto& options = std::get<AppendOptions>(invocation->command);
  EXPECT_TRUE(options.shapes_records);
  EXPECT_EQ(options.file, "f");
  EXPECT_EQ(options.batching.key, "k");
  const std::vector<std::pair<std::string, std::string>> headers = {{"a", "1"}, {"b", "c=d"}, {"", ""}};
  EXPECT_EQ(options.batching.headers, headers);
  EXPECT_EQ(options.timestamp_ms, 5);
  EXPECT_EQ(options.batching.compression, Compression::kLz4);
  EXPECT_EQ(options.batching.lines, 10);
  EXPECT_EQ(std::get<ReadOptions>(Parse({"read", "s", "--binding", "raw"})->command).binding, "raw");
  EXPECT_EQ(std::get<InspectBatchOptions>(Parse({"inspect", "batch", "-"})->command).file, "-");
  EXPECT_EQ(std::get<InspectCompactedOptions>(Parse({"inspect", "compacted", "f"})->command).file, "f");
  EXPECT_TRUE(std::get<InspectCompanionOptions>(Parse({"inspect", "companion", "f", "--json"})->command).json);
}

TEST(Arguments, ReadStartsAtAnOffsetOrATime) {
  EXPECT_FALSE(std::get<ReadOptions>(Parse({"read", "s"})->command).since);
  const Result<Invocation> age = Parse({"read", "s", "--since", "10m", "--follow"});
  EXPECT_EQ(std::get<ReadOptions>(age->command).since, (TimeArgument{true, 600'000}));
  const Result<Invocation> moment = Parse({"read", "s", "--since", "1970-01-01T00:00:01Z"});
  EXPECT_EQ(std::get<ReadOptions>(moment->command).since, (TimeArgument{false, 1000}));
  EXPECT_NE(Parse({"read", "s", "--since", "soon"}).status().message().find("--since takes a time"), std::string_view::npos);
  EXPECT_NE(Parse({"read", "s", "--since", "1d", "--from", "first"}).status().message().find("give one"),
            std::string_view::npos);
}

TEST(Arguments, HelpNamesTheWholeCommand) {
  const std::string all = std::get<HelpOptions>(Parse({"help"})->command).text;
  for (const char* command : {"stream", "append", "read", "trim", "inspect", "bench", "version", "help"}) {
    EXPECT_NE(all.find(std::string("\n  ") + command), std::string::npos) << command << " in " << all;
  }
  const std::string text = std::get<HelpOptions>(Parse({"help", "stream", "create"})->command).text;
  EXPECT_NE(text.find("lakestream stream create"), std::string::npos) << text;
  const std::string flag = std::get<HelpOptions>(Parse({"append", "--help"})->command).text;
  EXPECT_NE(flag.find("--offsets"), std::string::npos) << flag;
}

/// The command lines below "Examples:", as words; those behind a pipe too.
std::vector<std::vector<std::string>> ExamplesIn(const std::string& help) {
  std::vector<std::vector<std::string>> examples;
  const std::size_t begin = help.find("\nExamples:\n");
  if (begin == std::string::npos) return examples;
  std::istringstream lines(help.substr(begin + 11, help.find("\n\n", begin + 11) - begin - 11));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    bool ours = false;
    for (std::string word; words >> word;) {
      if (word == "lakestream") {
        examples.emplace_back();
        ours = true;
      } else if (word == "|" || word == ">") {
        ours = false;
      } else if (ours) {
        examples.back().push_back(word);
      }
    }
  }
  return examples;
}

void ExpectHelp(const CommandShape& command, const std::vector<std::string>& path) {
  std::vector<const char*> words = {"help"};
  for (const std::string& word : path) words.push_back(word.c_str());
  const Result<Invocation> invocation = Parse(words);
  ASSERT_TRUE(invocation.ok()) << invocation.status().ToString();
  const std::string text = std::get<HelpOptions>(invocation->command).text;
  EXPECT_NE(text.find("\nExit codes:\n"), std::string::npos) << text;
  bool of_itself = false;
  for (const std::vector<std::string>& example : ExamplesIn(text)) {
    std::vector<const char*> line;
    for (const std::string& word : example) line.push_back(word.c_str());
    const Status status = Parse(line).status();
    EXPECT_TRUE(status.ok()) << status.ToString() << " in " << text;
    of_itself = of_itself || (example.size() >= path.size() && std::equal(path.begin(), path.end(), example.begin()));
  }
  EXPECT_TRUE(of_itself) << "no example in " << text;
  for (const CommandShape& below : command.commands) {
    std::vector<std::string> longer = path;
    longer.push_back(below.name);
    ExpectHelp(below, longer);
  }
}

TEST(Arguments, TheHelpOfEachCommandHasExamplesThatAreRightUse) {
  const Result<Invocation> all = Parse({"completion", "bash"});
  ASSERT_TRUE(all.ok());
  const CommandShape& commands = std::get<CompletionOptions>(all->command).commands;
  EXPECT_EQ(commands.commands.size(), 18u);
  ExpectHelp(commands, {});
}

TEST(Arguments, WrongUseNamesTheWord) {
  const auto message = [](const std::vector<const char*>& words) {
    return std::string(Parse(words).status().message());
  };
  EXPECT_EQ(message({"read", "s", "--form", "3"}),
            "there is no option \"--form\"; see \"lakestream help read\"");
  EXPECT_EQ(message({"--deployment", "d", "stream", "list"}),
            "put --deployment behind the command; see \"lakestream help stream list\"");
  EXPECT_EQ(message({"read", "s", "t"}), "\"t\" is one word too many; see \"lakestream help read\"");
  EXPECT_EQ(message({"stream", "bogus"}), "there is no command \"stream bogus\"; see \"lakestream help stream\"");
  EXPECT_EQ(message({"append", "s", "--partition", "x"}),
            "--partition: takes a whole number, from 0 to 9999, not \"x\"; see \"lakestream help append\"");
  EXPECT_EQ(message({"read", "s", "--max", "0"}),
            "--max: takes a whole number, 1 or more, not \"0\"; see \"lakestream help read\"");
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
      {"stream", "create", "s", "--binding", "cooked"},
      {"stream", "grow", "s"},
      {"stream", "grow", "s", "--partitions", "0"},
      {"stream", "set", "s"},
      {"stream", "set", "s", "a=b", "--revision", "x"},
      {"stream", "drop"},
      {"stream", "purge", "s", "more"},
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
      {"read", "s", "--format", "xml"},
      {"read", "s", "--format", "json", "--no-final-lf"},
      {"read", "s", "--log-level", "loud"},
      {"read", "s", "--deployment", ""},
      {"inspect"},
      {"inspect", "bogus"},
      {"inspect", "wal"},
      {"inspect", "index"},
      {"inspect", "index", "key", "--hex", "00"},
      {"inspect", "index", "--base64", "AA==", "--hex", "00"},
      {"inspect", "meta", "a", "b"},
      {"inspect", "batch"},
      {"inspect", "compacted"},
      {"inspect", "companion"},
      {"append", "s", "--header", "a"},
      {"append", "s", "--compression", "brotli"},
      {"append", "s", "--batch", "0"},
      {"append", "s", "--timestamp", "-1"},
      {"append", "s", "--payload", "--key", "k"},
      {"append", "s", "--payload", "--raw"},
      {"append", "s", "--raw", "--batch", "2"},
      {"read", "s", "--binding", "avro"},
      {"stream", "describe"},
      {"trim", "s"},
      {"trim", "s", "--before", "1", "--through", "1"},
      {"trim", "s", "--before", "0"},
      {"trim", "s", "--before", "x"},
      {"help", "bogus"},
      {"\x1b[2J"},
      {"append", "s", "--\x1b\x7f"},
  };
  for (const auto& words : cases) {
    std::string line;
    for (const char* word : words) line += std::string(word) + " ";
    const Status status = Parse(words).status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << line;
    for (const char c : status.message()) EXPECT_GE(c & 0xff, 0x20) << status.message();
    EXPECT_EQ(status.message().find('\x7f'), std::string_view::npos) << status.message();
    EXPECT_NE(status.message().find("lakestream help"), std::string_view::npos) << line << status.message();
  }
}

}  // namespace
}  // namespace lakestream
