#include <limits>

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

TEST_CASE("signed zeros, infinities and the ends of the range come back as they were given",
          "[autograd][tape]") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> given = {0.0, -0.0, infinity, -infinity, 5e-324, 1.7e308},
                            rounded = {0.0, -0.0, infinity, -infinity, 0, infinity};
  for (const Tensor& t : {from_values(given, {2, 3}), from_values(given, {6}).clone()}) {
    CHECK(t.values() == given);
    CHECK(std::signbit(t.values()[1]));
  }
  const Tensor narrow = cast(from_values(given, {6}), DType::float32);
  CHECK(narrow.values() == rounded);
  CHECK(std::signbit(narrow.values()[1]));
  CHECK(cast(narrow, DType::float64).values() == rounded);
  CHECK(std::isnan(full({1}, std::nan(""), DType::float32).item()));
}

TEST_CASE("a tensor without elements has values, a sum and views, but no item",
          "[autograd][tape][errors]") {
  const Tensor none = zeros({2, 0, 3}).set_requires_grad();
  CHECK(none.values().empty());
  CHECK(sum(none).item() == 0);
  CHECK(sum(none, {1}).values() == std::vector<double>(6, 0));
  CHECK(reshape(none, {0}).numel() == 0);
  CHECK(concat({none, ones({2, 1, 3})}, 1).values() == std::vector<double>(6, 1));
  CHECK(grad(sum(exp(none)), none).shape() == Shape{2, 0, 3});
  CHECK_THROWS_WITH(none.item(), Contains("item() needs a tensor of one element"));
}

TEST_CASE("numbers that are not floating have neither gradients nor functions",
          "[autograd][tape][errors]") {
  const DType dtype = GENERATE(DType::int32, DType::boolean);
  Tensor whole = ones({2}, dtype);
  CHECK_THROWS_AS(whole.set_requires_grad(), EngineError);
  CHECK_THROWS_WITH(exp(whole), Contains("exp works on floating tensors"));
  CHECK_THROWS_WITH(whole + whole, Contains("add works on floating tensors"));
  CHECK_FALSE(cast(variable({2}, 1), dtype).requires_grad());
  CHECK(where(whole, ones({2}), zeros({2})).values() == std::vector<double>{1, 1});
}

TEST_CASE("aliases count the changes of their memory together, and copies begin anew",
          "[autograd][tape]") {
  Tensor t = zeros({2, 2});
  const Tensor view = transpose(t), handle = t, alias = t.detach();
  add_in_place(t, Tensor(1.0));
  mul_in_place(t, Tensor(3.0));
  for (const Tensor& other : {view, handle, alias}) {
    CHECK(other.version() == t.version());
    CHECK(other.values() == std::vector<double>(4, 3));
  }
  CHECK(t.version() == 2);
  CHECK(t.clone().version() == 0);
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
