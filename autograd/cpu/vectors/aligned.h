#pragma once
#include <cstddef>
#include <memory>
#include <new>

namespace pinn::cpu {

/// Memory aligned to cache lines, not initialized.
template <class T> class Aligned {
 public:
  explicit Aligned(std::size_t size)
      : data_(static_cast<T*>(::operator new((size + 1) * sizeof(T), std::align_val_t(64)))) {}
  T* data() const { return data_.get(); }

 private:
  struct Free {
    void operator()(T* p) const { ::operator delete(p, std::align_val_t(64)); }
  };
  std::unique_ptr<T[], Free> data_;
};

}  // namespace pinn::cpu
