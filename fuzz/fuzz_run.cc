#include "fuzz/fuzz_run.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>

#include "fuzz/fuzz_target.h"

#if defined(__SANITIZE_ADDRESS__)
#define LAKESTREAM_WITH_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LAKESTREAM_WITH_ASAN 1
#endif
#endif

#ifdef LAKESTREAM_WITH_ASAN
// g++ 12 has the function without its header.
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void*, std::size_t),
                                                         void (*on_free)(const volatile void*));
#endif

namespace lakestream {
namespace {

struct Answers {
  std::int64_t accepted = 0;
  std::int64_t rejected = 0;
};

struct State {
  std::int64_t executions = 0;
  std::map<std::string, Answers, std::less<>> answers;
};

State& GetState() {
  // Never destroyed: it is printed while the process ends.
  static State* const state = new State;
  return *state;
}

bool measuring = false;
std::size_t largest_allocation = 0;

#ifdef LAKESTREAM_WITH_ASAN
void OnMalloc(const volatile void*, std::size_t bytes) {
  if (measuring) largest_allocation = std::max(largest_allocation, bytes);
}
void OnFree(const volatile void*) {}
const bool hooked = __sanitizer_install_malloc_and_free_hooks(OnMalloc, OnFree) != 0;
#endif

}  // namespace

bool FuzzAnswer(const char* decoder, bool accepted) {
  const bool measured = measuring;
  measuring = false;
  Answers& answers = GetState().answers[decoder];
  ++(accepted ? answers.accepted : answers.rejected);
  measuring = measured;
  return accepted;
}

bool FuzzAnswer(const char* decoder, const Status& status, std::initializer_list<StatusCode> codes,
                std::initializer_list<std::string_view> parts) {
  if (FuzzAnswer(decoder, status.ok())) return true;
  const std::string text = status.ToString();
  LS_INVARIANT(std::find(codes.begin(), codes.end(), status.code()) != codes.end(), text);
  const bool plain = std::none_of(text.begin(), text.end(), [](char c) { return (c & 0xff) < 0x20 || c == 0x7f; });
  LS_INVARIANT(!status.message().empty() && plain, text);
  for (const std::string_view part : parts) {
    LS_INVARIANT(status.message().find(part) != std::string_view::npos, text + " lacks " + std::string(part));
  }
  return false;
}

void RunFuzzInput(ByteSpan input) {
  ++GetState().executions;
#ifdef LAKESTREAM_WITH_ASAN
  LS_INVARIANT(hooked, "allocations are measured");
#endif
  largest_allocation = 0;
  measuring = true;
  FuzzOne(input);
  measuring = false;
  LS_INVARIANT(largest_allocation <= FuzzAllocationLimit(input.size()),
               "an input of " + std::to_string(input.size()) + " bytes led to an allocation of " +
                   std::to_string(largest_allocation));
}

void PrintFuzzCounts(std::FILE* out) {
  std::fprintf(out, "fuzz: executions=%lld\n", static_cast<long long>(GetState().executions));
  for (const auto& [decoder, answers] : GetState().answers) {
    std::fprintf(out, "fuzz: decoder=%s accepted=%lld rejected=%lld\n", decoder.c_str(),
                 static_cast<long long>(answers.accepted), static_cast<long long>(answers.rejected));
  }
}

bool FuzzCountsHold() {
  const auto& answers = GetState().answers;
  return GetState().executions > 0 && !answers.empty() &&
         std::all_of(answers.begin(), answers.end(), [](const auto& entry) { return entry.second.accepted > 0; });
}

}  // namespace lakestream
