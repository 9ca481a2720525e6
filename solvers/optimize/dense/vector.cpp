#include "solvers/optimize/dense/vector.h"

#include <cmath>

namespace pinn {
namespace {

constexpr std::size_t lanes = 16;

double tree(double* s) {
  for (std::size_t half = lanes / 2; half > 0; half /= 2)
    for (std::size_t k = 0; k < half; ++k) s[k] += s[k + half];
  return s[0];
}

}  // namespace

double dot(const double* a, const double* b, std::size_t n) {
  double s[lanes] = {};
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes)
    for (std::size_t k = 0; k < lanes; ++k) s[k] += a[i + k] * b[i + k];
  for (std::size_t k = 0; i + k < n; ++k) s[k] += a[i + k] * b[i + k];
  return tree(s);
}

double dot(const Tensor& a, const Tensor& b) {
  const auto x = a.data<double>(), y = b.data<double>();
  return dot(x.data(), y.data(), x.size());
}

double norm(const Tensor& a) { return std::sqrt(dot(a, a)); }

double largest(const Tensor& a) {
  return a.numel() == 0 ? 0 : array(a).abs().maxCoeff<Eigen::PropagateNaN>();
}

double absolute_sum(const Tensor& a) {
  double result = 0;
  for (const double x : a.data<double>()) result += std::abs(x);
  return result;
}

}  // namespace pinn
