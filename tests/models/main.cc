// lakestream-models [--states N] [NAME...]: explores the rules of compaction and collection, and each weaker one, whose counterexample
// it prints. Exit code 1 where the rules of the code show one, or a weaker one shows none.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "tests/models/collection_model.h"
#include "tests/models/compaction_model.h"

namespace lakestream::models {
namespace {

void Print(const ModelResult& result) {
  std::printf("  %zu states%s\n", result.states, result.complete ? "" : ", not all");
  for (const auto& [how, way] : result.bad) {
    std::printf("  %s, after %zu steps:\n", how.c_str(), way.size());
    for (const std::string& step : way) std::printf("    %s\n", step.c_str());
  }
  std::fflush(stdout);
}

int Main(const std::vector<std::string_view>& arguments) {
  std::size_t most = 40'000'000;
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--states" && i + 1 < arguments.size()) {
      most = std::strtoull(std::string(arguments[++i]).c_str(), nullptr, 10);
    } else {
      names.push_back(arguments[i]);
    }
  }
  const auto wanted = [&names](std::string_view name) {
    return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
  };
  int ran = 0;
  int wrong = 0;
  for (const SafeRules& safe : AllSafeRules()) {
    if (!wanted(safe.name)) continue;
    std::printf("%s: the rules of the code\n", std::string(safe.name).c_str());
    const ModelResult result = ExploreCompaction(safe.rules, most, safe.liveness);
    Print(result);
    wrong += result.bad.empty() ? 0 : 1;
    ++ran;
  }
  for (const WeakerRule& weaker : WeakerRules()) {
    if (!wanted(weaker.name)) continue;
    std::printf("%s: without \"%s\"\n", std::string(weaker.name).c_str(), std::string(weaker.without).c_str());
    const std::string breaks(weaker.breaks);
    const ModelResult result = ExploreCompaction(weaker.rules, most, weaker.liveness, breaks);
    Print(result);
    wrong += result.bad.contains(breaks) ? 0 : 1;
    ++ran;
  }
  for (const SafeCollection& safe : AllSafeCollections()) {
    if (!wanted(safe.name)) continue;
    std::printf("%s: the rules of the code\n", std::string(safe.name).c_str());
    const ModelResult result = ExploreCollection(safe.rules, most);
    Print(result);
    for (const auto& [how, way] : result.bad) {
      wrong += std::find(safe.but.begin(), safe.but.end(), how) == safe.but.end() ? 1 : 0;
    }
    ++ran;
  }
  for (const WeakerCollection& weaker : WeakerCollections()) {
    if (!wanted(weaker.name)) continue;
    std::printf("%s: without \"%s\"\n", std::string(weaker.name).c_str(), std::string(weaker.without).c_str());
    const std::string breaks(weaker.breaks);
    const ModelResult result = ExploreCollection(weaker.rules, most, breaks);
    Print(result);
    wrong += result.bad.contains(breaks) ? 0 : 1;
    ++ran;
  }
  std::printf("%d explored, %d wrong\n", ran, wrong);
  return ran == 0 || wrong > 0 ? 1 : 0;
}

}  // namespace
}  // namespace lakestream::models

int main(int count, char** arguments) {
  return lakestream::models::Main(std::vector<std::string_view>(arguments + 1, arguments + count));
}
