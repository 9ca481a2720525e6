#include <algorithm>
#include <cmath>
#include <numeric>

#include "solvers/optimize/dense/dense.h"
#include "solvers/optimize/kinds.h"
#include "solvers/optimize/methods/by_matrix.h"
#include "solvers/optimize/methods/first_order.h"

namespace pinn {
namespace {

using Eigen::Index, Eigen::MatrixXd, Eigen::VectorXd;

/// The largest side that is turned; a longer one keeps its axes.
constexpr std::size_t longest_side = 10'000;
constexpr int moves_between = 2;

int refresh_of(const OptimizerOptions& o) { return o.refresh > 0 ? o.refresh : moves_between; }

/// Numbers of a square matrix for a side that is turned.
std::size_t square(std::size_t side) { return side > longest_side ? 0 : side * side; }

/// The same for all sides of all matrices together.
std::size_t squares_of(const std::vector<ParameterMatrix>& matrices) {
  std::size_t sum = 0;
  for (const ParameterMatrix& m : matrices) sum += square(m.rows) + square(m.columns);
  return sum;
}

/// Eigenvectors, from the largest eigenvalue down.
MatrixXd eigenvectors(const MatrixXd& mean) { return eigenpairs(mean).vectors.rowwise().reverse(); }

/// A step of the power iteration from a basis that is sorted anew first, the largest down; `order`
/// becomes where its vectors were.
MatrixXd turned(const MatrixXd& mean, const MatrixXd& basis, std::vector<Index>& order) {
  const MatrixXd image = product(mean, basis);
  const VectorXd values = image.cwiseProduct(basis).colwise().sum();
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return values[a] > values[b]; });
  const MatrixXd sorted = image(Eigen::all, order);
  return orthonormal(sorted).q;
}

/// A side of a matrix: the mean of G G^T, or G^T G, and the basis that it is seen in. Both are
/// empty where it is not turned.
struct Side {
  MatrixMap mean, basis;
  bool is_turned() const { return mean.size() > 0; }

  void learn(const MatrixXd& square, double beta) { mean = beta * mean + (1 - beta) * square; }
  /// The first time, or again: where the vectors of the basis were.
  std::vector<Index> turn(bool first) const {
    std::vector<Index> order(std::size_t(mean.rows()));
    std::iota(order.begin(), order.end(), 0);
    const MatrixXd known = mean;
    MatrixMap to = basis;
    to = first ? eigenvectors(known) : turned(known, basis, order);
    return order;
  }
};

/// x seen in the bases of both sides; and back.
MatrixXd seen(MatrixXd x, const Side& left, const Side& right) {
  if (left.is_turned()) x = inner_product(MatrixXd(left.basis), x);
  if (right.is_turned()) x = product(x, MatrixXd(right.basis));
  return x;
}
MatrixXd seen_back(MatrixXd x, const Side& left, const Side& right) {
  if (left.is_turned()) x = product(MatrixXd(left.basis), x);
  if (right.is_turned()) x = outer_product(x, MatrixXd(right.basis));
  return x;
}

class Soap : public ByMatrix {
 public:
  Soap(const OptimizerOptions& options, const TrainedSize& size) : ByMatrix(options, size) {
    for (const ParameterMatrix& m : matrices()) {
      first_square_.push_back(squares_);
      squares_ += square(m.rows) + square(m.columns);
    }
  }

 private:
  std::map<std::string, Shape> remembers(std::int64_t parameters) const override {
    std::map<std::string, Shape> shapes = ByMatrix::remembers(parameters);
    if (squares_ > 0) shapes["means"] = shapes["bases"] = {std::int64_t(squares_)};
    return shapes;
  }

  void move(std::size_t k, MatrixMap w, const MatrixMap& gradient,
            const OptimizerMemory& memory) const override {
    const DescentMove adam = adam_numbers(options(), memory.moves);
    MatrixMap m = matrix(memory.tensors.at("first"), matrices()[k]);
    MatrixMap v = matrix(memory.tensors.at("second"), matrices()[k]);
    const MatrixXd g = gradient;
    const auto [left, right] = learned(k, g, v, memory);
    m = adam.beta1 * m + (1 - adam.beta1) * g;
    v = adam.beta2 * v + (1 - adam.beta2) * seen(g, left, right).cwiseAbs2();
    const MatrixXd d = seen(m, left, right).array() / (v.array().sqrt() / adam.root + adam.epsilon);
    w *= adam.keep;
    w -= adam.rate * seen_back(d, left, right);
  }

  /// The sides of matrix k, once they know of g; v follows its axes.
  std::pair<Side, Side> learned(std::size_t k, const MatrixXd& g, MatrixMap v,
                                const OptimizerMemory& memory) const {
    auto [left, right] = sides(k, memory);
    if (left.is_turned()) left.learn(outer_product(g, g), options().beta2);
    if (right.is_turned()) right.learn(inner_product(g, g), options().beta2);
    if (memory.moves % refresh_of(options()) == 0) {
      const bool first = memory.moves == 0;
      const RowMajor before = v;
      RowMajor sorted = before;
      if (left.is_turned()) sorted = before(left.turn(first), Eigen::all);
      if (right.is_turned()) sorted = RowMajor(sorted(Eigen::all, right.turn(first)));
      v = sorted;
    }
    return {left, right};
  }

  std::pair<Side, Side> sides(std::size_t k, const OptimizerMemory& memory) const {
    if (squares_ == 0) return {side(0, 0, memory), side(0, 0, memory)};
    const ParameterMatrix& m = matrices()[k];
    return {side(first_square_[k], m.rows, memory),
            side(first_square_[k] + square(m.rows), m.columns, memory)};
  }

  static Side side(std::size_t offset, std::size_t length, const OptimizerMemory& memory) {
    if (square(length) == 0) return {{nullptr, 0, 0}, {nullptr, 0, 0}};
    const ParameterMatrix at{offset, length, length};
    return {matrix(memory.tensors.at("means"), at), matrix(memory.tensors.at("bases"), at)};
  }

  std::vector<std::size_t> first_square_;
  std::size_t squares_ = 0;
};

std::unique_ptr<Optimizer> make_soap(const OptimizerOptions& options, const TrainedSize& size) {
  return std::make_unique<Soap>(options, size);
}

OptimizerNeeds needs_of_soap(const OptimizerOptions& options, const TrainedSize& size) {
  const std::vector<ParameterMatrix> matrices = ByMatrix::matrices_of(size);
  OptimizerNeeds needs{3 * double(size.parameters) + 2 * double(squares_of(matrices)), 0,
                       12 * double(size.parameters)};
  for (const ParameterMatrix& m : matrices) {
    const double numbers = double(m.rows * m.columns);
    needs.works_with += 6 * numbers + 4 * double(std::max(square(m.rows), square(m.columns)));
    for (const std::size_t side : {m.rows, m.columns})
      needs.flops += double(square(side)) *
                     (8 * numbers / double(side) + 14. / 3 * double(side) / refresh_of(options));
  }
  return needs;
}

}  // namespace

const OptimizerKind kinds::soap = {"soap",        make_soap,
                                   needs_of_soap, "beta1 beta2 epsilon weight_decay refresh",
                                   true,          "muon or adam"};

}  // namespace pinn
