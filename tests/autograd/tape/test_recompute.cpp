// Tensors that are computed again instead of being saved.
#include "autograd/tape/save_on.h"

#include "autograd/core/error.h"
#include "autograd/tape/forward_mode.h"
#include "tests/autograd/tape/network.h"
#include "tests/autograd/tape/saved_helpers.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Contains;

namespace {

using Inputs = std::vector<Tensor>;

Tensor sines(Tensor y, int n) {
  for (int i = 0; i < n; ++i) y = sin(y);
  return y;
}

/// n sines in checkpoints of `each`.
Tensor checkpointed_sines(Tensor y, int n, int each) {
  for (int i = 0; i < n; i += each)
    y = checkpoint([each](const Inputs& in) { return sines(in[0], each); }, {y});
  return y;
}

std::vector<std::vector<double>> numbers(const std::vector<Tensor>& tensors) {
  std::vector<std::vector<double>> out;
  for (const Tensor& t : tensors) out.push_back(t.values());
  return out;
}

}  // namespace

TEST_CASE("a checkpointed network has the same gradients, bit by bit", "[autograd][tape]") {
  const Perceptron net(unary_id<op::Tanh>, {2, 16, 16, 3});
  const Tensor x = variable({20, 2}, 5);
  const auto gradients = [&](bool again) {
    const Tensor y = again ? checkpoint([&](const Inputs& in) { return net(in[0]); }, {x}) : net(x);
    Inputs all = net.parameters();
    all.push_back(x);
    return numbers(grad({sum(square(y))}, all));
  };
  CHECK(gradients(true) == gradients(false));
}

TEST_CASE("derivatives of any order go through a checkpoint", "[autograd][tape]") {
  const Perceptron net(unary_id<op::Tanh>, {2, 8, 8, 1});
  const Tensor x = variable({20, 2}, 5);
  const auto gradients = [&](bool again) {
    const Tensor y = again ? checkpoint([&](const Inputs& in) { return net(in[0]); }, {x}) : net(x);
    const Tensor u_x = column_gradient(y, 0, x);
    const Tensor u_xx = grad({select(u_x, 1, 0)}, {x}, {ones({20})}, {.create_graph = true})[0];
    return numbers(grad({mean(square(u_xx))}, net.w));
  };
  CHECK(gradients(true) == gradients(false));
}

TEST_CASE("only the inputs of a checkpoint are saved", "[autograd][tape]") {
  const std::int64_t size = 8 * 10000;
  const Tensor x = variable({10000}, 1);
  const std::int64_t before = memory_use(Device::cpu).live;
  const Tensor y = checkpointed_sines(x, 24, 4);
  const std::int64_t saved = memory_use(Device::cpu).live - before;
  CHECK(saved == 6 * size);  // the inputs of all but the first, which is x, and y
  reset_peak(Device::cpu);
  grad({y}, {x}, {ones({10000})});

  // three values computed again, the fourth on its way, two gradients
  CHECK(memory_use(Device::cpu).peak - before <= saved + 6 * size);
}

TEST_CASE("what was computed again is let go at the end of a pass that retains the graph",
          "[autograd][tape]") {
  const Tensor x = variable({10000}, 1), y = checkpointed_sines(x, 24, 4);
  const Tensor seed = ones({10000});
  const std::int64_t before = memory_use(Device::cpu).live;
  const std::vector<double> first = grad({y}, {x}, {seed}, {.retain_graph = true})[0].values();

  CHECK(memory_use(Device::cpu).live == before);
  CHECK(grad({y}, {x}, {seed})[0].values() == first);
}

TEST_CASE("a checkpoint is computed once more per pass, and not at all if it is not wanted",
          "[autograd][tape]") {
  int runs = 0;
  const Tensor x = variable({3}, 1), w = variable({3}, 2);
  const Tensor h = checkpoint(
      [&](const Inputs& in) {
        ++runs;
        return sin(in[0]) * sin(in[0]) / in[0];
      },
      {x});
  const Tensor y = h * w;
  CHECK(runs == 1);
  grad({y}, {w}, {ones({3})}, {.retain_graph = true});
  CHECK(runs == 1);
  grad({y}, {x}, {ones({3})}, {.retain_graph = true});
  CHECK(runs == 2);
  grad({y}, {x}, {ones({3})});
  CHECK(runs == 3);
}

TEST_CASE("a pruned pass differentiates what it wants of a checkpoint", "[autograd][tape]") {
  const Counting counters;
  const Tensor x = variable({4, 4}, 1), w = variable({4, 4}, 2);
  const Tensor y = checkpoint([](const Inputs& in) { return matmul(sin(in[0]), in[1]); }, {x, w});
  grad({y}, {x}, {ones({4, 4})});

  CHECK(counters.runs("matmul", 0) == 1);
  CHECK(counters.runs("matmul", 1) == 0);
}

TEST_CASE("checkpoints nest, and save the inner inputs in the outer one's way",
          "[autograd][tape]") {
  const std::int64_t size = 8 * 10000;
  const Tensor x = variable({10000}, 1);
  const std::vector<double> kept = grad(sum(sines(x, 16)), x).values();
  const std::int64_t before = memory_use(Device::cpu).live;
  const Tensor y =
      checkpoint([](const Inputs& in) { return checkpointed_sines(in[0], 16, 4); }, {x});
  CHECK(memory_use(Device::cpu).live - before == size);  // y alone

  CHECK(grad(sum(y), x).values() == kept);
}

TEST_CASE("a checkpointed function may take derivatives itself", "[autograd][tape]") {
  const Tensor x = variable({5}, 1);
  const auto slope = [](const Inputs& in) {
    const Tensor t = in[0];
    return grad({power(sin(t), 3)}, {t}, {ones({5})}, {.create_graph = true})[0];
  };
  const auto kept = numbers(grad({slope({x})}, {x}, {ones({5})}));
  CHECK(numbers(grad({checkpoint(slope, {x})}, {x}, {ones({5})})) == kept);
}

TEST_CASE("hooks around checkpoints apply to their inputs", "[autograd][tape]") {
  const Tensor x = variable({1000}, 1);
  const std::vector<double> kept = grad(sum(sines(x, 12)), x).values();
  const SaveOnDisk scope(std::string(PINN_BINARY_DIR) + "/test-recompute", {.threshold = 0});
  const Tensor y = sum(checkpointed_sines(x, 12, 4));

  CHECK(scope.counts().copies == 2);  // and x is a leaf
  CHECK(grad(y, x).values() == kept);
}

TEST_CASE("a function of several outputs can be checkpointed", "[autograd][tape]") {
  const Tensor x = variable({3}, 1);
  const std::vector<Tensor> y = checkpoint(
      [](const Inputs& in) {
        return Inputs{sin(in[0]), exp(in[0])};
      },
      {x});

  CHECK(distance(grad({y[0] * y[1]}, {x}, {ones({3})})[0], exp(x) * (sin(x) + cos(x))) < 1e-14);
}

TEST_CASE("without recording a checkpoint is the function", "[autograd][tape]") {
  const NoGrad off;
  const Tensor x = variable({3}, 1);
  CHECK(checkpoint([](const Inputs& in) { return sin(in[0]); }, {x}).is_leaf());
}

TEST_CASE("a function that does something else the second time is an error",
          "[autograd][tape][errors]") {
  int runs = 0;
  const Tensor x = variable({3}, 1), other = variable({1}, 2);
  const Tensor more =
      checkpoint([&](const Inputs& in) { return runs++ == 0 ? sin(in[0]) : sin(sin(in[0])); }, {x});
  CHECK_THROWS_WITH(grad({more}, {x}, {ones({3})}),
                    Contains("something else") && Contains("more saved tensors but expected 1"));
  runs = 0;
  const Tensor less =
      checkpoint([&](const Inputs& in) { return runs++ == 0 ? sin(sin(in[0])) : sin(in[0]); }, {x});
  CHECK_THROWS_WITH(grad({less}, {x}, {ones({3})}), Contains("1 saved tensors but expected 2"));
  runs = 0;
  const Tensor shape =
      checkpoint([&](const Inputs& in) { return runs++ == 0 ? sin(in[0]) : sin(other); }, {x});
  CHECK_THROWS_WITH(grad({shape}, {x}, {ones({3})}),
                    Contains("float64 [1]") && Contains("but expected float64 [3]"));
}

TEST_CASE("inputs and captured leaves that changed since are an error",
          "[autograd][tape][errors]") {
  Tensor x = variable({3}, 1), w = variable({3}, 2);
  const auto change = [](Tensor& t) {
    const NoGrad off;
    add_in_place(t, ones({3}));
  };
  const auto f = [&](const Inputs& in) { return sin(in[0]) * w; };
  const Tensor y = checkpoint(f, {x});
  change(w);
  CHECK_THROWS_WITH(grad({y}, {x}, {ones({3})}), Contains("version 1; expected version 0"));
  const Tensor z = checkpoint(f, {x});
  change(x);
  CHECK_THROWS_WITH(grad({z}, {x}, {ones({3})}), Contains("version 1; expected version 0") &&
                                                     Contains("node 'checkpoint', slot 'input'"));
}

TEST_CASE("checkpoints leave nothing behind", "[autograd][tape]") {
  const Tensor x = variable({3}, 1);
  sin(x);
  const std::int64_t nodes = live_nodes(), tensors = live_tensors();
  {
    const Tensor unused = checkpointed_sines(x, 12, 4);
    const Tensor used = checkpointed_sines(x, 12, 4);
    grad({used}, {x}, {ones({3})}, {.retain_graph = true});
  }
  CHECK(live_nodes() == nodes);
  CHECK(live_tensors() == tensors);
}

TEST_CASE("a checkpoint's tangent can be differentiated after its level", "[autograd][tape]") {
  const Tensor x = variable({4}, 1), v = variable({4}, 2);
  const TensorFunction f = [](const auto& in) { return sum(exp(in[0]) * in[0]); };
  const TensorFunction again = [&](const auto& in) { return checkpoint(f, in); };
  const auto derivatives = [&](const TensorFunction& g) {
    return grad({jvp(g, {x}, {v}).tangent}, {x, v});
  };

  const std::vector<Tensor> found = derivatives(again), expected = derivatives(f);

  CHECK(relative_distance(found[0], expected[0]) < 1e-15);
  CHECK(relative_distance(found[1], expected[1]) < 1e-15);
}

TEST_CASE("what a checkpointed function saves and then changes is not read",
          "[autograd][tape][errors]") {
  const Tensor x = variable({4}, 1);
  const TensorFunction f = [](const auto& in) {
    Tensor y = exp(in[0]);
    mul_in_place(y, 2.0);
    return sum(y);
  };

  CHECK_THROWS_WITH(
      grad(checkpoint(f, std::vector<Tensor>{x}), x),
      Contains("modified by an inplace operation") && Contains("inside a checkpoint"));
}
