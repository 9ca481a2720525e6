#include <functional>

#include "autograd/graph/passes.h"
#include "tests/autograd/graph/write.h"
#include "tests/catch.h"

using namespace pinn;
using namespace pinn::test;

TEST_CASE("values that no output depends on are left out, and unused inputs with them",
          "[autograd][graph]") {
  Graph g;
  const int x = input(g, "x", {P}), unused = input(g, "unused", {P});
  unary<op::Sin>(g, unused);
  g.outputs = {unary<op::Cos>(g, x)};

  CHECK(to_text(without_dead_values(g)) ==
        "%0 = input 'x' : float64 [P] row\n"
        "%1 = cos %0 : float64 [P] row\n"
        "outputs %1\n");
}

TEST_CASE("what is computed twice is computed once", "[autograd][graph]") {
  Graph g;
  const int x = input(g, "x", {P}), y = input(g, "y", {P}), again = input(g, "x", {P});
  const int a = mul(g, x, y), b = mul(g, y, again);  // sums and products commute
  const int c = sub(g, x, y), d = sub(g, y, x);      // differences do not
  g.outputs = {add(g, a, b), c, d, constant(g, 0.), constant(g, -0.), constant(g, 0.)};

  CHECK(to_text(without_duplicates(g)) ==
        "%0 = input 'x' : float64 [P] row\n"
        "%1 = input 'y' : float64 [P] row\n"
        "%2 = mul %0 %1 : float64 [P] row\n"
        "%3 = sub %0 %1 : float64 [P] row\n"
        "%4 = sub %1 %0 : float64 [P] row\n"
        "%5 = add %2 %2 : float64 [P] row\n"
        "%6 = constant 0 : float64 [] fixed\n"
        "%7 = constant -0 : float64 [] fixed\n"
        "outputs %5 %3 %4 %6 %7 %6\n");
}

TEST_CASE("values that differ in one detail are both kept", "[autograd][graph]") {
  Graph g;
  const int x = input(g, "x", {P, 2, 2});
  const std::vector<int> all = {slice(g, x, 1, 0, 1),    slice(g, x, 1, 1, 2),
                                gather(g, x, 1, {0, 1}), gather(g, x, 1, {1, 0}),
                                transpose(g, x, 1, 2),   transpose(g, x, 1, 1),
                                concat(g, {x, x}, 1),    concat(g, {x, x}, 2)};
  g.outputs = all;

  CHECK(without_duplicates(g).outputs == all);
}

TEST_CASE("jets are equal when their tables say the same", "[autograd][graph]") {
  Graph g;
  const int h = input(g, "h", {P, 2, 1});
  const auto jet_by = [&](const std::vector<MultiIndex>& singles) {
    return make(g, Primitive::jet, {h}, on_jets(jet_table(singles), unary_id<op::Sin>));
  };
  g.outputs = {jet_by({{0}, {1}}), jet_by({{0}, {1}}), jet_by({{0, 0}, {0, 1}})};

  const Graph after = without_duplicates(g);

  CHECK(after.outputs == std::vector<int>{1, 1, 2});
}

TEST_CASE("ops on constants become constants", "[autograd][graph]") {
  const auto folded_text = [](const std::function<int(Graph&)>& write) {
    Graph g;
    g.outputs = {write(g)};
    const Graph after = without_dead_values(folded(g));
    REQUIRE(after.values.size() == 1);
    return to_text(after).substr(5, to_text(after).find('\n') - 5);
  };
  const auto fixed = [](Graph& g) { return constants(g, {1, 2, 3, 4, 5, 6}, {2, 3}); };

  CHECK(folded_text([](Graph& g) { return add(g, constant(g, 2), constant(g, 0.5)); }) ==
        "constant 2.5 : float64 [] fixed");
  CHECK(folded_text([](Graph& g) { return unary<op::Sqrt>(g, constant(g, 9, {2})); }) ==
        "constant 3 : float64 [2] fixed");
  CHECK(folded_text([&](Graph& g) {
          return mul(g, fixed(g), constants(g, {1, 0, 2}, {3}));
        }) == "constant [1, 0, 6, 4, 0, 12] : float64 [2, 3] fixed");
  CHECK(folded_text([&](Graph& g) {
          return add(g, fixed(g), constants(g, {10, 20}, {2, 1}));
        }) == "constant [11, 12, 13, 24, 25, 26] : float64 [2, 3] fixed");
  CHECK(folded_text([](Graph& g) {
          const int x = constant(g, 3), y = unary<op::Square>(g, x);
          return pullback<op::Square>(g, x, y, constant(g, 2));
        }) == "constant 12 : float64 [] fixed");
  CHECK(folded_text([&](Graph& g) {
          return where(g, constants(g, {0, 1, 0}, {3}), constant(g, 7), fixed(g));
        }) == "constant [1, 7, 3, 4, 7, 6] : float64 [2, 3] fixed");
  CHECK(folded_text([](Graph& g) { return cast(g, constant(g, 0.1), DType::float32); }) ==
        "constant 0.10000000149011612 : float32 [] fixed");
  CHECK(folded_text([&](Graph& g) { return sum_to(g, fixed(g), {3}); }) ==
        "constant [5, 7, 9] : float64 [3] fixed");
  CHECK(folded_text([&](Graph& g) {
          return reshape(g, fixed(g), {3, 2});
        }) == "constant [1, 2, 3, 4, 5, 6] : float64 [3, 2] fixed");
  CHECK(folded_text([&](Graph& g) { return transpose(g, fixed(g), 0, 1); }) ==
        "constant [1, 4, 2, 5, 3, 6] : float64 [3, 2] fixed");
  CHECK(folded_text([&](Graph& g) { return slice(g, fixed(g), 1, 1, 3); }) ==
        "constant [2, 3, 5, 6] : float64 [2, 2] fixed");
  CHECK(folded_text([&](Graph& g) {
          return gather(g, fixed(g), 1, {2, 0});
        }) == "constant [3, 1, 6, 4] : float64 [2, 2] fixed");
  CHECK(folded_text([&](Graph& g) { return embed(g, constant(g, 8, {1}), {3}, 0, 1); }) ==
        "constant [0, 8, 0] : float64 [3] fixed");
  CHECK(folded_text([&](Graph& g) {
          return concat(g, {constant(g, 8, {2, 1}), fixed(g)}, 1);
        }) == "constant [8, 1, 2, 3, 8, 4, 5, 6] : float64 [2, 4] fixed");
  CHECK(folded_text([](Graph& g) {
          return constants(g, {4, 4}, {2});
        }) == "constant 4 : float64 [2] fixed");
}

TEST_CASE("rows are folded where one number says it all", "[autograd][graph]") {
  Graph g;
  const int one = expand(g, constant(g, 1), {P, 3}), zero = constant(g, 0, {P, 3});
  g.outputs = {add(g, one, one), sum_to(g, zero, {}), embed(g, zero, {P, 5}, 1, 2),
               sum_to(g, one, {})};  // how often 1 is added is not known

  CHECK(to_text(without_dead_values(folded(g))) ==
        "%0 = constant 1 : float64 [P, 3] row\n"
        "%1 = constant 2 : float64 [P, 3] row\n"
        "%2 = constant 0 : float64 [] fixed\n"
        "%3 = constant 0 : float64 [P, 5] row\n"
        "%4 = sum_to %0 : float64 [] sum\n"
        "outputs %1 %2 %3 %4\n");
}

TEST_CASE("constants are computed in their own precision", "[autograd][graph]") {
  Graph g;
  g.outputs = {add(g, constant(g, 1, {}, DType::float32), constant(g, 1e-9, {}, DType::float32))};

  CHECK(folded(g).values.back().numbers == std::vector<double>{1});
}

TEST_CASE("products of one row become one product", "[autograd][graph]") {
  Graph g;
  const int h = input(g, "h", {P, 2, 3});
  const int w = input(g, "w", {3, 4}), b = input(g, "b", {4});
  const int y = linear(g, h, w, b);
  const int v = input(g, "v", {3, 1}), c = input(g, "c", {1});
  const int z = linear(g, h, v, c), other = matmul(g, h, v);
  g.outputs = {y, z, other};

  CHECK(to_text(with_stacked_products(g)) ==
        "%0 = input 'w' : float64 [3, 4] fixed\n"
        "%1 = input 'b' : float64 [4] fixed\n"
        "%2 = input 'v' : float64 [3, 1] fixed\n"
        "%3 = input 'c' : float64 [1] fixed\n"
        "%4 = input 'h' : float64 [P, 2, 3] row\n"
        "%5 = concat(axis 1) %0 %2 : float64 [3, 5] fixed\n"
        "%6 = concat(axis 0) %1 %3 : float64 [5] fixed\n"
        "%7 = linear %4 %5 %6 : float64 [P, 2, 5] row\n"
        "%8 = slice(axis 2, 0 to 4) %7 : float64 [P, 2, 4] row\n"
        "%9 = slice(axis 2, 4 to 5) %7 : float64 [P, 2, 1] row\n"
        "%10 = matmul %4 %2 : float64 [P, 2, 1] row\n"
        "outputs %8 %9 %10\n");
}

TEST_CASE("fixed values come first, else the order stays", "[autograd][graph]") {
  Graph g;
  const int x = input(g, "x", {P}), f = input(g, "f", {1});
  const int s = sum_to(g, x, {1});
  g.outputs = {mul(g, s, f), neg(g, f)};

  CHECK(to_text(with_fixed_first(g)) ==
        "%0 = input 'f' : float64 [1] fixed\n"
        "%1 = neg %0 : float64 [1] fixed\n"
        "%2 = input 'x' : float64 [P] row\n"
        "%3 = sum_to %2 : float64 [1] sum\n"
        "%4 = mul %3 %0 : float64 [1] sum\n"
        "outputs %4 %1\n");
}
