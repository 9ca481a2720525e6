#include "autograd/core/shape.h"

#include "autograd/core/error.h"
#include "autograd/core/numbers.h"
#include "tests/catch.h"

using namespace pinn;
using Catch::Contains;

TEST_CASE("a shape has up to four axes", "[autograd][core][errors]") {
  CHECK(Shape{}.rank() == 0);
  CHECK(Shape{}.numel() == 1);
  CHECK(Shape{2, 3, 4}.numel() == 24);
  CHECK(Shape{2, 0}.numel() == 0);
  CHECK(to_string(Shape{3, 4}) == "[3, 4]");
  CHECK(to_string(Shape{}) == "[]");
  CHECK_THROWS_WITH((Shape{1, 1, 1, 1, 1}), Contains("a tensor has at most 4 axes, not 5"));
}

TEST_CASE("shapes are equal when sizes and ranks are", "[autograd][core]") {
  CHECK(Shape{2, 3} == Shape{2, 3});
  CHECK_FALSE(Shape{2, 3} == Shape{2, 3, 1});
  CHECK_FALSE(Shape{2, 3} == Shape{3, 2});
}

TEST_CASE("axes are inserted and removed", "[autograd][core][errors]") {
  CHECK(Shape{2, 3}.inserted(0, 5) == Shape{5, 2, 3});
  CHECK(Shape{2, 3}.inserted(2, 5) == Shape{2, 3, 5});
  CHECK(Shape{2, 3, 4}.removed(1) == Shape{2, 4});
  CHECK_THROWS_AS((Shape{1, 2, 3, 4}.inserted(0, 1)), ShapeError);
}

TEST_CASE("strides of a contiguous array are products of the inner sizes", "[autograd][core]") {
  CHECK(contiguous_strides({2, 3, 4}) == Sizes{12, 4, 1, 0});
}

TEST_CASE("shapes broadcast as numpy's do", "[autograd][core][errors]") {
  CHECK(broadcast({2, 3}, {3}) == Shape{2, 3});
  CHECK(broadcast({2, 1}, {1, 3}) == Shape{2, 3});
  CHECK(broadcast({}, {4}) == Shape{4});
  CHECK(broadcast({0, 3}, {1, 3}) == Shape{0, 3});
  CHECK_THROWS_WITH(broadcast({2, 3}, {2}),
                    Contains("sizes 3 and 2 meet") && Contains("[2, 3] and [2]"));
  CHECK(broadcasts_to({3}, {2, 3}));
  CHECK(broadcasts_to({2, 1}, {2, 3}));
  CHECK_FALSE(broadcasts_to({2, 3}, {3}));
  CHECK_FALSE(broadcasts_to({2}, {2, 3}));
}

TEST_CASE("an axis may be counted from the end", "[autograd][core][errors]") {
  CHECK(normalized_axis(-1, 3) == 2);
  CHECK(normalized_axis(0, 3) == 0);
  CHECK_THROWS_WITH(normalized_axis(-4, 3), Contains("there is no axis -4"));
  CHECK_THROWS_AS(normalized_axis(0, 0), ShapeError);
}

TEST_CASE("a dtype has one name, one size and one C++ type", "[autograd][core]") {
  for (const DType t : {DType::float64, DType::float32, DType::int32, DType::boolean})
    visit_dtype(t, [t](auto zero) {
      CHECK(sizeof zero == size_of(t));
      CHECK(dtype_of<decltype(zero)> == t);
    });
  CHECK(std::string(name_of(DType::float32)) == "float32");
  CHECK(is_floating(DType::float32));
  CHECK_FALSE(is_floating(DType::boolean));
}
