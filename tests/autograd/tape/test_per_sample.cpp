#include "autograd/tape/batch.h"

#include "autograd/core/error.h"
#include "autograd/tape/forward_mode.h"
#include "autograd/taylor/jet.h"
#include "tests/autograd/tape/network.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Contains;

namespace {

constexpr std::int64_t samples = 7;

/// A network of jets with all parameters in one vector, and the residual u_t + u u_x - c u_xx of
/// its field at some points: what training meets.
struct JetNetwork {
  JetTablePtr table = jet_table({MultiIndex{2}, MultiIndex{0, 1}});
  Tensor p = variable({2 * 5 + 5 + 5 * 5 + 5 + 5 + 1 + 1}, 3);

  Tensor residual(const Tensor& h0) const {
    std::int64_t at = 0;
    const auto next = [&](const Shape& shape) {
      at += shape.numel();
      return reshape(slice(p, 0, at - shape.numel(), at), shape);
    };
    Tensor h = h0;
    for (const std::int64_t in : {2, 5}) {
      const Tensor w = next({in, 5}), b = next({5});
      h = jet(unary_id<op::Tanh>, 0, 0, table, linear(h, w, b));
    }
    const Tensor w = next({5, 1}), b = next({1}), c = next({});
    const Tensor u = linear(h, w, b);
    const auto channel = [&](const MultiIndex& i) { return select(u, 1, table->find(i)); };
    return select(channel({0, 1}) + select(u, 1, 0) * channel({1}) - c * channel({2}), 1, 0);
  }
};

/// Row b of the Jacobian from a pass of its own, over the whole batch.
Tensor row(const Tensor& residual, const Tensor& parameter, std::int64_t b) {
  return grad({select(residual, 0, b)}, {parameter}, {}, {.retain_graph = true})[0];
}

/// x [rows, ..., k] as [rows, channels, k].
Tensor with_channels(const Tensor& x) {
  return reshape(x, {x.shape()[0], -1, x.shape()[x.rank() - 1]});
}

/// <x_c, y> over the last axis: [rows, channels of y].
Tensor inner_products(const Tensor& x, std::int64_t c, const Tensor& y) {
  return sum(slice(x, 1, c, c + 1) * y, {2});
}

/// <p, q> row by row, [rows], of sums of outer products:
/// sum_{c,c'} (x_c . x'_c') (g_c . g'_c').
Tensor inner_product(const OuterProduct& p, const OuterProduct& q) {
  const Tensor x = with_channels(p.x), g = with_channels(p.g);
  const Tensor x2 = with_channels(q.x), g2 = with_channels(q.g);
  Tensor total;
  for (std::int64_t c = 0; c < x.shape()[1]; ++c) {
    const Tensor part = sum(inner_products(x, c, x2) * inner_products(g, c, g2), {1});
    total = total.defined() ? total + part : part;
  }
  return total;
}

/// The squared norms of the members, [rows].
Tensor squared_norms(const Batch& batch) {
  if (batch.elements.defined())
    return sum(square(reshape(batch.elements, {batch.elements.shape()[0], -1})), {1});
  Tensor total;
  for (std::size_t i = 0; i < batch.products.size(); ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      const Tensor one = inner_product(batch.products[i], batch.products[j]);
      const Tensor part = i == j ? one : 2.0 * one;
      total = total.defined() ? total + part : part;
    }
  return total;
}

}  // namespace

TEST_CASE(
    "rows of a network's Jacobian equal gradients of single residuals, and sum to the gradient",
    "[autograd][tape]") {
  const Perceptron net(unary_id<op::Tanh>, {2, 5, 4, 1});
  const Tensor x = normal({samples, 2}, 1), r = net(x);
  const std::vector<Tensor> parameters = net.parameters();

  const std::vector<Tensor> rows = per_sample_gradients(r, parameters, true);

  const std::vector<Tensor> total =
      grad({r}, parameters, {ones({samples, 1})}, {.retain_graph = true});
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    REQUIRE(rows[i].shape() == parameters[i].shape().inserted(0, samples));
    CHECK(!rows[i].requires_grad());
    CHECK(relative_distance(sum(rows[i], {0}), total[i]) < 1e-13);
    for (std::int64_t b = 0; b < samples; ++b) {
      CHECK(relative_distance(select(rows[i], 0, b), row(r, parameters[i], b)) < 1e-12);
      const Tensor alone = net(slice(x, 0, b, b + 1));
      CHECK(relative_distance(select(rows[i], 0, b),
                              select(per_sample_gradients(alone, parameters, true)[i], 0, 0)) <
            1e-12);
    }
  }
}

TEST_CASE("rows through a matrix of its own for each sample", "[autograd][tape]") {
  const Tensor p = variable({2, 6}, 1), q = variable({3, 3}, 2), h = normal({samples, 2}, 3);
  const Tensor w = reshape(tanh(matmul(h, p)), {samples, 2, 3}), x = normal({samples, 1, 2}, 4);
  const Tensor r = sum(matmul(matmul(matmul(x, w), q), transpose(w)), {1, 2});

  const std::vector<Tensor> rows = per_sample_gradients(r, {p, q}, true);

  for (std::int64_t b = 0; b < samples; ++b) {
    CHECK(relative_distance(select(rows[0], 0, b), row(r, p, b)) < 1e-12);
    CHECK(relative_distance(select(rows[1], 0, b), row(r, q, b)) < 1e-12);
  }
}

TEST_CASE("matrices of a batch that are no samples are refused", "[autograd][tape][errors]") {
  const Tensor w = variable({2, 2, 1}, 1);
  const Tensor r = reshape(matmul(normal({2, 3, 2}, 2), w), {6});

  CHECK_THROWS_WITH(per_sample_gradients(r, {w}), Contains("has not one row for each of the 6"));
}

TEST_CASE("rows by one vector of all parameters, through derivative channels and an unknown",
          "[autograd][tape]") {
  const JetNetwork net;
  const Tensor r = net.residual(normal({samples, net.table->size(), 2}, 1));

  const Tensor rows = per_sample_gradients(r, {net.p}, true)[0];

  CHECK(rows.shape() == net.p.shape().inserted(0, samples));
  for (std::int64_t b = 0; b < samples; ++b)
    CHECK(relative_distance(select(rows, 0, b), row(r, net.p, b)) < 1e-12);
}

TEST_CASE("rows of residuals with derivatives by nested reverse, and of pairs of points",
          "[autograd][tape]") {
  const Perceptron net(unary_id<op::Tanh>, {2, 5, 4, 1});
  const Tensor x = variable({samples, 2}, 1), other = normal({samples, 2}, 2);
  const Tensor slope = column_gradient(net(x), 0, x);
  const Tensor r = select(column_gradient(slope, 1, x), 1, 1) + select(net(other), 1, 0);

  const std::vector<Tensor> rows = per_sample_gradients(r, net.w, true);

  for (std::size_t i = 0; i < net.w.size(); ++i)
    for (std::int64_t b = 0; b < samples; ++b)
      CHECK(relative_distance(select(rows[i], 0, b), row(r, net.w[i], b)) < 1e-12);
}

TEST_CASE("norms of rows follow from their factors, also of a weight that is used twice",
          "[autograd][tape]") {
  const Perceptron net(unary_id<op::Tanh>, {2, 5, 5, 1});
  const Tensor x = normal({samples, 2}, 1), other = normal({samples, 2}, 2);
  const JetNetwork jets;
  const auto check = [](const Tensor& r, const std::vector<Tensor>& parameters) {
    Tensor expected = zeros({samples});
    for (const Tensor& rows : per_sample_gradients(r, parameters, true))
      expected = expected + sum(square(reshape(rows, {samples, -1})), {1});
    Tensor found = zeros({samples});
    for (const Batch& part : per_sample_parts(r, parameters, ones_like(r), true))
      found = found + squared_norms(part);
    CHECK(relative_distance(found, expected) < 1e-13);
  };

  check(net(x), net.parameters());
  check(net(x) * net(other), net.parameters());
  check(jets.residual(normal({samples, jets.table->size(), 2}, 1)), {jets.p});
  const Tensor h = normal({samples, 3, 4}, 1), w = variable({4, 4}, 2), b = variable({4}, 3);
  check(sum(sin(linear(sin(linear(h, w, b)), w, b)), {1, 2}), {w, b});
}

TEST_CASE(
    "the products of a pass per sample are as many as for one sample, and those of weights "
    "are none",
    "[autograd][tape]") {
  const Perceptron net(unary_id<op::Tanh>, {2, 5, 5, 5, 1});
  for (const std::int64_t n : {1, 3, 50}) {
    const Tensor r = net(normal({n, 2}, 1));
    const Counting count;
    per_sample_gradients(r, net.parameters(), true);
    CHECK(stats().products == 3);  // the gradient of each hidden layer's output
    per_sample_parts(r, net.parameters(), ones_like(r));
    CHECK(stats().products == 6);
  }
}

TEST_CASE("weights made of parameters, and parameters that do not matter, have rows as well",
          "[autograd][tape]") {
  const Tensor x = normal({samples, 3}, 1), v = variable({3, 4}, 2), s = variable({1, 4}, 3),
               unused = variable({2}, 4);
  const Tensor weights = v * exp(s) + matmul(matmul(v, transpose(v)), v);
  const Tensor r = sum(tanh(matmul(x, weights)), {1});

  const auto rows = per_sample_gradients(r, {v, s, unused}, true);

  for (std::int64_t b = 0; b < samples; ++b) {
    CHECK(relative_distance(select(rows[0], 0, b), row(r, v, b)) < 1e-12);
    CHECK(relative_distance(select(rows[1], 0, b), row(r, s, b)) < 1e-12);
  }
  CHECK(rows[2].shape() == Shape{samples, 2});
  CHECK(largest(rows[2]) == 0);
}

TEST_CASE("a residual whose samples mix is refused or has the whole rows, never wrong ones",
          "[autograd][tape][errors]") {
  const Tensor x = normal({samples, 2}, 1), w = variable({2, 1}, 2);
  const Tensor h = matmul(x, w);

  const Tensor all = expand(sum(square(h), {0}, true), {samples, 1}) * normal({samples, 1}, 3);
  const Tensor rows = per_sample_gradients(all, {w}, true)[0];
  for (std::int64_t b = 0; b < samples; ++b)
    CHECK(relative_distance(select(rows, 0, b), row(all, w, b)) < 1e-12);

  CHECK_THROWS_WITH(per_sample_gradients(h - mean(h, {0}, true), {w}),
                    Contains("samples that depend on each other"));
}

TEST_CASE("what has no rows per sample is refused", "[autograd][tape][errors]") {
  const Tensor x = variable({samples, 2}, 1), w = variable({2, 3}, 2);

  CHECK_THROWS_WITH(per_sample_gradients(matmul(x, w), {w}), Contains("one residual per sample"));
  CHECK_THROWS_WITH(per_sample_gradients(sum(matmul(x, w)), {w}),
                    Contains("give them a residual [samples]"));
  CHECK_THROWS_WITH(per_sample_gradients(sum(matmul(x, w), {1}), {x}),
                    Contains("parameter 0 has a row of its own per sample"));
  CHECK_THROWS_WITH(per_sample_gradients(gather(sum(matmul(x, w), {1}), 0, {1, 0}), {w}),
                    Contains("rows are other samples"));
  CHECK_THROWS_WITH(
      per_sample_gradients(sum(reshape(matmul(x, w), {samples * 3, 1}) * ones({1, 2}), {1}), {w}),
      Contains("not one row for each of the 21 samples"));
  const DualLevel level;
  CHECK_THROWS_AS(per_sample_gradients(sum(matmul(x, w), {1}), {w}), EngineError);
}
