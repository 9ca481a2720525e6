#include "solvers/optimize/least_squares/factor_blocks.h"

#include <fmt/format.h>

#include "autograd/core/error.h"

namespace pinn {
namespace {

using Eigen::Index, Eigen::MatrixXd;

/// The sum of terms as one product: G is their sum, and A their mean, each weighted by the trace of
/// its G, so that the trace of the whole is the sum of traces.
struct MeanFactors {
  Kronecker sum;
  double weight = 0;

  MeanFactors(const FactorBlock& block)
      : sum{MatrixXd::Zero(Index(block.matrix.rows), Index(block.matrix.rows)),
            MatrixXd::Zero(Index(block.matrix.columns), Index(block.matrix.columns))} {}
  void add(const KroneckerFactors& k) {
    const MatrixXd a = Eigen::Map<const MatrixXd>(k.a.data(), Index(k.m), Index(k.m));
    const MatrixXd g = Eigen::Map<const MatrixXd>(k.g.data(), Index(k.n), Index(k.n));
    const double trace = g.trace();
    sum.g += g;
    if (!(trace > 0)) return;
    weight += trace;
    sum.a += trace / weight * (a - sum.a);
  }
};

const KroneckerFactors& checked(const KroneckerFactors& k, const ParameterMatrix& matrix) {
  if (k.m == matrix.rows && k.n == matrix.columns) return k;
  throw ConfigError({fmt::format("kfac knows weights [{}, {}] as [{}, {}]", k.m, k.n, matrix.rows,
                                 matrix.columns),
                     "optimizer options", "use levenberg_marquardt or ssbroyden"});
}

void blend(double* to, const MatrixXd& from, double share) {
  for (Index i = 0; i < from.size(); ++i) to[i] += share * (from.data()[i] - to[i]);
}

}  // namespace

Kronecker FactorBlock::known(const Tensor& factors, int group) const {
  const double* const from = factors.data<double>().data() + first(group);
  const Index m = Index(matrix.rows), n = Index(matrix.columns);
  return {Eigen::Map<const MatrixXd>(from, m, m),
          Eigen::Map<const MatrixXd>(from + a_numbers(), n, n)};
}

void FactorBlock::learn(Tensor& factors, int group, const std::vector<KroneckerFactors>& terms,
                        double share) const {
  MeanFactors merged(*this);
  for (const KroneckerFactors& k : terms)
    if (k.offset == matrix.offset && k.equation == (group == 0)) merged.add(checked(k, matrix));
  double* const to = factors.data<double>().data() + first(group);
  blend(to, merged.sum.a, share);
  blend(to + a_numbers(), merged.sum.g, share);
}

std::vector<FactorBlock> factor_blocks_of(const TrainedSize& size) {
  std::vector<ParameterMatrix> matrices = size.matrices;
  if (matrices.empty()) matrices.push_back({0, 1, size.parameters});
  std::vector<FactorBlock> blocks;
  std::size_t at = 0;
  for (const ParameterMatrix& m : matrices) {
    blocks.push_back({m, at});
    at += blocks.back().numbers();
  }
  return blocks;
}

}  // namespace pinn
