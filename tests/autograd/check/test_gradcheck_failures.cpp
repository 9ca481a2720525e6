#include "autograd/check/gradcheck.h"
#include "autograd/core/error.h"
#include "autograd/tape/rules.h"
#include "tests/autograd/tape/helpers.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Contains;

namespace {

/// x^2 with a derivative of the test's making.
TensorFunction square_with(std::function<Gradients(const Tensor& x, const Gradients&)> formula) {
  return [formula](const std::vector<Tensor>& in) {
    const Tensor x = in[0], y = square(x.detach());
    record({y}, {x}, "wrong", [=](auto&, const Gradients& g) { return formula(x, g); });
    return y;
  };
}

Gradients times(const Gradients& g, const Tensor& slope) {
  return {g[0].defined() ? g[0] * slope : Tensor()};
}

}  // namespace

TEST_CASE("GCK-02 wrong formulas are caught, element by element and in a random direction",
          "[autograd][check]") {
  const Tensor x = variable({2, 3}, 1);
  const GradcheckOptions options{.fast = GENERATE(false, true), .forward = false};
  const auto check = [&](const TensorFunction& f) { return gradcheck(f, {x}, options); };

  CHECK(check(square_with([](auto& x, auto& g) { return times(g, 2.0 * x); })) == "");
  CHECK_THAT(check(square_with([](auto& x, auto& g) { return times(g, 2.02 * x); })),
             Contains("numerical") && Contains("analytical") && Contains("input 0"));
  CHECK(check(square_with([](auto& x, auto& g) { return times(g, 2.0 * x + 1e-2); })) != "");
  CHECK(check(square_with([](auto& x, auto& g) {
          return g[0].defined() ? Gradients{2.0 * g[0] * x + 1e-2} : Gradients{};
        })) != "");
  CHECK(check([](const auto& in) { return square(in[0].detach()) + 0.0 * in[0]; }) != "");
}

TEST_CASE("GCK-02 a sum over broadcast axes that is missing is caught", "[autograd][check]") {
  const Tensor x = variable({3}, 1);
  const GradcheckOptions options{.fast = GENERATE(false, true)};
  const TensorFunction first_row_only = [](const std::vector<Tensor>& in) {
    const Tensor y = expand(in[0].detach(), {2, 3}).clone();
    record({y}, {in[0]}, "broadcast", [](auto&, const Gradients& g) {
      return Gradients{g[0].defined() ? select(g[0], 0, 0) : Tensor()};
    });
    return y;
  };

  CHECK(gradcheck(first_row_only, {x}, options) != "");
}

TEST_CASE("GCK-03 an op that ignores its seed is caught", "[autograd][check]") {
  const TensorFunction f = [](const std::vector<Tensor>& in) {
    const Tensor x = in[0], y = sum(x.detach());
    record({y}, {x}, "ignores", [=](auto&, const Gradients& g) {
      return Gradients{g[0].defined() ? ones(x.shape()) : Tensor()};
    });
    return y;
  };
  CHECK_THAT(gradcheck(f, {variable({3}, 1)}), Contains("a zero seed gave the gradient 1"));
}

TEST_CASE("GCK-04 a backward pass that is not deterministic is caught", "[autograd][check]") {
  int runs = 0;
  const TensorFunction f = square_with([&runs](const Tensor& x, const Gradients& g) {
    return times(g, (2 + 1e-9 * ++runs) * x.detach());
  });
  CHECK_THAT(gradcheck(f, {variable({3}, 1)}), Contains("two backward passes gave different bits"));
}

TEST_CASE("GCK-05 a node that cannot take undefined gradients is caught", "[autograd][check]") {
  const Tensor x = variable({3}, 1);
  const TensorFunction fails = [](const auto& in) {
    return square(square_with([](auto& x, auto& g) { return Gradients{2.0 * x * g[0]}; })(in));
  };
  const TensorFunction makes_zeros = square_with([](auto& x, auto& g) {
    return g[0].defined() ? times(g, 2.0 * x) : Gradients{zeros(x.shape())};
  });

  CHECK_THAT(gradcheck(fails, {x}), Contains("node 'wrong' fails on undefined gradients"));
  CHECK_THAT(gradcheck(makes_zeros, {x}),
             Contains("node 'wrong' makes a gradient of undefined ones"));
}

TEST_CASE("GCK-05 a node with two outputs must take a gradient of either alone",
          "[autograd][check]") {
  const auto function = [](bool careful) -> TensorFunction {
    return [careful](const std::vector<Tensor>& in) {
      const Tensor x = in[0], one = 2.0 * x.detach(), other = 3.0 * x.detach();
      record({one, other}, {x}, "two", [careful](auto&, const Gradients& g) {
        if (!g[0].defined() && !g[1].defined()) return Gradients{};
        if (careful && !g[1].defined()) return Gradients{2.0 * g[0]};
        if (careful && !g[0].defined()) return Gradients{3.0 * g[1]};
        return Gradients{2.0 * g[0] + 3.0 * g[1]};
      });
      return one + other;
    };
  };
  const Tensor x = variable({3}, 1);

  CHECK(gradcheck(function(true), {x}, {.forward = false}) == "");
  CHECK_THAT(gradcheck(function(false), {x}, {.forward = false}),
             Contains("node 'two' fails on undefined gradients"));
}

TEST_CASE("a formula that is right for one seed and wrong for many at once is caught",
          "[autograd][check]") {
  const TensorFunction f = square_with([](const Tensor& x, const Gradients& g) {
    return g[0].defined() && !g[0].body()->storage ? Gradients{3.0 * g[0] * x} : times(g, 2.0 * x);
  });
  const Tensor x = variable({3}, 1);

  CHECK_THAT(gradcheck(f, {x}, {.forward = false}),
             Contains("one batched pass against a pass per row"));
  CHECK(gradcheck(f, {x}, {.batched = false, .forward = false}) == "");
}

TEST_CASE("a wrong or missing tangent is caught", "[autograd][check]") {
  const Tensor x = variable({3}, 1);
  const auto times_tangent = [](double factor) -> TensorFunction {
    return [factor](const auto& in) {
      const Tensor y = square(in[0]);
      if (tangent_of(y).defined()) set_tangent(y, factor * tangent_of(y));
      return y;
    };
  };

  CHECK(gradcheck(times_tangent(1), {x}) == "");
  CHECK_THAT(gradcheck(times_tangent(1.01), {x}), Contains("forward mode: output element"));
  CHECK_THAT(gradcheck(times_tangent(0), {x}), Contains("forward mode: output element"));
}

TEST_CASE("a gradient's tangent that is wrong is caught by gradgradcheck", "[autograd][check]") {
  const TensorFunction f = [](const std::vector<Tensor>& in) {
    const Tensor x = in[0], y = square(x);
    record({y}, {x}, "constant slope", [=](auto&, const Gradients& g) {
      if (!g[0].defined()) return Gradients{};
      const Tensor slope = 2.0 * x;
      set_tangent(slope, Tensor());
      return Gradients{g[0] * slope};
    });
    return y;
  };
  const Tensor x = variable({3}, 1);

  CHECK(gradcheck(f, {x}) == "");
  CHECK_THAT(gradgradcheck(f, {x}), Contains("second derivative, through input 0: forward mode"));
}

TEST_CASE("a formula that takes the seed to be contiguous is caught by gradgradcheck",
          "[autograd][check]") {
  const TensorFunction f = [](const std::vector<Tensor>& in) {
    const Tensor x = in[0], y = 2.0 * x.detach();
    record({y}, {x}, "careless", [](auto&, const Gradients& g) {
      return Gradients{g[0].defined() ? 2.0 * (g[0].is_contiguous() ? g[0] : g[0].detach())
                                      : Tensor()};
    });
    return y;
  };
  const GradcheckOptions options{.batched = false, .forward = false};

  CHECK(gradcheck(f, {variable({3}, 1)}, options) == "");
  CHECK_THAT(gradgradcheck(f, {variable({3}, 1)}, options), Contains("second derivative"));
}

TEST_CASE("with step 0 differences are as long as the machine's precision asks",
          "[autograd][check]") {
  const Tensor x = from_values({1e4, 1e-3, -3e5}, {3}).set_requires_grad();
  const TensorFunction f = [](const auto& in) { return sin(1e-4 * in[0]); };

  CHECK(gradcheck(f, {x}, {.step = 0, .absolute = 1e-12, .relative = 1e-5}) == "");
  CHECK(gradcheck(f, {x}, {.step = 1e-9, .absolute = 1e-12, .relative = 1e-5}) != "");
}

TEST_CASE("GCK-06 float32, overlapping and shape-changing inputs are refused",
          "[autograd][check][errors]") {
  const TensorFunction f = [](const auto& in) { return exp(in[0]); };
  const TensorFunction grows = [](const auto& in) {
    return in[0].values()[0] > 1 ? exp(in[0]) : exp(concat({in[0], in[0]}, 0));
  };
  Tensor overlapping = expand(ones({1}), {3});
  overlapping.set_requires_grad();

  CHECK_THROWS_WITH(gradcheck(f, {variable({2}, 1, DType::float32)}),
                    Contains("gradcheck needs float64 inputs"));
  CHECK_THROWS_AS(gradcheck(f, {overlapping}), EngineError);
  CHECK_THROWS_WITH(gradcheck(grows, {ones({2}).set_requires_grad()}),
                    Contains("shape of the output depends on the values"));
}

TEST_CASE("GCK-07 the fast mode evaluates twice per input and once more", "[autograd][check]") {
  int evaluations = 0;
  const TensorFunction f = [&](const auto& in) {
    ++evaluations;
    return tanh(in[0]) * in[1];
  };
  const std::vector<Tensor> inputs = {variable({2, 3}, 1), variable({3}, 2)};
  const Counting count;

  CHECK(gradcheck(f, inputs, {.fast = true}) == "");
  CHECK(evaluations == 5);
  CHECK(count.nodes("tanh") == 1);
}

TEST_CASE(
    "GCK-08 a formula that is wrong only when differentiated again is caught by gradgradcheck",
    "[autograd][check]") {
  const TensorFunction f =
      square_with([](const Tensor& x, const Gradients& g) { return times(g, 2.0 * x.detach()); });
  const GradcheckOptions options{.fast = GENERATE(false, true), .forward = false};
  const Tensor x = variable({3}, 1);

  CHECK(gradcheck(f, {x}, options) == "");
  CHECK_THAT(gradgradcheck(f, {x}, options), Contains("second derivative, through input 0"));
}

TEST_CASE("GCK-09 inputs are bit-identical after a check, also of a function that throws",
          "[autograd][check]") {
  const Tensor x = variable({4}, 6);
  const std::vector<double> before = x.values();
  int evaluations = 0;
  const TensorFunction fails = [&](const auto& in) {
    if (++evaluations == 6) throw std::runtime_error("no");
    return exp(in[0]);
  };

  gradcheck([](const auto& in) { return exp(in[0]); }, {x});
  CHECK(x.values() == before);
  CHECK_THROWS(gradcheck(fails, {x}));
  CHECK(x.values() == before);
}
