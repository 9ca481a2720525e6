#include "solvers/optimize/normal_equations.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "solvers/optimize/tall_qr.h"

namespace pinn {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;

Eigen::Index index(std::size_t i) { return static_cast<Eigen::Index>(i); }
Eigen::Map<Matrix> view(std::vector<double>& numbers, std::size_t n) {
  return {numbers.data(), index(n), index(n)};
}
Eigen::Map<const Matrix> view(const std::vector<double>& numbers, std::size_t n) {
  return {numbers.data(), index(n), index(n)};
}
Eigen::Map<const Vector> vector(std::span<const double> v) { return {v.data(), index(v.size())}; }

/// Rows and columns of A that one task adds to, left of the diagonal.
constexpr std::size_t tall = 192, wide = 384;

}  // namespace

NormalEquations::NormalEquations(std::size_t size) : matrix_(size * size), gradient_(size) {}

void NormalEquations::add(std::span<const double> rows, std::span<const double> residuals,
                          ThreadPool* threads) {
  const std::size_t n = size(), across = (n + wide - 1) / wide;
  const Eigen::Map<const Matrix> j(rows.data(), index(residuals.size()), index(n));
  Eigen::Map<Matrix> a = view(matrix_, n);
  run_tasks(threads, int((n + tall - 1) / tall * across), [&](int task) {
    const std::size_t above = std::size_t(task) / across * tall, count = std::min(tall, n - above);
    const std::size_t left = std::size_t(task) % across * wide;
    const auto own = j.middleCols(index(above), index(count));
    if (left == 0)
      a.block(index(above), index(above), index(count), index(count))
          .selfadjointView<Eigen::Lower>()
          .rankUpdate(own.transpose());
    if (left >= above) return;
    const auto others = j.middleCols(index(left), index(std::min(wide, above - left)));
    a.block(index(above), index(left), own.cols(), others.cols()).noalias() +=
        own.transpose() * others;
  });
  Eigen::Map<Vector>(gradient_.data(), index(n)).noalias() += j.transpose() * vector(residuals);
}

void NormalEquations::add(const NormalEquations& others, double scale) {
  for (std::size_t i = 0; i < matrix_.size(); ++i) matrix_[i] += scale * others.matrix_[i];
  for (std::size_t i = 0; i < gradient_.size(); ++i) gradient_[i] += scale * others.gradient_[i];
}

Cholesky::Cholesky(const NormalEquations& equations, std::span<const double> ridge)
    : size_(equations.size()), factor_(equations.matrix()), scales_(size_, 1) {
  Eigen::Map<Matrix> l = view(factor_, size_);
  for (std::size_t i = 0; i < size_; ++i)
    if (const double own = l(index(i), index(i)); own > 0) scales_[i] = 1 / std::sqrt(own);
  const auto scales = vector(scales_).asDiagonal();
  l = scales * l * scales;
  for (std::size_t i = 0; i < size_; ++i)
    l(index(i), index(i)) = equations.matrix()[i * size_ + i] > 0 ? 1 + ridge[i] : 1;
  const Eigen::LLT<Eigen::Ref<Matrix>, Eigen::Lower> factored(l);
  exists_ = factored.info() == Eigen::Success;
}

std::vector<double> Cholesky::solve(std::span<const double> v) const {
  const auto l = view(factor_, size_);
  std::vector<double> solution(size_);
  Eigen::Map<Vector> x(solution.data(), index(size_));
  x = vector(scales_).cwiseProduct(vector(v));
  l.triangularView<Eigen::Lower>().solveInPlace(x);
  l.transpose().triangularView<Eigen::Upper>().solveInPlace(x);
  x = x.cwiseProduct(vector(scales_));
  return solution;
}

double Cholesky::trace_with(const NormalEquations& others) const {
  const auto l = view(factor_, size_);
  const auto scales = vector(scales_).asDiagonal();
  Matrix inside = view(others.matrix(), size_).selfadjointView<Eigen::Lower>();
  inside = scales * inside * scales;
  l.triangularView<Eigen::Lower>().solveInPlace(inside);  // L^-1 B
  Matrix both = inside.transpose();
  l.triangularView<Eigen::Lower>().solveInPlace(both);  // L^-1 B L^-T
  return both.trace();
}

}  // namespace pinn
