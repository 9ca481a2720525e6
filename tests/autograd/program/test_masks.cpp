// Functions that leave out part of their argument: what is behind that part, infinite or not a
// number, reaches no gradient. Tensors, jets, the compiled step and the text of kernels agree.
#include <limits>

#include "autograd/cpu/executor/executor.h"
#include "autograd/graph/passes.h"
#include "autograd/tape/engine.h"
#include "autograd/tape/forward_mode.h"
#include "autograd/tape/functions.h"
#include "autograd/tape/trace.h"
#include "autograd/taylor/jet.h"
#include "tests/autograd/cuda/driver/simulated_driver.h"
#include "tests/autograd/program/gpu_case.h"
#include "tests/catch.h"

using namespace pinn;
using namespace pinn::test;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double no_number = std::numeric_limits<double>::quiet_NaN();
using Values = std::vector<double>;

/// A function with the slopes it has at some numbers.
struct Law {
  const char* name;
  Tensor (*f)(const Tensor&);
  Values at, slopes;
};

const std::vector<Law>& laws() {
  static const std::vector<Law> all = {
      {"sqrt(relu(x))", [](const Tensor& x) { return sqrt(relu(x)); }, {-1, 0, 4}, {0, 0, 0.25}},
      {"sqrt(max(x, 0))", [](const Tensor& x) { return sqrt(max(x, 0.0)); }, {-1, 4}, {0, 0.25}},
      {"sqrt(-min(x, 0))", [](const Tensor& x) { return sqrt(-min(x, 0.0)); }, {-4, 1}, {-0.25, 0}},
      {"sqrt(abs(x))", [](const Tensor& x) { return sqrt(abs(x)); }, {-4, 0, 4}, {-0.25, 0, 0.25}},
      {"max(x, 0)^0.5",
       [](const Tensor& x) { return power(max(x, 0.0), 0.5); },
       {-1, 4},
       {0, 0.25}},
      {"max(x, 0)^p",
       [](const Tensor& x) { return pow(max(x, 0.0), Tensor(0.5) + 0.0 * x); },
       {-1, 4},
       {0, 0.25}},
      {"log of the positive",
       [](const Tensor& x) { return where(greater(x, 0.0), log(max(x, 0.0)), 0.0); },
       {-1, 2},
       {0, 0.5}},
      {"the larger of a number and what is not there",
       [](const Tensor& x) { return max(sqrt(max(x, 0.0)), 0.5); },
       {-1, 0.0625, 4},
       {0, 0, 0.25}},
      {"a leak",
       [](const Tensor& x) { return sqrt(max(0.25 * x, x) + 1.0); },
       {-4, 3},
       {no_number, 0.25}},
      {"the sign of an infinity",
       [](const Tensor& x) { return sign(log(abs(x))); },
       {0, 2},
       {0, 0}},
      {"a root of an exponent of 0",
       [](const Tensor& x) { return sqrt(power(x, 0) - 1.0); },
       {0, 2},
       {0, 0}},
      {"the larger of tied roots", [](const Tensor& x) { return max(x * x, x); }, {1}, {1.5}},
  };
  return all;
}

void must_be(const Law& law, const char* way, const Values& found) {
  INFO(law.name << ", " << way);
  REQUIRE(found.size() == law.slopes.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    INFO("at " << law.at[i]);
    if (std::isnan(law.slopes[i]))
      CHECK_FALSE(std::isfinite(found[i]));
    else
      CHECK(found[i] == Approx(law.slopes[i]).epsilon(1e-14).margin(0));
  }
}

Tensor column(const Law& law) { return from_values(law.at, {std::int64_t(law.at.size()), 1}); }

/// The gradient as a compiled step.
Case compiled(const Law& law) {
  Trace trace;
  Tensor x = trace.input("x", {any_points, 1}, DType::float64, Extent::row);
  x.set_requires_grad();
  const Graph graph = optimized(trace.finish({grad({sum(law.f(x))}, {x})[0]}));
  Case c;
  c.program = planned(graph).value();
  c.inputs["x"] = law.at;
  c.points = law.at.size();
  return c;
}

}  // namespace

TEST_CASE("what a function leaves out has no gradient, whatever is behind it",
          "[autograd][tape][program]") {
  for (const Law& law : laws()) {
    const Tensor x = column(law).set_requires_grad();
    must_be(law, "reverse", grad({sum(law.f(x))}, {x})[0].values());
    must_be(law, "recorded reverse",
            grad({sum(law.f(x))}, {x}, {}, {.create_graph = true})[0].values());
    const std::vector<Tensor> seeds = {ones({2, x.shape()[0], 1})};
    const Tensor both = grad({law.f(x)}, {x}, seeds, {.batched = true})[0];
    must_be(law, "two seeds at once", slice(both, 0, 0, 1).values());
    const Case c = compiled(law);
    must_be(law, "compiled", executed(c, *cpu::make_executor(c.program), 1)[0]);
  }
}

TEST_CASE("a zero that is written multiplies on tensors, and is a structural zero of a step",
          "[autograd][tape][program]") {
  Law law{"0 sqrt(x)", [](const Tensor& x) { return 0.0 * sqrt(x); }, {0, 4}, {no_number, 0}};
  const Tensor x = column(law).set_requires_grad();
  must_be(law, "reverse", grad({sum(law.f(x))}, {x})[0].values());
  law.slopes = {0, 0};
  const Case c = compiled(law);
  must_be(law, "compiled", executed(c, *cpu::make_executor(c.program), 1)[0]);
}

TEST_CASE("on a simulated GPU what a function leaves out has no gradient either",
          "[autograd][program][cuda]") {
  const cuda::DriverForNow now(std::make_shared<SimulatedDriver>());
  for (const Law& law : laws()) {
    const Case c = compiled(law);
    must_be(law, "kernel",
            executed(c, *cuda::make_executor(c.program, cuda::gpu(Device{0}), {}), 1)[0]);
    const Tensor x = column(law).to(Device{0}).set_requires_grad();
    must_be(law, "eager", grad({sum(law.f(x))}, {x})[0].values());
  }
}

TEST_CASE("forward mode and jets leave out what reverse mode leaves out", "[autograd][taylor]") {
  const JetTablePtr table = jet_table({{2}});
  const auto root = [](const Jet& h) { return apply_unary(unary_id<op::Sqrt>, h); };
  const auto half = [](const Jet& h) { return apply_unary(unary_id<op::Power>, h, 0.5); };
  const Tensor at = from_values({-1, 4}, {2, 1});
  const Jet x = coordinate_jet(table, at), zero = constant_jet(table, zeros({2, 1}));
  const Jet exponent = constant_jet(table, full({2, 1}, 0.5));
  const Jet positive = apply_binary(binary_id<op::Max>, x, zero);
  for (const Jet& jet : {root(apply_unary(unary_id<op::Relu>, x)), root(positive), half(positive),
                         apply_binary(binary_id<op::Pow>, positive, exponent)}) {
    CHECK(jet.channel(0).values() == Values{0, 2});
    CHECK(jet.channel(table->find({1})).values() == Values{0, 0.25});
    CHECK(jet.channel(table->find({2})).values() == Values{0, -1.0 / 32});
  }
  for (const TensorFunction& f :
       {TensorFunction([](const auto& in) { return sqrt(relu(in[0])); }),
        TensorFunction([](const auto& in) { return power(max(in[0], 0.0), 0.5); }),
        TensorFunction([](const auto& in) { return pow(max(in[0], 0.0), full({1}, 0.5)); })})
    CHECK(jvp(f, {at}, {ones({2, 1})}).tangent.values() == Values{0, 0.25});
}

TEST_CASE("the gradient of a jet stays out of what the jet leaves out", "[autograd][taylor]") {
  const JetTablePtr table = jet_table({{2}});
  const Tensor w = from_values({-1, 4}, {2, 1}).set_requires_grad();
  const Jet x = coordinate_jet(table, ones({2, 1}));
  const Jet line{table, x.data * reshape(w, {2, 1, 1})};  // w x at x = 1
  const Jet y = apply_unary(unary_id<op::Sqrt>, apply_unary(unary_id<op::Relu>, line));

  // sqrt(w x), its slope sqrt(w/x)/2 and that one's slope -sqrt(w)/4, by w
  for (const auto& [channel, slope] :
       {std::pair(0, 0.25), std::pair(1, 0.125), std::pair(2, -0.0625)})
    CHECK(grad({sum(y.channel(channel))}, {w}, {}, {.retain_graph = true})[0].values() ==
          Values{0, slope});
}

TEST_CASE("a jet that is 0 has its gradient through powers that are whole", "[autograd][taylor]") {
  const JetTablePtr table = jet_table({{1}});
  const double exponent = GENERATE(1, 2);
  const Tensor w = zeros({1, 1}).set_requires_grad();
  const Jet x = coordinate_jet(table, ones({1, 1}));
  const Jet line{table, x.data * reshape(w, {1, 1, 1})};  // w x at w = 0: 0 in all channels
  const Jet y = apply_binary(binary_id<op::Pow>, line, constant_jet(table, full({1, 1}, exponent)));
  CHECK(grad({sum(y.channel(1))}, {w})[0].item() == (exponent == 1 ? 1 : 0));
}

TEST_CASE("slopes of powers and angles at special points", "[autograd][ops]") {
  const auto slopes = [](Tensor (*f)(const Tensor&, const Tensor&), double x, double y) {
    const Tensor a = full({}, x).set_requires_grad(), b = full({}, y).set_requires_grad();
    const std::vector<Tensor> g = grad({f(a, b)}, {a, b});
    return std::pair(g[0].item(), g[1].item());
  };
  for (const double p : {0.0, 0.5, 1.0, 3.0}) CHECK(slopes(pow, 0, p).second == 0);
  CHECK(slopes(pow, 0, -1).second == -infinity);
  CHECK(std::isnan(slopes(pow, -1, 0.5).second));
  CHECK(slopes(pow, no_number, 0).first == 0);
  CHECK(slopes(pow, infinity, 0).first == 0);
  for (const double x : {0.0, -0.0})
    for (const double y : {0.0, -0.0}) CHECK(slopes(atan2, x, y) == std::pair(0.0, 0.0));
  for (const auto& [x, y] : {std::pair(infinity, 1.0), std::pair(1.0, -infinity),
                             std::pair(-infinity, infinity), std::pair(0.0, infinity)})
    CHECK(slopes(atan2, x, y) == std::pair(0.0, 0.0));
  CHECK(std::isnan(slopes(atan2, no_number, 1).first));
  CHECK(std::isnan(slopes(atan2, 1, no_number).second));
}

TEST_CASE("the tangent of a quotient at 0 is an infinity", "[autograd][tape]") {
  const TensorFunction f = [](const auto& in) { return in[0] / in[1]; };
  const Tensor one = ones({1}), none = zeros({1});
  CHECK(jvp(f, {one, none}, {one, one}).tangent.item() == -infinity);
  CHECK(jvp(f, {one, none}, {one, Tensor()}).tangent.item() == infinity);
  CHECK(jvp(f, {one, none}, {Tensor(), one}).tangent.item() == -infinity);
}
