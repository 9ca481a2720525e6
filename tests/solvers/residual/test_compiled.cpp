// The compiled step computes what the ops on tensors do, whatever the problem.
#include <fmt/format.h>

#include "solvers/residual/step/formulas.h"
#include "solvers/residual/step/traced_sweep.h"
#include "tests/catch.h"
#include "tests/larger.h"
#include "tests/solvers/residual/random_problem.h"

using namespace pinn;
using namespace pinn::test;

namespace {

/// Distance between values of formulas at the points, relative to the largest value.
double distance_of(const std::vector<std::vector<double>>& a,
                   const std::vector<std::vector<double>>& b) {
  REQUIRE(a.size() == b.size());
  double most = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    REQUIRE(a[k].size() == b[k].size());
    double scale = 1, difference = 0;
    for (std::size_t i = 0; i < a[k].size(); ++i) {
      scale = larger(scale, std::fabs(b[k][i]));
      difference = larger(difference, std::fabs(a[k][i] - b[k][i]));
    }
    most = larger(most, difference / scale);
  }
  return most;
}

/// Parameters moved by their last digit: what changes then, rounding alone may change.
std::vector<double> moved_by_a_digit(std::vector<double> parameters, double digit) {
  for (std::size_t i = 0; i < parameters.size(); ++i)
    parameters[i] *= 1 + (i % 2 == 0 ? digit : -digit);
  return parameters;
}

/// How far formulas at the points of the first requirement are from what they are op by op, in
/// units of what is allowed: 1e-12, or what rounding explains.
double distance_of_formulas(const RandomProblem& r) {
  ThreadPool pool(2);
  const PointSet& points = r.loss.points[0];
  const auto eager = [&](const std::vector<double>& parameters) {
    return evaluate_eagerly(*r.loss.model, parameters, points, r.formulas);
  };
  const auto b = eager(r.parameters);
  const double distance =
      distance_of(Formulas(r.loss.model, r.formulas)(r.parameters, points, pool), b);
  if (distance <= 1e-12) return distance / 1e-12;
  const double rounding = distance_of(eager(moved_by_a_digit(r.parameters, 2.3e-16)), b);
  return distance / std::min(1e-9, 10 * rounding);
}

/// Residuals as large as what they are made of: the difference of fields at both ends of a period
/// may be much smaller than those.
Loss::Result size_one(const RandomProblem& r) {
  std::size_t terms = 0;
  for (const Requirement& q : r.loss.model->problem().requirements)
    terms += terms_of(q, r.loss.model->problem()).size();
  return {1, std::vector<double>(terms, 1.0)};
}

/// How far the loss is from itself, op by op, when the parameters move by their last digit.
double rounding_of(const RandomProblem& r) {
  const double digit = r.loss.options.dtype == DType::float32 ? 1.2e-7 : 2.3e-16;
  return distance_of(r.loss, r.parameters, r.loss.at(moved_by_a_digit(r.parameters, digit), false),
                     r.loss.at(r.parameters, false), size_one(r));
}

bool same_bits_on_threads(const RandomProblem& r, int threads) {
  const Result one = r.loss.at(r.parameters, true), many = r.loss.at(r.parameters, true, threads);
  return one.loss.total == many.loss.total && one.gradient == many.gradient;
}

/// True if a random problem is the same both ways; what is wrong with it goes to the report.
bool is_same_both_ways(std::uint64_t number) {
  RandomProblem r = random_problem(number);
  const double formulas = distance_of_formulas(r);
  const auto is_close = [&](double bound) {
    const double distance = distance_both_ways(r.loss, r.parameters, size_one(r));
    // Bound that rounding explains, but never so large that a wrong formula would pass.
    const double allowed = distance <= bound ? bound : std::min(1e3 * bound, 10 * rounding_of(r));
    if (distance > allowed)
      r.text += fmt::format("\n{}: off by {:.2e}, allowed {:.2e}", name_of(r.loss.options.dtype),
                            distance, allowed);
    return distance <= allowed;
  };
  const bool fine = is_close(1e-12);
  const bool same_bits = number % 5 != 0 || same_bits_on_threads(r, 2 + int(number / 5 % 3));
  r.loss.options.dtype = DType::float32;
  const bool coarse = number % 3 != 0 || is_close(2e-5);
  const bool same = fine && formulas <= 1 && same_bits && coarse;
  if (!same) {
    INFO("problem " << number << "\n" << r.text);
    CHECK(fine);
    CHECK(formulas <= 1);
    CHECK(same_bits);
    CHECK(coarse);
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

TEST_CASE("a gradient that is zero whatever the parameters are is no output of a step",
          "[residual][compiled]") {
  const auto p = problem({"x", "t"}, {"u"}, {"u_t = u_xx"});
  const auto model = std::make_shared<const Model>(p, layers({5}));
  const auto blocks_of = [&](const std::shared_ptr<const Problem>& asked, Sweep kind) {
    const PointSet points = spread(*asked, 20);
    return trace_sweep({.model = std::make_shared<const Model>(asked, layers({5})), .weights = {1}},
                       PointWidths(points), kind)
        .sums.size();
  };
  const std::size_t blocks = model->blocks().size();
  CHECK(blocks_of(p, Sweep::gradient) == blocks - 1);  // u + c solves it for every c
  CHECK(blocks_of(p, Sweep::hessian_times) == blocks - 1);
  CHECK(blocks_of(problem({"x", "t"}, {"u"}, {"u_t = u_xx + u"}), Sweep::gradient) == blocks);
}
