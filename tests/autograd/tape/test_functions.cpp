#include "autograd/check/gradcheck.h"
#include "autograd/core/error.h"
#include "tests/autograd/tape/helpers.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Contains;
using Values = std::vector<double>;

namespace {

const Tensor six = from_values({1, 2, 3, 4, 5, 6}, {2, 3});

}  // namespace

TEST_CASE("shapes broadcast as in numpy", "[autograd][tape][errors]") {
  const Tensor row = from_values({10, 20, 30}, {3}), column = from_values({100, 200}, {2, 1});

  CHECK((six + row).values() == Values{11, 22, 33, 14, 25, 36});
  CHECK((six + column).values() == Values{101, 102, 103, 204, 205, 206});
  CHECK((row + column).shape() == Shape{2, 3});
  CHECK_THROWS_WITH(six + ones({2}), Contains("shapes do not broadcast: sizes 3 and 2 meet") &&
                                         Contains("[2, 3] and [2]"));
}

TEST_CASE("sums go over the axes they are told", "[autograd][tape]") {
  CHECK(sum(six).item() == 21);
  CHECK(sum(six).shape() == Shape{});
  CHECK(sum(six, {0}).values() == Values{5, 7, 9});
  CHECK(sum(six, {-1}).values() == Values{6, 15});
  CHECK(sum(six, {1}, true).shape() == Shape{2, 1});
  CHECK(sum(six, {0, 1}).shape() == Shape{});
  CHECK(mean(six).item() == 3.5);
  CHECK(mean(six, {0}).values() == Values{2.5, 3.5, 4.5});
  CHECK(sum_to(six, {3}).values() == Values{5, 7, 9});
  CHECK(sum(zeros({0, 3}), {0}).values() == Values{0, 0, 0});
  CHECK(sum(transpose(six), {1}).values() == Values{5, 7, 9});
}

TEST_CASE("reshape keeps the order of elements, also of a view", "[autograd][tape][errors]") {
  CHECK(reshape(six, {3, 2}).values() == six.values());
  CHECK(reshape(six, {3, 2}).storage_id() == six.storage_id());
  CHECK(reshape(transpose(six), {-1}).values() == Values{1, 4, 2, 5, 3, 6});
  CHECK(reshape(six, {-1, 2}).shape() == Shape{3, 2});
  CHECK(reshape(Tensor(2.0), {1, 1}).shape() == Shape{1, 1});
  CHECK_THROWS_WITH(reshape(six, {4}), Contains("reshape cannot fit 6 elements"));
  CHECK_THROWS_AS(reshape(six, {-1, 4}), ShapeError);
}

TEST_CASE("slices and selections are views", "[autograd][tape][errors]") {
  CHECK(slice(six, 1, 1, 3).values() == Values{2, 3, 5, 6});
  CHECK(slice(six, 1, 1, 3).storage_id() == six.storage_id());
  CHECK(slice(six, 0, 1, 1).numel() == 0);
  CHECK(select(six, 0, 1).values() == Values{4, 5, 6});
  CHECK(select(six, -1, 2).values() == Values{3, 6});
  CHECK(select(six, 1, 0).storage_id() == six.storage_id());
  CHECK_THROWS_WITH(slice(six, 1, 2, 4), Contains("slice [2, 4) is out of range on axis 1"));
  CHECK_THROWS_AS(select(six, 0, 2), ShapeError);
}

TEST_CASE("negative indices count from the end", "[autograd][tape][errors]") {
  CHECK(select(six, 0, -1).values() == Values{4, 5, 6});
  CHECK(select(six, 1, -3).values() == Values{1, 4});
  CHECK(slice(six, 1, -2).values() == Values{2, 3, 5, 6});
  CHECK(slice(six, 1, 0, -1).values() == Values{1, 2, 4, 5});
  CHECK(slice(six, 1, -3, -2).storage_id() == six.storage_id());
  CHECK(slice(six, 1, 3).numel() == 0);
  CHECK_THROWS_WITH(select(six, 0, -3), Contains("select: index -3 is out of range on axis 0"));
  CHECK_THROWS_WITH(slice(six, 1, -4, 2), Contains("slice [-4, 2) is out of range on axis 1"));
  CHECK_THROWS_AS(slice(six, 1, -1, -2), ShapeError);
  CHECK_THROWS_AS(slice(six, 1, 4), ShapeError);
}

TEST_CASE("embed is the adjoint of slice, expand that of sum_to", "[autograd][tape]") {
  const Tensor part = normal({2, 2}, 1), whole = normal({2, 5}, 2);
  CHECK(sum(embed(part, {2, 5}, 1, 3) * whole).item() ==
        Approx(sum(part * slice(whole, 1, 3, 5)).item()));
  const Tensor row = normal({5}, 3);
  CHECK(sum(expand(row, {2, 5}) * whole).item() == Approx(sum(row * sum_to(whole, {5})).item()));
}

TEST_CASE("concat, stack and gather put parts in order", "[autograd][tape][errors]") {
  CHECK(concat({six, slice(six, 1, 0, 1)}, 1).values() == Values{1, 2, 3, 1, 4, 5, 6, 4});
  CHECK(concat({six, transpose(transpose(six))}, 0).shape() == Shape{4, 3});
  CHECK(stack({select(six, 0, 0), select(six, 0, 1)}, 1).values() == Values{1, 4, 2, 5, 3, 6});
  CHECK(gather(six, 1, {2, 0, 2}).values() == Values{3, 1, 3, 6, 4, 6});
  CHECK(gather(six, 0, {1}).values() == Values{4, 5, 6});
  CHECK(gather(six, 0, {}).numel() == 0);
  CHECK_THROWS_WITH(concat({six, ones({3, 3})}, 1), Contains("concat: parts differ in more than"));
  CHECK_THROWS_WITH(concat({}, 0), Contains("concat needs at least one tensor"));
  CHECK(gather(transpose(six), -1, {1, 0}).values() == Values{4, 1, 5, 2, 6, 3});
  CHECK_THROWS_WITH(gather(six, 1, {3}), Contains("gather: index 3 is out of range on axis 1"));
  CHECK_THROWS_AS(gather(six, 1, {-1}), ShapeError);
}

TEST_CASE("expand, sum_to and embed refuse shapes that do not fit", "[autograd][tape][errors]") {
  CHECK_THROWS_WITH(embed(six, {2, 5}, 1, 3), Contains("embed: the tensor does not fit at 3"));
  CHECK_THROWS_AS(embed(six, {3, 5}, 1, 0), ShapeError);
  CHECK_THROWS_AS(embed(six, {5}, 1, 0), ShapeError);
  CHECK_THROWS_WITH(expand(six, {3}), Contains("expand cannot shrink axes"));
  CHECK_THROWS_WITH(sum_to(six, {2}), Contains("sum_to needs a shape that broadcasts"));
  CHECK_THROWS_AS(sum_to(six, {1, 2, 3}), ShapeError);
}

TEST_CASE("matmul takes views and stacks of rows", "[autograd][tape][errors]") {
  const Tensor w = from_values({1, 0, 2, 0, 1, 3}, {3, 2});

  CHECK(matmul(six, w).values() == Values{8, 9, 20, 18});
  CHECK(matmul(transpose(w), transpose(six)).values() == Values{8, 20, 9, 18});
  CHECK(matmul(slice(six, 1, 0, 1), ones({1, 2})).values() == Values{1, 1, 4, 4});
  CHECK(matmul(expand(ones({3}), {2, 3}), w).values() == Values{4, 3, 4, 3});
  CHECK(matmul(stack({six, six}, 0), w).shape() == Shape{2, 2, 2});
  CHECK(matmul(zeros({0, 3}), w).shape() == Shape{0, 2});
  CHECK_THROWS_WITH(matmul(six, six), Contains("matmul: x [..., k] needs w [k, n]") &&
                                          Contains("x [2, 3], w [2, 3]"));
  CHECK_THROWS_WITH(matmul(six, cast(w, DType::float32)),
                    Contains("matmul: the tensors have different dtypes"));
  CHECK_THROWS_WITH(matmul(zeros({2, 2}, DType::int32), zeros({2, 2}, DType::int32)),
                    Contains("matmul works on floating tensors"));
}

TEST_CASE("linear is a stacked product with the bias in channel 0", "[autograd][tape][errors]") {
  const Tensor x = normal({4, 3, 2}, 1), w = normal({2, 5}, 2), b = normal({5}, 3);
  const Counting count;

  const Tensor y = linear(x, w, b);

  CHECK(stats().products == 1);
  CHECK(distance(select(y, 1, 0), matmul(select(x, 1, 0), w) + b) < 1e-15);
  for (int c : {1, 2}) CHECK(distance(select(y, 1, c), matmul(select(x, 1, c), w)) < 1e-15);
  CHECK_THROWS_WITH(linear(x, w, normal({4}, 3)), Contains("linear: x [points, channels, in]"));
  CHECK_THROWS_AS(linear(select(x, 1, 0), w, b), ShapeError);
}

TEST_CASE("where between two plain numbers has the dtype of its mask", "[autograd][tape]") {
  const Tensor x = from_values({-1, 2}, {2}, DType::float32);
  const Tensor y = where(less(x, 0.0), 0.5, 0.25);
  CHECK(y.dtype() == DType::float32);
  CHECK((x * y).values() == std::vector<double>{-0.5, 0.5});
}

TEST_CASE("where selects, so the branch not taken may be infinite", "[autograd][tape]") {
  const Tensor x = from_values({-1, 0, 4}, {3}).set_requires_grad();
  const Tensor positive = greater(x, 0.0);

  const Tensor y = where(positive, x, 0.0);
  CHECK(y.values() == Values{0, 0, 4});
  CHECK(grad({y}, {x}, {ones({3})})[0].values() == Values{0, 0, 1});
  // The branch's own formula still runs: 0 times an infinite slope. Choose a harmless argument
  // there.
  const Tensor careless = where(positive, log(x), 0.0);
  CHECK(std::isnan(grad({careless}, {x}, {ones({3})})[0].values()[1]));
  const Tensor careful = where(positive, log(where(positive, x, 1.0)), 0.0);
  CHECK(grad({careful}, {x}, {ones({3})})[0].values() == Values{0, 0, 0.25});
}

TEST_CASE("casts go there and back, and their gradient as well", "[autograd][tape]") {
  const Tensor x = variable({3}, 1);
  const Tensor y = cast(cast(x, DType::float32), DType::float64);
  CHECK(distance(x, y) < 1e-7);
  CHECK(cast(x, DType::float64).body() == x.body());
  CHECK(grad({y}, {x}, {ones({3})})[0].values() == Values{1, 1, 1});
  CHECK(cast(from_values({1.9, -1.9}, {2}), DType::int32).values() == Values{1, -1});
}

TEST_CASE("sums and means have memory of their own, also where nothing is added up",
          "[autograd][tape]") {
  const Tensor x = ones({1, 3, 1}), number = ones({});
  const std::vector<Tensor> results = {sum(x, {0}, true), sum(x, {0}),      sum(x, {0, 2}),
                                       sum(x, {}),        sum(x, {}, true), mean(x, {0}, true),
                                       sum(number),       mean(number)};
  for (Tensor y : results) y += 5.0;
  CHECK(x.values() == Values{1, 1, 1});
  CHECK(number.item() == 1);
  const Tensor v = variable({1, 3}, 1);
  CHECK(grad({sum(v, {0}, true)}, {v}, {ones({1, 3})})[0].values() == Values{1, 1, 1});
}

TEST_CASE("what an op may hand on is a view or its input, by name", "[autograd][tape]") {
  const Tensor x = from_values({1}, {1, 1});  // on which every op could do nothing
  const auto shares = [&](const Tensor& y) { return y.storage_id() == x.storage_id(); };
  const std::pair<const char*, Tensor> views[] = {{"reshape", reshape(x, {1})},
                                                  {"transpose", transpose(x)},
                                                  {"slice", slice(x, 0, 0, 1)},
                                                  {"select", select(x, 0, 0)},
                                                  {"expand", expand(x, {1, 1})},
                                                  {"sum_to", sum_to(x, {1, 1})},
                                                  {"cast", cast(x, DType::float64)},
                                                  {"to", x.to(Device::cpu)},
                                                  {"detach", x.detach()}};
  for (const auto& [name, y] : views) {
    INFO(name);
    CHECK(shares(y));
  }
  const std::pair<const char*, Tensor> results[] = {{"clone", x.clone()},
                                                    {"sum", sum(x, {0}, true)},
                                                    {"sum over no axes", sum(x, {})},
                                                    {"mean", mean(x, {0}, true)},
                                                    {"concat", concat({x}, 0)},
                                                    {"stack", stack({x}, 0)},
                                                    {"gather", gather(x, 0, {0})},
                                                    {"embed", embed(x, {1, 1}, 0, 0)},
                                                    {"where", where(ones({1, 1}), x, x)},
                                                    {"x + 0", x + 0.0},
                                                    {"x * 1", x * 1.0},
                                                    {"x / 1", x / 1.0},
                                                    {"power 1", power(x, 1)},
                                                    {"max", max(x, x)},
                                                    {"relu", relu(x)},
                                                    {"matmul", matmul(x, x)},
                                                    {"contract", contract(x, x)},
                                                    {"masked", masked(x, x)}};
  for (const auto& [name, y] : results) {
    INFO(name);
    CHECK_FALSE(shares(y));
  }
}

TEST_CASE("products go without leading axes", "[autograd][tape]") {
  const Tensor x = variable({3}, 1), w = variable({3, 2}, 2), g = variable({2}, 3);
  const Tensor row = matmul(x, w), outer = contract(x, g);
  CHECK(row.values() == matmul(reshape(x, {1, 3}), w).values());
  CHECK(row.shape() == Shape{2});
  CHECK(outer.shape() == Shape{3, 2});
  CHECK(outer.values() == (reshape(x, {3, 1}) * g).values());
  const TensorFunction both = [](const std::vector<Tensor>& in) {
    return contract(matmul(in[0], in[1]), in[2]);
  };
  CHECK(gradcheck(both, {x, w, g}) == "");
  CHECK(gradgradcheck(both, {x, w, g}) == "");
}
