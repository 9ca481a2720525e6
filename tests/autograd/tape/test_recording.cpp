#include "autograd/core/error.h"
#include "autograd/tape/hooks.h"
#include "tests/autograd/tape/helpers.h"

using namespace pinn;
using namespace pinn::test;

TEST_CASE("ENG-01 a node has one edge per input, invalid where no gradient is required",
          "[autograd][tape]") {
  const Tensor x = variable({2}, 1), y = normal({2}, 2);

  const Tensor product = x * y, z = product + y;

  CHECK_FALSE(z.is_leaf());
  CHECK(z.requires_grad());
  REQUIRE(product.node()->edges().size() == 2);
  CHECK(product.node()->edges()[0].node);
  CHECK_FALSE(product.node()->edges()[1].node);
  REQUIRE(product.node()->outputs().size() == 1);
  CHECK(product.node()->outputs()[0].shape == Shape{2});
}

TEST_CASE("ENG-02 nothing is recorded under NoGrad", "[autograd][tape][errors]") {
  const Tensor x = variable({1}, 1), y = normal({1}, 2);
  const NoGrad off;

  const Tensor z = x * y + y;

  CHECK_FALSE(z.node());
  CHECK_FALSE(z.requires_grad());
  CHECK(z.is_leaf());
  CHECK_THROWS_WITH(backward(z), Catch::Contains("does not require grad"));
}

TEST_CASE("ENG-03 a product with a constant saves the constant only", "[autograd][tape]") {
  Tensor x = variable({2}, 1), c = normal({2}, 2);
  Tensor y = x * c;
  {
    const NoGrad off;
    add_in_place(x, ones({2}));
  }
  CHECK(distance(grad({y}, {x}, {ones({2})}, {.retain_graph = true})[0], c) == 0);

  add_in_place(c, ones({2}));
  CHECK_THROWS_WITH(grad({y}, {x}, {ones({2})}), Catch::Contains("inplace"));
}

TEST_CASE("ENG-04 an addition saves nothing", "[autograd][tape]") {
  Tensor x = variable({2}, 1), c = normal({2}, 2);
  Tensor y = x + c;
  {
    const NoGrad off;
    for (Tensor* t : {&x, &c, &y}) add_in_place(*t, ones({2}));
  }

  CHECK(grad({y}, {x}, {ones({2})})[0].values() == std::vector<double>{1, 1});
}

TEST_CASE("ENG-05 comparisons and integers never require a gradient", "[autograd][tape][errors]") {
  const Tensor x = variable({3}, 1), y = variable({3}, 2);

  CHECK_FALSE(less(x, y).requires_grad());
  CHECK_FALSE(less_equal(x, y).requires_grad());
  CHECK_FALSE(greater(x, y).requires_grad());
  CHECK_FALSE(greater_equal(x, y).requires_grad());
  CHECK_FALSE(cast(x, DType::int32).requires_grad());
  CHECK_FALSE(cast(x, DType::boolean).requires_grad());
  CHECK_THROWS_WITH(zeros({2}, DType::int32).set_requires_grad(),
                    Catch::Contains("only floating tensors have gradients"));
}

TEST_CASE("ENG-07 an op that returns its input as it is has a node of its own",
          "[autograd][tape]") {
  const Tensor x = variable({2}, 1);
  const Tensor y = alias(x, x.shape(), x.strides(), 0);
  record({y}, {x}, "twice", [](auto&, const Gradients& g) { return Gradients{2.0 * g[0]}; });

  CHECK(y.body() != x.body());
  CHECK(y.storage_id() == x.storage_id());
  CHECK(grad({y}, {x}, {ones({2})})[0].values() == std::vector<double>{2, 2});
}

TEST_CASE("ENG-71 modes nest, and are restored when an exception leaves them", "[autograd][tape]") {
  REQUIRE(recording());
  try {
    const NoGrad off;
    CHECK_FALSE(recording());
    {
      const EnableGrad on;
      CHECK(recording());
    }
    CHECK_FALSE(recording());
    throw std::runtime_error("out");
  } catch (const std::runtime_error&) {
  }
  CHECK(recording());
}

TEST_CASE("an expression of constants and numbers is not recorded", "[autograd][tape]") {
  const std::int64_t nodes = live_nodes();

  const Tensor y = tanh(2.0 * ones({3}) + 1.0);

  CHECK_FALSE(y.requires_grad());
  CHECK(live_nodes() == nodes);
}

TEST_CASE("a leaf keeps its requires_grad until it has history", "[autograd][tape][errors]") {
  Tensor x = ones({2});
  x.set_requires_grad();
  CHECK(x.requires_grad());
  x.set_requires_grad(false);
  CHECK_FALSE(x.requires_grad());

  x.set_requires_grad();
  Tensor y = 2.0 * x;
  CHECK_THROWS_WITH(y.set_requires_grad(false),
                    Catch::Contains("requires_grad can only be changed on a leaf"));
}

TEST_CASE("a number takes the dtype of the tensor it meets", "[autograd][tape][errors]") {
  const Tensor f = ones({2}, DType::float32), d = ones({2});

  CHECK((f * 2.0).dtype() == DType::float32);
  CHECK((2.0 - f).dtype() == DType::float32);
  CHECK((d / 2.0).dtype() == DType::float64);
  CHECK(where(f, 1.0, f).dtype() == DType::float32);
  CHECK((where(1.0, 2.0, 3.0) * f).dtype() == DType::float32);
  CHECK_THROWS_WITH(f + d, Catch::Contains("add: the tensors have different dtypes") &&
                               Catch::Contains("float32 [2] and float64 [2]"));
  CHECK_THROWS_WITH(exp(zeros({2}, DType::int32)),
                    Catch::Contains("exp works on floating tensors"));
}

TEST_CASE("a number that requires a gradient keeps its history beside float32",
          "[autograd][tape]") {
  const Tensor c = Tensor(3.0).set_requires_grad();
  const Tensor x = full({2}, 2, DType::float32);

  const Tensor y = sum(c * c * x);
  const Tensor first = grad(y, c, {.create_graph = true});

  CHECK(first.item() == 24);
  CHECK(first.dtype() == DType::float64);
  CHECK(grad(first, c).item() == 8);
}

TEST_CASE("reading the gradient of a tensor that never gets one warns", "[autograd][tape]") {
  std::vector<std::string> told;
  const WarningSink sink([&](const std::string& text) { told.push_back(text); });
  const Tensor x = ones({1}).set_requires_grad(), y = x * 2.0, z = x * 3.0;
  retain_grad(z);
  backward(y + z);
  CHECK(x.grad().defined());
  CHECK(z.grad().defined());
  CHECK(told.empty());
  CHECK_FALSE(y.grad().defined());
  REQUIRE(told.size() == 1);
  CHECK_THAT(told[0], Catch::Contains("made by 'mul'") && Catch::Contains("retain_grad()"));
}
