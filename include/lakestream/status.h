#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace lakestream {

/// What a caller can do next. For a call that changes something, every code except kIndeterminate means
/// that the change was definitely not made; kIndeterminate alone means that it may have been made.
enum class StatusCode : std::uint8_t {
  kOk,
  kNotFound,
  kAlreadyExists,
  kPreconditionFailed,  ///< a version or a condition did not hold: read again, then decide
  kFenced,              ///< the log is being deleted, or this holder was shut out: stop
  kUnavailable,         ///< not done; the same call may succeed later
  kIndeterminate,       ///< may have happened, now or later
  kCorrupt,             ///< stored bytes break their format
  kInvalidArgument,
  kResourceExhausted,  ///< a limit, a full disk, a full queue
  kCancelled,
  kDeadlineExceeded,
  kUnimplemented,
  kInternal,
};

/// The code's name as it stands in messages, for example "not_found".
std::string_view StatusCodeName(StatusCode code);

/// The outcome of a call. A message is a fixed lower-case sentence followed by key=value pairs; it never
/// holds a secret. Cheap to copy; an ok status allocates nothing. Thread safety: as a value.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(StatusCode code, std::string message);

  bool ok() const { return rep_ == nullptr; }
  StatusCode code() const { return rep_ ? rep_->code : StatusCode::kOk; }
  /// The sentence and its pairs; empty for ok.
  std::string_view message() const { return rep_ ? std::string_view(rep_->message) : std::string_view(); }
  /// "ok", or "code: message".
  std::string ToString() const;

  /// This status with " key=value" appended to the message (values with spaces or quotes are quoted, and
  /// control characters escaped: a message is one line, and no terminal obeys it).
  /// An ok status stays ok.
  Status With(std::string_view key, std::string_view value) const;
  template <std::integral I>
  Status With(std::string_view key, I value) const {
    return With(key, std::string_view(std::to_string(value)));
  }
  /// This status with the same message and another code. Requires: neither is ok.
  Status As(StatusCode code) const;

 private:
  struct Rep {
    StatusCode code;
    std::string message;
  };
  std::shared_ptr<const Rep> rep_;
};

inline Status OkStatus() { return Status(); }
Status NotFound(std::string_view message);
Status AlreadyExists(std::string_view message);
Status PreconditionFailed(std::string_view message);
Status Fenced(std::string_view message);
Status Unavailable(std::string_view message);
Status Indeterminate(std::string_view message);
Status Corrupt(std::string_view message);
Status InvalidArgument(std::string_view message);
Status ResourceExhausted(std::string_view message);
Status Cancelled(std::string_view message);
Status DeadlineExceeded(std::string_view message);
Status Unimplemented(std::string_view message);
Status Internal(std::string_view message);

namespace internal {
[[noreturn]] void DieBadResultAccess(const Status& status);
}  // namespace internal

/// A value, or the status that says why there is none. Never holds an ok status.
template <class T>
class [[nodiscard]] Result {
  static_assert(!std::same_as<T, Status>, "a Result of a Status says the same thing twice");

 public:
  Result(T value) : rep_(std::in_place_index<1>, std::move(value)) {}
  Result(Status status) : rep_(std::in_place_index<0>, std::move(status)) {
    if (std::get<0>(rep_).ok()) internal::DieBadResultAccess(std::get<0>(rep_));
  }

  bool ok() const { return rep_.index() == 1; }
  Status status() const { return ok() ? Status() : std::get<0>(rep_); }

  /// Requires: ok(). Anything else ends the process with the status in the message.
  T& value() & {
    Check();
    return std::get<1>(rep_);
  }
  const T& value() const& {
    Check();
    return std::get<1>(rep_);
  }
  T&& value() && {
    Check();
    return std::get<1>(std::move(rep_));
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  void Check() const {
    if (!ok()) internal::DieBadResultAccess(std::get<0>(rep_));
  }
  std::variant<Status, T> rep_;
};

}  // namespace lakestream
