#include <numeric>

#include "autograd/core/error.h"
#include "autograd/tape/trace.h"
#include "tests/autograd/tape/helpers.h"

using namespace pinn;
using namespace pinn::test;

namespace {

using Indices = std::vector<std::int64_t>;

/// y[indices[i]] += g[i] along an axis, element by element.
Tensor added_up(const Tensor& g, Shape shape, int axis, const Indices& indices) {
  Tensor y = zeros(shape);
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const auto at = std::int64_t(i);
    y = y + embed(slice(g, axis, at, at + 1), shape, axis, indices[i]);
  }
  return y;
}

}  // namespace

TEST_CASE("the gradient of a gather adds up what was taken from each place", "[autograd][tape]") {
  const Indices indices = GENERATE(Indices{}, Indices{3}, Indices{0, 1, 2, 3, 4},
                                   Indices{4, 3, 2, 1, 0}, Indices{2, 2, 2}, Indices{1, 2, 4, 2, 3},
                                   Indices{0, 4, 0, 1, 2, 3, 4, 0}, Indices{3, 4, 0, 1});
  const int axis = GENERATE(0, 1, 2);
  Shape shape = {2, 3, 4};
  shape[axis] = 5;
  const Tensor x = variable(shape, 1), y = gather(x, axis, indices);
  const Tensor seed = variable(y.shape(), 2);

  const Tensor g = grad({y}, {x}, {seed}, {.create_graph = true})[0];

  CHECK(distance(g, added_up(seed, shape, axis, indices)) == 0);
  const Tensor w = normal(shape, 3);
  CHECK(distance(grad({g}, {seed}, {w})[0], gather(w, axis, indices)) == 0);
}

TEST_CASE("gradients of gathers are batched and traced as others are", "[autograd][tape]") {
  const Indices indices = {1, 2, 4, 2, 3};
  const Tensor x = variable({2, 5}, 1), y = gather(x, 1, indices);
  const Tensor seeds = normal({3, 2, 5}, 2);
  const Tensor all = grad({y}, {x}, {seeds}, {.retain_graph = true, .batched = true})[0];
  for (int i = 0; i < 3; ++i)
    CHECK(distance(select(all, 0, i), added_up(select(seeds, 0, i), {2, 5}, 1, indices)) == 0);
}

TEST_CASE("a million indices have a gradient as soon as a million places", "[autograd][tape]") {
  constexpr std::int64_t n = 1000000;  // each index with each place would be a million million
  Indices indices(n);
  for (std::int64_t i = 0; i < n; ++i) indices[std::size_t(i)] = i * 7 % n / 2;
  const Tensor x = zeros({n}).set_requires_grad();

  const Tensor g = grad({gather(x, 0, indices)}, {x}, {ones({n})})[0];

  CHECK(sum(slice(g, 0, 0, n / 2)).item() == n);
  CHECK(largest(g) == 2);
  CHECK(largest(slice(g, 0, n / 2, n)) == 0);
}

TEST_CASE("the graph of a gather's gradient grows with its indices, not with their square",
          "[autograd][tape]") {
  const auto values = [](std::int64_t n) {
    Trace trace;
    Indices indices(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < n; ++i) indices[std::size_t(i)] = i * 7 % n;
    const Tensor x = trace.input("x", {any_points, n}, DType::float64, Extent::row);
    const Tensor at = x.detach().set_requires_grad();
    const Tensor y = sum(square(gather(at, 1, indices)));
    trace.finish({grad(y, at)});
    std::size_t inputs = 0;
    for (const Value& v : trace.graph().values) inputs += 1 + v.inputs.size();
    return double(inputs);
  };
  CHECK(values(400) <= 2.1 * values(200));
}
