#include "tests/autograd/tape/helpers.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Contains;

TEST_CASE("ENG-73 an inference tensor may be read, but not be saved", "[autograd][tape][errors]") {
  const Tensor x = variable({2}, 1);
  Tensor c;
  {
    const InferenceMode evaluation;
    c = 2 * x;
  }
  CHECK_FALSE(c.requires_grad());
  CHECK_THROWS_WITH(x * c, Contains("cannot be saved") && Contains("clone()"));
  CHECK_THROWS_WITH(x * slice(c, 0, 0, 1), Contains("cannot be saved"));
  CHECK(grad({x + c}, {x}, {ones({2})})[0].values() == std::vector<double>{1, 1});
  CHECK(grad({x * c.clone()}, {x}, {ones({2})})[0].values() == c.values());
}

TEST_CASE("an inference tensor is changed in place only inside, and never requires a gradient",
          "[autograd][tape][errors]") {
  Tensor c;
  {
    const InferenceMode evaluation;
    c = zeros({2});
    add_in_place(c, ones({2}));
  }
  CHECK_THROWS_WITH(add_in_place(c, ones({2})), Contains("an inference tensor was changed"));
  CHECK_THROWS_WITH(c.set_requires_grad(), Contains("inference tensor cannot require"));
  CHECK(c.values() == std::vector<double>{1, 1});
}

TEST_CASE("a change of another tensor in inference mode is noticed outside", "[autograd][tape]") {
  const Tensor x = variable({2}, 1);
  Tensor c = ones({2});
  const Tensor y = x * c;
  {
    const InferenceMode evaluation;
    add_in_place(c, ones({2}));
  }
  CHECK_THROWS_WITH(grad({y}, {x}, {ones({2})}), Contains("inplace"));
}

TEST_CASE("inference mode nests and ends with its scope, exceptions included", "[autograd][tape]") {
  try {
    const InferenceMode outer;
    { const InferenceMode inner; }
    CHECK(inference_mode());
    CHECK_FALSE(recording());
    throw 1;
  } catch (int) {
  }
  CHECK_FALSE(inference_mode());
  CHECK(recording());
}

TEST_CASE("within inference mode a scope may record again", "[autograd][tape]") {
  const InferenceMode inside;
  {
    const InferenceMode off(false);
    CHECK(recording());
    CHECK_FALSE(inference_mode());
    const Tensor x = ones({1}).set_requires_grad();
    CHECK(grad({x * x}, {x})[0].item() == 2);
  }
  CHECK_FALSE(recording());
  CHECK(inference_mode());
}
