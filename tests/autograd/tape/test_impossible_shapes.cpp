// Sizes that are negative, and arrays of more elements than a computer can count.
#include "autograd/core/error.h"
#include "tests/autograd/tape/helpers.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Contains;

namespace {

constexpr std::int64_t half = std::int64_t(1) << 32, most = std::int64_t(1) << 61;

}  // namespace

TEST_CASE("no tensor has more bytes than can be counted", "[autograd][tape][errors]") {
  const Shape shape = GENERATE(Shape{most}, Shape{half, half}, Shape{half, half, 0},
                               Shape{0, half, half}, Shape{half, 1, half, half});
  CHECK_THROWS_WITH(ones(shape),
                    Contains("more elements than can be counted") && Contains(to_string(shape)));
  CHECK_THROWS_AS(zeros(shape, DType::boolean), ShapeError);
  CHECK_THROWS_AS(empty(shape), ShapeError);
  CHECK_THROWS_AS(expand(ones({1}), shape), ShapeError);
  CHECK_THROWS_AS(reshape(zeros({0}), shape), ShapeError);
}

TEST_CASE("no size of a tensor is negative", "[autograd][tape][errors]") {
  CHECK_THROWS_WITH(zeros({-2, -3}), Contains("a size cannot be negative") && Contains("[-2, -3]"));
  CHECK_THROWS_AS(ones({-1}), ShapeError);
  CHECK_THROWS_AS(empty({0, -1}), ShapeError);
  CHECK_THROWS_AS(from_values({1, 2, 3, 4, 5, 6}, {-2, -3}), ShapeError);
  CHECK_THROWS_WITH(expand(ones({1}), {-5}), Contains("a size cannot be negative"));
  CHECK_THROWS_AS(expand(ones({2}), {-3, 2}), ShapeError);
  CHECK_THROWS_AS(embed(ones({2}), {-3}, 0, 0), ShapeError);
}

TEST_CASE("reshape finds one size, where there is only one that fits", "[autograd][tape][errors]") {
  CHECK(reshape(zeros({0, 3}), {-1, 3}).shape() == Shape{0, 3});
  CHECK(reshape(ones({6}), {2, -1}).shape() == Shape{2, 3});
  CHECK_THROWS_WITH(reshape(ones({6}), {-2, -3}),
                    Contains("reshape cannot fit 6 elements") && Contains("[-2, -3]"));
  CHECK_THROWS_WITH(reshape(zeros({0, 3}), {0, -1}), Contains("any size would do for -1"));
  CHECK_THROWS_AS(reshape(ones({1}), {-1, -1}), ShapeError);
  CHECK_THROWS_AS(reshape(ones({6}), {-1, 4}), ShapeError);
}

TEST_CASE("a view may be large where an op on it would be too large", "[autograd][tape][errors]") {
  const Tensor column = expand(ones({1, 1}), {half, 1}), row = expand(ones({1, 1}), {1, half});
  CHECK(column.numel() == half);
  CHECK_THROWS_AS(column + row, ShapeError);
  CHECK_THROWS_AS(matmul(column, row), ShapeError);
  CHECK_THROWS_AS(contract(row, row), ShapeError);
  CHECK_THROWS_AS(concat({expand(ones({1}), {most - 1}), expand(ones({1}), {most - 1})}, 0),
                  ShapeError);
}

TEST_CASE("windows are compared with the end of an axis without running over",
          "[autograd][tape][errors]") {
  constexpr std::int64_t last = std::numeric_limits<std::int64_t>::max();
  CHECK_THROWS_AS(embed(ones({2}), {5}, 0, last), ShapeError);
  CHECK_THROWS_AS(select(ones({2}), 0, last), ShapeError);
  CHECK_THROWS_AS(slice(ones({2}), 0, 1, last - 1), ShapeError);
}

TEST_CASE("a product over no elements is zero", "[autograd][tape]") {
  for (int i = 0; i < 4; ++i) full({2, 3, 4}, 7);  // memory that may be handed out again
  const auto is_zero = [](const Tensor& t, const Shape& shape) {
    CHECK(t.shape() == shape);
    CHECK(largest(t) == 0);
    full(shape, 7);
  };
  is_zero(matmul(zeros({2, 3, 0}), zeros({0, 4})), {2, 3, 4});
  is_zero(matmul(zeros({6, 0}), zeros({0, 4})), {6, 4});
  is_zero(contract(zeros({0, 3, 6}), zeros({0, 3, 4})), {6, 4});
  is_zero(linear(zeros({2, 3, 0}), zeros({0, 4}), zeros({4})), {2, 3, 4});
  const Tensor y = linear(zeros({2, 3, 0}), zeros({0, 4}), full({4}, 5));
  CHECK(distance(select(y, 1, 0), full({2, 4}, 5)) == 0);
  CHECK(largest(slice(y, 1, 1, 3)) == 0);
}

TEST_CASE("a product over no elements has empty gradients", "[autograd][tape]") {
  const Tensor x = zeros({2, 3, 0}).set_requires_grad(), w = zeros({0, 4}).set_requires_grad();
  const std::vector<Tensor> g = grad({matmul(x, w)}, {x, w}, {ones({2, 3, 4})});
  CHECK(g[0].shape() == x.shape());
  CHECK(g[1].shape() == w.shape());
  const Tensor seeds = ones({5, 2, 3, 4});
  const Tensor all = grad({matmul(x, w)}, {w}, {seeds}, {.batched = true})[0];
  CHECK(all.shape() == Shape{5, 0, 4});
}

TEST_CASE("a mean divides by what it sums, however often an axis is named", "[autograd][tape]") {
  const Tensor x = from_values({1, 2, 3, 4, 5, 6}, {2, 3});
  CHECK(mean(x, {0, 0}).values() == mean(x, {0}).values());
  CHECK(mean(x, {1, -1}, true).values() == mean(x, {1}).values());
  CHECK(sum(x, {0, 0, -2}).values() == sum(x, {0}).values());
}
