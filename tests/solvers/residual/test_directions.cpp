// Laplacians along directions that are drawn.
#include "autograd/core/stats.h"
#include "solvers/residual/evaluate/forms.h"
#include "tests/catch.h"
#include "tests/larger.h"
#include "tests/solvers/residual/problems.h"

using namespace pinn;
using namespace pinn::test;

namespace {

constexpr int d = 9;

std::vector<std::string> names(bool time) {
  std::vector<std::string> all;
  for (int i = 1; i <= d; ++i) all.push_back("x" + std::to_string(i));
  if (time) all.push_back("t");
  return all;
}

/// The unit vectors of some coordinates of a problem.
std::vector<double> unit_vectors(const Problem& problem, const std::vector<int>& which) {
  std::vector<double> all;
  for (const int i : which)
    for (std::size_t c = 0; c < problem.coordinates.size(); ++c) all.push_back(int(c) == i);
  return all;
}

/// The rows of a problem's equation at some points.
class Rows {
 public:
  Rows(const std::shared_ptr<Problem>& problem, int directions, bool compiled)
      : model_(std::make_shared<const Model>(problem, layers({7, 6}))),
        loss_(
            model_,
            {.derivatives = {Derivatives::taylor}, .compiled = compiled, .directions = directions},
            pool_),
        parameters_(model_->initial_parameters(5)) {
    loss_.set_points(0, spread(*problem, 20));
  }
  std::vector<double> along(const std::vector<double>& vectors) {
    loss_.set_directions(vectors);
    std::vector<double> rows(loss_.squares().rows());
    loss_.squares().residual(parameters_, rows);
    return rows;
  }
  Result loss(const std::vector<double>& vectors) {
    loss_.set_directions(vectors);
    std::vector<double> gradient(parameters_.size());
    const Loss::Result found = loss_.value_and_gradient(parameters_, gradient);
    return {found, gradient};
  }

 private:
  ThreadPool pool_{1};
  std::shared_ptr<const Model> model_;
  Loss loss_;
  std::vector<double> parameters_;
};

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  double most = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    most = larger(most, std::fabs(a[i] - b[i]));
    size = larger(size, std::fabs(b[i]));
  }
  return most / size;
}

const std::vector<std::string> laplacians = {"laplacian(u) = x1", "u_t + u^2 = 0.3*laplacian(u)",
                                             "u_t - 2*laplacian(u) + sin(u)*u_x3 = x2"};

}  // namespace

TEST_CASE("over all sets of directions that may be drawn the mean is the exact residual",
          "[residual][directions]") {
  const std::string equation = GENERATE(from_range(laplacians));
  const bool compiled = GENERATE(true, false);
  const auto p = problem(names(equation.find("u_t") != equation.npos), {"u"}, {equation});
  INFO(equation << (compiled ? ", compiled" : ", op by op"));
  const std::vector<double> exact = Rows(p, 0, compiled).along({});

  std::vector<double> one(exact.size()), two(exact.size());
  Rows rows(p, 1, compiled);
  for (int i = 0; i < d; ++i) {
    const std::vector<double> some = rows.along(unit_vectors(*p, {i}));
    for (std::size_t n = 0; n < some.size(); ++n) one[n] += some[n] / d;
  }
  Rows pairs(p, 2, compiled);
  for (int i = 0; i < d; ++i)
    for (int j = 0; j < i; ++j) {
      const std::vector<double> some = pairs.along(unit_vectors(*p, {i, j}));
      for (std::size_t n = 0; n < some.size(); ++n) two[n] += some[n] / (d * (d - 1) / 2);
    }

  CHECK(distance(one, exact) < 1e-13);
  CHECK(distance(two, exact) < 1e-13);
}

TEST_CASE("along other directions nothing is traced again, and the gradient is op by op the same",
          "[residual][directions]") {
  const auto p = problem(names(true), {"u"}, {laplacians[2]});
  Rows compiled(p, 4, true), eager(p, 4, false);
  const auto first = unit_vectors(*p, {0, 3, 5, 8}), second = unit_vectors(*p, {7, 2, 1, 4});
  compiled.loss(first);
  const std::int64_t compiles = stats().compiles;
  const Result there = compiled.loss(second);
  CHECK(stats().compiles == compiles);
  const Result by_ops = eager.loss(second);
  CHECK(there.loss.total == Approx(by_ops.loss.total).epsilon(1e-13));
  CHECK(distance(there.gradient, by_ops.gradient) < 1e-12);
  CHECK(there.loss.total != eager.loss(first).loss.total);
}

TEST_CASE("directions take as many channels as they are, and what is needed beside stays exact",
          "[residual][directions]") {
  const auto plan = [](const std::string& equation, int directions) {
    const auto p = problem(names(true), {"u"}, {equation});
    return plan_drawn_channels(p->requirements[0], *p, directions);
  };
  CHECK(plan("laplacian(u) = 1", 4).table->size() == 6);
  CHECK(plan("laplacian(u) = 1", 1).table->size() == 3);
  CHECK(plan("u_t = laplacian(u)", 4).table->size() == 6);
  const ChannelPlan with_slope = plan("u_x2*u + u_t = laplacian(u)", 4);
  CHECK(with_slope.table->size() == 7);
  CHECK(with_slope.along == std::vector<int>{0, 2, 3, 4});
  // exact: too few coordinates, no Laplacian as a term, all first derivatives needed
  CHECK(plan("laplacian(u) = 1", d).along.empty());
  CHECK(plan("u*laplacian(u) = 1", 4).along.empty());
  CHECK(plan("laplacian(u) = dot(grad(u), grad(u))", 4).along.empty());
}
