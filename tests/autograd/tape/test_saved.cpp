#include "autograd/tape/saved.h"

#include "autograd/tape/modes.h"
#include "tests/autograd/tape/helpers.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Contains;

namespace {

/// y = exp(x), which saves x and y.
struct Recorded {
  Tensor y;
  NodePtr node;
  Tensor x_slot() const { return node->unpack(0); }
  Tensor y_slot() const { return node->unpack(1); }
};

Recorded open_exp(const Tensor& x, int outputs_before = 0) {
  Recorded r{exp(x.detach()),
             make_node<TestNode>("open_exp", [](TestNode& node, const Gradients& g) {
               return Gradients{g[0] * node.unpack(1)};
             })};
  r.node->set_edges({edge_of(x)});
  for (int i = 0; i < outputs_before; ++i) r.node->add_output(r.y);
  set_history(r.y, r.node);
  r.node->save(0, x);
  r.node->save(1, r.y, true);
  return r;
}

}  // namespace

TEST_CASE("SAV-01 a saved input is the same object, a saved output another with its history",
          "[autograd][tape]") {
  const Tensor x = variable({2}, 1);
  const Recorded r = open_exp(x);

  CHECK(r.x_slot().body() == x.body());
  const Tensor y = r.y_slot();
  CHECK(y.body() != r.y.body());
  CHECK(y.storage_id() == r.y.storage_id());
  CHECK(y.node() == r.y.node());
  CHECK(y.output_number() == 0);
  CHECK(y.requires_grad());
  CHECK(y.values() == r.y.values());
}

TEST_CASE("SAV-02 what was saved cannot be read after it was freed", "[autograd][tape][errors]") {
  const Tensor x = variable({2}, 1);
  const Recorded r = open_exp(x);
  grad({r.y}, {x}, {ones({2})});

  CHECK_THROWS_WITH(r.y_slot(),
                    Contains("'open_exp'") && Contains("freed") && Contains("retain_graph"));
}

TEST_CASE("SAV-03 a saved output follows its memory, and its version is checked",
          "[autograd][tape][errors]") {
  const Tensor x = variable({2}, 1);
  Recorded r = open_exp(x);
  {
    const NoGrad off;
    add_in_place(r.y, ones({2}));
  }

  CHECK_THROWS_WITH(backward({r.y}, {ones({2})}),
                    Contains("float64 [2], which is output 0 of open_exp, is at version 1; "
                             "expected version 0"));
}

TEST_CASE("SAV-04 a saved output keeps its number", "[autograd][tape]") {
  const Recorded r = open_exp(variable({2}, 1), 1);

  CHECK(r.y.output_number() == 1);
  CHECK(r.y_slot().output_number() == 1);
}

TEST_CASE("SAV-21 a saved view notices a change of its base", "[autograd][tape][errors]") {
  const Tensor x = variable({3, 2}, 1), c = variable({3}, 2);
  const Tensor y = select(x, 1, 0) * c;
  {
    const NoGrad off;
    Tensor base = x;
    add_in_place(base, ones({3, 2}));
  }

  CHECK_THROWS_WITH(grad({y}, {c}, {ones({3})}), Contains("version 1; expected version 0"));
}

TEST_CASE("an undefined tensor is saved as such", "[autograd][tape]") {
  const Recorded r = open_exp(variable({2}, 1));
  r.node->save(2, Tensor());

  CHECK_FALSE(r.node->unpack(2).defined());
  CHECK_FALSE(r.node->unpack(7).defined());
}

TEST_CASE("SAV-05 an input that was detached in place since is an error, an output is not",
          "[autograd][tape][errors]") {
  const Tensor x = variable({2}, 1);
  Tensor a = square(x);
  const Tensor by_input = sin(a);
  a.detach_in_place();
  CHECK_THROWS_WITH(grad({by_input}, {x}, {ones({2})}),
                    Contains("detached in place") && Contains("detach()"));

  Tensor b = exp(x);
  const Tensor y = sin(x) + b;
  b.detach_in_place();
  CHECK(distance(grad({y}, {x}, {ones({2})})[0], cos(x) + exp(x)) < 1e-15);
}

TEST_CASE("an inference tensor is refused where it would be saved", "[autograd][tape][errors]") {
  const Tensor x = variable({2}, 1);
  Tensor c;
  {
    const InferenceMode evaluation;
    c = normal({2}, 2) * 2;
  }
  CHECK_THROWS_WITH(x * c, Contains("cannot be saved for a backward pass") && Contains("clone()"));
  CHECK_NOTHROW(x + c);
  CHECK_NOTHROW(x * c.clone());
}

TEST_CASE("ENG-70 the version error tells where the node was made, or how to find out",
          "[autograd][tape][errors]") {
  const Tensor x = variable({2}, 1);
  Tensor c = normal({2}, 2);
  const Tensor plain = x * c;
  Tensor traced;
  {
    const AnomalyMode on;
    const AnomalyLabel label([] { return std::string("equation 'burgers'"); });
    traced = x * c;
  }
  add_in_place(c, ones({2}));
  CHECK_THROWS_WITH(grad({plain}, {x}, {ones({2})}), Contains("AnomalyMode"));
  CHECK_THROWS_WITH(grad({traced}, {x}, {ones({2})}),
                    Contains("node 'mul', slot 'y'; 'mul' was made in equation 'burgers'"));
}
