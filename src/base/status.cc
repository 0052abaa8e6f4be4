#include "lakestream/status.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/invariant.h"

namespace lakestream {

namespace {

bool IsControl(char c) { return (c & 0xff) < 0x20 || c == 0x7f; }

}  // namespace

std::string_view StatusCodeName(StatusCode code) {
  switch (code) {
    case StatusCode::kOk: return "ok";
    case StatusCode::kNotFound: return "not_found";
    case StatusCode::kAlreadyExists: return "already_exists";
    case StatusCode::kPreconditionFailed: return "precondition_failed";
    case StatusCode::kFenced: return "fenced";
    case StatusCode::kUnavailable: return "unavailable";
    case StatusCode::kIndeterminate: return "indeterminate";
    case StatusCode::kCorrupt: return "corrupt";
    case StatusCode::kInvalidArgument: return "invalid_argument";
    case StatusCode::kResourceExhausted: return "resource_exhausted";
    case StatusCode::kCancelled: return "cancelled";
    case StatusCode::kDeadlineExceeded: return "deadline_exceeded";
    case StatusCode::kUnimplemented: return "unimplemented";
    case StatusCode::kInternal: return "internal";
  }
  return "unknown";
}

Status::Status(StatusCode code, std::string message) {
  if (code != StatusCode::kOk) rep_ = std::make_shared<const Rep>(Rep{code, std::move(message)});
}

std::string Status::ToString() const {
  if (ok()) return "ok";
  return fmt::format("{}: {}", StatusCodeName(code()), message());
}

Status Status::With(std::string_view key, std::string_view value) const {
  if (ok()) return *this;
  std::string text = fmt::format("{} {}=", rep_->message, key);
  const bool plain = !value.empty() && std::none_of(value.begin(), value.end(), [](char c) {
    return c == ' ' || c == '"' || c == '\\' || IsControl(c);
  });
  if (plain) {
    text += value;
  } else {
    text += '"';
    for (const char c : value) {
      switch (c) {
        case '"': text += "\\\""; break;
        case '\\': text += "\\\\"; break;
        case '\n': text += "\\n"; break;
        case '\r': text += "\\r"; break;
        case '\t': text += "\\t"; break;
        default:
          if (IsControl(c)) {
            text += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
          } else {
            text += c;
          }
      }
    }
    text += '"';
  }
  return Status(rep_->code, std::move(text));
}

Status Status::As(StatusCode code) const {
  LS_INVARIANT(!ok() && code != StatusCode::kOk, "only an error can become another error");
  return Status(code, rep_->message);
}

namespace {
Status Make(StatusCode code, std::string_view message) { return Status(code, std::string(message)); }
}  // namespace

Status NotFound(std::string_view m) { return Make(StatusCode::kNotFound, m); }
Status AlreadyExists(std::string_view m) { return Make(StatusCode::kAlreadyExists, m); }
Status PreconditionFailed(std::string_view m) { return Make(StatusCode::kPreconditionFailed, m); }
Status Fenced(std::string_view m) { return Make(StatusCode::kFenced, m); }
Status Unavailable(std::string_view m) { return Make(StatusCode::kUnavailable, m); }
Status Indeterminate(std::string_view m) { return Make(StatusCode::kIndeterminate, m); }
Status Corrupt(std::string_view m) { return Make(StatusCode::kCorrupt, m); }
Status InvalidArgument(std::string_view m) { return Make(StatusCode::kInvalidArgument, m); }
Status ResourceExhausted(std::string_view m) { return Make(StatusCode::kResourceExhausted, m); }
Status Cancelled(std::string_view m) { return Make(StatusCode::kCancelled, m); }
Status DeadlineExceeded(std::string_view m) { return Make(StatusCode::kDeadlineExceeded, m); }
Status Unimplemented(std::string_view m) { return Make(StatusCode::kUnimplemented, m); }
Status Internal(std::string_view m) { return Make(StatusCode::kInternal, m); }

namespace internal {
void DieBadResultAccess(const Status& status) { DieInvariant("result has a value", status.ToString()); }
}  // namespace internal

}  // namespace lakestream
