#include "autograd/tape/custom_function.h"

#include "autograd/check/gradcheck.h"
#include "autograd/tape/forward_mode.h"
#include "tests/autograd/tape/helpers.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Contains;

namespace {

CustomFunctionPtr function(CustomFunction f) {
  return std::make_shared<const CustomFunction>(std::move(f));
}

/// x^3, saving x, with the formula that the test gives.
CustomFunctionPtr cube(std::function<Gradients(CustomCall&, const Gradients&)> backward) {
  return function({.name = "cube",
                   .forward =
                       [](CustomCall& now, const std::vector<Tensor>& in) {
                         now.save(in[0]);
                         return std::vector<Tensor>{in[0] * in[0] * in[0]};
                       },
                   .backward = std::move(backward)});
}

Gradients slope_of_cube(CustomCall& now, const Gradients& g) {
  return {g[0] * 3 * square(now.saved(0))};
}

std::vector<Tensor> tangent_of_cube(const std::vector<Tensor>& in, const std::vector<Tensor>&,
                                    const std::vector<Tensor>& tangents) {
  return {3 * square(in[0]) * tangents[0]};
}

/// The identity on one tensor, whose gradient is what the test says.
Tensor with_gradient(const Tensor& x, const Gradients& gradient) {
  const auto f =
      function({.name = "odd",
                .forward = [](CustomCall&, const std::vector<Tensor>& in) { return in; },
                .backward = [gradient](CustomCall&, const Gradients&) { return gradient; }});
  return call(f, {x})[0];
}

}  // namespace

TEST_CASE("a custom function is one node, with the derivative it was given", "[autograd][tape]") {
  const Tensor x = variable({3}, 1);
  const Tensor y = call(cube(slope_of_cube), {x})[0];

  CHECK(std::string(y.node()->name()) == "cube");
  CHECK(y.node()->edges()[0].node == x.body()->accumulator);
  CHECK(distance(grad({y}, {x}, {ones({3})})[0], 3 * square(x.detach())) == 0);
  CustomFunction complete = *cube(slope_of_cube);
  complete.tangent = tangent_of_cube;
  const auto f = [use = function(complete)](const std::vector<Tensor>& in) {
    return call(use, in)[0];
  };
  CHECK(gradcheck(f, {x}) == "");
  CHECK(gradgradcheck(f, {x}) == "");
}

TEST_CASE("ENG-06 an output without derivative stands in line and gets no gradient",
          "[autograd][tape]") {
  for (const bool materialize : {true, false}) {
    std::vector<bool> arrived_defined;
    const auto f = function({.name = "two",
                             .forward =
                                 [](CustomCall& now, const std::vector<Tensor>& in) {
                                   now.not_differentiable(0);
                                   return std::vector<Tensor>{step(in[0]), in[0] + 0.0};
                                 },
                             .backward = [&](CustomCall&, const Gradients& g) -> Gradients {
                               for (const Tensor& t : g) arrived_defined.push_back(t.defined());
                               if (materialize) CHECK(largest(g[0]) == 0);
                               return {g[1]};
                             },
                             .materialize = materialize});
    Tensor x = variable({3}, 1);
    const std::vector<Tensor> ab = call(f, {x});

    CHECK_FALSE(ab[0].requires_grad());
    CHECK(ab[1].output_number() == 1);
    backward(sum(ab[1]));
    CHECK(arrived_defined == std::vector<bool>{materialize, true});
    CHECK(x.grad().values() == std::vector<double>{1, 1, 1});
  }
}

TEST_CASE("ENG-07 an input that a custom function returns comes back as another tensor",
          "[autograd][tape]") {
  const auto twice =
      function({.name = "twice",
                .forward = [](CustomCall&, const std::vector<Tensor>& in) { return in; },
                .backward = [](CustomCall&, const Gradients& g) { return Gradients{2 * g[0]}; }});
  const Tensor x = variable({2}, 1);
  const Tensor y = call(twice, {x})[0];

  CHECK(y.body() != x.body());
  CHECK(y.storage_id() == x.storage_id());
  CHECK(x.is_leaf());
  CHECK(grad({y}, {x}, {ones({2})})[0].values() == std::vector<double>{2, 2});
}

TEST_CASE("ENG-31 a custom gradient of the wrong shape or number names the node",
          "[autograd][tape][errors]") {
  const Tensor x = variable({2, 3}, 1);
  const auto by = [&](const Gradients& g) {
    return grad({with_gradient(x, g)}, {x}, {ones({2, 3})});
  };
  CHECK_THROWS_WITH(by({zeros({4})}), Contains("node 'odd'") && Contains("index 0") &&
                                          Contains("[4]") && Contains("[2, 3]"));
  CHECK_THROWS_WITH(by({zeros({2, 3}), zeros({2, 3})}),
                    Contains("invalid number of gradients: got 2 but expected 1"));
}

TEST_CASE("ENG-32 a larger custom gradient is summed, a smaller one refused",
          "[autograd][tape][errors]") {
  const Tensor x = variable({5, 5}, 1);
  const auto by = [&](const Gradients& g) {
    return grad({with_gradient(x, g)}, {x}, {ones({5, 5})})[0];
  };
  CHECK_THROWS_WITH(by({ones({5, 1})}), Contains("expected shape compatible with [5, 5]"));
  CHECK(distance(by({ones({3, 5, 5})}), full({5, 5}, 3)) == 0);
}

TEST_CASE("PRN-06 a custom function is asked only for what the pass wants", "[autograd][tape]") {
  std::vector<std::vector<bool>> asked;
  const auto f = function({.name = "product",
                           .forward =
                               [](CustomCall& now, const std::vector<Tensor>& in) {
                                 now.save(in[0]);
                                 now.save(in[1]);
                                 return std::vector<Tensor>{in[0] * in[1]};
                               },
                           .backward =
                               [&](CustomCall& now, const Gradients& g) {
                                 asked.push_back({now.wanted(0), now.wanted(1), now.wanted(0, 2),
                                                  now.wanted(0, 1), now.wanted(1, 2)});
                                 Gradients out(2);
                                 if (now.wanted(0)) out[0] = g[0] * now.saved(1);
                                 if (now.wanted(1)) out[1] = g[0] * now.saved(0);
                                 return out;
                               }});
  const Tensor x = variable({2}, 1), y = variable({2}, 2);
  const Tensor z = call(f, {x, y})[0];
  const std::vector<Tensor> seed{ones({2})};

  grad({z}, {x}, seed, {.retain_graph = true});
  grad({z}, {y}, seed, {.retain_graph = true});
  grad({z}, {x, y}, seed, {.retain_graph = true});
  backward({z}, seed);

  CHECK(asked == std::vector<std::vector<bool>>{{true, false, true, true, false},
                                                {false, true, true, false, true},
                                                {true, true, true, true, true},
                                                {true, true, true, true, true}});
}

TEST_CASE("a custom function may keep outputs and what it computed between", "[autograd][tape]") {
  const std::int64_t before = live_nodes();
  {
    const auto f = function({.name = "exp",
                             .forward =
                                 [](CustomCall& now, const std::vector<Tensor>& in) {
                                   const Tensor half = exp(in[0] * 0.5), y = square(half);
                                   now.save(y);
                                   now.save(half);
                                   return std::vector<Tensor>{y};
                                 },
                             .backward =
                                 [](CustomCall& now, const Gradients& g) {
                                   CHECK(now.saved(1).is_leaf());
                                   return Gradients{g[0] * now.saved(0)};
                                 }});
    const Tensor x = variable({2}, 1);
    const Tensor y = call(f, {x})[0];
    const Tensor g = grad({y}, {x}, {ones({2})}, {.create_graph = true})[0];
    CHECK(distance(g, y) == 0);
    CHECK(distance(grad({g}, {x}, {ones({2})})[0], y) < 1e-15);
  }
  CHECK(live_nodes() == before);  // an output that was saved does not own itself
}

TEST_CASE("a custom function that throws records nothing", "[autograd][tape][errors]") {
  struct Mine {};
  const auto f =
      function({.name = "throws",
                .forward = [](CustomCall&, const std::vector<Tensor>&) -> std::vector<Tensor> {
                  throw Mine();
                },
                .backward = [](CustomCall&, const Gradients& g) { return g; }});
  const Tensor x = variable({2}, 1);
  const std::int64_t before = live_nodes();
  CHECK_THROWS_AS(call(f, {x}), Mine);
  CHECK(live_nodes() == before);
  CHECK(recording());
}

TEST_CASE("FWD-16 a custom function without a rule for tangents refuses them",
          "[autograd][tape][errors]") {
  const Tensor x = variable({2}, 1), v = normal({2}, 2);
  const auto without = [](const std::vector<Tensor>& in) {
    return call(cube(slope_of_cube), in)[0];
  };
  CHECK_THROWS_WITH(jvp(without, {x}, {v}), Contains("'cube' has no rule for tangents"));

  CustomFunction with = *cube(slope_of_cube);
  with.tangent = tangent_of_cube;
  const auto f = function(with);
  const Jvp found = jvp([&](const std::vector<Tensor>& in) { return call(f, in)[0]; }, {x}, {v});
  CHECK(distance(found.tangent, 3 * square(x.detach()) * v) < 1e-15);
}

namespace {

/// 2 x in the memory of x.
CustomFunctionPtr doubled(bool marks, bool returns) {
  return function(
      {.name = "doubled",
       .forward =
           [=](CustomCall& now, const std::vector<Tensor>& in) {
             Tensor x = in[0];
             x *= 2.0;
             if (marks) now.mark_dirty(0);
             return std::vector<Tensor>{returns ? x : x.clone()};
           },
       .backward = [](CustomCall&, const Gradients& g) { return Gradients{2.0 * g[0]}; },
       .tangent = [](const auto&, const auto&,
                     const std::vector<Tensor>& t) { return std::vector<Tensor>{2.0 * t[0]}; }});
}

}  // namespace

TEST_CASE("a custom function that changes its input says so", "[autograd][tape][errors]") {
  for (const bool requires_grad : {true, false}) {
    const Tensor x = ones({2}).set_requires_grad(requires_grad), t = x * 1.0;
    CHECK_THROWS_WITH(call(doubled(false, false), {t}),
                      Contains("'doubled' changed an input in place") && Contains("mark_dirty()"));
    CHECK_THROWS_WITH(call(doubled(true, false), {t}),
                      Contains("did not return an input that it marked as dirty"));
  }
  const Tensor leaf = ones({2}).set_requires_grad();
  CHECK_THROWS_WITH(call(doubled(true, true), {leaf}), Contains("leaf that requires a gradient"));
}

TEST_CASE("an input that a custom function changed goes on from it", "[autograd][tape]") {
  const Tensor x = from_values({1, 2}, {2}).set_requires_grad();
  const Tensor t = x * 3.0, view = slice(t, 0, 1, 2);
  const Tensor y = call(doubled(true, true), {t})[0];
  CHECK(y.body() == t.body());
  CHECK(t.values() == std::vector<double>{6, 12});
  const GradOptions keep{.retain_graph = true};
  CHECK(grad({sum(t)}, {x}, {}, keep)[0].values() == std::vector<double>{6, 6});
  CHECK(grad({view}, {x}, {ones({1})}, keep)[0].values() == std::vector<double>{0, 6});

  const TensorFunction f = [](const std::vector<Tensor>& in) {
    return call(doubled(true, true), {in[0] * in[0]})[0];
  };
  CHECK(gradcheck(f, {variable({3}, 1)}) == "");
  CHECK(jvp(f, {ones({1})}, {ones({1})}).tangent.item() == 4);
}
