#include "autograd/tape/hooks.h"

#include "tests/autograd/tape/helpers.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Contains;

namespace {

using Log = std::vector<int>;

GradientHook logs(Log& log, int what) {
  return [&log, what](const Tensor& g) {
    log.push_back(what);
    return g;
  };
}
NodePreHook node_logs(Log& log, int what) {
  return [&log, what](const Gradients& g) {
    log.push_back(what);
    return g;
  };
}
GradientHook times(double factor) {
  return [factor](const Tensor& g) { return factor * g; };
}

/// "1110": which gradients were there.
std::string pattern(const std::vector<Tensor>& gradients) {
  std::string text;
  for (const Tensor& g : gradients) text += g.defined() ? '1' : '0';
  return text;
}

}  // namespace

TEST_CASE("ENG-58 hooks of a leaf run in their order", "[autograd][tape]") {
  Tensor x = variable({}, 1);
  const NodePtr sink = edge_of(x).node;
  after_node(sink, [&](const Gradients& made, const Gradients&) {
    x.set_grad(x.grad() * 10);
    return made;
  });
  after_accumulation(x, [](const Tensor& leaf) { Tensor(leaf).set_grad(leaf.grad() + 0.5); });
  before_node(sink, [](const Gradients& g) { return Gradients{g[0] / 5}; });
  on_gradient(x, [](const Tensor& g) { return g - 2; });

  backward(x);

  CHECK(x.grad().item() == Approx(3).epsilon(1e-15));  // ((1 - 2) / 5 + 0.5) 10
}

TEST_CASE("ENG-59 hooks of tensors come before those of nodes, each kind in order",
          "[autograd][tape]") {
  Log log;
  Tensor a = variable({}, 1);
  Tensor b = a.clone();
  before_node(b.node(), node_logs(log, 2));
  on_gradient(b, logs(log, 1));
  before_node(b.node(), node_logs(log, 2));
  on_gradient(a, logs(log, 1));
  before_node(edge_of(a).node, node_logs(log, 2));
  on_gradient(a, logs(log, 1));
  const std::vector<Tensor> seed{ones({})};

  backward({b}, seed, {.retain_graph = true});
  CHECK(log == Log{1, 2, 2, 1, 1, 2});
  log.clear();
  grad({b}, {a}, seed, {.retain_graph = true});
  CHECK(log == Log{1, 2, 2, 1, 1});
  log.clear();
  backward({b}, seed, {.retain_graph = true}, std::vector<Tensor>{b});
  CHECK(log == Log{1});  // the node of b does not run: decision 29
}

TEST_CASE("ENG-59 grad() of a tensor sees its own hooks and not those of its node",
          "[autograd][tape]") {
  Tensor b = variable({}, 1).clone();
  on_gradient(b, times(3));
  before_node(b.node(), [](const Gradients& g) { return Gradients{7 * g[0]}; });

  backward({b}, {}, {}, std::vector<Tensor>{b});

  CHECK(b.grad().item() == 3);
}

TEST_CASE("ENG-60 a hook on an input of grad fires though its node does not run",
          "[autograd][tape]") {
  Log log;
  const Tensor x = variable({2}, 1), h = exp(x), y = h * h;
  on_gradient(h, logs(log, 1));
  before_node(h.node(), node_logs(log, 2));
  after_node(h.node(), [&](const Gradients& made, const Gradients&) {
    log.push_back(3);
    return made;
  });

  grad({y}, {h}, {ones({2})});

  CHECK(log == Log{1});
}

TEST_CASE("ENG-61 a retained gradient has seen all hooks, whenever they came", "[autograd][tape]") {
  const Tensor x = variable({}, 1), h = exp(x);
  on_gradient(h, times(2));
  retain_grad(h);
  on_gradient(h, times(2));

  backward(h * 1.0);

  CHECK(h.grad().item() == 4);
  CHECK(x.grad().item() == Approx(4 * std::exp(x.item())));
}

TEST_CASE("retained gradients add up as those of leaves do, once per pass", "[autograd][tape]") {
  const Tensor x = variable({}, 1), h = exp(x);
  retain_grad(h);
  retain_grad(h);
  retain_grad(x);  // a leaf has its gradient anyway
  const Tensor y = h * 3.0;

  backward(y, {.retain_graph = true});
  CHECK(h.grad().item() == 3);
  const TensorBody* before = h.grad().body();
  backward(y, {.retain_graph = true});
  CHECK(h.grad().item() == 6);
  CHECK(h.grad().body() == before);
  backward({y}, {}, {.retain_graph = true}, std::vector<Tensor>{h});
  CHECK(h.grad().item() == 9);
  CHECK(x.grad().item() == Approx(6 * std::exp(x.item())));
}

TEST_CASE("ENG-57 a tensor whose gradient is retained is not kept alive", "[autograd][tape]") {
  const Tensor x = variable({2}, 1);
  Tensor y;
  const std::int64_t before = live_tensors();
  {
    const Tensor h = x + 1.0;
    retain_grad(h);
    y = h + 1.0;
  }
  CHECK(live_tensors() == before + 1);  // y alone
  backward({y}, {ones({2})});
  CHECK(x.grad().values() == std::vector<double>{1, 1});
}

TEST_CASE("ENG-63 a hook on several tensors waits for those that the pass computes",
          "[autograd][tape]") {
  const Tensor a = variable({}, 1), b = variable({}, 2), d = variable({}, 4), c = a * b;
  std::vector<std::string> seen;
  int first = 0;
  on_all_gradients({a, b, c, d}, [&](const std::vector<Tensor>& g) { seen.push_back(pattern(g)); });
  on_any_gradient({a, b, c, d}, [&](const Tensor& g) {
    ++first;
    CHECK(g.item() == 1);  // that of c, which comes first
  });

  backward(c, {.retain_graph = true});
  CHECK(seen == std::vector<std::string>{"1110"});
  CHECK(first == 1);
  backward({c}, {}, {.retain_graph = true}, std::vector<Tensor>{a});
  CHECK(seen == std::vector<std::string>{"1110", "1010"});
  CHECK(first == 2);
}

TEST_CASE("ENG-64 a pass that fails leaves no count behind", "[autograd][tape]") {
  const Tensor a = variable({}, 1), b = variable({}, 2);
  bool fails = true;
  int calls = 0;
  on_all_gradients({a, b}, [&](const std::vector<Tensor>&) { ++calls; });
  const Tensor x = custom(b, "fails", [&](TestNode&, const Gradients& g) -> Gradients {
    if (fails) throw std::runtime_error("no");
    return g;
  });
  const Tensor y = a * 2.0 + x;

  CHECK_THROWS_WITH(backward(y, {.retain_graph = true}), "no");
  CHECK(calls == 0);
  fails = false;
  backward(y);
  CHECK(calls == 1);
}

TEST_CASE("ENG-65 only leaves have hooks after accumulation", "[autograd][tape][errors]") {
  const Tensor x = variable({2}, 1);
  CHECK_THROWS_WITH(after_accumulation(exp(x), [](const Tensor&) {}),
                    Contains("not a leaf") && Contains("on_gradient"));
  CHECK_THROWS_WITH(after_accumulation(zeros({2}), [](const Tensor&) {}),
                    Contains("does not require grad"));
  CHECK_THROWS_WITH(on_gradient(zeros({2}), times(1)), Contains("does not require grad"));
  CHECK_THROWS_WITH(retain_grad(zeros({2})), Contains("does not require grad"));
}

TEST_CASE("ENG-66 an optimizer in hooks takes the steps of one in a loop, with fewer gradients",
          "[autograd][tape]") {
  const std::int64_t n = 1000;
  const auto start = [&] { return std::vector<Tensor>{variable({n}, 1), variable({n}, 2)}; };
  const auto loss = [](const std::vector<Tensor>& w) { return sum(square(sin(w[0])) * w[1]); };
  const auto descend = [](const Tensor& w) {
    const NoGrad off;
    Tensor target = w;
    add_in_place(target, -0.1 * w.grad());
    target.set_grad({});
  };
  const auto steps = [&](const std::vector<Tensor>& w, bool by_hand) {
    for (int i = 0; i < 5; ++i) {
      backward(loss(w));
      for (const Tensor& t : w)
        if (by_hand) descend(t);
    }
  };

  const std::vector<Tensor> by_loop = start(), by_hooks = start();
  steps(by_loop, true);
  for (const Tensor& w : by_hooks) after_accumulation(w, descend);
  steps(by_hooks, false);

  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(by_loop[i].values() == by_hooks[i].values());
    CHECK_FALSE(by_hooks[i].grad().defined());
  }
}

TEST_CASE("removing a hook is final, may be repeated, and is possible within a pass",
          "[autograd][tape]") {
  Log log;
  const Tensor x = variable({}, 1);
  HookHandle self, other;
  self = on_gradient(x, [&](const Tensor& g) {
    log.push_back(1);
    self.remove();
    other.remove();
    return g;
  });
  other = on_gradient(x, logs(log, 2));
  on_gradient(x, logs(log, 3));

  backward(x * 1.0);
  backward(x * 1.0);
  self.remove();

  CHECK(log == Log{1, 3, 3});
  HookHandle outlives;
  { outlives = on_gradient(variable({}, 2), times(1)); }
  outlives.remove();
  HookHandle().remove();
}

TEST_CASE("hooks that come and go in one call leave the others in line", "[autograd][tape]") {
  Log log;
  const Tensor x = variable({}, 1);
  HookHandle first, third;
  first = on_gradient(x, [&](const Tensor& g) {
    log.push_back(1);
    first.remove();
    on_gradient(x, logs(log, 5));
    return g;
  });
  on_gradient(x, logs(log, 2));
  third = on_gradient(x, [&](const Tensor& g) {
    log.push_back(3);
    third.remove();
    on_gradient(x, logs(log, 6));
    return g;
  });
  on_gradient(x, logs(log, 4));

  backward(x * 1.0);
  CHECK(log == Log{1, 2, 3, 4, 5, 6});
  log.clear();
  backward(x * 1.0);
  CHECK(log == Log{2, 4, 5, 6});
}

TEST_CASE("a pass within a hook calls the hooks of that node anew", "[autograd][tape]") {
  Log log;
  const Tensor x = variable({}, 1);
  int depth = 0;
  HookHandle first;
  first = on_gradient(x, [&](const Tensor& g) {
    log.push_back(++depth);
    const EnableGrad recorded;
    if (depth == 1) grad(x * 1.0, x);
    first.remove();
    on_gradient(x, logs(log, 4));
    return g;
  });
  on_gradient(x, logs(log, 3));

  backward(x * 1.0);
  CHECK(log == Log{1, 2, 3, 4, 3, 4, 4});
}

TEST_CASE("a hook that is removed lets go of what it holds", "[autograd][tape]") {
  const Tensor x = variable({}, 1);
  const auto held = std::make_shared<int>(1);
  const HookHandle handle = on_gradient(x, [held](const Tensor& g) { return g; });
  CHECK(held.use_count() == 2);
  handle.remove();
  CHECK(held.use_count() == 1);
}

TEST_CASE("hooks of a leaf outlive its graphs, and serve graphs that outlive it",
          "[autograd][tape]") {
  Log log;
  Tensor y;
  {
    const Tensor x = variable({}, 1);
    on_gradient(x, logs(log, 1));
    exp(x);
    y = x + 1.0;
  }
  backward(y);
  CHECK(log == Log{1});
}

TEST_CASE("a hook must keep shape, dtype and number", "[autograd][tape][errors]") {
  const Tensor x = variable({2}, 1);
  const auto by = [&](const GradientHook& hook) {
    const HookHandle handle = on_gradient(x, hook);
    try {
      grad({x * 1.0}, {x}, {ones({2})});
    } catch (...) {
      handle.remove();
      throw;
    }
  };
  CHECK_THROWS_WITH(by([](const Tensor&) { return zeros({3}); }),
                    Contains("float64 [3] but expected float64 [2]") &&
                        Contains("output 0 of node 'accumulator'"));
  CHECK_THROWS_WITH(by([](const Tensor&) { return zeros({2}, DType::float32); }),
                    Contains("float32 [2] but expected float64 [2]"));
  const Tensor y = exp(x);
  before_node(y.node(), [](const Gradients&) { return Gradients(2); });
  CHECK_THROWS_WITH(grad({y}, {x}, {ones({2})}), Contains("returned 2 gradients but expected 1"));
}

TEST_CASE("hooks see undefined gradients, and may return them", "[autograd][tape]") {
  const Tensor x = variable({2}, 1);
  bool undefined = false;
  const Tensor none = custom(x, "none", [](TestNode&, const Gradients&) { return Gradients(1); });
  on_gradient(x, [&](const Tensor& g) {
    undefined = !g.defined();
    return g;
  });
  backward({none}, {ones({2})});
  CHECK(undefined);
  CHECK_FALSE(x.grad().defined());

  const Tensor z = variable({2}, 2);
  on_gradient(z, [](const Tensor&) { return Tensor(); });
  backward({exp(z)}, {ones({2})});
  CHECK_FALSE(z.grad().defined());
}

TEST_CASE("a hook that throws ends the pass with its exception", "[autograd][tape]") {
  struct Mine {};
  const Tensor x = variable({2}, 1), y = exp(x);
  const HookHandle handle = on_gradient(x, [](const Tensor&) -> Tensor { throw Mine(); });
  CHECK_THROWS_AS(backward({y}, {ones({2})}, {.retain_graph = true}), Mine);
  CHECK_FALSE(x.grad().defined());
  handle.remove();
  backward({y}, {ones({2})});
  CHECK(x.grad().defined());
}

TEST_CASE("a hook's gradient has history where the pass records", "[autograd][tape]") {
  const Tensor x = variable({}, 1), h = sin(x);
  on_gradient(h, [&](const Tensor& g) { return g * x; });

  const Tensor g = grad(h, x, {.create_graph = true});  // x cos x
  const double v = x.item();
  CHECK(g.item() == Approx(v * std::cos(v)));
  CHECK(grad(g, x).item() == Approx(std::cos(v) - v * std::sin(v)));
}

TEST_CASE("a hook registered while its node runs is called after it", "[autograd][tape]") {
  int calls = 0;
  const Tensor x = variable({2}, 1);
  const Tensor y = custom(x, "registers", [&](TestNode& node, const Gradients& g) {
    CHECK(running_node() == &node);
    after_node(NodePtr(running_node()), [&](const Gradients& made, const Gradients&) {
      ++calls;
      return made;
    });
    return g;
  });
  backward({y}, {ones({2})});
  CHECK(calls == 1);
  CHECK(running_node() == nullptr);
}

TEST_CASE("a pass can be asked which nodes it runs", "[autograd][tape][errors]") {
  const Tensor x = variable({2}, 1), w = variable({2}, 2), c = variable({2}, 3);
  const Tensor h = x * w, y = h * h, other = exp(c);
  std::vector<bool> answers;
  on_gradient(y, [&](const Tensor& g) {
    for (const Tensor& t : {h, x, w, other}) answers.push_back(will_execute(*edge_of(t).node));
    return g;
  });
  grad({y}, {x}, {ones({2})});
  CHECK(answers == std::vector<bool>{true, true, false, false});
  CHECK_THROWS_WITH(will_execute(*y.node()), Contains("no backward pass is running"));
}

TEST_CASE("ENG-48 callbacks run after the pass, in order, and are dropped when it fails",
          "[autograd][tape][errors]") {
  Log log;
  bool fails = false;
  const Tensor x = variable({}, 1);
  const auto y = [&] {
    return custom(exp(x), "calls", [&](TestNode&, const Gradients& g) -> Gradients {
      after_pass([&] {
        log.push_back(int(x.grad().defined()));
        after_pass([&] { log.push_back(3); });
      });
      after_pass([&] { log.push_back(2); });
      if (fails) throw std::runtime_error("no");
      return g;
    });
  };
  backward(y());
  CHECK(log == Log{1, 2, 3});

  log.clear();
  fails = true;
  CHECK_THROWS(backward(y()));
  backward(exp(x));
  CHECK(log.empty());
  CHECK_THROWS_WITH(after_pass([] {}), Contains("no backward pass is running"));
}

TEST_CASE("PRN-16 hooks on what is pruned do not fire", "[autograd][tape]") {
  const Tensor x = variable({3, 2}, 1), w = variable({2, 2}, 2);
  const Tensor turned = transpose(w), y = matmul(x, turned);
  int calls = 0;
  on_gradient(turned, [&](const Tensor& g) {
    ++calls;
    return g;
  });
  grad({y}, {x}, {ones({3, 2})}, {.retain_graph = true});
  CHECK(calls == 0);
  backward({y}, {ones({3, 2})});
  CHECK(calls == 1);
}

TEST_CASE("ENG-66 gradients that hooks consume are never all there", "[autograd][tape]") {
  constexpr std::int64_t n = 1000, leaves = 8, bytes = n * 8;
  std::vector<Tensor> w;
  for (std::uint64_t i = 0; i < leaves; ++i) w.push_back(variable({n}, i));
  const auto peak_of_a_pass = [&] {
    Tensor loss = sum(square(w[0]));
    for (std::size_t i = 1; i < w.size(); ++i) loss = loss + sum(square(w[i]));
    const std::int64_t before = memory_use(Device::cpu).live;
    reset_peak(Device::cpu);
    backward(loss);
    for (Tensor& t : w) t.set_grad({});
    return memory_use(Device::cpu).peak - before;
  };
  const std::int64_t kept = peak_of_a_pass();
  for (const Tensor& t : w)
    after_accumulation(t, [](const Tensor& leaf) { Tensor(leaf).set_grad({}); });
  const std::int64_t consumed = peak_of_a_pass();

  CHECK(kept >= leaves * bytes);
  CHECK(consumed <= kept - (leaves - 2) * bytes);
}
