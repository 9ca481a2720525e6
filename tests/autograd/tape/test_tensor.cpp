#include "autograd/core/error.h"
#include "tests/autograd/tape/helpers.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Contains;

TEST_CASE("tensors are made with given elements, converted to their dtype", "[autograd][tape]") {
  CHECK(zeros({2}).values() == std::vector<double>{0, 0});
  CHECK(full({2}, 2.7, DType::int32).values() == std::vector<double>{2, 2});
  CHECK(from_values({0, 2}, {2}, DType::boolean).values() == std::vector<double>{0, 1});
  CHECK(from_values({0.1}, {1}, DType::float32).values()[0] == double(0.1f));
  CHECK(empty({3, 4}).numel() == 12);
  CHECK(Tensor(3.5).item() == 3.5);
  CHECK(Tensor(3.5).shape() == Shape{});
}

TEST_CASE("a handle shares the array, a clone has its own", "[autograd][tape]") {
  const Tensor a = ones({2}), b = a, c = a.clone();
  b.data<double>()[0] = 7;
  CHECK(a.values() == std::vector<double>{7, 1});
  CHECK(c.values() == std::vector<double>{1, 1});
  CHECK(live_tensors() >= 2);
}

TEST_CASE("elements are read in row-major order whatever the strides", "[autograd][tape]") {
  const Tensor t = transpose(from_values({1, 2, 3, 4, 5, 6}, {2, 3}));
  CHECK(t.values() == std::vector<double>{1, 4, 2, 5, 3, 6});
  CHECK_FALSE(t.is_contiguous());
  CHECK(t.clone().is_contiguous());
  CHECK(select(select(t, 0, 2), 0, 1).item() == 6);
  CHECK(slice(t, 1, 0, 1).is_contiguous());
  CHECK(slice(from_values({1, 2}, {2, 1}), 0, 1, 2).is_contiguous());
}

TEST_CASE("memory is lent only as what it is", "[autograd][tape][errors]") {
  const Tensor t = zeros({2, 3});
  CHECK(t.data<double>().size() == 6);
  CHECK_THROWS_WITH(t.data<float>(), Contains("asked for as contiguous float32") &&
                                         Contains("float64 [2, 3]") && Contains("cast or clone"));
  CHECK_THROWS_AS(transpose(t).data<double>(), EngineError);
}

TEST_CASE("item and from_values check the number of elements", "[autograd][tape][errors]") {
  CHECK_THROWS_WITH(zeros({2}).item(),
                    Contains("item() needs a tensor of one element") && Contains("float64 [2]"));
  CHECK_THROWS_WITH(from_values({1, 2, 3}, {2, 2}),
                    Contains("3 values do not fill a tensor") && Contains("[2, 2]"));
}

TEST_CASE("a description has the dtype and the shape", "[autograd][tape]") {
  CHECK(describe(zeros({3, 4}, DType::float32)) == "float32 [3, 4]");
  CHECK(describe(Tensor()) == "undefined");
}

TEST_CASE("sizes count from either end", "[autograd][tape][errors]") {
  const Tensor t = zeros({2, 3, 4});
  CHECK(t.size(0) == 2);
  CHECK(t.size(-1) == 4);
  CHECK_THROWS_WITH(t.size(3), Contains("there is no axis 3 in a tensor of 3 axes"));
}
