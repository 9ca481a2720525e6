#include "autograd/core/error.h"
#include "tests/autograd/tape/helpers.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Contains;

TEST_CASE("ENG-09 a second backward doubles the gradient in place", "[autograd][tape]") {
  const Tensor x = variable({2, 2}, 1), y = sum(exp(x));
  backward(y, {.retain_graph = true});
  const Tensor first = x.grad();
  const std::vector<double> once = first.values();

  backward(y, {.retain_graph = true});

  CHECK(x.grad().body() == first.body());
  CHECK(x.grad().storage_id() == first.storage_id());
  CHECK(first.values() == (2.0 * from_values(once, {2, 2})).values());
}

TEST_CASE("ENG-10 gradients that were recorded can be differentiated", "[autograd][tape]") {
  const Tensor x = variable({2}, 1), y = variable({2}, 2);
  backward({x * x + y * x + y * y}, {ones({2})}, {.create_graph = true});
  const std::vector<double> gx = x.grad().values(), gy = y.grad().values();

  // 2 x.grad + y.grad = 5x + 4y
  backward({2.0 * x.grad() + y.grad()}, {ones({2})});

  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(x.grad().values()[i] == Approx(gx[i] + 5).epsilon(1e-15));
    CHECK(y.grad().values()[i] == Approx(gy[i] + 4).epsilon(1e-15));
  }
  for (Tensor t : {x, y}) t.set_grad({});  // breaks the cycle t -> grad -> history -> t
}

TEST_CASE("ENG-27 the accumulator of a leaf runs once, with the sum of all uses",
          "[autograd][tape]") {
  const Tensor x = variable({3}, 1);
  const Counting count;

  backward(sum(x + 2.0 * x + exp(x)));

  CHECK(count.nodes("accumulator") == 1);
  CHECK(relative_distance(x.grad(), 3.0 + exp(x.detach())) < 1e-15);
}

TEST_CASE("ENG-28 the gradient of a leaf by itself does not share memory with the seed",
          "[autograd][tape]") {
  const bool record = GENERATE(false, true);
  const Tensor x = variable({3}, 1), seed = normal({3}, 2);

  backward({x}, {seed}, {.create_graph = record});

  CHECK(x.grad().values() == seed.values());
  CHECK(x.grad().storage_id() != seed.storage_id());
}

TEST_CASE("ENG-28 a seed that reaches leaves through views and copies is never changed",
          "[autograd][tape]") {
  const Tensor x = variable({4}, 1), y = variable({4}, 2), seed = normal({2, 2}, 3);
  const std::vector<double> before = seed.values();

  backward({reshape(x.clone() + y, {2, 2})}, {seed});
  backward({reshape(x + y, {2, 2}) + transpose(transpose(reshape(x, {2, 2})))}, {seed});

  CHECK(seed.values() == before);
  CHECK(x.grad().storage_id() != seed.storage_id());
  CHECK(x.grad().storage_id() != y.grad().storage_id());
  CHECK(x.grad().values() == (3.0 * seed).values());
}

TEST_CASE("ENG-30 a recorded accumulation leaves the earlier gradient as it was",
          "[autograd][tape]") {
  const Tensor x = variable({2}, 1), y = sum(x * x);
  backward(y, {.create_graph = true});
  const Tensor first = x.grad();
  const std::vector<double> before = first.values();

  backward(y, {.create_graph = true});

  CHECK(first.values() == before);
  CHECK(x.grad().body() != first.body());
  CHECK(x.grad().requires_grad());
  CHECK(x.grad().values() == (2.0 * first).values());
  Tensor(x).set_grad({});  // breaks the cycle x -> grad -> history -> x
}

TEST_CASE("ENG-31 a wrong gradient names the node, the index, and both shapes",
          "[autograd][tape][errors]") {
  const Tensor x = variable({5, 5}, 1);
  const auto returning = [&](Gradients g) {
    return custom(x, "faulty", [g](auto&, const Gradients&) { return g; });
  };

  CHECK_THROWS_WITH(grad({sum(returning({ones({3, 5})}))}, {x}),
                    Contains("invalid gradient at index 0: got [3, 5] but expected shape "
                             "compatible with [5, 5]") &&
                        Contains("returned by node 'faulty'"));
  CHECK_THROWS_WITH(
      grad({sum(returning({ones({5, 5}), ones({5, 5})}))}, {x}),
      Contains("invalid number of gradients: got 2 but expected 1") && Contains("'faulty'"));
}

TEST_CASE("ENG-32 a larger gradient is summed, a smaller one is refused",
          "[autograd][tape][errors]") {
  const Tensor x = variable({5, 5}, 1);
  const auto returning = [&](const Tensor& g) {
    return sum(custom(x, "odd", [g](auto&, const Gradients&) { return Gradients{g}; }));
  };

  CHECK_THROWS_AS(grad(returning(ones({5, 1})), x), EngineError);
  const Tensor g = grad(returning(ones({3, 5, 5})), x);
  CHECK(g.shape() == Shape{5, 5});
  CHECK(distance(g, full({5, 5}, 3)) == 0);
  CHECK(grad(returning(ones({5, 5}, DType::float32)), x).dtype() == DType::float64);
}

TEST_CASE("ENG-33 where no gradient arrives none is made", "[autograd][tape]") {
  const Tensor x = variable({2}, 1), a = variable({2}, 2);
  const auto nothing = [](auto&, const Gradients&) { return Gradients{Tensor()}; };
  const Tensor y = custom(tanh(x) * a, "nothing", nothing);
  const Counting count;

  CHECK_FALSE(
      grad({y}, {x}, {ones({2})}, {.retain_graph = true, .allow_unused = true})[0].defined());
  backward({y}, {ones({2})});

  CHECK_FALSE(x.grad().defined());
  CHECK_FALSE(a.grad().defined());
  CHECK(stats().formula_runs.empty());
}

TEST_CASE("an input of backward that is named twice gets its gradient once", "[autograd][tape]") {
  const Tensor x = variable({2}, 1), h = exp(x);
  const Tensor y = sum(h * 3.0);
  backward({y}, {}, {.retain_graph = true}, std::vector<Tensor>{x, h, x, h, x});
  CHECK(h.grad().values() == std::vector<double>{3, 3});
  CHECK(distance(x.grad(), 3.0 * exp(x.detach())) == 0);
  const std::vector<Tensor> both = grad({y}, {x, x});
  CHECK(both[0].values() == both[1].values());
}

TEST_CASE("a gradient is set in the tensor's own number type", "[autograd][tape][errors]") {
  Tensor x = variable({2}, 1);
  CHECK_THROWS_WITH(x.set_grad(ones({2}, DType::float32)),
                    Contains("float32 [2]") && Contains("float64 [2]"));
  CHECK_FALSE(x.grad().defined());
  Tensor s = ones({}, DType::float32).set_requires_grad();
  s.set_grad(0.5);  // a plain number gives way
  backward(s * 2.0);
  CHECK(s.grad().dtype() == DType::float32);
  CHECK(s.grad().item() == 2.5);
}

TEST_CASE("a gradient can be set and cleared, with the tensor's shape",
          "[autograd][tape][errors]") {
  Tensor x = variable({2}, 1);
  x.set_grad(ones({2}));
  CHECK(x.grad().values() == std::vector<double>{1, 1});
  x.set_grad({});
  CHECK_FALSE(x.grad().defined());
  CHECK_THROWS_WITH(x.set_grad(ones({3})), Contains("a gradient must have the shape") &&
                                               Contains("float64 [3] for float64 [2]"));
}
