#include "autograd/check/gradcheck.h"
#include "autograd/core/error.h"
#include "tests/autograd/tape/helpers.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Contains;

namespace {

/// Matrix by matrix, put together again.
Tensor one_by_one(const Tensor& x, const Tensor& w) {
  std::vector<Tensor> each;
  for (std::int64_t i = 0; i < x.size(0); ++i)
    each.push_back(matmul(select(x, 0, i), select(w, 0, i)));
  return stack(each, 0);
}

}  // namespace

TEST_CASE("matmul of a batch is the product of each pair of matrices", "[autograd][tape]") {
  const DType dtype = GENERATE(DType::float64, DType::float32);
  const Tensor x = normal({3, 4, 2}, 1, dtype), w = normal({3, 2, 5}, 2, dtype);
  const Tensor wide = normal({3, 4, 10}, 3, dtype), one = normal({1, 2, 5}, 4, dtype);

  CHECK(distance(matmul(x, w), one_by_one(x, w)) == 0);
  CHECK(distance(matmul(transpose(w), transpose(x)), transpose(matmul(x, w))) < 1e-6);
  const Tensor part = slice(wide, 2, 3, 5), spread = expand(one, {3, 2, 5});
  CHECK(distance(matmul(part, w), one_by_one(part, w)) == 0);
  CHECK(distance(matmul(x, spread), one_by_one(x, spread)) == 0);
  const Tensor turned = transpose(x, 0, 2), other = transpose(wide, 0, 1);  // rows not dense
  CHECK(distance(matmul(turned, slice(other, 0, 0, 2)), one_by_one(turned, slice(other, 0, 0, 2))) <
        1e-6);
}

TEST_CASE("matmul of a batch may have two leading axes, or nothing in it", "[autograd][tape]") {
  const Tensor x = variable({2, 3, 4, 2}, 1), w = variable({2, 3, 2, 5}, 2);
  const Tensor flat = matmul(reshape(x, {6, 4, 2}), reshape(w, {6, 2, 5}));
  const TensorFunction f = [](const auto& t) { return square(matmul(t[0], t[1])); };

  CHECK(distance(matmul(x, w), reshape(flat, {2, 3, 4, 5})) == 0);
  CHECK(gradcheck(f, {x, w}, {.fast = true, .batched = false}) == "");
  CHECK(gradgradcheck(f, {x, w}, {.fast = true, .batched = false}) == "");
  CHECK(matmul(zeros({0, 3, 2}), zeros({0, 2, 4})).shape() == Shape{0, 3, 4});
  CHECK(matmul(zeros({2, 3, 0}), zeros({2, 0, 4})).values() == std::vector<double>(24, 0.0));
}

TEST_CASE("matmul of a batch counts one product for each of it", "[autograd][tape]") {
  const Tensor x = variable({3, 4, 2}, 1), w = variable({3, 2, 5}, 2);
  const Counting count;

  const Tensor y = sum(matmul(x, w));
  CHECK(stats().products == 3);
  const ProductSize& size = stats().product_log.at(0);
  CHECK(std::vector<std::int64_t>{size.m, size.n, size.k, size.batch} ==
        std::vector<std::int64_t>{4, 5, 2, 3});
  grad(y, w);
  CHECK(stats().products == 6);  // none for x, which is not asked for
}

TEST_CASE("matmul of a batch refuses leading axes that differ", "[autograd][tape][errors]") {
  CHECK_THROWS_WITH(matmul(zeros({3, 4, 2}), zeros({2, 2, 5})),
                    Contains("x [b, n, k] w [b, k, m]") && Contains("x [3, 4, 2], w [2, 2, 5]"));
  CHECK_THROWS_WITH(matmul(zeros({4, 2}), zeros({3, 2, 5})), Contains("expand() a missing"));
  CHECK_THROWS_AS(matmul(zeros({3, 4, 2}), zeros({3, 3, 5})), ShapeError);
  CHECK_THROWS_AS(linear(zeros({3, 4, 2}), zeros({3, 2, 5}), zeros({5})), ShapeError);
}
