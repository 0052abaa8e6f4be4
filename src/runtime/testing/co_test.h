#pragma once

#include <gtest/gtest.h>

#include "lakestream/status.h"
#include "lakestream/task.h"

// Checks for tests whose body is a Task<void>: they end the coroutine where gtest's ASSERT macros would say
// `return`. Their arguments may hold a co_await, by the rules for co_await expressions: no braces, no lambda.

#define CO_ASSERT_TRUE(condition)                                   \
  do {                                                              \
    const bool co_assert_holds = static_cast<bool>(condition);      \
    EXPECT_TRUE(co_assert_holds) << #condition;                     \
    if (!co_assert_holds) co_return;                                \
  } while (false)

#define CO_ASSERT_EQ(actual, wanted)                                \
  do {                                                              \
    const auto co_assert_actual = (actual);                         \
    EXPECT_EQ(co_assert_actual, (wanted)) << #actual;               \
    if (!(co_assert_actual == (wanted))) co_return;                 \
  } while (false)

/// Takes a Status or a Result.
#define CO_ASSERT_OK(expression)                                    \
  do {                                                              \
    const auto co_assert_status = ::lakestream::StatusOf(expression); \
    EXPECT_TRUE(co_assert_status.ok()) << #expression << ": " << co_assert_status.ToString(); \
    if (!co_assert_status.ok()) co_return;                          \
  } while (false)

/// Takes a Status or a Result, and the name of a StatusCode without its scope.
#define CO_ASSERT_CODE(expression, wanted)                          \
  do {                                                              \
    const auto co_assert_status = ::lakestream::StatusOf(expression); \
    EXPECT_EQ(co_assert_status.code(), ::lakestream::StatusCode::wanted) \
        << #expression << ": " << co_assert_status.ToString();      \
    if (co_assert_status.code() != ::lakestream::StatusCode::wanted) co_return; \
  } while (false)

namespace lakestream {

inline Status StatusOf(const Status& status) { return status; }
template <class T>
Status StatusOf(const Result<T>& result) {
  return result.status();
}

}  // namespace lakestream
