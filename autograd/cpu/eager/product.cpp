#include "autograd/cpu/eager/kernels.h"

#include <Eigen/Core>

namespace pinn::cpu {
namespace {

template <class T, int order>
using Map = Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, order>, 0,
                       Eigen::OuterStride<>>;

/// Calls f with a map of the matrix in the storage order that its strides have.
template <class T, class F>
void with_map(const Matrix& a, std::int64_t rows, std::int64_t columns, F&& f) {
  const T* data = static_cast<const T*>(a.data);
  if (a.column == 1)
    f(Map<T, Eigen::RowMajor>(data, rows, columns, Eigen::OuterStride<>(a.row)));
  else
    f(Map<T, Eigen::ColMajor>(data, rows, columns, Eigen::OuterStride<>(a.column)));
}

}  // namespace

void product(DType dtype, std::int64_t m, std::int64_t n, std::int64_t k, const Matrix& a,
             const Matrix& b, void* c, Host) {
  visit_floating(dtype, [&](auto t) {
    using T = decltype(t);
    Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> out(
        static_cast<T*>(c), m, n);
    with_map<T>(a, m, k, [&](const auto& left) {
      with_map<T>(b, k, n, [&](const auto& right) { out.noalias() = left * right; });
    });
  });
}

}  // namespace pinn::cpu
