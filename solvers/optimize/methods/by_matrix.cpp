#include "solvers/optimize/methods/by_matrix.h"

#include "solvers/optimize/dense/dense.h"
#include "solvers/optimize/dense/vector.h"
#include "solvers/optimize/methods/first_order.h"

namespace pinn {
namespace {

bool is_matrix(const ParameterMatrix& m) { return m.rows > 1 && m.columns > 1; }

/// The values of one of them.
ArrayMap part(const Tensor& values, const ParameterMatrix& m) {
  return {values.data<double>().data() + m.offset, Eigen::Index(m.rows * m.columns)};
}

}  // namespace

MatrixMap matrix(const Tensor& values, const ParameterMatrix& at) {
  return {values.data<double>().data() + at.offset, Eigen::Index(at.rows),
          Eigen::Index(at.columns)};
}

ByMatrix::ByMatrix(const OptimizerOptions& options, const TrainedSize& size)
    : FirstOrder(options), matrices_(matrices_of(size)) {
  for (const ParameterMatrix& m : size.matrices)
    if (!is_matrix(m)) rest_.push_back(m);
  if (size.matrices.empty()) rest_.push_back({0, 1, size.parameters});
}

std::vector<ParameterMatrix> ByMatrix::matrices_of(const TrainedSize& size) {
  std::vector<ParameterMatrix> some;
  for (const ParameterMatrix& m : size.matrices)
    if (is_matrix(m)) some.push_back(m);
  return some;
}

std::map<std::string, Shape> ByMatrix::remembers(std::int64_t parameters) const {
  return {{"first", {parameters}}, {"second", {parameters}}};
}

void ByMatrix::step(Tensor& p, const Tensor& gradient, OptimizerMemory& memory,
                    ThreadPool* threads) const {
  const DescentMove adam = adam_numbers(options(), memory.moves);
  const Tensor& first = memory.tensors.at("first");
  const Tensor& second = memory.tensors.at("second");
  for (const ParameterMatrix& m : rest_) {
    ArrayMap x = part(p, m);
    adam.move(part(gradient, m), x, [&](int k) { return part(k == 0 ? first : second, m); });
  }
  run_tasks(threads, int(matrices_.size()), [&](int k) {
    const ParameterMatrix& m = matrices_[std::size_t(k)];
    move(std::size_t(k), matrix(p, m), matrix(gradient, m), memory);
  });
}

Eigen::MatrixXd newton_schulz(const Eigen::MatrixXd& m) {
  const double length = m.norm();
  if (length == 0) return m;
  const bool tall = m.rows() > m.cols();
  Eigen::MatrixXd x = m / length;
  if (tall) x = m.transpose() / length;
  for (int k = 0; k < 5; ++k) {
    const Eigen::MatrixXd a = outer_product(x, x);
    Eigen::MatrixXd polynomial = -4.7750 * a;
    add_product(polynomial, a, a, 2.0315);
    polynomial.diagonal().array() += 3.4445;
    x = product(polynomial, x);
  }
  if (tall) return x.transpose();
  return x;
}

}  // namespace pinn
