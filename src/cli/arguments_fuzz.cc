#include "cli/arguments.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "fuzz/fuzz_target.h"

// The input is a command line with a line for each word.

namespace lakestream {
namespace {

void CheckRanges(const Invocation& invocation) {
  const bool without_place = std::holds_alternative<HelpOptions>(invocation.command) ||
                             std::holds_alternative<VersionOptions>(invocation.command);
  LS_INVARIANT(without_place || !invocation.common.deployment.empty(), "there is a place");
  if (const auto* create = std::get_if<StreamCreateOptions>(&invocation.command)) {
    LS_INVARIANT(create->partitions >= 1 && create->partitions <= 10000, "partitions are in range");
  } else if (const auto* append = std::get_if<AppendOptions>(&invocation.command)) {
    LS_INVARIANT(!append->partition || (*append->partition >= 0 && *append->partition <= 9999), "so is one");
  } else if (const auto* read = std::get_if<ReadOptions>(&invocation.command)) {
    LS_INVARIANT(!read->since || read->since->ms >= 0, "a time is not negative");
    LS_INVARIANT(read->from.offset >= 0 && (!read->max || *read->max >= 1), "so are offset and count");
    LS_INVARIANT(read->format == EntryFormat::kText || !read->no_final_lf, "only text has lines to end");
  } else if (const auto* trim = std::get_if<TrimOptions>(&invocation.command)) {
    LS_INVARIANT(trim->before >= 1, "so is the first offset to keep");
  } else if (const auto* help = std::get_if<HelpOptions>(&invocation.command)) {
    LS_INVARIANT(!help->text.empty(), "help says something");
  }
}

}  // namespace

void FuzzOne(ByteSpan input) {
  static const int no_environment = ::unsetenv("LAKESTREAM_DEPLOYMENT");
  LS_INVARIANT(no_environment == 0, "the environment does not matter");
  std::vector<std::string> words = {"lakestream"};
  std::string_view rest = AsText(input);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    words.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  std::vector<const char*> argv;
  for (const std::string& word : words) argv.push_back(word.c_str());
  const int argc = static_cast<int>(argv.size());
  argv.push_back(nullptr);
  const Result<Invocation> invocation = ParseArguments(argc, argv.data());
  if (!FuzzAnswer("command line", invocation.status(), {StatusCode::kInvalidArgument}, {"lakestream help"})) return;
  CheckRanges(*invocation);
}

}  // namespace lakestream
