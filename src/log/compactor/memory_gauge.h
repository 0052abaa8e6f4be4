#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "lakestream/buffer.h"

namespace lakestream {

/// Counts bytes for as long as anybody holds them. Thread safety: any thread.
class MemoryGauge {
 public:
  class Counted {
   public:
    Counted(std::shared_ptr<MemoryGauge> gauge, Buffer bytes, std::int64_t size)
        : gauge_(std::move(gauge)), bytes_(std::move(bytes)), size_(size) {
      gauge_->Add(size_);
    }
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;
    ~Counted() { gauge_->Add(-size_); }
    const Buffer& bytes() const { return bytes_; }

   private:
    const std::shared_ptr<MemoryGauge> gauge_;
    const Buffer bytes_;
    const std::int64_t size_;
  };

  /// The same bytes; they count until the last slice of them is gone, whole.
  static Buffer Count(const std::shared_ptr<MemoryGauge>& gauge, Buffer bytes) {
    const auto size = static_cast<std::int64_t>(bytes.size());
    const auto counted = std::make_shared<const Counted>(gauge, std::move(bytes), size);
    return Buffer::Share(counted, counted->bytes().span());
  }
  /// Other memory of this size.
  static std::shared_ptr<const Counted> Count(const std::shared_ptr<MemoryGauge>& gauge, std::int64_t size) {
    return std::make_shared<const Counted>(gauge, Buffer(), size);
  }

  std::int64_t held() const { return held_; }
  std::int64_t most_held() const { return most_; }

 private:
  void Add(std::int64_t bytes) {
    const std::int64_t now = held_ += bytes;
    std::int64_t most = most_;
    while (now > most && !most_.compare_exchange_weak(most, now)) {
    }
  }

  std::atomic<std::int64_t> held_{0};
  std::atomic<std::int64_t> most_{0};
};

}  // namespace lakestream
