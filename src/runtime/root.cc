#include "runtime/root.h"

#include <algorithm>
#include <string_view>

namespace lakestream::internal {
namespace {

std::string Chain(const Waiting* waiting) {
  std::string chain;
  for (; waiting != nullptr; waiting = waiting->task) {
    const std::string_view path = waiting->where.file_name();
    const std::string_view file = path.substr(path.rfind('/') + 1);
    if (!chain.empty()) chain += " > ";
    chain.append(file).append(":").append(std::to_string(waiting->where.line()));
  }
  return chain;
}

}  // namespace

thread_local RootWatch* RootWatch::current_ = nullptr;

std::vector<std::string> RootWatch::Describe(const void* owner) const {
  std::vector<std::string> chains;
  for (const auto& [root, its_owner] : roots_) {
    if (its_owner == owner) chains.push_back(Chain(root->task));
  }
  std::sort(chains.begin(), chains.end());
  return chains;
}

}  // namespace lakestream::internal
