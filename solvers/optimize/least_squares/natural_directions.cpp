#include "solvers/optimize/least_squares/natural_directions.h"

#include <algorithm>
#include <span>
#include <vector>

#include "solvers/optimize/dense/decompositions.h"
#include "solvers/optimize/dense/normal_equations.h"
#include "solvers/optimize/dense/strip_cholesky.h"

namespace pinn {
namespace {

using Eigen::Index, Eigen::MatrixXd, Eigen::VectorXd;

std::span<double> span(VectorXd& v) { return {v.data(), std::size_t(v.size())}; }
std::span<const double> span(const VectorXd& v) { return {v.data(), std::size_t(v.size())}; }

/// Normal equations of rows of J that come in order.
NormalEquations normal_equations(LeastSquares& squares, std::span<const double> p,
                                 std::span<const double> r, const Workers& workers) {
  NormalEquations sums(p.size(), *workers.ranks);
  std::vector<double> rows;
  for (std::size_t first = 0; first < r.size(); first += natural_rows) {
    const std::size_t count = std::min(natural_rows, r.size() - first);
    rows.resize(count * p.size());
    squares.jacobian_rows(p, first, count, rows);
    sums.add(rows, r.subspan(first, count), workers.threads);
  }
  return sums;
}

class OfParameters : public NaturalDirections {
 public:
  OfParameters(NormalEquations sums, Ranks& ranks)
      : gradient_(Eigen::Map<const VectorXd>(sums.gradient().data(), Index(sums.size()))),
        a_(std::move(sums.matrix()), ranks) {
    evaluations = 1;
  }

  bool damp(double damping, ThreadPool* threads) override {
    return a_.factor(damping * a_.trace(), threads);
  }

  VectorXd direction(const VectorXd& kept) override {
    if (kept.size() == 0) return a_.solve(gradient_);
    return kept + a_.solve(gradient_ - a_.times(kept));
  }

 private:
  VectorXd gradient_;  ///< half of the loss's
  StripCholesky a_;
};

/// Whatever solves with K.
class OfRows : public NaturalDirections {
 public:
  OfRows(LeastSquares& squares, std::span<const double> p, std::span<const double> r)
      : squares_(squares), p_(p), r_(r) {}

  VectorXd direction(const VectorXd& kept) override {
    VectorXd z = Eigen::Map<const VectorXd>(r_.data(), Index(r_.size()));
    if (kept.size() > 0) z -= j_times(kept);
    const VectorXd d = transposed_times(solve(z));
    return kept.size() > 0 ? VectorXd(kept + d) : d;
  }

 protected:
  virtual VectorXd solve(const VectorXd& z) const = 0;

  MatrixXd gram() {
    ++evaluations;
    const Index n = Index(r_.size());
    MatrixXd k(n, n);
    squares_.gram(p_, {k.data(), std::size_t(n * n)});
    return k;
  }
  VectorXd j_times(const VectorXd& v) {
    ++evaluations;
    VectorXd rows(Index(r_.size()));
    squares_.jacobian_times(p_, span(v), span(rows));
    return rows;
  }
  VectorXd transposed_times(const VectorXd& w) {
    ++evaluations;
    VectorXd product(Index(p_.size()));
    squares_.transposed_times(p_, span(w), span(product));
    return product;
  }

 private:
  LeastSquares& squares_;
  std::span<const double> p_, r_;
};

class OfAllRows : public OfRows {
 public:
  OfAllRows(LeastSquares& squares, std::span<const double> p, std::span<const double> r,
            Ranks& ranks)
      : OfRows(squares, p, r),
        k_({StripCut(Index(r.size()), square_strip, ranks), gram()}, ranks) {}

  bool damp(double damping, ThreadPool* threads) override {
    return k_.factor(damping * k_.trace(), threads);
  }

 private:
  VectorXd solve(const VectorXd& z) const override { return k_.solve(z); }

  StripCholesky k_;
};

class OfRank : public OfRows {
 public:
  OfRank(LeastSquares& squares, std::span<const double> p, std::span<const double> r,
         std::size_t rank, bool from_gram, const Random& random)
      : OfRows(squares, p, r) {
    k_ = nystrom(r.size(), rank, random, [&](const MatrixXd& w) {
      if (from_gram) return MatrixXd(gram() * w);
      MatrixXd y(w.rows(), w.cols());
      for (Index i = 0; i < w.cols(); ++i) y.col(i) = j_times(transposed_times(w.col(i)));
      return y;
    });
  }

  bool damp(double damping, ThreadPool*) override {
    shift_ = damping * k_.curvatures.sum();
    return shift_ > 0;
  }

 private:
  VectorXd solve(const VectorXd& z) const override { return k_.solve(z, shift_); }

  LowRank k_;
  double shift_ = 0;
};

}  // namespace

std::unique_ptr<NaturalDirections> natural_of_parameters(LeastSquares& squares,
                                                         std::span<const double> p,
                                                         std::span<const double> r,
                                                         const Workers& workers) {
  return std::make_unique<OfParameters>(normal_equations(squares, p, r, workers), *workers.ranks);
}

std::unique_ptr<NaturalDirections> natural_of_rows(LeastSquares& squares, std::span<const double> p,
                                                   std::span<const double> r, Ranks& ranks) {
  return std::make_unique<OfAllRows>(squares, p, r, ranks);
}

std::unique_ptr<NaturalDirections> natural_of_rank(LeastSquares& squares, std::span<const double> p,
                                                   std::span<const double> r, std::size_t rank,
                                                   bool from_gram, const Random& random) {
  return std::make_unique<OfRank>(squares, p, r, rank, from_gram, random);
}

}  // namespace pinn
