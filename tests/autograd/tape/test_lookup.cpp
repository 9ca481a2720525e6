#include "autograd/tape/lookup.h"

#include <cmath>

#include "autograd/check/gradcheck.h"
#include "autograd/cpu/executor/executor.h"
#include "autograd/graph/passes.h"
#include "autograd/program/plan.h"
#include "autograd/tape/engine.h"
#include "autograd/tape/trace.h"
#include "data/tables/scattered_table.h"
#include "tests/autograd/tape/helpers.h"
#include "tests/dice.h"

using namespace pinn;
using namespace pinn::test;

namespace {

/// sin(x + 1) exp(2 y), or sin(x + 1): all derivatives are known.
class Wave : public PointFunction {
 public:
  explicit Wave(int inputs) : inputs_(inputs) {}
  const std::string& name() const override { return name_; }
  int inputs() const override { return inputs_; }
  bool vanishes(const MultiIndex&) const override { return false; }
  void evaluate(const MultiIndex& order, const double* const* x, std::size_t count,
                double* y) const override {
    for (std::size_t p = 0; p < count; ++p) {
      y[p] = std::sin(x[0][p] + 1 + M_PI_2 * order[0]);
      if (inputs_ > 1) y[p] *= std::pow(2, order[1]) * std::exp(2 * x[1][p]);
    }
  }

 private:
  int inputs_;
  std::string name_ = "wave";
};

PointFunctionPtr wave(int inputs) { return std::make_shared<const Wave>(inputs); }

Tensor of_both(const std::vector<Tensor>& in) { return lookup(wave(2), {}, in); }

}  // namespace

TEST_CASE("a function that a program knows has the derivatives that it says", "[autograd][tape]") {
  const Tensor x = variable({4}, 1), y = variable({4}, 2);
  CHECK(distance(lookup(wave(1), {}, {x}), sin(x + 1.0)) < 1e-15);
  CHECK(distance(of_both({x, y}), sin(x + 1.0) * exp(2.0 * y)) < 1e-14);
  CHECK(distance(lookup(wave(2), {1, 2}, {x, y}), 4.0 * cos(x + 1.0) * exp(2.0 * y)) < 1e-13);
  CHECK(gradcheck(of_both, {x, y}) == "");
  CHECK(gradgradcheck(of_both, {x, y}) == "");
}

TEST_CASE("tables of scattered points have the slopes of their values", "[autograd][tape]") {
  test::Dice dice(3);
  std::vector<double> points, values;
  for (int p = 0; p < 60; ++p) {
    points.push_back(6 * dice.uniform() - 3);
    points.push_back(6 * dice.uniform() - 3);
    values.push_back(std::sin(points[points.size() - 2]) * std::exp(0.3 * points.back()));
  }
  const auto options = [](Interpolation kind) {
    return TableOptions{"a", {"x", "y"}, kind, Outside::clamp};
  };
  for (const TablePtr& table : {polyharmonic_table(options(Interpolation::cubic), points, values),
                                planes_table(options(Interpolation::linear), points, values)}) {
    const auto f = [&](const std::vector<Tensor>& in) { return lookup(table, {}, in); };
    const auto slope = [&](const std::vector<Tensor>& in) { return lookup(table, {1}, in); };
    const Tensor x = variable({5}, 1), y = variable({5}, 2);
    CHECK(gradcheck(f, {x, y}) == "");
    CHECK(gradgradcheck(f, {x, y}) == "");
    CHECK(gradcheck(slope, {x, y}) == "");
    CHECK(gradgradcheck(slope, {x, y}) == "");
  }
}

TEST_CASE("a plain number is an input of a known function like any other", "[autograd][tape]") {
  const Tensor x = variable({4}, 1);
  const Tensor y = lookup(wave(2), {}, {x, Tensor(0.25)});
  CHECK(distance(y, std::exp(0.5) * sin(x + 1.0)) < 1e-15);
  CHECK(distance(grad({sum(y)}, {x})[0], std::exp(0.5) * cos(x + 1.0)) < 1e-15);
  CHECK_THROWS_AS(lookup(wave(2), {}, {x}), ShapeError);
}

TEST_CASE("a known function is one op of a compiled step, of rows and of fixed values",
          "[autograd][tape]") {
  const std::int64_t points = 1000;
  const auto f = [](const Tensor& x, const Tensor& k) {
    const Tensor a = lookup(wave(2), {}, {select(x, 1, 1) * k, select(x, 1, 0)});
    const Tensor b = lookup(wave(1), {}, {k});
    const Tensor loss = sum(square(a) * b);
    return std::vector<Tensor>{loss, grad({loss}, {k}, {}, {.create_graph = true})[0], a};
  };
  const Tensor x = normal({points, 2}, 3);
  const Tensor k = from_values({0.7}, {}).set_requires_grad();
  const std::vector<Tensor> eager = f(x, k);

  for (const DType dtype : {DType::float64, DType::float32}) {
    Trace trace;
    const Tensor row = trace.input("x", {any_points, 2}, dtype, Extent::row);
    const Tensor fixed = trace.input("k", {}, dtype, Extent::fixed).set_requires_grad();
    const Graph graph = optimized(trace.finish(f(row, fixed)));
    CHECK(to_text(graph).find("lookup 'wave' 1 0") != std::string::npos);
    const auto executor = cpu::make_executor(plan(graph));
    const double number[] = {0.7};
    const std::span<const double> inputs[] = {number};
    executor->prepare(inputs);
    const std::vector<double> values = x.values();
    const RowArray rows[] = {{values.data(), 2}};
    std::vector<double> sums(std::size_t(executor->program().sums)), out(points);
    double* places[] = {nullptr, nullptr, out.data()};
    const auto workspace = executor->workspace();
    executor->run(rows, 0, points, *workspace, sums, places);
    executor->finish(sums);
    const double allowed = dtype == DType::float64 ? 1e-12 : 1e-5;
    for (const std::size_t i : {0, 1}) {
      double value = 0;
      executor->read(i, sums, {&value, 1});
      CHECK(value == Approx(eager[i].item()).epsilon(allowed));
    }
    for (std::size_t p = 0; p < out.size(); ++p)
      REQUIRE(out[p] == Approx(eager[2].values()[p]).epsilon(allowed).margin(allowed));
  }
}
