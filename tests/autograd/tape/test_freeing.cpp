#include "autograd/core/storage.h"
#include "tests/autograd/tape/helpers.h"

using namespace pinn;
using namespace pinn::test;

namespace {

/// Expects the error of a second pass.
template <class F> void check_second_time(F&& f) {
  CHECK_THROWS_WITH(f(), Catch::Contains("a second time") && Catch::Contains("freed") &&
                             Catch::Contains("retain_graph"));
}

}  // namespace

TEST_CASE("ENG-34 a graph that was not retained is differentiated once",
          "[autograd][tape][errors]") {
  const Tensor x = variable({2}, 1), y = exp(x);
  grad({y}, {x}, {ones({2})});

  check_second_time([&] { grad({y}, {x}, {ones({2})}); });
}

TEST_CASE("ENG-34 a recorded pass may still free the graph it ran through",
          "[autograd][tape][errors]") {
  const Tensor x = variable({2}, 1), y = exp(x);
  const Tensor g = grad({y}, {x}, {ones({2})}, {.create_graph = true, .retain_graph = false})[0];

  CHECK(g.requires_grad());
  check_second_time([&] { grad({y}, {x}, {ones({2})}); });
}

TEST_CASE("ENG-35 a graph that saved nothing can be run again", "[autograd][tape]") {
  const Tensor b = variable({2}, 1), y = b + 1.0;

  backward({y}, {ones({2})});
  backward({y}, {ones({2})});

  CHECK(b.grad().values() == std::vector<double>{2, 2});
}

TEST_CASE("ENG-36 saved tensors go one by one as their nodes run, or stay if retained",
          "[autograd][tape]") {
  const bool retain = GENERATE(false, true);
  std::vector<std::int64_t> live;
  const Tensor x = normal({1000}, 1).set_requires_grad();
  Tensor y = x;
  for (int i = 0; i < 50; ++i) {
    y = exp(0.01 * y);
    y = custom(y, "probe", [&live](auto&, const Gradients& g) {
      live.push_back(memory_use(Device::cpu).live);
      return g;
    });
  }

  grad({y}, {x}, {ones({1000})}, {.retain_graph = retain});

  REQUIRE(live.size() == 50);
  // The first nodes run before the seed has been replaced by a gradient of the pass itself.
  for (std::size_t i = 3; i < live.size(); ++i)
    if (retain)
      CHECK(live[i] == live[2]);
    else
      CHECK(live[i] < live[i - 1]);
}

TEST_CASE("ENG-37 nodes that did not run keep what they saved", "[autograd][tape][errors]") {
  const Tensor x = variable({2}, 1), w = variable({2}, 2);
  const Tensor other = exp(w), y = exp(x) * other;
  grad({y}, {x}, {ones({2})});

  // exp(w) was not on the path to x: another branch may still use it.
  const Tensor z = 3.0 * other;
  CHECK(relative_distance(grad({z}, {w}, {ones({2})}, {.retain_graph = true})[0],
                          3.0 * other.detach()) < 1e-15);
  check_second_time([&] { grad({y}, {w}, {ones({2})}); });
}
