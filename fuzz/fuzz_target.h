#pragma once

#include <initializer_list>
#include <string_view>

#include "base/invariant.h"
#include "lakestream/buffer.h"
#include "lakestream/status.h"

namespace lakestream {

// What a fuzz target (x_fuzz.cc) defines, and what it may use. Thread safety: one thread.

/// Gives an input to one decoder or more, says with FuzzAnswer what each made of it, and checks with LS_INVARIANT
/// what must hold. Defined once in each target. The input lies in a heap block of exactly its size.
void FuzzOne(ByteSpan input);

/// Counts the answer of a decoder (a literal) and returns whether it was yes.
bool FuzzAnswer(const char* decoder, bool accepted);

/// The same. Ends the process unless a refusal has one of the codes, and says why in one line, without control
/// characters, that holds each of the parts.
bool FuzzAnswer(const char* decoder, const Status& status, std::initializer_list<StatusCode> codes,
                std::initializer_list<std::string_view> parts = {});

}  // namespace lakestream
