#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace lakestream {

/// Something to call: move-only, so that it can own what it uses. A callable of up to six words is held in
/// place, which spares an allocation for nearly everything that the runtime posts.
class Work {
 public:
  Work() = default;
  Work(std::nullptr_t) {}
  template <class F>
    requires(!std::same_as<std::decay_t<F>, Work> && std::invocable<std::decay_t<F>&>)
  Work(F&& function) {
    using Stored = std::decay_t<F>;
    if constexpr (kFits<Stored>) {
      ::new (static_cast<void*>(place_)) Stored(std::forward<F>(function));
      kind_ = &kInPlace<Stored>;
    } else {
      ::new (static_cast<void*>(place_)) Stored*(new Stored(std::forward<F>(function)));
      kind_ = &kOnHeap<Stored>;
    }
  }
  Work(Work&& other) noexcept { MoveFrom(other); }
  Work& operator=(Work&& other) noexcept {
    if (this != &other) {
      Reset();
      MoveFrom(other);
    }
    return *this;
  }
  ~Work() { Reset(); }

  explicit operator bool() const { return kind_ != nullptr; }
  /// Requires: not empty.
  void operator()() { kind_->call(place_); }

 private:
  struct Kind {
    void (*call)(void*);
    void (*move)(void* from, void* to) noexcept;  ///< leaves nothing at `from`
    void (*destroy)(void*) noexcept;
  };

  template <class F>
  static constexpr bool kFits = sizeof(F) <= 6 * sizeof(void*) && alignof(F) <= alignof(std::max_align_t) &&
                                std::is_nothrow_move_constructible_v<F>;

  template <class F>
  static F& At(void* place) {
    return *std::launder(static_cast<F*>(place));
  }

  template <class F>
  static constexpr Kind kInPlace = {[](void* p) { At<F>(p)(); },
                                    [](void* from, void* to) noexcept {
                                      ::new (to) F(std::move(At<F>(from)));
                                      std::destroy_at(&At<F>(from));
                                    },
                                    [](void* p) noexcept { std::destroy_at(&At<F>(p)); }};
  template <class F>
  static constexpr Kind kOnHeap = {[](void* p) { (*At<F*>(p))(); },
                                   [](void* from, void* to) noexcept { ::new (to) F*(At<F*>(from)); },
                                   [](void* p) noexcept { delete At<F*>(p); }};

  void MoveFrom(Work& other) noexcept {
    kind_ = std::exchange(other.kind_, nullptr);
    if (kind_ != nullptr) kind_->move(other.place_, place_);
  }
  void Reset() noexcept {
    // What the destructor of the callable does may look at this Work: it is empty by then.
    if (const Kind* kind = std::exchange(kind_, nullptr)) kind->destroy(place_);
  }

  const Kind* kind_ = nullptr;
  alignas(std::max_align_t) std::byte place_[6 * sizeof(void*)];
};

}  // namespace lakestream
