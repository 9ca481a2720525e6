#include "autograd/tape/forward_mode.h"
#include "tests/autograd/tape/network.h"
#include "tests/autograd/taylor/helpers.h"

using namespace pinn;
using namespace pinn::test;

namespace {

constexpr std::int64_t narrow = 5;

/// Work in products with square layers, in units of one product of a layer with all points.
std::int64_t units() {
  std::int64_t work = 0;
  for (const ProductSize& p : stats().product_log) {
    const bool square =
        p.m * p.n * p.k % (points * narrow * narrow) == 0 && std::min({p.m, p.n, p.k}) == narrow;
    if (square) work += p.m * p.n * p.k * p.batch / (points * narrow * narrow);
  }
  return work;
}

}  // namespace

TEST_CASE("PRN-02 by jets the Hessian of a network takes 30 units, and 90 with its gradient",
          "[autograd][taylor]") {
  const int activation = GENERATE(unary_id<op::Relu>, unary_id<op::Tanh>, unary_id<op::Silu>);
  const Perceptron net(activation, {2, narrow, narrow, narrow, narrow, narrow, narrow, 3});
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
  const Perceptron net(unary_id<op::Tanh>, {2, narrow, narrow, narrow, narrow, narrow, narrow, 3});
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
