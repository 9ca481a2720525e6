#include "autograd/core/error.h"
#include "tests/autograd/tape/helpers.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Contains;

TEST_CASE("ENG-18 an unused input is an error, undefined or zeros, as asked",
          "[autograd][tape][errors]") {
  const Tensor x = variable({}, 1), y = variable({2, 1}, 2);
  const auto by_y = [&](const GradOptions& o) { return grad({square(x)}, {y}, {}, o)[0]; };

  CHECK_THROWS_WITH(by_y({}), Contains("input 0 is not connected to the outputs") &&
                                  Contains("float64 [2, 1]") && Contains("allow_unused"));
  CHECK_FALSE(by_y({.allow_unused = true}).defined());
  CHECK_THROWS_WITH(by_y({.allow_unused = false, .materialize = true}),
                    Contains("materialize asks for zeros"));
  const Tensor zero = by_y({.materialize = true});
  CHECK(zero.shape() == Shape{2, 1});
  CHECK(zero.dtype() == DType::float64);
  CHECK(largest(zero) == 0);
}

TEST_CASE("ENG-20 grad and backward refuse an empty list of inputs", "[autograd][tape][errors]") {
  const Tensor x = variable({}, 1);

  CHECK_THROWS_WITH(grad({square(x)}, {}), Contains("requires non-empty inputs"));
  CHECK_THROWS_WITH(backward({square(x)}, {}, {}, std::vector<Tensor>{}),
                    Contains("cannot be empty"));
}

TEST_CASE("grad and backward refuse an empty list of outputs", "[autograd][tape][errors]") {
  const Tensor x = variable({}, 1);

  CHECK_THROWS_WITH(grad({}, {x}), Contains("there is no output to differentiate"));
  CHECK_THROWS_WITH(backward({}, {}), Contains("there is no output to differentiate"));
}

TEST_CASE("ENG-21 a seed must have exactly the output's shape", "[autograd][tape][errors]") {
  const Tensor x = variable({2, 2}, 1);

  CHECK_THROWS_WITH(grad({exp(x)}, {x}, {ones({2})}),
                    Contains("Mismatch in shape: seed 0 has a shape of [2] and output 0 has a "
                             "shape of [2, 2]"));
  CHECK_THROWS_WITH(grad({sum(x)}, {x}, {ones({1})}), Contains("[1]") && Contains("[]"));
  CHECK_THROWS_WITH(grad({sum(x)}, {x}, {ones({}), ones({})}), Contains("1 outputs but 2 seeds"));
}

TEST_CASE("ENG-22 only a scalar output may go without a seed", "[autograd][tape][errors]") {
  const Tensor x = variable({2, 2}, 1);

  CHECK_THROWS_WITH(grad({exp(x)}, {x}), Contains("implicitly only for scalar outputs"));
  CHECK(grad({sum(x), exp(x)}, {x}, {Tensor(), zeros({2, 2})})[0].values() ==
        std::vector<double>{1, 1, 1, 1});
}

TEST_CASE("ENG-23 a seed of another floating dtype is cast", "[autograd][tape]") {
  const Tensor x = variable({2}, 1);

  const Tensor g = grad({2.0 * x}, {x}, {ones({2}, DType::float32)})[0];

  CHECK(g.dtype() == DType::float64);
  CHECK(g.values() == std::vector<double>{2, 2});
}

TEST_CASE("outputs and inputs must require a gradient", "[autograd][tape][errors]") {
  const Tensor x = variable({}, 1), c = normal({}, 2);

  CHECK_THROWS_WITH(grad({x, c}, {x}), Contains("output 1 does not require grad"));
  CHECK_THROWS_WITH(grad({x * c}, {c}),
                    Contains("one of the differentiated tensors does not require grad"));
  CHECK_THROWS_WITH(grad({Tensor()}, {x}), Contains("does not require grad"));
  CHECK_THROWS_AS(backward(c), EngineError);
}

TEST_CASE("an undefined tensor in an expression is an error, not a crash",
          "[autograd][tape][errors]") {
  CHECK_THROWS_WITH(Tensor() + ones({2}), Contains("an undefined tensor was used"));
  CHECK_THROWS_WITH(Tensor().item(), Contains("an undefined tensor was used"));
}
