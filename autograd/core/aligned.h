#pragma once
#include <cstddef>
#include <memory>
#include <new>

namespace pinn {

/// Memory aligned to cache lines, not initialized.
template <class T> class Aligned {
 public:
  Aligned() = default;
  explicit Aligned(std::size_t size)
      : data_(static_cast<T*>(::operator new((size + 1) * sizeof(T), std::align_val_t(64)))),
        size_(size) {}
  T* data() const { return data_.get(); }
  /// Makes room for so many numbers; those there were are lost if it is more.
  void make_room(std::size_t size) {
    if (size > size_ || !data_) *this = Aligned(size);
  }

 private:
  struct Free {
    void operator()(T* p) const { ::operator delete(p, std::align_val_t(64)); }
  };
  std::unique_ptr<T[], Free> data_;
  std::size_t size_ = 0;
};

}  // namespace pinn
