#include "autograd/check/gradcheck.h"
#include "autograd/core/error.h"
#include "autograd/tape/batch.h"
#include "autograd/tape/custom_function.h"
#include "autograd/tape/forward_mode.h"
#include "tests/autograd/tape/helpers.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Contains;

namespace {

/// sin by its own formulas, which keep the input and, if asked, the output too; `factor` 1 is
/// right.
CustomFunction own_sine(double factor) {
  CustomFunction f;
  f.name = "own sine";
  f.forward = [](CustomCall& call, const std::vector<Tensor>& in) {
    call.save(in[0]);
    return std::vector<Tensor>{sin(in[0])};
  };
  f.backward = [](CustomCall& call, const Gradients& g) {
    return Gradients{g[0] * cos(call.saved(0))};
  };
  f.tangent = [factor](const auto& in, const auto&, const auto& tangents) {
    return std::vector<Tensor>{factor * tangents[0] * cos(in[0])};
  };
  return f;
}

/// exp, which keeps its output: its slot must have the output's tangent.
CustomFunction own_exp() {
  CustomFunction f;
  f.name = "own exp";
  f.forward = [](CustomCall& call, const std::vector<Tensor>& in) {
    const std::vector<Tensor> y{exp(in[0])};
    call.save(y[0]);
    return y;
  };
  f.backward = [](CustomCall& call, const Gradients& g) { return Gradients{g[0] * call.saved(0)}; };
  f.tangent = [](const auto&, const auto& out, const auto& tangents) {
    return std::vector<Tensor>{out[0] * tangents[0]};
  };
  return f;
}

TensorFunction function_of(CustomFunction f) {
  const auto shared = std::make_shared<const CustomFunction>(std::move(f));
  return [shared](const std::vector<Tensor>& in) { return call(shared, in)[0]; };
}

}  // namespace

TEST_CASE("FWD-16 a custom function's own tangent rule is used, and right in every mode",
          "[autograd][tape]") {
  const Tensor x = variable({2, 3}, 1);
  for (const TensorFunction& f : {function_of(own_sine(1)), function_of(own_exp())}) {
    CHECK(gradcheck(f, {x}) == "");
    CHECK(gradgradcheck(f, {x}) == "");
  }
  const Tensor doubled = jvp(function_of(own_sine(2)), {x}, {ones({2, 3})}).tangent;
  CHECK(distance(doubled, 2.0 * cos(x)) == 0);
}

TEST_CASE("FWD-16 without a rule a custom function refuses tangents, and a wrong one is caught",
          "[autograd][tape][errors]") {
  CustomFunction without = own_sine(1), two = own_sine(1);
  without.tangent = nullptr;
  two.tangent = [](const auto&, const auto&, const auto& tangents) {
    return std::vector<Tensor>{tangents[0], tangents[0]};
  };
  const Tensor x = variable({3}, 1), v = normal({3}, 2);

  CHECK_THROWS_WITH(jvp(function_of(without), {x}, {v}), Contains("'own sine' has no rule"));
  CHECK(!jvp(function_of(without), {x}, {Tensor()}).tangent.defined());
  CHECK_THROWS_WITH(jvp(function_of(two), {x}, {v}), Contains("returned 2 tangents for 1 outputs"));
  CustomFunction constant = own_sine(1);
  constant.forward = [](CustomCall& call, const std::vector<Tensor>& in) {
    call.not_differentiable(0);
    return std::vector<Tensor>{sin(in[0])};
  };
  CHECK_THROWS_WITH(jvp(function_of(constant), {x}, {v}), Contains("which is not differentiable"));
  CHECK_THAT(gradcheck(function_of(own_sine(1.01)), {x}), Contains("forward mode"));
}

TEST_CASE("batched passes and passes per sample go through custom functions", "[autograd][tape]") {
  const Tensor x = normal({4, 2}, 1), w = variable({2, 1}, 2);
  const Tensor y = function_of(own_sine(1))({matmul(x, w)});

  const Tensor rows = per_sample_gradients(y, {w}, true)[0];
  const Tensor batched = grad({y}, {w},
                              {reshape(from_values({1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0,  //
                                                    0, 0, 0, 1},
                                                   {4, 4}),
                                       {4, 4, 1})},
                              {.batched = true})[0];

  CHECK(distance(rows, batched) < 1e-15);
  CHECK(distance(rows, reshape(x * cos(matmul(x, w)), {4, 2, 1})) < 1e-15);
}
