// Effect of hooks of saved tensors on derivatives, and when they are called.
#include <thread>

#include "tests/autograd/tape/saved_helpers.h"

using namespace pinn;
using namespace pinn::test;

TEST_CASE("with identity hooks a slot gives back its tensor's place on the tape",
          "[autograd][tape]") {
  const Tensor a = variable({2}, 1), h = sin(a);
  const SavedHooksScope scope(identity());
  const Tensor by_leaf = square(a), by_input = square(h), by_output = exp(h);

  const Tensor leaf = by_leaf.node()->unpack(0), input = by_input.node()->unpack(0),
               output = by_output.node()->unpack(1);
  CHECK(leaf.is_leaf());
  CHECK(edge_of(leaf).node == edge_of(a).node);
  CHECK(input.node() == h.node());
  CHECK(output.node() == by_output.node());
  CHECK(output.output_number() == 0);
  CHECK(input.requires_grad());
  CHECK(output.values() == by_output.values());
}

TEST_CASE("SAV-06 a pair that is no inverse scales the derivative until its scope ends",
          "[autograd][tape]") {
  const Tensor x = variable({3}, 1);
  const auto slope = [&] { return grad(sum(x * x), x); };
  {
    const SavedHooksScope scope(scaling(2, 0.5));
    CHECK(distance(slope(), 2 * x) == 0);
  }
  {
    const SavedHooksScope scope(scaling(2, 1));
    CHECK(distance(slope(), 4 * x) == 0);
  }
  CHECK(distance(slope(), 2 * x) == 0);
}

TEST_CASE("the scope in which a tensor is saved decides, not that of the backward pass",
          "[autograd][tape]") {
  const Tensor x = variable({3}, 1);
  Tensor inside;
  {
    const SavedHooksScope scope(scaling(2, 1));
    inside = x * x;
  }
  const Tensor outside = x * x;
  const SavedHooksScope scope(scaling(5, 1));

  CHECK(distance(grad({inside}, {x}, {ones({3})})[0], 4 * x) == 0);
  CHECK(distance(grad({outside}, {x}, {ones({3})})[0], 2 * x) == 0);
}

TEST_CASE("SAV-07 hooks on one slot change that slot only", "[autograd][tape]") {
  const Tensor x = variable({3}, 1);
  const Tensor y = x * x;
  y.node()->slots()[0].register_hooks(*y.node(), scaling(2, 1));

  CHECK(distance(grad({y}, {x}, {ones({3})})[0], 3 * x) < 1e-15);
}

TEST_CASE("a slot that got hooks lets its tensor go", "[autograd][tape]") {
  const Tensor x = variable({3}, 1);
  const Tensor y = square(sin(x));
  const std::int64_t before = memory_use(Device::cpu).live;
  y.node()->slots()[0].register_hooks(*y.node(), hooks([](const Tensor&) { return zeros({}); },
                                                       [](const Tensor&) { return full({3}, 7); }));

  CHECK(memory_use(Device::cpu).live < before);
}

TEST_CASE("SAV-08 of nested scopes the innermost alone applies", "[autograd][tape]") {
  const Tensor a = variable({}, 1), b = variable({}, 2);
  const SavedHooksScope outer(scaling(3, 3));
  Tensor inner_made;
  {
    const SavedHooksScope inner(scaling(5, 5));
    inner_made = a * a;
  }
  const Tensor outer_made = b * b;

  CHECK(grad(inner_made, a).item() == Approx(50 * a.item()));
  CHECK(grad(outer_made, b).item() == Approx(18 * b.item()));
  const SavedHooksScope none(nullptr);
  CHECK(grad(a * a, a).item() == Approx(2 * a.item()));
}

TEST_CASE("SAV-10 pack is called at once and per slot, unpack per read", "[autograd][tape]") {
  const Counting counters;
  const Tensor x = variable({3}, 1), c = normal({3}, 2);
  const SavedHooksScope scope(identity());

  const Tensor y = x * x;
  CHECK(stats().pack_calls == 2);
  const Tensor z = x * c;
  CHECK(stats().pack_calls == 3);
  CHECK(stats().unpack_calls == 0);
  grad({y}, {x}, {ones({3})});
  CHECK(stats().unpack_calls == 2);
  grad({z}, {x}, {ones({3})});
  CHECK(stats().unpack_calls == 3);
}

TEST_CASE("a formula that is not wanted unpacks nothing", "[autograd][tape]") {
  const Counting counters;
  const Tensor x = variable({3, 2}, 1), w = variable({2, 4}, 2);
  const SavedHooksScope scope(identity());
  const Tensor y = matmul(x, w);

  grad({y}, {x}, {ones({3, 4})}, {.retain_graph = true});
  CHECK(stats().unpack_calls == 1);
  const Tensor never = sin(y);
  CHECK(stats().unpack_calls == 1);
}

TEST_CASE("SAV-11 a plain number is not packed", "[autograd][tape]") {
  const DType dtype = GENERATE(DType::float64, DType::float32);
  const Tensor x = variable({3}, 1, dtype);
  const SavedHooksScope scope(
      hooks([](const Tensor& t) -> Tensor { throw t; }, [](auto t) { return t; }));

  CHECK_NOTHROW(x * 3.0);
}

TEST_CASE("hooks may decline a tensor, which then is kept and watched", "[autograd][tape]") {
  SavedHooks pair = *identity();
  pair.pack = [](const Tensor&, const SavedContext&) { return std::optional<Packed>(); };
  const SavedHooksScope scope(std::make_shared<const SavedHooks>(pair));
  Tensor c = normal({3}, 2);
  const Tensor x = variable({3}, 1), y = x * c;

  CHECK(y.node()->unpack(1).body() == c.body());
  add_in_place(c, ones({3}));
  CHECK_THROWS_WITH(grad({y}, {x}, {ones({3})}), Catch::Contains("version 1; expected version 0"));
}

TEST_CASE("pack is told what the tensor is", "[autograd][tape]") {
  std::vector<SavedContext> told;
  std::vector<bool> bare;
  SavedHooks pair = *identity();
  pair.pack = [&](const Tensor& t, const SavedContext& context) {
    told.push_back(context);
    bare.push_back(t.is_leaf() && !t.requires_grad() && !recording());
    return Packed{{t}, nullptr};
  };
  const Tensor w = variable({2, 4}, 1), x = normal({3, 2}, 2);
  const SavedHooksScope scope(std::make_shared<const SavedHooks>(pair));
  const Tensor y = exp(matmul(x, w));
  const Tensor z = y * expand(variable({1, 4}, 3), {3, 4});

  REQUIRE(told.size() == 4);
  CHECK(std::string(told[0].op) == "matmul");
  CHECK(std::string(told[0].slot) == "x");
  CHECK((told[0].is_leaf && !told[0].is_parameter && !told[0].is_output));
  CHECK(told[0].bytes == 48);
  CHECK((!told[1].is_leaf && told[1].is_output));
  CHECK(std::string(told[1].op) == "exp");
  CHECK((!told[2].is_leaf && !told[2].is_output));
  CHECK(told[3].bytes == 32);  // the expanded axis counts once
  CHECK(bare == std::vector<bool>(4, true));
}

TEST_CASE("SAV-16 hooks around the forward and the backward pass multiply", "[autograd][tape]") {
  const Tensor a = full({}, 3).set_requires_grad();
  const auto second = [&](const SavedHooksPtr& forward, const SavedHooksPtr& backward) {
    Tensor y, first;
    {
      const SavedHooksScope scope(forward);
      y = power(a, 3);
    }
    {
      const SavedHooksScope scope(backward);
      first = grad(y, a, {.create_graph = true});
    }
    return grad(first, a).item();
  };
  const SavedHooksPtr twice = scaling(2, 1);

  CHECK(second(identity(), identity()) == 6 * 3);
  CHECK(second(twice, nullptr) == 6 * 2 * 3);
  CHECK(second(nullptr, twice) == 6 * 4 * 3);  // the recorded pass saves both a and its seed
  CHECK(second(twice, twice) == 6 * 8 * 3);
}

TEST_CASE("SAV-18 a retained graph packs once and unpacks at every pass", "[autograd][tape]") {
  const Counting counters;
  const Tensor x = variable({3}, 1);
  const SavedHooksScope scope(identity());
  const Tensor y = sum(x * x);
  grad({y}, {x}, {}, {.retain_graph = true});
  grad(y, x);

  CHECK(stats().pack_calls == 2);
  CHECK(stats().unpack_calls == 4);
}

TEST_CASE("SAV-22 scopes that a hook leaves open, or closes, are put right", "[autograd][tape]") {
  std::unique_ptr<SavedHooksScope> left_open, closed_inside;
  const Tensor x = variable({3}, 1);
  const SavedHooksScope outer(hooks([](const Tensor& t) { return t; },
                                    [&](const Tensor& t) {
                                      left_open = std::make_unique<SavedHooksScope>(scaling(7, 1));
                                      closed_inside.reset();
                                      return t;
                                    }));
  closed_inside = std::make_unique<SavedHooksScope>(nullptr);
  const SavedHooksPtr before = current_saved_hooks();
  CHECK(before == nullptr);
  Tensor y;
  {
    const SavedHooksScope again(scaling(1, 1));
    y = square(x);
  }
  closed_inside.reset();
  y = square(x);
  grad({y}, {x}, {ones({3})});

  CHECK(current_saved_hooks() != nullptr);
  CHECK(current_saved_hooks()->name == "test");
  left_open.reset();  // closes nothing that is still open
  CHECK(distance(grad({square(x)}, {x}, {ones({3})})[0], 2 * x) == 0);
}

TEST_CASE("SAV-23 hooks of one thread say nothing to another", "[autograd][tape]") {
  const Tensor x = variable({3}, 1);
  const SavedHooksScope scope(scaling(2, 1));
  Tensor there;
  std::thread([&] { there = grad({square(x)}, {x}, {ones({3})})[0]; }).join();

  CHECK(distance(there, 2 * x) == 0);
}

TEST_CASE("SAV-24 a change of what was unpacked leaves the original's version alone",
          "[autograd][tape]") {
  const Tensor x = variable({3}, 1), h = sin(x);
  const SavedHooksScope scope(
      hooks([](const Tensor& t) { return t.clone(); }, [](const Tensor& t) { return t.clone(); }));
  const Tensor y = h.detach().clone();
  const auto node = record({y}, {h}, "mutates", [](TestNode& n, const Gradients& g) {
    Tensor found = n.unpack(0);
    const NoGrad off;
    add_in_place(found, ones({3}));
    return Gradients{g[0]};
  });
  node->save(0, h);
  grad({y}, {x}, {ones({3})});

  CHECK(h.version() == 0);
}

TEST_CASE("ENG-55 under identity hooks, too, a node does not own itself", "[autograd][tape]") {
  const std::int64_t nodes = live_nodes(), tensors = live_tensors();
  {
    const SavedHooksScope scope(identity());
    const Tensor y = exp(variable({3}, 1));
  }
  CHECK(live_nodes() == nodes);
  CHECK(live_tensors() == tensors);
}

TEST_CASE("a deep chain through packed tensors is destroyed without recursion",
          "[autograd][tape]") {
  Tensor y = variable({}, 1);
  {
    const SavedHooksScope scope(identity());
    for (int i = 0; i < 200000; ++i) y = sin(y);
  }
  const std::int64_t before = live_nodes();
  y = Tensor();
  CHECK(live_nodes() == before - 200001);  // and the accumulator
}
