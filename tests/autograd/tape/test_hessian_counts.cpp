#include "tests/autograd/tape/network.h"

using namespace pinn;
using namespace pinn::test;

namespace {

using Counts = std::vector<std::int64_t>;
constexpr std::int64_t points = 6, width = 5;

/// The Hessian workload: six hidden layers from two inputs to three outputs.
struct Workload {
  /// Square products after the forward pass, the Jacobian, the Hessian row by row, and backward of
  /// the sum of the Hessian.
  Counts counts;
  std::vector<std::vector<double>> hessian;
};

Workload run_hessian(int activation, bool prune) {
  const Switches switches({.prune = prune});
  const Perceptron net(activation, {2, width, width, width, width, width, width, 3});
  const Tensor x = variable({points, 2}, 1);
  const Counting count;
  Workload work;
  const auto note = [&] { work.counts.push_back(count.square_products(points, width)); };

  const Tensor u = net(x);
  note();
  std::vector<Tensor> jacobian, hessian;
  for (int i = 0; i < 3; ++i) jacobian.push_back(column_gradient(u, i, x));
  note();
  for (const Tensor& row : jacobian)
    for (int j = 0; j < 2; ++j) hessian.push_back(column_gradient(row, j, x));
  note();
  for (const Tensor& h : hessian) work.hessian.push_back(h.values());
  backward(sum(stack(hessian, 0)));
  note();
  return work;
}

}  // namespace

TEST_CASE("PRN-02 the Hessian of a relu network takes 80 products, not 155", "[autograd][tape]") {
  const Workload pruned = run_hessian(unary_id<op::Relu>, true);

  CHECK(pruned.counts == Counts{5, 20, 80, 150});
  CHECK(run_hessian(unary_id<op::Relu>, false).counts == Counts{5, 35, 155, 225});
  for (const auto& row : pruned.hessian)
    for (const double h : row) CHECK(h == 0);
}

TEST_CASE("PRN-03 the Hessian of a tanh network takes 80 products, and 240 with its gradient",
          "[autograd][tape]") {
  const Workload pruned = run_hessian(unary_id<op::Tanh>, true),
                 full = run_hessian(unary_id<op::Tanh>, false);

  CHECK(pruned.counts == Counts{5, 20, 80, 240});
  CHECK(full.counts == Counts{5, 35, 155, 315});
  CHECK(pruned.hessian == full.hessian);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t p = 0; p < std::size_t(points); ++p)  // symmetric: u_xy = u_yx
      CHECK(pruned.hessian[2 * i][2 * p + 1] == Approx(pruned.hessian[2 * i + 1][2 * p]));
}

TEST_CASE("PRN-23 no bias gradient is summed before backward", "[autograd][tape]") {
  const Perceptron net(unary_id<op::Tanh>, {2, width, width, 3});
  const Tensor x = variable({points, 2}, 1);
  const Counting count;

  const Tensor slope = column_gradient(net(x), 0, x), curvature = column_gradient(slope, 1, x);
  CHECK(count.runs("add", 0) > 0);  // the way to x
  CHECK(count.runs("add", 1) == 0);
  backward(sum(curvature));
  CHECK(count.runs("add", 1) >= 2);  // of the hidden layers
}
