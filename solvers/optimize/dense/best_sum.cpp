#include "solvers/optimize/dense/vector.h"

namespace pinn {
namespace {

using Eigen::VectorXd;

/// A direction v with its image J v.
struct Direction {
  VectorXd v;
  std::vector<double> image;

  void subtract(double share, const Direction& other) {
    v -= share * other.v;
    for (std::size_t i = 0; i < image.size(); ++i) image[i] -= share * other.image[i];
  }
};

/// J v . J w + ridge v . w
double energy(const Direction& v, const Direction& w, double ridge) {
  return dot(v.image.data(), w.image.data(), v.image.size()) +
         ridge * dot(v.v.data(), w.v.data(), std::size_t(v.v.size()));
}

}  // namespace

PlannedStep best_sum(LeastSquares& squares, std::span<const double> p, std::span<const double> r,
                     std::vector<VectorXd> along, double ridge) {
  PlannedStep step{VectorXd::Zero(along[0].size()), 0};
  std::vector<Direction> known;
  for (VectorXd& v : along) {
    Direction now{std::move(v), std::vector<double>(r.size())};
    squares.jacobian_times(p, {now.v.data(), std::size_t(now.v.size())}, now.image);
    // Made orthogonal to those before, each is as long as is best for itself.
    const double whole = energy(now, now, ridge);
    for (int twice = 0; twice < 2; ++twice)
      for (const Direction& before : known)
        now.subtract(energy(now, before, ridge) / energy(before, before, ridge), before);
    const double left = energy(now, now, ridge);
    if (!(left > 1e-12 * whole)) continue;
    const double slope = dot(now.image.data(), r.data(), r.size());
    step.d -= slope / left * now.v;
    step.predicted += slope * slope / left;
    known.push_back(std::move(now));
  }
  return step;
}

}  // namespace pinn
