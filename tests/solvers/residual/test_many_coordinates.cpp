// Problems in more coordinates than one can draw.
#include "solvers/problem/expression.h"
#include "solvers/residual/step/formulas.h"
#include "solvers/residual/step/traced_sweep.h"
#include "tests/catch.h"
#include "tests/larger.h"
#include "tests/solvers/residual/problems.h"

using namespace pinn;
using namespace pinn::test;

namespace {

std::vector<std::string> names(int coordinates) {
  std::vector<std::string> all;
  for (int i = 1; i <= coordinates; ++i) all.push_back("x" + std::to_string(i));
  return all;
}

/// One that is nonlinear in u and knows where it is.
std::shared_ptr<Problem> poisson(int coordinates) {
  return problem(names(coordinates), {"u"}, {"laplacian(u) + u^2 = x1*x2"});
}

/// Relative to the largest.
double distance(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  double most = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    most = larger(most, std::fabs(a[i] - b[i]));
    size = larger(size, std::fabs(b[i]));
  }
  return most / size;
}

}  // namespace

TEST_CASE("the Laplacian of ten coordinates is the sum of ten second derivatives",
          "[solvers][residual]") {
  const auto p = problem(names(10), {"u"}, {"laplacian(u)"});
  CHECK(plan_channels(p->requirements[0], *p).table->size() == 12);
  const auto model = std::make_shared<const Model>(p, layers({7, 6}));
  const std::vector<double> at = model->initial_parameters(5);
  const PointSet points = spread(*p, 40);
  ThreadPool pool(1);
  Loss loss(model, {.derivatives = {Derivatives::taylor}}, pool);
  loss.set_points(0, points);
  std::vector<double> together(points.count), apart(points.count);
  loss.squares().residual(at, together);

  std::vector<ExpressionPtr> second;
  for (int i = 0; i < 10; ++i)
    second.push_back(
        make_derivative(make_leaf(Expression::Kind::field, 0), unit_index(i) + unit_index(i)));
  for (const std::vector<double>& one : evaluate_eagerly(*model, at, points, second))
    for (std::size_t n = 0; n < points.count; ++n)
      apart[n] += one[n] / std::sqrt(double(points.count));

  CHECK(distance(together, apart) < 1e-13);
}

TEST_CASE("derivatives by twenty coordinates are the same forward and by nested reverse",
          "[solvers][residual]") {
  const auto p = poisson(20);
  const Result taylor = loss_of(p, Derivatives::taylor), reverse = loss_of(p, Derivatives::reverse);

  CHECK(taylor.loss.total == Approx(reverse.loss.total).epsilon(1e-13));
  CHECK(distance(taylor.gradient, reverse.gradient) < 1e-12);
}

TEST_CASE("a step of a hundred coordinates is compiled, and is what it is op by op",
          "[solvers][residual]") {
  const auto p = poisson(100);
  const auto model = std::make_shared<const Model>(p, layers({16, 16}));
  const std::vector<double> at = model->initial_parameters(3);
  const auto result = [&](bool compiled, int threads) {
    ThreadPool pool(threads);
    Loss loss(model, {.derivatives = {Derivatives::taylor}, .compiled = compiled}, pool);
    loss.set_points(0, spread(*p, 50));
    std::vector<double> gradient(at.size());
    const Loss::Result found = loss.value_and_gradient(at, gradient);
    return Result{found, gradient};
  };
  const Result one = result(true, 1), two = result(true, 2), eager = result(false, 1);

  CHECK(one.loss.total == Approx(eager.loss.total).epsilon(1e-12));
  CHECK(distance(one.gradient, eager.gradient) < 1e-12);
  CHECK(two.gradient == one.gradient);
}

// A product of the first layer with what is the same at all points is none: of 102 channels of a
// hundred coordinates only the value moves.
TEST_CASE("the first layer of a hundred coordinates multiplies the value alone",
          "[solvers][residual]") {
  const auto p = poisson(100);
  const auto model = std::make_shared<const Model>(p, layers({16, 16}));
  const PointWidths widths(spread(*p, 1));
  PartOptions part = traced_part(model, 0);
  const Program program = plan(trace_sweep(part, widths, Sweep::gradient).graph);
  std::vector<int> channels;
  for (const Instruction& i : program.body)
    if (i.opcode == Opcode::product && i.k == 100) channels.push_back(i.channels);
  CHECK(channels == std::vector<int>{1});
}
