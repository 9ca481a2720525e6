#include "autograd/tape/forward_mode.h"

#include "autograd/check/gradcheck.h"
#include "autograd/core/error.h"
#include "autograd/tape/save_on.h"
#include "tests/autograd/tape/network.h"
#include "tests/autograd/tape/saved_helpers.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Contains;

namespace {

/// Values inside [from, to], away from 0 so that kinks there are not met.
Tensor inside(const Shape& shape, double from, double to, std::uint64_t stream) {
  const Tensor x = 0.5 * (from + to) + 0.45 * (to - from) * tanh(normal(shape, stream));
  return x + 0.1 * less(abs(x), 0.05);
}

/// J u by central differences of second order in h.
Tensor difference(const TensorFunction& f, const std::vector<Tensor>& x,
                  const std::vector<Tensor>& u, double h) {
  std::vector<Tensor> above = x, below = x;
  for (std::size_t i = 0; i < x.size(); ++i) {
    above[i] = x[i] + h * u[i];
    below[i] = x[i] - h * u[i];
  }
  return (f(above) - f(below)) / (2 * h);
}

/// The error of differences at h = 1e-4 leaves with h^2; Richardson's step takes it to h^4.
Tensor extrapolated(const TensorFunction& f, const std::vector<Tensor>& x,
                    const std::vector<Tensor>& u) {
  return (4.0 * difference(f, x, u, 1e-4) - difference(f, x, u, 2e-4)) / 3.0;
}

/// A scalar that mixes all elements of x [n].
Tensor energy(const Tensor& x) {
  const Tensor y = reshape(x, {-1, 1});
  return sum(tanh(matmul(y, transpose(y))) * exp(0.3 * x)) + sum(square(x) * x);
}

Tensor unit(std::int64_t n, std::int64_t i) {
  Tensor e = zeros({n});
  e.data<double>()[std::size_t(i)] = 1;
  return e;
}

}  // namespace

TEST_CASE("FWD-01 the tangent of every unary op equals differences", "[autograd][tape]") {
  const int id = GENERATE(range(0, Unary::size));
  INFO(unary_name(id));
  visit_unary(id, [&]<class Op>() {
    const TensorFunction f = [](const auto& x) { return apply<Op>(x[0], 2.5); };
    const std::vector<Tensor> x = {inside({3, 4}, Op::from, Op::to, 1)}, u = {normal({3, 4}, 2)};

    const Tensor t = jvp(f, x, u).tangent;

    if (Op::flat)
      CHECK(!t.defined());
    else
      CHECK(distance(t, extrapolated(f, x, u)) <= 1e-6 * largest(t));
  });
}

TEST_CASE("FWD-01 the tangent of every binary op equals differences, by either side or both",
          "[autograd][tape]") {
  const int id = GENERATE(range(0, Binary::size));
  INFO(binary_name(id));
  const bool flat = visit_binary(id, []<class Op>() { return Op::flat; });
  const TensorFunction f = [id](const auto& x) { return apply_binary(id, x[0], x[1]); };
  const auto [a, b] = GENERATE(table<Shape, Shape>({{{3, 4}, {3, 4}}, {{3, 1}, {4}}}));
  const std::vector<Tensor> x = {inside(a, 0.5, 2, 1), inside(b, 0.6, 2.2, 2)};
  const Tensor du = normal(a, 3), dv = normal(b, 4);

  for (const std::vector<Tensor>& u :
       {std::vector<Tensor>{du, dv}, {du, Tensor()}, {Tensor(), dv}}) {
    const Tensor t = jvp(f, x, u).tangent;
    std::vector<Tensor> direction = {u[0].defined() ? du : zeros(a),
                                     u[1].defined() ? dv : zeros(b)};
    CHECK(t.defined() == !flat);
    if (!flat) CHECK(distance(t, extrapolated(f, x, direction)) <= 1e-6 * largest(t));
  }
}

TEST_CASE("an undefined tangent stays undefined, and no kernel runs for it", "[autograd][tape]") {
  const DualLevel level;
  const Tensor x = make_dual(normal({3, 4}, 1), normal({3, 4}, 2)), other = normal({3, 4}, 3);
  const Tensor w = normal({4, 4}, 4);

  CHECK(!tangent_of(transpose(sin(other))).defined());
  CHECK(!tangent_of(matmul(other, w)).defined());
  CHECK(!tangent_of(x.detach()).defined());
  CHECK(!tangent_of(less(x, other)).defined());
  CHECK(!tangent_of(step(x)).defined());
  CHECK(tangent_of(x + other).storage_id() == tangent_of(x).storage_id());
}

TEST_CASE("the half of a product whose tangent is undefined is skipped", "[autograd][tape]") {
  const Tensor x = normal({3, 4}, 1), w = normal({4, 5}, 2);
  const TensorFunction f = [](const auto& in) { return matmul(in[0], in[1]); };
  Counting count;

  jvp(f, {x, w}, {normal({3, 4}, 3), Tensor()});
  CHECK(stats().products == 2);
  count.restart();
  jvp(f, {x, w}, {normal({3, 4}, 3), normal({4, 5}, 4)});
  CHECK(stats().products == 3);
}

TEST_CASE("tangents at ties are averages, and abs has none at 0", "[autograd][tape]") {
  const Tensor x = from_values({1, 2, 3}, {3}), y = from_values({3, 2, 1}, {3});
  const Tensor dx = full({3}, 10), dy = full({3}, 20);
  const auto slope = [&](const TensorFunction& f) {
    return jvp(f, {x, y}, {dx, dy}).tangent.values();
  };
  using Values = std::vector<double>;

  CHECK(slope([](auto& in) { return min(in[0], in[1]); }) == Values{10, 15, 20});
  CHECK(slope([](auto& in) { return max(in[0], in[1]); }) == Values{20, 15, 10});
  CHECK(slope([](auto& in) { return abs(in[0] - 2.0); }) == Values{-10, 0, 10});
}

TEST_CASE("where selects tangents, so that one which overflows does no harm", "[autograd][tape]") {
  const Tensor x = from_values({-1, 0, 1000}, {3});
  const TensorFunction f = [](const auto& in) {
    return where(less(in[0], 500.0), exp(in[0]), 2.0 * in[0]);
  };

  const Tensor t = jvp(f, {x}, {ones({3})}).tangent;

  CHECK(distance(t, from_values({std::exp(-1.), 1, 2}, {3})) < 1e-15);
}

TEST_CASE("tangents follow views, and views follow changes in place", "[autograd][tape]") {
  const DualLevel level;
  const NoGrad no_history;
  const Tensor x = make_dual(normal({2, 3}, 1), normal({2, 3}, 2)), dx = tangent_of(x);

  CHECK(distance(tangent_of(transpose(x)), transpose(dx)) == 0);
  CHECK(distance(tangent_of(slice(x, 1, 1, 3)), slice(dx, 1, 1, 3)) == 0);
  Tensor sum = zeros({2, 3});
  add_in_place(sum, x);
  add_in_place(sum, x);
  CHECK(distance(tangent_of(sum), 2.0 * dx) == 0);
  copy_in_place(sum, normal({2, 3}, 3));
  CHECK(!tangent_of(sum).defined());
  const Tensor view = select(sum, 0, 0);
  add_in_place(sum, x);
  CHECK(distance(tangent_of(view), select(dx, 0, 0)) == 0);
}

TEST_CASE("a tangent that is handed on where nothing is recorded has no history",
          "[autograd][tape]") {
  const DualLevel level;
  const Tensor x = make_dual(variable({3}, 1), variable({3}, 2)), c = normal({3}, 3);
  const NoGrad no_history;
  const auto of = GENERATE_COPY(from_range(std::vector<TensorFunction>{
      [c](const auto& in) { return in[0] + c; }, [c](const auto& in) { return in[0] - c; },
      [](const auto& in) { return 2.0 * in[0]; },
      [](const auto& in) { return reshape(in[0], {3}); },
      [](const auto& in) { return in[0].clone(); }}));
  const Tensor y = of({x});

  CHECK(tangent_of(y).defined());
  CHECK_FALSE(tangent_of(y).requires_grad());
  CHECK(tangent_of(x).requires_grad());
}

TEST_CASE("leaving a level clears tangents, also those that slots keep", "[autograd][tape]") {
  const std::int64_t nodes = live_nodes(), tensors = live_tensors();
  Tensor y;
  {
    const DualLevel level;
    const Tensor x = make_dual(variable({3}, 1), variable({3}, 2));
    y = tanh(exp(x)) * x;
    REQUIRE(tangent_of(y).defined());
    CHECK(tangent_of(y).requires_grad());
  }
  CHECK(!tangent_of(y).defined());
  {
    const DualLevel level;
    CHECK(!tangent_of(y).defined());
    CHECK(!tangent_of(y * y).defined());
  }
  y = Tensor();
  CHECK(live_nodes() == nodes);
  CHECK(live_tensors() == tensors);
}

TEST_CASE("a level that does not record gives the same tangents, without history",
          "[autograd][tape]") {
  const Tensor x = variable({3}, 1), v = normal({3}, 2);
  const auto tangent = [&](bool record) {
    const DualLevel level(record);
    return tangent_of(tanh(make_dual(x, v)) * x);
  };

  CHECK(tangent(true).requires_grad());
  CHECK(!tangent(false).requires_grad());
  CHECK(distance(tangent(false), tangent(true)) < 1e-15);
}

TEST_CASE("dual levels do not nest, and what is wrong with a tangent is said",
          "[autograd][tape][errors]") {
  const Tensor x = normal({3}, 1);
  CHECK_THROWS_WITH(make_dual(x, x), Contains("needs an open dual level"));
  const TensorFunction inner = [](const auto& in) {
    return jvp([](const auto& y) { return sin(y[0]); }, in, in).tangent;
  };
  CHECK_THROWS_WITH(jvp(inner, {x}, {x}), Contains("opened inside another one"));
  const DualLevel level;  // which the failure above left closed

  CHECK_THROWS_WITH(make_dual(x, normal({4}, 1)), Contains("shape and dtype of its tensor"));
  CHECK_THROWS_WITH(make_dual(x, cast(x, DType::float32)), Contains("float32 [3] for float64 [3]"));
  CHECK_THROWS_WITH(make_dual(cast(x, DType::int32), x), Contains("only floating tensors"));
  CHECK_THROWS_WITH(make_dual(x, make_dual(x, x)), Contains("dual itself"));
  CHECK_THROWS_WITH(jvp(inner, {x}, {}), Contains("1 inputs but 0 tangents"));
}

TEST_CASE(
    "FWD-15 Hessians by forward over reverse, reverse over forward and reverse over reverse "
    "are equal",
    "[autograd][tape]") {
  constexpr std::int64_t n = 5;
  const Tensor x = variable({n}, 1);
  const TensorFunction f = [](const auto& in) { return energy(in[0]); };
  const Tensor g = grad(energy(x), x, {.create_graph = true});
  const TensorFunction gradient = [&](const auto& in) {
    return grad(f(in), in[0], {.create_graph = true});
  };
  for (std::int64_t i = 0; i < n; ++i) {
    const Tensor e = unit(n, i);
    const Tensor reverse_reverse = grad({g}, {x}, {e}, {.retain_graph = true})[0];
    const Tensor reverse_forward = grad(jvp(f, {x}, {e}).tangent, x);
    const Tensor forward_recorded = jvp(gradient, {x}, {e}).tangent;
    const Tensor forward_reverse = hvp(energy, x, e).product;

    CHECK(relative_distance(reverse_forward, reverse_reverse) < 1e-12);
    CHECK(relative_distance(forward_recorded, reverse_reverse) < 1e-12);
    CHECK(relative_distance(forward_reverse, reverse_reverse) < 1e-12);
  }
  CHECK(distance(hvp(energy, x, unit(n, 0)).gradient, g) == 0);
}

TEST_CASE("the product of a network's Hessian with a vector takes twice the products of a gradient",
          "[autograd][tape]") {
  constexpr std::int64_t points = 6, width = 5;
  const Perceptron net(unary_id<op::Tanh>, {2, width, width, width, 1});
  const Tensor x = normal({points, 2}, 1);
  const auto loss = [&](const Tensor& w) {
    Perceptron now = net;
    now.w[1] = w;
    return mean(square(now(x)));
  };
  Counting count;
  grad(loss(net.w[1]), net.w[1]);
  const std::int64_t gradient = stats().products;
  count.restart();

  hvp(loss, net.w[1], normal({width, width}, 2));

  // Below the layer that moves nothing has a tangent; its own product has two halves.
  CHECK(stats().products <= 2 * gradient + 1);
}

TEST_CASE("SAV-25 slots keep tangents: of inputs, of outputs, through hooks and checkpoints",
          "[autograd][tape]") {
  const Tensor x = variable({4}, 1), v = normal({4}, 2);
  const TensorFunction f = [](const auto& in) {
    return sum(tanh(in[0]) * sin(in[0]) / exp(in[0]));
  };
  const Tensor expected = grad({grad(f({x}), x, {.create_graph = true})}, {x}, {v})[0];
  const auto product = [&] { return hvp([&](const Tensor& at) { return f({at}); }, x, v).product; };
  CHECK(relative_distance(product(), expected) < 1e-12);

  const auto again = [&](const Tensor& at) {
    return checkpoint(TensorFunction(f), std::vector<Tensor>{at});
  };
  CHECK(relative_distance(hvp(again, x, v).product, expected) < 1e-12);
  {
    const DualLevel recorded;
    const Tensor at = make_dual(x, v);
    CHECK(relative_distance(tangent_of(grad(again(at), at)), expected) < 1e-12);
  }
  const SavedHooksScope copies(scaling(2, 0.5));
  CHECK(relative_distance(product(), expected) < 1e-12);
}
