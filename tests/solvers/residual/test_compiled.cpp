// The compiled step computes what the ops on tensors do, whatever the problem.
#include "solvers/residual/formulas.h"
#include "tests/catch.h"
#include "tests/solvers/residual/random_problem.h"

using namespace pinn;
using namespace pinn::test;

namespace {

/// Of formulas at the points of the first requirement, relative to the largest value.
double distance_of_formulas(const RandomProblem& r) {
  ThreadPool pool(2);
  const Model& model = *r.loss.model;
  const PointSet& points = r.loss.points[0];
  const auto a = Formulas(model, r.formulas)(r.parameters, points, pool),
             b = evaluate_eagerly(model, r.parameters, points, r.formulas);
  double most = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    double scale = 1, difference = 0;
    for (std::size_t i = 0; i < points.count; ++i) {
      scale = std::max(scale, std::fabs(b[k][i]));
      difference = std::max(difference, std::fabs(a[k][i] - b[k][i]));
      if (std::isnan(a[k][i])) return INFINITY;
    }
    most = std::max(most, difference / scale);
  }
  return most;
}

bool same_bits_on_threads(const RandomProblem& r, int threads) {
  const Result one = r.loss.at(r.parameters, true), many = r.loss.at(r.parameters, true, threads);
  return one.loss.total == many.loss.total && one.gradient == many.gradient;
}

/// Whether a random problem is the same both ways; what is wrong with it goes to the report.
bool is_same_both_ways(std::uint64_t number) {
  RandomProblem r = random_problem(number);
  INFO("problem " << number << "\n" << r.text);
  const double fine = distance_both_ways(r.loss, r.parameters), formulas = distance_of_formulas(r);
  const bool same_bits = number % 5 != 0 || same_bits_on_threads(r, 2 + int(number / 5 % 3));
  double coarse = 0;
  if (number % 3 == 0) {
    r.loss.options.dtype = DType::float32;
    coarse = distance_both_ways(r.loss, r.parameters);
  }
  const bool same = fine <= 1e-12 && formulas <= 1e-12 && same_bits && coarse <= 1e-4;
  if (!same) {
    CHECK(fine <= 1e-12);
    CHECK(formulas <= 1e-12);
    CHECK(same_bits);
    CHECK(coarse <= 1e-4);
  }
  return same;
}

}  // namespace

TEST_CASE("500 random problems have the loss and gradient that they have op by op",
          "[residual][compiled]") {
  int same = 0;
  for (std::uint64_t number = 0; number < 500; ++number) same += is_same_both_ways(number);
  CHECK(same == 500);
}

TEST_CASE("20 000 more random problems do", "[residual][compiled][slow]") {
  int same = 0;
  for (std::uint64_t number = 500; number < 20500; ++number) same += is_same_both_ways(number);
  CHECK(same == 20000);
}
