#include "tests/autograd/tape/helpers.h"

using namespace pinn;
using namespace pinn::test;

namespace {

const GradOptions keep{.retain_graph = true};

}  // namespace

TEST_CASE("ENG-08 backward fills the gradients of x + 2y + xy", "[autograd][tape]") {
  const Tensor x = variable({2, 2}, 1), y = variable({2, 2}, 2);

  backward(sum(x + 2.0 * y + x * y));

  CHECK(relative_distance(x.grad(), 1.0 + y.detach()) < 1e-12);
  CHECK(relative_distance(y.grad(), 2.0 + x.detach()) < 1e-12);
}

TEST_CASE("ENG-11 grad changes no grad() and runs no accumulator", "[autograd][tape]") {
  const Tensor x = variable({2}, 1), y = variable({2}, 2);
  const Counting count;

  const Tensor g = grad({x * x + y * x + y * y}, {x}, {ones({2})})[0];

  CHECK(relative_distance(g, 2.0 * x.detach() + y.detach()) < 1e-15);
  CHECK_FALSE(x.grad().defined());
  CHECK_FALSE(y.grad().defined());
  CHECK(count.nodes("accumulator") == 0);
}

TEST_CASE("ENG-12 a root given twice counts twice", "[autograd][tape]") {
  const Tensor a = variable({3}, 1), b = variable({3}, 2), seed = normal({3}, 3);
  const Tensor p = a * b;

  backward({p, p}, {seed, seed});

  CHECK(relative_distance(a.grad(), 2.0 * b.detach() * seed) < 1e-15);
}

TEST_CASE("ENG-13 roots may depend on each other", "[autograd][tape]") {
  const Tensor x = variable({3}, 1), gy = normal({3}, 2), gz = normal({3}, 3);
  const Tensor y = x * x, z = y * y * y;
  const bool y_first = GENERATE(true, false);

  if (y_first)
    backward({y, z}, {gy, gz});
  else
    backward({z, y}, {gz, gy});

  const Tensor v = x.detach();
  CHECK(relative_distance(x.grad(), 2.0 * v * gy + 6.0 * power(v, 5) * gz) < 1e-14);
}

TEST_CASE("ENG-14 the gradient of a tensor by itself is the seed", "[autograd][tape]") {
  const Tensor x = variable({3}, 1), y = exp(x), seed = normal({3}, 2);
  const std::vector<double> before = seed.values();

  CHECK(grad({y}, {y}, {seed})[0].values() == before);
  CHECK(grad({x}, {x}, {seed})[0].values() == before);
  backward({x}, {seed});
  backward({x}, {seed});
  CHECK(seed.values() == before);
}

TEST_CASE("ENG-15 an input listed twice gets its gradient twice", "[autograd][tape]") {
  const Tensor x = variable({2}, 1);

  const std::vector<Tensor> g = grad({x * x}, {x, x}, {ones({2})});

  CHECK(relative_distance(g[0], 2.0 * x.detach()) == 0);
  CHECK(g[1].values() == g[0].values());
}

TEST_CASE("ENG-16 parts of a tensor are inputs of their own", "[autograd][tape]") {
  const Tensor x = variable({4}, 1), seed = normal({2}, 2);
  const Tensor a = slice(x, 0, 0, 2), b = slice(x, 0, 2, 4);

  const std::vector<Tensor> g = grad({a + 2.0 * b}, {a, b}, {seed});

  CHECK(g[0].values() == seed.values());
  CHECK(g[1].values() == (2.0 * seed).values());
  CHECK_FALSE(x.grad().defined());
}

TEST_CASE("ENG-17 inputs may lie on one path", "[autograd][tape]") {
  const Tensor x = variable({3}, 1), h = tanh(x), y = h * h * x, seed = normal({3}, 2);

  const std::vector<Tensor> both = grad({y}, {x, h}, {seed}, keep);

  CHECK(both[0].values() == grad({y}, {x}, {seed}, keep)[0].values());
  CHECK(both[1].values() == grad({y}, {h}, {seed}, keep)[0].values());
  CHECK(relative_distance(both[1], 2.0 * (h * x).detach() * seed) < 1e-15);
}

TEST_CASE("ENG-24 the second derivative of a linear function is not connected",
          "[autograd][tape][errors]") {
  const Tensor x = variable({2}, 1), a = normal({2}, 2);
  const Tensor first = grad({x * a}, {x}, {ones({2})}, {.create_graph = true})[0];

  // The slope does not depend on x: it has no history at all.
  CHECK_THROWS_WITH(grad({first}, {x}, {ones({2})}), Catch::Contains("does not require grad"));

  const Tensor b = variable({2}, 3), y = x * b;
  const GradOptions create{.create_graph = true};
  const Tensor slope = grad({y}, {x}, {ones({2})}, create)[0];
  CHECK_THROWS_WITH(grad({slope}, {x}, {ones({2})}, keep), Catch::Contains("identically zero") &&
                                                               Catch::Contains("allow_unused") &&
                                                               Catch::Contains("materialize"));
  GradOptions options = create;
  options.allow_unused = true;
  CHECK_FALSE(grad({slope}, {x}, {ones({2})}, options)[0].defined());
  options.materialize = true;
  const Tensor zero = grad({slope}, {x}, {ones({2})}, options)[0];
  CHECK(zero.values() == std::vector<double>{0, 0});
  CHECK(grad({zero}, {x}, {ones({2})}, options)[0].values() == std::vector<double>{0, 0});
}

TEST_CASE("ENG-25 backward with inputs fills theirs only, also of tensors with history",
          "[autograd][tape]") {
  const Tensor x = variable({2}, 1), y = variable({2}, 2);
  const Tensor z = x * x, w = y * z + x * y + y * y;

  backward({w}, {ones({2})}, {}, std::vector<Tensor>{x, z});

  CHECK(relative_distance(x.grad(), (2.0 * x * y + y).detach()) < 1e-15);
  CHECK(relative_distance(z.grad(), y.detach()) == 0);
  CHECK_FALSE(y.grad().defined());
}

TEST_CASE("ENG-26 backward to a tensor does not run the node that made it", "[autograd][tape]") {
  const Tensor x = variable({2}, 1), h = exp(x), y = h * h;
  const Counting count;

  backward({y}, {ones({2})}, {}, std::vector<Tensor>{h});

  CHECK(relative_distance(h.grad(), 2.0 * h.detach()) < 1e-15);
  CHECK(count.nodes("exp") == 0);
  CHECK_FALSE(x.grad().defined());
}

TEST_CASE("a seed that requires a gradient stays differentiable", "[autograd][tape]") {
  // v^T J = 3 x^2 v is linear in v: its gradient by v is 3 x^2, and by x 6 x v.
  const Tensor x = variable({3}, 1), v = variable({3}, 2);

  const Tensor product = grad({x * x * x}, {x}, {v}, {.create_graph = true})[0];
  const std::vector<Tensor> g = grad({product}, {v, x}, {ones({3})});

  CHECK(relative_distance(g[0], 3.0 * square(x.detach())) < 1e-15);
  CHECK(relative_distance(g[1], (6.0 * x * v).detach()) < 1e-15);
}

TEST_CASE("a gradient has no history unless the pass records", "[autograd][tape]") {
  const Tensor x = variable({3}, 1), seed = variable({3}, 2), y = x.clone();

  CHECK_FALSE(grad({y}, {y}, {seed}, keep)[0].requires_grad());
  CHECK_FALSE(grad({y}, {x}, {seed}, keep)[0].requires_grad());
  CHECK(grad({y}, {x}, {seed}, {.create_graph = true})[0].requires_grad());
}

TEST_CASE("the gradient by a leaf that is an output is its seed plus the rest",
          "[autograd][tape]") {
  const Tensor x = variable({2}, 1), seed = normal({2}, 2);

  const Tensor g = grad({x, x * x}, {x}, {seed, ones({2})})[0];

  CHECK(relative_distance(g, seed + 2.0 * x.detach()) < 1e-15);
}

TEST_CASE("lists in braces give a list, tensors without braces a tensor", "[autograd][tape]") {
  const Tensor x = variable({}, 1), w = variable({}, 2), y = x * w;
  const GradOptions keep{.retain_graph = true};

  STATIC_REQUIRE(std::is_same_v<decltype(grad({y}, {x})), std::vector<Tensor>>);
  STATIC_REQUIRE(std::is_same_v<decltype(grad({y}, {x, w})), std::vector<Tensor>>);
  STATIC_REQUIRE(std::is_same_v<decltype(grad(y, x, keep)), Tensor>);
  CHECK(grad({y}, {x}, {}, keep).at(0).item() == w.item());
  CHECK(grad(y, x, keep).item() == w.item());
  backward({y}, {}, keep);
  backward(y);
  CHECK(x.grad().item() == 2 * w.item());
}

template <class T>
concept mixes_lists_and_tensors = requires(const T& y, const T& x) {
  grad({y}, x);
}
|| requires(const T& y, const T& x) { grad(y, {x}); };

TEST_CASE("a list and a tensor are not taken together", "[autograd][tape]") {
  STATIC_REQUIRE_FALSE(mixes_lists_and_tensors<Tensor>);
}
