#pragma once

#include <string>
#include <string_view>

#include "lakestream/status.h"

namespace lakestream {

/// Standard output with a buffer. A reader that has gone away is no error: what is written after that is
/// dropped. Thread safety: none.
class Output {
 public:
  explicit Output(int fd) : fd_(fd) {}

  void Write(std::string_view bytes);
  void Flush();
  /// True once the reader has gone away: nothing more can be of use.
  bool reader_gone() const { return reader_gone_; }
  /// The reader was found gone without writing, by poll().
  void NoteReaderGone() { reader_gone_ = true; }
  /// True once nothing more can be written, for whatever reason.
  bool closed() const { return reader_gone_ || !status_.ok(); }
  /// What went wrong, if anything did, other than a reader that has gone.
  const Status& status() const { return status_; }
  int fd() const { return fd_; }

 private:
  void WriteOut(std::string_view bytes);

  const int fd_;
  std::string buffer_;
  bool reader_gone_ = false;
  Status status_;
};

/// One line on standard error: "lakestream: " and the text, its control characters escaped. Thread safety of these
/// functions: any thread.
void PrintNote(std::string_view text);
/// One line for an error: its sentence and pairs.
void PrintError(const Status& status);
/// Text on standard error as it is; failing to write it is ignored.
void PrintRaw(std::string_view text);
/// A line on a terminal that whatever is printed next takes the place of.
void PrintProgress(std::string_view text);

}  // namespace lakestream
