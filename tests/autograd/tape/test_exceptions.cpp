#include "tests/autograd/tape/helpers.h"

using namespace pinn;
using namespace pinn::test;

namespace {

struct OwnError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace

TEST_CASE("ENG-46 an exception of a node reaches the caller and leaves nothing behind",
          "[autograd][tape][errors]") {
  const std::int64_t nodes = live_nodes(), tensors = live_tensors();
  {
    const Tensor x = variable({3}, 1);
    const Tensor y = custom(tanh(x), "fails", [](auto&, const Gradients&) -> Gradients {
      throw OwnError("in the middle");
    });
    const Tensor loss = sum(exp(y));
    bool prune = GENERATE(false, true);

    CHECK_THROWS_AS(backward(loss, {.create_graph = prune}), OwnError);
    CHECK_THROWS_WITH(backward(sum(exp(y))), "in the middle");

    // The mode is as before, and no task is left running: an unrelated node wants everything.
    CHECK(recording());
    CHECK(tanh(x).node()->wanted(0));
    backward(sum(2.0 * x));
    CHECK(x.grad().values() == std::vector<double>{2, 2, 2});
  }
  CHECK(live_nodes() == nodes);
  CHECK(live_tensors() == tensors);
}

TEST_CASE("ENG-46 a pass that fails inside another leaves the outer one as it was",
          "[autograd][tape][errors]") {
  const Tensor x = variable({3}, 1), a = variable({3}, 2);
  bool restored = false;
  const Tensor y = custom(a * x, "nested", [&](Node& node, const Gradients& g) {
    const Tensor inner = variable({2}, 3);
    try {
      grad({exp(inner)}, {inner});  // no seed for two elements
    } catch (const std::exception&) {
      restored = node.wanted(0) && !recording();
    }
    return g;
  });
  const Counting count;

  grad({y}, {x}, {ones({3})});

  CHECK(restored);
  CHECK(count.runs("mul", 0) == 0);
  CHECK(count.runs("mul", 1) == 1);
}

TEST_CASE("an op that fails records nothing", "[autograd][tape][errors]") {
  const Tensor x = variable({3}, 1), w = variable({2, 2}, 2);
  const std::int64_t nodes = live_nodes();

  CHECK_THROWS(x + normal({4}, 3));
  CHECK_THROWS(matmul(x, w));
  CHECK_THROWS(reshape(x, {2, 2}));

  CHECK(live_nodes() == nodes);
}
