#include "autograd/tape/custom_function.h"
#include "autograd/tape/forward_mode.h"
#include "autograd/tape/hooks.h"
#include "autograd/tape/save_on.h"
#include "tests/autograd/tape/helpers.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Contains;
using Values = std::vector<double>;

namespace {

/// 3 x^2 + ..., in place: x^2 doubled, plus x.
Tensor changed(const Tensor& x) {
  Tensor z = x * x;
  mul_in_place(z, 2.0);
  add_in_place(z, x);
  return z;
}

/// Nodes and tensors that `work` leaves behind.
template <class Work> std::int64_t left_by(const Work& work) {
  const std::int64_t before = live_nodes() + live_tensors();
  work();
  return live_nodes() + live_tensors() - before;
}

}  // namespace

TEST_CASE("a recorded change in place changes the tangent", "[autograd][tape]") {
  const bool requires_grad = GENERATE(false, true);
  const Tensor x = full({}, 3).set_requires_grad(requires_grad);

  // z = 2 x^2 + x
  const Jvp j = jvp([](const auto& in) { return changed(in[0]); }, {x}, {ones({})});

  CHECK(j.value.item() == 21);
  CHECK(j.tangent.item() == 13);
}

TEST_CASE("the Hessian of a function that works in place is that of its values",
          "[autograd][tape]") {
  const Tensor t = full({}, 3);
  const auto cube = [](const Tensor& x) {
    Tensor y = x * x;
    mul_in_place(y, 3.0 * x);
    return y;
  };

  CHECK(hvp(cube, t, ones({})).gradient.item() == 81);
  CHECK(hvp(cube, t, ones({})).product.item() == 54);
}

TEST_CASE("the tangent of a copy in place replaces that of what it covers", "[autograd][tape]") {
  const Tensor x = normal({4}, 1), v = normal({4}, 2);
  const TensorFunction f = [](const auto& in) {
    Tensor y = 2.0 * in[0], part = slice(y, 0, 1, 3);
    copy_in_place(part, ones({2}));
    return y;
  };

  const Values dy = jvp(f, {x}, {v}).tangent.values(), dx = v.values();

  CHECK(dy == Values{2 * dx[0], 0, 0, 2 * dx[3]});
}

TEST_CASE("a tensor multiplied in place has a gradient by the factor", "[autograd][tape]") {
  const Tensor x = variable({3}, 1), w = variable({3}, 2);
  Tensor z = x + 1.0;
  mul_in_place(z, w);

  CHECK(distance(grad({sum(z)}, {w}, {}, {.retain_graph = true})[0], x.detach() + 1.0) < 1e-15);
  CHECK(grad(sum(z), x).values() == w.values());
}

TEST_CASE("a tensor may be multiplied in place by itself and by views of itself",
          "[autograd][tape]") {
  const Tensor x = full({2}, 3).set_requires_grad();
  Tensor z = 1.0 * x;
  mul_in_place(z, z);
  CHECK(grad(sum(z), x).values() == Values{6, 6});

  Tensor y = 1.0 * x;
  mul_in_place(y, slice(y, 0, 0, 1));
  CHECK(grad(sum(y), x).values() == Values{9, 3});
}

TEST_CASE("changes in place leave nothing behind", "[autograd][tape]") {
  const Tensor x = variable({8}, 1), w = variable({8}, 2);
  backward(sum(x * w));  // makes what leaves own
  using Change = std::function<void(Tensor&)>;
  const auto [what, change] = GENERATE_COPY(table<const char*, Change>({
      {"by a factor that requires a gradient", [=](Tensor& z) { mul_in_place(z, w); }},
      {"by what was made of the tensor", [=](Tensor& z) { add_in_place(z, z * w); }},
      {"by what was made of a view",
       [=](Tensor& z) {
         Tensor part = slice(z, 0, 0, 4);
         add_in_place(part, slice(z, 0, 4, 8) * slice(w, 0, 0, 4));
       }},
      {"by what a checkpoint made of it",
       [=](Tensor& z) {
         const TensorFunction f = [](const auto& in) { return exp(in[0]) * in[1]; };
         add_in_place(z, checkpoint(f, std::vector<Tensor>{z, w}));
       }},
      {"of two tensors by each other",
       [&](Tensor& z) {
         Tensor y = 1.0 * w;
         const Tensor of_y = y * w, of_z = z * w;
         add_in_place(y, of_z);
         add_in_place(z, of_y);
         add_in_place(y, z);
       }},
  }));
  INFO(what);

  CHECK(left_by([&, &change = change] {
          for (int i = 0; i < 10; ++i) {
            Tensor z = 1.0 * x, buffer = zeros({8});
            change(z);
            change(buffer);
          }
        }) == 0);
}

TEST_CASE("a copy in place drops the old history and takes the new one", "[autograd][tape]") {
  const Tensor x = variable({3}, 1), w = variable({3}, 2);
  Tensor y = 2.0 * x;
  copy_in_place(y, ones({3}));
  CHECK(grad(sum(y), x, {.materialize = true}).values() == Values{0, 0, 0});

  copy_in_place(y, 3.0 * w);
  CHECK(grad({sum(y)}, {w}, {}, {.retain_graph = true})[0].values() == Values{3, 3, 3});
  CHECK(grad(sum(y), x, {.materialize = true}).values() == Values{0, 0, 0});

  Tensor rounded = zeros({3}, DType::float32);
  copy_in_place(rounded, w);
  CHECK(grad(sum(rounded), w).values() == Values{1, 1, 1});
}

TEST_CASE("a view that is older than its base's history follows it", "[autograd][tape]") {
  const Tensor w = variable({4}, 1);
  Tensor t = zeros({4});
  const Tensor v = slice(t, 0, 0, 2);
  add_in_place(t, w);

  const Tensor g = grad(sum(v * slice(w, 0, 0, 2)), w);  // sum of w^2 over the first half

  CHECK(v.requires_grad());
  const Values at = w.values();
  CHECK(g.values() == Values{2 * at[0], 2 * at[1], 0, 0});
}

TEST_CASE("a buffer that is filled through views has the history of what fills it",
          "[autograd][tape]") {
  const Tensor w = variable({2}, 1);
  Tensor buffer = zeros({3, 2});
  for (int i = 0; i < 3; ++i) {
    Tensor row = select(buffer, 0, i);
    add_in_place(row, double(i + 1) * sin(w));
  }

  const Tensor g = grad({sum(buffer)}, {w}, {}, {.retain_graph = true})[0];
  const Tensor column = grad(sum(select(transpose(buffer), 0, 1)), w);

  CHECK(distance(g, 6.0 * cos(w.detach())) < 1e-15);
  CHECK(distance(column, from_values({0, 6 * std::cos(w.values()[1])}, {2})) < 1e-14);
}

TEST_CASE("views and what they are views of follow each other's changes", "[autograd][tape]") {
  const Tensor x = variable({4}, 1);
  Tensor z = 2.0 * x;
  Tensor left = slice(z, 0, 0, 3), right = slice(z, 0, 1, 4), all = reshape(z, {2, 2});
  mul_in_place(left, 5.0);
  add_in_place(right, 7.0);
  mul_in_place(z, 3.0);
  copy_in_place(all, transpose(all));

  // z = 3 * {10 x0, 10 x2 + 7, 10 x1 + 7, 2 x3 + 7}
  CHECK(grad({left}, {x}, {ones({3})}, {.retain_graph = true})[0].values() ==
        Values{30, 30, 30, 0});
  CHECK(grad({right}, {x}, {ones({3})}, {.retain_graph = true})[0].values() ==
        Values{0, 30, 30, 6});
  CHECK(grad({all}, {x}, {normal({2, 2}, 7)}, {.retain_graph = true})[0].values() ==
        grad({z}, {x}, {reshape(normal({2, 2}, 7), {4})}, {.retain_graph = true})[0].values());
}

TEST_CASE("a retained gradient of a view follows it through a change of its base",
          "[autograd][tape]") {
  const Tensor x = variable({4}, 1);
  Tensor z = 1.0 * x;
  const Tensor part = slice(z, 0, 0, 2);
  retain_grad(part);
  mul_in_place(z, 2.0);

  backward(sum(3.0 * part));

  CHECK(part.grad().values() == Values{3, 3});
  CHECK(x.grad().values() == Values{6, 6, 0, 0});
}

TEST_CASE("a copy that a reshape had to make keeps its derivatives when a part of it changes",
          "[autograd][tape]") {
  const Tensor x = variable({2, 3}, 1), w = normal({6}, 2), v = normal({2, 3}, 3);
  const TensorFunction f = [&](const auto& in) {
    const Tensor r = reshape(transpose(in[0] * in[0]), {6});
    slice(r, 0, 1, 3) *= 3.0;
    Tensor part = slice(r, 0, 4, 5);
    copy_in_place(part, part);
    return sum(r * w);
  };
  const Tensor weights = w * from_values({1, 3, 3, 1, 1, 1}, {6});
  const Tensor slope = 2.0 * x * transpose(reshape(weights, {3, 2}));

  CHECK(relative_distance(grad(f({x}), x), slope) < 1e-15);
  CHECK(jvp(f, {x}, {v}).tangent.item() == Approx(sum(slope * v).item()).epsilon(1e-14));
}

TEST_CASE("batched gradients pass through changes of views", "[autograd][tape]") {
  const Tensor x = variable({3}, 1);
  Tensor z = 2.0 * x, middle = slice(z, 0, 1, 2);
  mul_in_place(middle, 5.0);
  const Tensor seeds = normal({4, 3}, 2);

  const Tensor g = grad({z}, {x}, {seeds}, {.retain_graph = true, .batched = true})[0];

  for (int i = 0; i < 4; ++i)
    CHECK(select(g, 0, i).values() ==
          grad({z}, {x}, {select(seeds, 0, i)}, {.retain_graph = true})[0].values());
}

TEST_CASE("a change in place is refused where somebody would not notice",
          "[autograd][tape][errors]") {
  const Tensor x = variable({4}, 1), w = variable({2}, 2);
  const auto identity = std::make_shared<CustomFunction>();
  identity->name = "identity";
  identity->forward = [](CustomCall&, const std::vector<Tensor>& in) { return in; };
  identity->backward = [](CustomCall&, const Gradients& g) { return g; };
  Tensor z = 2.0 * x, y = call(identity, {z})[0];
  CHECK_THROWS_WITH(mul_in_place(y, 2.0), Contains("a custom function made it"));
  CHECK_THROWS_WITH(mul_in_place(z, 2.0), Contains("returned as its output"));

  Tensor base = zeros({4}), leaf = slice(base, 0, 0, 2);
  leaf.set_requires_grad();
  CHECK_THROWS_WITH(add_in_place(base, x), Contains("a view of which is a leaf"));

  Tensor cut = 2.0 * x, part = slice(cut, 0, 0, 2);
  cut.detach_in_place();
  CHECK_THROWS_WITH(add_in_place(part, w), Contains("detached in place while it had views"));

  Tensor wide = expand(zeros({1}), {2}).detach(), one = slice(wide, 0, 0, 1);
  CHECK_THROWS_WITH(add_in_place(one, slice(w, 0, 0, 1)), Contains("in what this is a view of"));

  const TensorFunction change_input = [](const auto& in) {
    Tensor own = in[0];
    mul_in_place(own, 2.0);
    return own;
  };
  CHECK_THROWS_WITH(jvp(change_input, {2.0 * x}, {ones({4})}), Contains("make_dual made it"));
  CHECK_THROWS_WITH(jvp(change_input, {ones({4})}, {ones({4})}), Contains("share its memory"));
}

TEST_CASE("what a change in place made old is not read by a derivative",
          "[autograd][tape][errors]") {
  const Tensor x = variable({4}, 1);
  Tensor z = 2.0 * x;
  const Tensor square_of_view = sum(square(slice(z, 0, 0, 2)));
  add_in_place(z, x);

  CHECK_THROWS_WITH(grad(square_of_view, x), Contains("is at version 1; expected version 0"));
}
