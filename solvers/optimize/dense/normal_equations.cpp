#include "solvers/optimize/dense/normal_equations.h"

#include <Eigen/Cholesky>
#include <cmath>

#include "solvers/optimize/dense/dense.h"
#include "solvers/optimize/dense/strip_cholesky.h"

namespace pinn {
namespace {

using Eigen::Index, Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

Index index(std::size_t i) { return Index(i); }
Eigen::Map<const Vector> vector(std::span<const double> v) { return {v.data(), index(v.size())}; }

Eigen::Map<const MatrixXd> square(const std::vector<double>& numbers, std::size_t n) {
  return {numbers.data(), index(n), index(n)};
}

}  // namespace

NormalEquations::NormalEquations(std::size_t size, Ranks& ranks)
    : ranks_(ranks),
      matrix_(std::make_unique<StripTriangle>(StripCut(index(size), square_strip, ranks))),
      gradient_(size) {}
NormalEquations::~NormalEquations() = default;
NormalEquations::NormalEquations(NormalEquations&&) noexcept = default;

std::vector<double> NormalEquations::diagonal() const {
  const Vector diagonal = matrix_->diagonal(ranks_);
  return {diagonal.begin(), diagonal.end()};
}

void NormalEquations::add(std::span<const double> rows, std::span<const double> residuals,
                          ThreadPool* threads) {
  const Eigen::Map<const MatrixXd> j(rows.data(), index(size()), index(residuals.size()));  // J^T
  const StripCut& cut = matrix_->cut();
  const std::vector<StripCut::Piece> pieces = cut.pieces_from(0);
  run_tasks(threads, int(pieces.size()), [&](int task) {
    const auto& [s, first, count] = pieces[std::size_t(task)];
    add_outer_product(matrix_->strip(s).middleRows(first, count), j.middleRows(first, count),
                      j.middleRows(cut.first(s), cut.size(s)));
  });
  const std::vector<Index> own = cut.own_from(0);
  run_tasks(threads, int(own.size()), [&](int task) {
    const Index s = own[std::size_t(task)];
    add_square(matrix_->strip(s).bottomRows(cut.size(s)), j.middleRows(cut.first(s), cut.size(s)));
  });
  run_tasks(threads, int(cut.count()), [&](int s) {
    Eigen::Map<Vector>(gradient_.data() + cut.first(s), cut.size(s)).noalias() +=
        j.middleRows(cut.first(s), cut.size(s)) * vector(residuals);
  });
}

void NormalEquations::add(std::span<const std::size_t> columns, std::span<const double> values,
                          double residual) {
  for (std::size_t j = 0; j < columns.size(); ++j) {
    gradient_[columns[j]] += values[j] * residual;
    const Index strip = index(columns[j]) / square_strip;
    double* column = matrix_->strip(strip).col(index(columns[j]) - strip * square_strip).data();
    for (std::size_t i = 0; i <= j; ++i) column[columns[i]] += values[i] * values[j];
  }
}

void NormalEquations::add(const NormalEquations& others, double scale) {
  for (const Index s : matrix_->cut().own_from(0))
    matrix_->strip(s) += scale * others.matrix_->strip(s);
  for (std::size_t i = 0; i < gradient_.size(); ++i) gradient_[i] += scale * others.gradient_[i];
}

Cholesky::Cholesky(const NormalEquations& equations, std::span<const double> ridge)
    : scales_(equations.size(), 1), factor_(scales_.size() * scales_.size()) {
  MatrixXd l = equations.matrix().whole(alone()).transpose();
  const Vector diagonal = l.diagonal();
  for (std::size_t i = 0; i < scales_.size(); ++i)
    if (diagonal[index(i)] > 0) scales_[i] = 1 / std::sqrt(diagonal[index(i)]);
  l = vector(scales_).asDiagonal() * l * vector(scales_).asDiagonal();
  for (std::size_t i = 0; i < scales_.size(); ++i)
    l(index(i), index(i)) = diagonal[index(i)] > 0 ? 1 + ridge[i] : 1;
  const Eigen::LLT<MatrixXd> factored(l);
  Eigen::Map<MatrixXd>(factor_.data(), l.rows(), l.cols()) = factored.matrixL();
  exists_ = factored.info() == Eigen::Success;
}

std::vector<double> Cholesky::solve(std::span<const double> v) const {
  std::vector<double> solution(v.size());
  Eigen::Map<Vector> x(solution.data(), index(v.size()));
  x = vector(scales_).cwiseProduct(vector(v));
  const auto l = square(factor_, v.size());
  l.triangularView<Eigen::Lower>().solveInPlace(x);
  l.triangularView<Eigen::Lower>().transpose().solveInPlace(x);
  x = x.cwiseProduct(vector(scales_));
  return solution;
}

double Cholesky::trace_with(const NormalEquations& others) const {
  const auto l = square(factor_, scales_.size());
  const auto scales = vector(scales_).asDiagonal();
  MatrixXd inside = others.matrix().whole(alone()).selfadjointView<Eigen::Upper>();
  inside = scales * inside * scales;
  solve_lower(l, inside);  // L^-1 B
  MatrixXd both = inside.transpose();
  solve_lower(l, both);  // L^-1 B L^-T
  return both.trace();
}

}  // namespace pinn
