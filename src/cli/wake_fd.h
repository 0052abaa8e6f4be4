#pragma once

namespace lakestream {

/// A descriptor that poll() finds readable between Signal and Clear. Thread safety: any thread; Signal also
/// from a signal handler.
class WakeFd {
 public:
  WakeFd();
  ~WakeFd();
  WakeFd(const WakeFd&) = delete;
  WakeFd& operator=(const WakeFd&) = delete;

  void Signal() const;
  void Clear() const;
  int fd() const { return fd_; }

 private:
  int fd_;
};

}  // namespace lakestream
