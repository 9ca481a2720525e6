#include "autograd/core/error.h"
#include "autograd/tape/forward_mode.h"
#include "autograd/taylor/jet.h"
#include "tests/autograd/tape/network.h"
#include "tests/larger.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Contains;

namespace {

/// The gradients by each input, one seed after another, stacked.
std::vector<Tensor> looped(const Tensor& y, const std::vector<Tensor>& inputs,
                           const Tensor& seeds) {
  std::vector<std::vector<Tensor>> rows(inputs.size());
  for (std::int64_t s = 0; s < seeds.shape()[0]; ++s) {
    const auto one =
        grad({y}, inputs, {select(seeds, 0, s)}, {.retain_graph = true, .materialize = true});
    for (std::size_t i = 0; i < inputs.size(); ++i) rows[i].push_back(one[i]);
  }
  std::vector<Tensor> stacked;
  for (const auto& r : rows) stacked.push_back(stack(r, 0));
  return stacked;
}

/// The largest error of a batched pass against the loop, relative.
double error_of_batch(const Tensor& y, const std::vector<Tensor>& inputs, std::int64_t count,
                      DType dtype = DType::float64) {
  const Tensor seeds = normal(y.shape().inserted(0, count), 50, dtype);
  const auto expected = looped(y, inputs, seeds);
  const auto found = grad({y}, inputs, {seeds}, {.materialize = true, .batched = true});
  double worst = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    REQUIRE(found[i].shape() == expected[i].shape());
    worst = larger(worst, distance(found[i], expected[i]) / (1e-300 + largest(expected[i])));
  }
  return worst;
}

}  // namespace

TEST_CASE("FWD-18 a batched pass through a network equals a loop over its seeds",
          "[autograd][tape]") {
  const DType dtype = GENERATE(DType::float64, DType::float32);
  Perceptron net(unary_id<op::Tanh>, {2, 5, 5, 3});
  for (auto* list : {&net.w, &net.b})
    for (Tensor& t : *list) t = cast(t.detach(), dtype).set_requires_grad();
  const Tensor x = variable({6, 2}, 1, dtype);
  std::vector<Tensor> inputs = net.parameters();
  inputs.push_back(x);

  CHECK(error_of_batch(net(x), inputs, 4, dtype) < (dtype == DType::float64 ? 1e-13 : 1e-6));
}

TEST_CASE("FWD-18 a batched pass through a recorded gradient equals a loop", "[autograd][tape]") {
  const Perceptron net(unary_id<op::Gelu>, {2, 5, 5, 1});
  const Tensor x = variable({6, 2}, 1);
  const Tensor slope = column_gradient(net(x), 0, x);
  std::vector<Tensor> inputs = net.parameters();
  inputs.push_back(x);

  CHECK(error_of_batch(slope, inputs, 3) < 1e-13);
}

TEST_CASE("FWD-18 a batched pass through products of a batch equals a loop, and costs no more",
          "[autograd][tape]") {
  const Tensor x = variable({3, 4, 2}, 1), w = variable({3, 2, 5}, 2);
  const auto product = [&] {
    const Tensor y = tanh(matmul(x, w));
    return matmul(y, transpose(y));
  };

  CHECK(error_of_batch(product(), {x, w}, 6) < 1e-13);
  const Tensor y = product();
  const Counting count;
  grad({y}, {x, w}, {normal({6, 3, 4, 4}, 3)}, {.batched = true});
  CHECK(stats().products == 3 * 4);
}

TEST_CASE("FWD-18 a batched pass through a network of jets equals a loop", "[autograd][tape]") {
  const JetTablePtr table = jet_table({MultiIndex{2}, MultiIndex{1, 1}});
  const Tensor h = variable({4, table->size(), 3}, 1), w = variable({3, 3}, 2),
               b = variable({3}, 3);
  const auto product = [&] {
    const Tensor y = jet(unary_id<op::Tanh>, 0, 0, table, linear(h, w, b));
    return jet_mul(table, y, slice(h, 2, 0, 1));
  };

  CHECK(error_of_batch(product(), {h, w, b}, 5) < 1e-13);
  CHECK(error_of_batch(contract(product(), product()), {h, w, b}, 5) < 1e-13);
}

TEST_CASE("FWD-18 a batched pass takes as many products as one seed", "[autograd][tape]") {
  const Perceptron net(unary_id<op::Tanh>, {2, 5, 5, 5, 3});
  const Tensor x = variable({6, 2}, 1), y = net(x);
  std::vector<Tensor> inputs = net.parameters();
  inputs.push_back(x);
  Counting count;
  grad({y}, inputs, {ones({6, 3})}, {.retain_graph = true});
  const std::int64_t products = stats().products;

  for (const std::int64_t seeds : {1, 2, 17}) {
    count.restart();
    grad({y}, inputs, {normal({seeds, 6, 3}, 2)}, {.retain_graph = true, .batched = true});
    CHECK(stats().products == products);
  }
}

TEST_CASE("FWD-18 an input that does not matter gets zeros for every seed, or nothing",
          "[autograd][tape]") {
  const Tensor x = variable({3}, 1), unused = variable({2}, 2);
  const Tensor seeds = normal({4, 3}, 3);

  const auto zero = grad({sin(x)}, {x, unused}, {seeds}, {.materialize = true, .batched = true});
  const auto none = grad({sin(x)}, {x, unused}, {seeds}, {.allow_unused = true, .batched = true});

  CHECK(zero[1].shape() == Shape{4, 2});
  CHECK(largest(zero[1]) == 0);
  CHECK(!none[1].defined());
  CHECK(distance(grad({x * 1.0}, {x}, {seeds}, {.batched = true})[0], seeds) == 0);
}

TEST_CASE("FWD-18 seeds without the leading axis are refused, and what else a batch cannot do",
          "[autograd][tape][errors]") {
  const Tensor x = variable({3}, 1), y = sin(x);
  const auto pass = [&](const std::vector<Tensor>& seeds, GradOptions options = {}) {
    options.batched = true;
    return grad(std::vector<Tensor>(std::max<std::size_t>(1, seeds.size()), y), {x}, seeds,
                options);
  };

  CHECK_THROWS_WITH(pass({normal({3}, 2)}),
                    Contains("a leading one that counts the seeds") && Contains("float64 [3]"));
  CHECK_THROWS_WITH(pass({normal({2, 4}, 2)}), Contains("Mismatch in shape"));
  CHECK_THROWS_WITH(pass({normal({2, 3}, 2), normal({5, 3}, 2)}), Contains("seed 1"));
  CHECK_THROWS_WITH(pass({}), Contains("missing"));
  CHECK_THROWS_WITH(pass({normal({2, 3}, 2)}, {.create_graph = true}), Contains("not recorded"));
  const Tensor flat = variable({16}, 1), four = reshape(flat, {2, 2, 2, 2});
  CHECK_THROWS_WITH(
      grad({sum(square(four), {0})}, {flat}, {normal({5, 2, 2, 2}, 2)}, {.batched = true}),
      Contains("a batched gradient of four axes"));
}
