#pragma once
#include <cstddef>
#include <initializer_list>
#include <utility>
#include <vector>

namespace pinn {

/// A vector whose first N elements need no memory of their own; more of them move to the heap.
template <class T, std::size_t N> class InlineVector {
 public:
  InlineVector() = default;
  explicit InlineVector(std::size_t n) { resize(n); }
  InlineVector(std::initializer_list<T> list) {
    for (const T& t : list) push_back(t);
  }
  InlineVector(const InlineVector&) = default;
  InlineVector& operator=(const InlineVector&) = default;
  InlineVector(InlineVector&& other) noexcept
      : size_(std::exchange(other.size_, 0)), heap_(std::move(other.heap_)) {
    for (std::size_t i = 0; i < N; ++i) inline_[i] = std::move(other.inline_[i]);
  }
  InlineVector& operator=(InlineVector&& other) noexcept {
    size_ = std::exchange(other.size_, 0);
    heap_ = std::move(other.heap_);
    for (std::size_t i = 0; i < N; ++i) inline_[i] = std::move(other.inline_[i]);
    return *this;
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return heap_.empty() ? inline_ : heap_.data(); }
  const T* data() const { return heap_.empty() ? inline_ : heap_.data(); }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  T& operator[](std::size_t i) { return data()[i]; }
  const T& operator[](std::size_t i) const { return data()[i]; }
  T& back() { return data()[size_ - 1]; }

  /// One more element, to be filled where it stands.
  T& add() {
    if (size_ < N && heap_.empty()) return inline_[size_++];
    spill();
    ++size_;
    return heap_.emplace_back();
  }
  void push_back(T t) { add() = std::move(t); }
  void resize(std::size_t n) {
    if (n > N) {
      spill();
      heap_.resize(n);
    } else if (!heap_.empty()) {
      heap_.resize(n);
      if (n == 0) heap_.clear();
    } else {
      for (std::size_t i = n; i < size_; ++i) inline_[i] = T();
    }
    size_ = n;
  }
  void clear() { resize(0); }

 private:
  void spill() {
    if (!heap_.empty()) return;
    for (std::size_t i = 0; i < size_; ++i) heap_.push_back(std::exchange(inline_[i], T()));
  }

  std::size_t size_ = 0;
  T inline_[N] = {};
  std::vector<T> heap_;  ///< all elements, once there are more than N
};

}  // namespace pinn
