#include "autograd/tape/hooks.h"
#include "tests/autograd/tape/helpers.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Contains;

TEST_CASE("ENG-74 a leaf is changed in place only under NoGrad", "[autograd][tape][errors]") {
  Tensor x = variable({2}, 1);
  const std::uint32_t version = x.version();

  CHECK_THROWS_WITH(
      add_in_place(x, ones({2})),
      Contains("add_in_place: a leaf that requires a gradient was changed") && Contains("NoGrad"));
  CHECK(x.version() == version);
  const NoGrad off;
  add_in_place(x, ones({2}));
  CHECK(x.version() == version + 1);
  copy_in_place(x, zeros({2}));
  CHECK(x.version() == version + 2);
}

TEST_CASE("ENG-75 a saved tensor that was changed is an error where it is needed",
          "[autograd][tape][errors]") {
  const Tensor x = variable({2}, 1), y = variable({2}, 2);
  Tensor z = x * y;
  const Tensor w = z * y, q = z + y;
  {
    const NoGrad off;
    add_in_place(z, ones({2}));
  }

  // By x only y is needed; by y the old z.
  CHECK_NOTHROW(grad({w}, {x}, {ones({2})}, {.retain_graph = true}));
  CHECK_THROWS_WITH(
      grad({w}, {y}, {ones({2})}, {.retain_graph = true}),
      Contains("modified by an inplace operation: float64 [2], which is output 0 of mul, is at "
               "version 1; expected version 0") &&
          Contains("saved by node 'mul'"));
  CHECK(relative_distance(grad({q}, {y}, {ones({2})})[0], 1.0 + x.detach()) < 1e-15);
}

TEST_CASE("ENG-75 a recorded change leaves who used the tensor before with its old place",
          "[autograd][tape][errors]") {
  const Tensor x = variable({2}, 1), y = variable({2}, 2);
  Tensor z = x * y;
  const Tensor before = 3.0 * z, w = z * y;

  add_in_place(z, y);  // z = x y + y

  CHECK(z.version() == 1);
  CHECK(relative_distance(z.detach(), (x * y + y).detach()) < 1e-15);
  CHECK(relative_distance(grad({z}, {y}, {ones({2})}, {.retain_graph = true})[0],
                          1.0 + x.detach()) < 1e-15);
  CHECK(relative_distance(grad({before}, {y}, {ones({2})}, {.retain_graph = true})[0],
                          3.0 * x.detach()) < 1e-15);
  CHECK_THROWS_WITH(grad({w}, {y}, {ones({2})}), Contains("is at version 1; expected version 0"));
}

TEST_CASE("ENG-62 a hook stays with the value it was put on when the tensor is changed",
          "[autograd][tape]") {
  const Tensor x = variable({2}, 1);
  Tensor b = 1.0 * x;
  std::vector<double> first, second;
  on_gradient(b, [&](const Tensor& g) { return first = g.values(), g; });
  mul_in_place(b, 2.0);
  on_gradient(b, [&](const Tensor& g) { return second = g.values(), g; });

  backward(sum(b));

  CHECK(first == std::vector<double>{2, 2});
  CHECK(second == std::vector<double>{1, 1});
  CHECK(x.grad().values() == std::vector<double>{2, 2});
}

TEST_CASE("a retained gradient follows the tensor through a change in place", "[autograd][tape]") {
  const Tensor x = variable({2}, 1);
  Tensor b = 1.0 * x;
  retain_grad(b);
  mul_in_place(b, 2.0);

  backward(sum(3.0 * b));

  CHECK(b.grad().values() == std::vector<double>{3, 3});
}

TEST_CASE("ENG-76 a detached tensor shares memory and version", "[autograd][tape][errors]") {
  const Tensor x = variable({2}, 1), y = x * x;
  Tensor d = x.detach();
  CHECK(d.storage_id() == x.storage_id());
  CHECK_FALSE(d.requires_grad());

  add_in_place(d, ones({2}));

  CHECK(x.version() == 1);
  CHECK(x.values() == d.values());
  CHECK_THROWS_WITH(grad({y}, {x}, {ones({2})}), Contains("inplace"));
}

TEST_CASE("ENG-77 a view of a leaf that requires a gradient is not changed in place",
          "[autograd][tape][errors]") {
  const Tensor x = variable({4}, 1);
  Tensor view = slice(x, 0, 0, 2);

  CHECK_THROWS_WITH(add_in_place(view, ones({2})), Contains("a view with history"));
  CHECK_THROWS_WITH(copy_in_place(view, ones({2})), Contains("a view with history"));
}

TEST_CASE("a change through a view is a change of its base", "[autograd][tape]") {
  const Tensor x = zeros({2, 3});
  Tensor column = slice(x, 1, 1, 2);

  copy_in_place(column, ones({2, 1}));

  CHECK(x.values() == std::vector<double>{0, 1, 0, 0, 1, 0});
  CHECK(x.version() == 1);
}

TEST_CASE("a tensor may be changed by a window on its own memory", "[autograd][tape]") {
  Tensor t = from_values({1, 2, 3, 4}, {4});
  Tensor back = slice(t, 0, 1, 4);

  add_in_place(back, slice(t, 0, 0, 3));

  CHECK(t.values() == std::vector<double>{1, 3, 5, 7});
}

TEST_CASE("changes in place check shapes and expanded memory", "[autograd][tape][errors]") {
  Tensor t = zeros({3}), wide = expand(zeros({1}), {3});

  CHECK_THROWS_WITH(add_in_place(t, zeros({2})), Contains("[3] and [2]"));
  CHECK_THROWS_WITH(add_in_place(t, zeros({3}, DType::float32)),
                    Contains("the tensors have different dtypes"));
  CHECK_THROWS_WITH(copy_in_place(t, zeros({2})), Contains("copy_in_place needs equal shapes"));
  CHECK_THROWS_WITH(add_in_place(wide, ones({3})), Contains("one element stands for several"));
  add_in_place(t, 1.0);
  add_in_place(t, ones({1}));
  CHECK(t.values() == std::vector<double>{2, 2, 2});
  copy_in_place(t, full({3}, 3, DType::float32));
  CHECK(t.values() == std::vector<double>{3, 3, 3});
}

TEST_CASE("ENG-72 a view made under NoGrad is not changed in place where its base's history counts",
          "[autograd][tape][errors]") {
  const Tensor x = variable({4}, 1);
  Tensor view, part;
  {
    const NoGrad off;
    view = slice(x, 0, 0, 2);
    part = select(reshape(view, {2, 1}), 1, 0);
  }
  CHECK_THROWS_WITH(add_in_place(view, ones({2})), Contains("view created in no_grad mode"));
  CHECK_THROWS_WITH(add_in_place(part, ones({2})), Contains("view created in no_grad mode"));
  Tensor own = view.detach();
  add_in_place(own, ones({2}));  // asked for: it has nothing to do with x's history any more
  const NoGrad off;
  add_in_place(view, ones({2}));
  CHECK(x.version() == 2);
}

TEST_CASE("detach_in_place makes a leaf, but not of a view", "[autograd][tape][errors]") {
  const Tensor x = variable({4}, 1);
  Tensor y = exp(x), view = slice(exp(x), 0, 0, 2);

  CHECK_THROWS_WITH(view.detach_in_place(), Contains("a view cannot be detached in place"));
  y.detach_in_place();
  CHECK(y.is_leaf());
  CHECK_FALSE(y.requires_grad());
}

TEST_CASE("a copy in place repeats its source as it has to", "[autograd][tape][errors]") {
  Tensor t = zeros({2, 3});
  const Tensor row = from_values({1, 2, 3}, {3}).set_requires_grad();
  copy_in_place(t, row);
  CHECK(t.values() == std::vector<double>{1, 2, 3, 1, 2, 3});
  CHECK(grad({sum(t)}, {row})[0].values() == std::vector<double>{2, 2, 2});
  CHECK_THROWS_WITH(copy_in_place(t, ones({2})), Contains("a source that broadcasts"));
}

TEST_CASE("a tensor without elements is changed and differentiated as any other",
          "[autograd][tape]") {
  for (const Shape& shape : {Shape{0}, Shape{0, 3}, Shape{3, 0}, Shape{2, 0, 3}}) {
    Tensor x = zeros(shape).set_requires_grad(), y = zeros(shape);
    backward(sum(x * x));
    backward(sum(x * x));
    CHECK(x.grad().shape() == shape);
    y += 1.0, y -= x.detach(), y *= 2.0, y /= 2.0;
    copy_in_place(y, zeros({}));
    CHECK(y.version() == 5);
  }
}
