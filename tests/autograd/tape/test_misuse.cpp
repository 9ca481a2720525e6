// Misuse is an error that says so, and no crash.
#include "autograd/core/error.h"
#include "autograd/tape/custom_function.h"
#include "autograd/tape/hooks.h"
#include "autograd/tape/saved_hooks.h"
#include "tests/autograd/tape/helpers.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Contains;

namespace {

/// y = x, with whatever is done with its call in forward and in backward.
CustomFunctionPtr identity(
    std::function<void(CustomCall&)> forward,
    std::function<void(CustomCall&)> backward = [](CustomCall&) {}) {
  CustomFunction f;
  f.name = "identity";
  f.forward = [forward](CustomCall& call, const std::vector<Tensor>& x) {
    forward(call);
    return std::vector<Tensor>{x[0].clone()};
  };
  f.backward = [backward](CustomCall& call, const Gradients& g) {
    backward(call);
    return g;
  };
  return std::make_shared<const CustomFunction>(std::move(f));
}

}  // namespace

TEST_CASE("an undefined tensor is refused wherever one is needed", "[autograd][tape][errors]") {
  const auto undefined = Contains("undefined tensor");
  Tensor none, two = ones({2});
  CHECK_THROWS_WITH(none.clone(), undefined);
  CHECK_THROWS_WITH(none.to(Device::cpu), undefined);
  CHECK_THROWS_WITH(none.detach(), undefined);
  CHECK_THROWS_WITH(add_in_place(none, two), undefined);
  CHECK_THROWS_WITH(mul_in_place(none, two), undefined);
  CHECK_THROWS_WITH(copy_in_place(none, two), undefined);
  CHECK_THROWS_WITH(add_in_place(two, none), undefined);
  CHECK_THROWS_WITH(mul_in_place(two, none), undefined);
  CHECK_THROWS_WITH(copy_in_place(two, none), undefined);
  CHECK_THROWS_WITH(two + none, undefined);
  CHECK_THROWS_WITH(where(none, two, two), undefined);
  CHECK_THROWS_WITH(concat({two, none}, 0), undefined);
  CHECK_THROWS_WITH(linear(none, two, two), undefined);
}

TEST_CASE("a custom function that is none, or has no formulas, is refused",
          "[autograd][tape][errors]") {
  const Tensor x = variable({2}, 1);
  CHECK_THROWS_WITH(call(nullptr, {x}), Contains("call() of no function"));
  CustomFunction f;
  f.name = "half";
  CHECK_THROWS_WITH(call(std::make_shared<const CustomFunction>(f), {x}),
                    Contains("'half' has no forward"));
  f.forward = [](CustomCall&, const std::vector<Tensor>& in) { return in; };
  const std::vector<Tensor> y = call(std::make_shared<const CustomFunction>(f), {x.detach()});
  CHECK(y[0].values() == x.values());  // which needs no backward
  CHECK_THROWS_WITH(call(std::make_shared<const CustomFunction>(f), {x}),
                    Contains("'half' has no backward"));
}

TEST_CASE("a custom function asks in forward for nothing that only backward knows",
          "[autograd][tape][errors]") {
  const Tensor x = variable({2}, 1);
  const auto too_early = Contains("belongs into backward");
  CHECK_THROWS_WITH(call(identity([](CustomCall& c) { c.wanted(0); }), {x}), too_early);
  CHECK_THROWS_WITH(call(identity([](CustomCall& c) { c.wanted(0, 1); }), {x}), too_early);
  CHECK_THROWS_WITH(call(identity([](CustomCall& c) { c.saved(0); }), {x}), too_early);
}

TEST_CASE("a custom function keeps nothing in backward", "[autograd][tape][errors]") {
  const Tensor x = variable({2}, 1);
  const auto backward_does = [&](std::function<void(CustomCall&)> what) {
    grad({call(identity([](CustomCall&) {}, what), {x})[0]}, {x}, {ones({2})});
  };
  const auto too_late = Contains("belongs into forward");
  CHECK_THROWS_WITH(backward_does([&](CustomCall& c) { c.save(x); }), too_late);
  CHECK_THROWS_WITH(backward_does([](CustomCall& c) { c.not_differentiable(0); }), too_late);
}

TEST_CASE("an output without derivative is one that there is", "[autograd][tape][errors]") {
  const int output = GENERATE(-1, 1);
  const auto f = identity([&](CustomCall& c) { c.not_differentiable(output); });
  CHECK_THROWS_WITH(call(f, {variable({2}, 1)}),
                    Contains("'identity' has no output " + std::to_string(output)));
}

TEST_CASE("a hook is put on a node that there is, and is a function", "[autograd][tape][errors]") {
  const Tensor x = variable({2}, 1), y = exp(x);
  const NodePreHook before = [](const Gradients& g) { return g; };
  const NodePostHook after = [](const Gradients& g, const Gradients&) { return g; };
  CHECK_THROWS_WITH(before_node(nullptr, before), Contains("a hook was put on no node"));
  CHECK_THROWS_WITH(after_node(x.node(), after), Contains("a leaf has none"));
  CHECK_THROWS_WITH(before_node(y.node(), nullptr), Contains("a hook that is no function"));
  CHECK_THROWS_WITH(after_node(y.node(), nullptr), Contains("a hook that is no function"));
  CHECK_THROWS_WITH(on_gradient(y, nullptr), Contains("a hook that is no function"));
  CHECK_THROWS_WITH(after_accumulation(x, nullptr), Contains("a hook that is no function"));
  CHECK_THROWS_WITH(on_all_gradients({x}, nullptr), Contains("a hook that is no function"));
  CHECK_THROWS_WITH(on_any_gradient({x}, nullptr), Contains("a hook that is no function"));
}

TEST_CASE("no pair of hooks cannot be registered on a slot", "[autograd][tape][errors]") {
  const Tensor y = square(exp(variable({2}, 1)));
  CHECK_THROWS_WITH(y.node()->slots()[0].register_hooks(*y.node(), nullptr),
                    Contains("no pair of hooks"));
}
