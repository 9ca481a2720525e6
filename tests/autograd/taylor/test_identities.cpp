#include "tests/autograd/tape/network.h"
#include "tests/autograd/taylor/helpers.h"

using namespace pinn;
using namespace pinn::test;

namespace {

constexpr std::int64_t width = 7;

Perceptron perceptron() { return Perceptron(unary_id<op::Tanh>, {2, width, width, width, 1}); }

/// The derivatives of order 1 to 4 along a direction, by jets in one variable s: x + s v.
std::vector<Tensor> directional(const Perceptron& net, const Tensor& x, double vx, double vy) {
  const JetTablePtr table = jet_table({{4}});
  const Jet s = coordinate_jet(table, zeros({points, 1}));
  const Jet moved = constant_jet(table, x) + concat({vx * s, vy * s});
  std::vector<Tensor> orders;
  const Jet u = evaluate(net, moved);
  for (int k = 0; k <= 4; ++k) orders.push_back(u.channel(k));
  return orders;
}

}  // namespace

TEST_CASE("FWD-05 a dense layer on a jet is one stacked product", "[autograd][taylor]") {
  const Perceptron net = perceptron();
  const JetTablePtr table = jet_table({{4}});
  const Counting count;

  evaluate(net, coordinate_jet(table, normal({points, 2}, 1)));

  CHECK(stats().products == 4);
  for (const ProductSize& p : stats().product_log) CHECK(p.m == points * 5);
}

TEST_CASE("FWD-06 the Laplacian in two dimensions costs four units per layer and is the trace",
          "[autograd][taylor]") {
  const Perceptron net = perceptron();
  const Tensor x = normal({points, 2}, 1);
  const JetTablePtr laplacian = jet_table({}, {{{{2}, 1}, {{0, 2}, 1}}}),
                    hessian = jet_table(all_indices(2));
  Tensor trace;
  {
    const Jet h = evaluate(net, coordinate_jet(hessian, x));
    trace = h.channel(hessian->find({2})) + h.channel(hessian->find({0, 2}));
  }
  const Counting count;

  const Jet u = evaluate(net, coordinate_jet(laplacian, x));

  CHECK(stats().product_log[1].m == 4 * points);
  CHECK(relative_distance(u.channel(3), trace) <= 1e-12);
}

TEST_CASE("FWD-08 mixed derivatives follow from directional ones", "[autograd][taylor]") {
  const Perceptron net = perceptron();
  const Tensor x = normal({points, 2}, 1);
  const JetTablePtr table = jet_table(all_indices(4));
  const Jet u = evaluate(net, coordinate_jet(table, x));
  const auto exact = [&](const MultiIndex& a) { return u.channel(table->find(a)); };
  const auto plus = directional(net, x, 1, 1), minus = directional(net, x, 1, -1);

  CHECK(relative_distance((plus[2] - minus[2]) * 0.25, exact({1, 1})) <= 1e-9);
  CHECK(relative_distance((plus[3] - minus[3] - 2.0 * exact({0, 3})) * (1.0 / 6), exact({2, 1})) <=
        1e-9);
  CHECK(
      relative_distance((plus[4] + minus[4] - 2.0 * exact({4}) - 2.0 * exact({0, 4})) * (1.0 / 12),
                        exact({2, 2})) <= 1e-9);
}

TEST_CASE("FWD-13 gradients through jets equal differences in the parameters",
          "[autograd][taylor]") {
  const int highest = GENERATE(1, 2, 3, 4);
  const Perceptron net = perceptron();
  const JetTablePtr table = jet_table(all_indices(highest));
  const Jet x = coordinate_jet(table, normal({points, 2}, 1));
  const auto loss = [&] { return mean(square(evaluate(net, x).channel(table->size() - 1))); };

  backward(loss());

  // Fourth-order differences along a random direction; the step leaves errors near 1e-9.
  for (Tensor p : net.parameters()) {
    if (!p.grad().defined()) continue;  // the last bias vanishes in a derivative
    const Tensor direction = normal(p.shape(), 70);
    const double h = 1e-3;
    const auto at = [&](double t) {
      const NoGrad off;
      add_in_place(p, t * direction);
      const double value = loss().item();
      add_in_place(p, -t * direction);
      return value;
    };
    const double difference = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
    CHECK(sum(p.grad() * direction).item() == Approx(difference).epsilon(1e-6).margin(1e-10));
  }
}

TEST_CASE("FWD-15 Hessians by jets, by reverse of jets and by reverse of reverse are equal",
          "[autograd][taylor]") {
  const Perceptron net = perceptron();
  const Tensor x = variable({points, 2}, 1);
  const JetTablePtr second = jet_table(all_indices(2)), first = jet_table(all_indices(1));

  const Jet u = evaluate(net, coordinate_jet(second, x.detach()));
  const Jet slopes = evaluate(net, coordinate_jet(first, x));
  const Tensor reverse_slopes = column_gradient(net(x), 0, x);

  for (int i = 0; i < 2; ++i) {
    const Tensor of_jets = grad({slopes.channel(1 + i)}, {x}, {ones({points, 1})},
                                {.retain_graph = true})[0],
                 of_reverse = column_gradient(reverse_slopes, i, x);
    for (int j = 0; j < 2; ++j) {
      const Tensor exact = u.channel(second->find(unit_index(i) + unit_index(j)));
      CHECK(relative_distance(slice(of_jets, 1, j, j + 1), exact) <= 1e-12);
      CHECK(relative_distance(slice(of_reverse, 1, j, j + 1), exact) <= 1e-12);
    }
  }
}
