#pragma once

#include <utility>

#include "lakestream/status.h"

// Hand an error up. The LS_CO_ forms are for coroutines; their expression may hold a co_await.

#define LS_TRY_CONCAT_INNER(a, b) a##b
#define LS_TRY_CONCAT(a, b) LS_TRY_CONCAT_INNER(a, b)

#define LS_TRY_IMPL(ret, expression)                                          \
  do {                                                                        \
    ::lakestream::Status ls_try_status = (expression);                        \
    if (!ls_try_status.ok()) [[unlikely]]                                     \
      ret ls_try_status;                                                      \
  } while (false)

#define LS_ASSIGN_IMPL(ret, result, target, expression)                       \
  auto result = (expression);                                                 \
  if (!result.ok()) [[unlikely]]                                              \
    ret result.status();                                                      \
  target = *std::move(result)

/// Returns the status from this function unless it is ok.
#define LS_TRY(expression) LS_TRY_IMPL(return, expression)
#define LS_CO_TRY(expression) LS_TRY_IMPL(co_return, expression)

/// LS_ASSIGN(auto x, F()): takes the value of a Result, or returns its status from this function.
#define LS_ASSIGN(target, expression) \
  LS_ASSIGN_IMPL(return, LS_TRY_CONCAT(ls_result_, __LINE__), target, expression)
#define LS_CO_ASSIGN(target, expression) \
  LS_ASSIGN_IMPL(co_return, LS_TRY_CONCAT(ls_result_, __LINE__), target, expression)
