#include <limits>
#include <sstream>

#include "autograd/core/error.h"
#include "tests/autograd/tape/helpers.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Contains;
using Values = std::vector<double>;

TEST_CASE("+=, -=, *= and /= change the elements that every handle and view sees",
          "[autograd][tape]") {
  Tensor a = from_values({1, 2}, {2});
  const Tensor same = a, view = slice(a, 0, -1);

  a += from_values({10, 20}, {2});
  CHECK(same.values() == Values{11, 22});
  a -= 1.0;
  CHECK(same.values() == Values{10, 21});
  a *= from_values({2}, {1});
  CHECK(same.values() == Values{20, 42});
  a /= from_values({4, 2}, {2});
  CHECK(same.values() == Values{5, 21});
  CHECK(view.item() == 21);
  CHECK(a.version() == 4);
}

TEST_CASE("an operator in place works through a view that nobody names", "[autograd][tape]") {
  Tensor a = from_values({1, 2, 3, 4}, {4});
  slice(a, 0, 0, 2) += 10.0;
  slice(a, 0, 2, 4) *= 2.0;
  select(a, 0, 0) -= 1.0;
  select(a, 0, -1) /= 4.0;
  CHECK(a.values() == Values{10, 12, 6, 2});
}

TEST_CASE("an operator in place broadcasts its operand and does not grow its tensor",
          "[autograd][tape][errors]") {
  Tensor a = zeros({2, 3}), row = from_values({1, 2, 3}, {3});
  a += row;
  CHECK(a.values() == Values{1, 2, 3, 1, 2, 3});
  CHECK_THROWS_WITH(row += a, Contains("add_in_place: the result does not fit the tensor") &&
                                  Contains("[2, 3] into float64 [3]"));
  CHECK_THROWS_WITH(row -= a, Contains("sub_in_place"));
  CHECK_THROWS_WITH(row *= a, Contains("mul_in_place"));
  CHECK_THROWS_WITH(row /= a, Contains("div_in_place"));
}

TEST_CASE("an operator in place on a tensor with history is recorded", "[autograd][tape]") {
  const Tensor x = variable({3}, 1);
  Tensor y = 3.0 * x;
  y -= square(x);
  y *= 2.0;

  CHECK(distance(grad(sum(y), x), 6.0 - 4.0 * x) < 1e-14);
}

TEST_CASE("a parameter moves in place where nothing is recorded", "[autograd][tape][errors]") {
  Tensor w = variable({2}, 1);
  const Tensor before = w.detach().clone(), network = w;
  CHECK_THROWS_WITH(w -= ones({2}), Contains("a leaf that requires a gradient"));

  const NoGrad off;
  w -= 0.5 * ones({2});
  CHECK(distance(network, before - 0.5) == 0);
  CHECK(network.requires_grad());
}

TEST_CASE("a sum may begin with a plain number, and is none any more", "[autograd][tape][errors]") {
  const Tensor x = variable({3}, 1);
  Tensor loss = 0.0, of_floats = 0.0;
  for (int i = 0; i < 2; ++i) loss += sum(square(x));

  CHECK_FALSE(loss.is_number());
  CHECK(distance(grad(loss, x), 4.0 * x) < 1e-15);
  CHECK_THROWS_WITH(of_floats += full({}, 1, DType::float32), Contains("different dtypes"));
}

TEST_CASE("comparisons give 1 where they hold, and 0 where a NaN is", "[autograd][tape]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Tensor x = from_values({1, 2, 3, nan}, {4}), y = from_values({2, 2, 2, 2}, {4});
  CHECK((x < y).values() == Values{1, 0, 0, 0});
  CHECK((x <= y).values() == Values{1, 1, 0, 0});
  CHECK((x > y).values() == Values{0, 0, 1, 0});
  CHECK((x >= y).values() == Values{0, 1, 1, 0});
  CHECK((x == y).values() == Values{0, 1, 0, 0});
  CHECK((x != y).values() == Values{1, 0, 1, 1});
  CHECK((x == 3.0).values() == Values{0, 0, 1, 0});
  CHECK((cast(x, DType::float32) != 2.0).dtype() == DType::float32);
  CHECK_FALSE((variable({2}, 1) == variable({2}, 2)).requires_grad());
}

TEST_CASE("normal deviates depend on what they are drawn for alone", "[autograd][tape]") {
  const Random random{.seed = 7, .stream = 3};
  const Tensor x = randn({2, 3}, random);
  for (int i = 0; i < 6; ++i) CHECK(x.values()[std::size_t(i)] == random.normal(i));
  CHECK(randn({6}, random).values() == x.values());
  CHECK(randn({3}, random, DType::float32).dtype() == DType::float32);
  CHECK(distance(randn({2, 3}, {.seed = 7, .stream = 3, .draw = 1}), x) > 0.1);
}

namespace {

std::string printed(const Tensor& t) {
  std::ostringstream out;
  out << t;
  return out.str();
}

}  // namespace

TEST_CASE("a tensor prints its type, its shape and its numbers, row by row", "[autograd][tape]") {
  CHECK(printed(Tensor()) == "undefined");
  CHECK(printed(2.5) == "float64 [] 2.5");
  CHECK(printed(from_values({1, -2, 0.125}, {3}, DType::float32)) ==
        "float32 [3]\n[    1,    -2, 0.125]");
  CHECK(printed(transpose(from_values({1, 2, 3, 4, 5, 60}, {2, 3}))) ==
        "float64 [3, 2]\n[[ 1,  4],\n [ 2,  5],\n [ 3, 60]]");
  CHECK(printed(variable({2, 0}, 1)) == "float64 [2, 0]\n[[],\n []]");
  CHECK(printed(ones({2, 1, 2}, DType::boolean)) == "boolean [2, 1, 2]\n[[[1, 1]],\n [[1, 1]]]");
}

TEST_CASE("a long tensor prints both ends of its axes", "[autograd][tape]") {
  Values numbers(1000);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = double(i);
  const Tensor x = from_values(numbers, {1000});
  CHECK(printed(x) == "float64 [1000]\n[  0,   1,   2, ..., 997, 998, 999]");
  CHECK(
      printed(reshape(x, {200, 5})).starts_with("float64 [200, 5]\n[[  0,   1,   2,   3,   4],\n"));
  CHECK(printed(reshape(x, {200, 5})).find("14],\n ...,\n [985") != std::string::npos);
  CHECK(printed(zeros({100})).find("...") == std::string::npos);
}
