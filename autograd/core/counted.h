#pragma once
#include <atomic>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace pinn {

/// An object that counts the Refs to it.
class Counted {
 public:
  Counted() = default;
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

 private:
  template <class> friend class Ref;
  mutable std::atomic<std::uint32_t> references_{1};  // of its maker
};

/// Shares an object derived from Counted, in half the memory and time of std::shared_ptr. The last
/// one to go calls retire(object), which the object's namespace has.
template <class T> class Ref {
 public:
  Ref() = default;
  Ref(std::nullptr_t) {}
  explicit Ref(T* object) : object_(object) { hold(); }
  /// The first one, to an object just made.
  static Ref first(T* made) {
    Ref ref;
    ref.object_ = made;
    return ref;
  }
  Ref(const Ref& other) : object_(other.object_) { hold(); }
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  template <class U>
  requires std::is_convertible_v<U*, T*> Ref(const Ref<U>& other) : object_(other.get()) { hold(); }
  template <class U>
  requires std::is_convertible_v<U*, T*> Ref(Ref<U>&& other) : object_(other.give_up()) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() {
    if (object_) let_go();
  }

  T* get() const { return object_; }
  T& operator*() const { return *object_; }
  T* operator->() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }
  bool operator==(const Ref& other) const { return object_ == other.object_; }
  bool operator==(std::nullptr_t) const { return !object_; }
  /// The object, still counted; this Ref is empty.
  T* give_up() { return std::exchange(object_, nullptr); }

 private:
  void hold() const {
    if (object_) object_->references_.fetch_add(1, std::memory_order_relaxed);
  }
  void let_go() {
    auto& count = object_->references_;
    // The only Ref cannot be copied meanwhile, so there is nothing to synchronize with.
    if (count.load(std::memory_order_acquire) == 1 ||
        count.fetch_sub(1, std::memory_order_acq_rel) == 1)
      retire(object_);
  }

  T* object_ = nullptr;
};

}  // namespace pinn
