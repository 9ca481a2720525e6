#include "solvers/optimize/dense/vector.h"

#include "solvers/optimize/least_squares/least_squares_method.h"
#include "tests/catch.h"
#include "tests/solvers/optimize/problems.h"

using namespace pinn;
using Eigen::VectorXd;

namespace {

constexpr double ridge = 0.3;

/// A place, its rows, and directions there.
struct Neighborhood {
  Rosenbrock squares{1, 4};
  std::vector<double> p = {-1.2, 1, 0.5, 2};
  Rows here = rows_at(squares, p);
  VectorXd v{{1, -2, 0.5, 1}}, w{{0.3, 0, 1, -1}};

  /// |J s + R|^2 + ridge |s|^2
  double energy(const VectorXd& s) {
    std::vector<double> js(here.r.size());
    squares.jacobian_times(p, {s.data(), std::size_t(s.size())}, js);
    for (std::size_t i = 0; i < js.size(); ++i) js[i] += here.r[i];
    return dot(js.data(), js.data(), js.size()) + ridge * s.squaredNorm();
  }
  PlannedStep best(std::vector<VectorXd> along) {
    return best_sum(squares, p, here.r, std::move(along), ridge);
  }
};

}  // namespace

TEST_CASE("no share of any direction makes the best sum of them better", "[optimize]") {
  Neighborhood place;
  const PlannedStep step = place.best({place.v, place.w});

  const double least = place.energy(step.d);
  CHECK(least == Approx(place.here.loss - step.predicted));
  CHECK(least < place.energy(place.best({place.v}).d));
  for (const VectorXd& direction : {place.v, place.w})
    for (const double share : {-1e-3, 1e-3})
      CHECK(place.energy(step.d + share * direction) > least);
}

TEST_CASE("a direction that says nothing new changes no best sum", "[optimize]") {
  Neighborhood place;
  const PlannedStep one = place.best({place.v});

  const PlannedStep twice = place.best({place.v, -3 * place.v, VectorXd::Zero(4)});

  CHECK((twice.d - one.d).norm() < 1e-12 * one.d.norm());
  CHECK(place.best({VectorXd::Zero(4)}).predicted == 0);
}
