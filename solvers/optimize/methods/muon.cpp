#include <algorithm>
#include <cmath>

#include "solvers/optimize/kinds.h"
#include "solvers/optimize/methods/by_matrix.h"
#include "solvers/optimize/schedule.h"

namespace pinn {

namespace {

/// The root mean square of an element's move is this share of the rate, as it is of Adam.
constexpr double share = 0.2;

class Muon : public ByMatrix {
 public:
  using ByMatrix::ByMatrix;

 private:
  void move(std::size_t k, MatrixMap w, const MatrixMap& gradient,
            const OptimizerMemory& memory) const override {
    MatrixMap m = matrix(memory.tensors.at("first"), matrices()[k]);
    m = options().beta1 * m + gradient;
    const Eigen::MatrixXd o = newton_schulz(gradient + options().beta1 * m);
    const double rate = scheduled_rate(options(), memory.moves);
    const double length = share * std::sqrt(double(std::max(w.rows(), w.cols())));
    w *= 1 - rate * options().weight_decay;
    w -= rate * length * o;
  }
};

std::unique_ptr<Optimizer> make_muon(const OptimizerOptions& options, const TrainedSize& size) {
  return std::make_unique<Muon>(options, size);
}

OptimizerNeeds needs_of_muon(const OptimizerOptions&, const TrainedSize& size) {
  OptimizerNeeds needs{3 * double(size.parameters), 0, 12 * double(size.parameters)};
  for (const ParameterMatrix& m : ByMatrix::matrices_of(size)) {
    const double s = double(std::min(m.rows, m.columns)), l = double(std::max(m.rows, m.columns));
    needs.works_with += 3 * s * l + 2 * s * s;
    needs.flops += 20 * s * s * l + 10 * s * s * s;
  }
  return needs;
}

}  // namespace

const OptimizerKind kinds::muon = {
    "muon", make_muon, needs_of_muon, "beta1 beta2 epsilon weight_decay", true, "adam"};

}  // namespace pinn
