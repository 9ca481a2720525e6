#include "autograd/tape/forward_mode.h"
#include "tests/autograd/tape/network.h"
#include "tests/autograd/taylor/helpers.h"

using namespace pinn;
using namespace pinn::test;

namespace {

constexpr std::int64_t points = 6, width = 5;

Jet evaluate(const Perceptron& net, Jet h) {
  for (std::size_t l = 0; l < net.w.size(); ++l) {
    h.data = linear(h.data, net.w[l], net.b[l]);
    if (l + 1 < net.w.size()) h = apply_unary(net.activation, h);
  }
  return h;
}

/// Work in products with square layers, in units of one product of a layer with all points.
std::int64_t units() {
  std::int64_t work = 0;
  for (const ProductSize& p : stats().product_log) {
    const bool square =
        p.m * p.n * p.k % (points * width * width) == 0 && std::min({p.m, p.n, p.k}) == width;
    if (square) work += p.m * p.n * p.k * p.batch / (points * width * width);
  }
  return work;
}

}  // namespace

TEST_CASE("PRN-02 by jets the Hessian of a network takes 30 units, and 90 with its gradient",
          "[autograd][taylor]") {
  const int activation = GENERATE(unary_id<op::Relu>, unary_id<op::Tanh>, unary_id<op::Silu>);
  const Perceptron net(activation, {2, width, width, width, width, width, width, 3});
  const JetTablePtr table = jet_table(all_indices(2));
  const Counting count;

  const Jet u = evaluate(net, coordinate_jet(table, normal({points, 2}, 1)));
  CHECK(stats().products == 7);
  CHECK(units() == 30);
  backward(sum(u.data));

  CHECK(units() == 90);
  CHECK(stats().products == 7 + 7 + 6);  // all weights, and all layers' inputs but the first
}

TEST_CASE(
    "the tangent of a network of jets by its weights takes three times the units of its value",
    "[autograd][taylor]") {
  const Perceptron net(unary_id<op::Tanh>, {2, width, width, width, width, width, width, 3});
  const Jet x = coordinate_jet(jet_table(all_indices(2)), normal({points, 2}, 1));
  std::vector<Tensor> directions;
  for (const Tensor& w : net.w) directions.push_back(normal(w.shape(), 7));
  const Counting count;

  jvp(
      [&](const std::vector<Tensor>& w) {
        Perceptron moved = net;
        moved.w = w;
        return evaluate(moved, x).data;
      },
      net.w, directions);

  CHECK(units() == 90);  // value, moved layer, moved input
}
