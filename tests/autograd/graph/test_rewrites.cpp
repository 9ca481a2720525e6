#include <functional>
#include <limits>

#include "autograd/graph/passes.h"
#include "tests/autograd/graph/evaluate.h"
#include "tests/autograd/graph/write.h"
#include "tests/catch.h"

using namespace pinn;
using namespace pinn::test;

namespace {

/// A graph with x, y [P, 4] and f [4] to write on.
struct Page {
  Graph g;
  int x = input(g, "x", {P, 4}), y = input(g, "y", {P, 4}), f = input(g, "f", {4});
};
using Write = std::function<int(Page&)>;

/// Result of one round of chains and all rules on the value that is written: itself and what it
/// needs, one per line, inputs left out.
std::string simpler(const Write& write) {
  Page page;
  page.g.outputs = {write(page)};
  Graph once = with_chains_put_together(page.g);
  for (const auto rules : {arithmetic_rewrites(), shape_rewrites(), product_rewrites()})
    once = rewritten(once, rules);
  // x, y and f stay in front, so that they keep their numbers.
  Graph all = once;
  all.outputs = {0, 1, 2, once.outputs[0]};
  all = without_dead_values(all);
  const int output = all.outputs[3];
  if (output == 0) return "x";
  if (output == 1) return "y";
  std::string text;
  all.outputs.clear();
  const std::string full = to_text(all);
  std::size_t at = 0;
  for (int line = 0; at < full.size(); ++line) {
    const std::size_t end = full.find('\n', at);
    if (line > 2 && line < int(all.values.size()))
      text += (text.empty() ? "" : "\n") + full.substr(at, end - at);
    at = end + 1;
  }
  return text;
}

}  // namespace

TEST_CASE("neutral elements vanish", "[autograd][graph]") {
  CHECK(simpler([](Page& p) { return add(p.g, p.x, constant(p.g, 0)); }) == "x");
  CHECK(simpler([](Page& p) { return add(p.g, constant(p.g, 0, {P, 4}), p.x); }) == "x");
  CHECK(simpler([](Page& p) { return sub(p.g, p.x, constant(p.g, 0)); }) == "x");
  CHECK(simpler([](Page& p) { return mul(p.g, p.x, constant(p.g, 1)); }) == "x");
  CHECK(simpler([](Page& p) { return mul(p.g, constant(p.g, 1, {4}), p.x); }) == "x");
  CHECK(simpler([](Page& p) { return binary<op::Div>(p.g, p.x, constant(p.g, 1)); }) == "x");
}

TEST_CASE("a neutral element of a larger shape leaves that shape", "[autograd][graph]") {
  CHECK(simpler([](Page& p) {
          return mul(p.g, p.f, constant(p.g, 1, {P, 4}));
        }) == "%3 = expand %2 : float64 [P, 4] row");
  CHECK(simpler([](Page& p) {
          return add(p.g, p.f, constant(p.g, 0, {2, 4}));
        }) == "%3 = expand %2 : float64 [2, 4] fixed");
}

TEST_CASE("signs are taken together", "[autograd][graph]") {
  CHECK(simpler([](Page& p) { return neg(p.g, neg(p.g, p.x)); }) == "x");
  CHECK(simpler([](Page& p) { return sub(p.g, constant(p.g, 0), p.x); }) ==
        "%3 = neg %0 : float64 [P, 4] row");
  CHECK(simpler([](Page& p) { return mul(p.g, constant(p.g, -1), p.x); }) ==
        "%3 = neg %0 : float64 [P, 4] row");
  CHECK(simpler([](Page& p) { return binary<op::Div>(p.g, p.x, constant(p.g, -1)); }) ==
        "%3 = neg %0 : float64 [P, 4] row");
  CHECK(simpler([](Page& p) { return add(p.g, p.x, neg(p.g, p.y)); }) ==
        "%3 = sub %0 %1 : float64 [P, 4] row");
  CHECK(simpler([](Page& p) { return add(p.g, neg(p.g, p.x), p.y); }) ==
        "%3 = sub %1 %0 : float64 [P, 4] row");
  CHECK(simpler([](Page& p) { return sub(p.g, p.x, neg(p.g, p.y)); }) ==
        "%3 = add %0 %1 : float64 [P, 4] row");
  CHECK(simpler([](Page& p) { return pullback<op::Neg>(p.g, -1, -1, p.x); }) ==
        "%3 = neg %0 : float64 [P, 4] row");
}

TEST_CASE("constant factors are taken together", "[autograd][graph]") {
  const auto times = [](Page& p, double c, int x) { return mul(p.g, constant(p.g, c), x); };

  CHECK(simpler([&](Page& p) { return times(p, 2, times(p, 5, p.x)); }) ==
        "%3 = constant 10 : float64 [] fixed\n%4 = mul %0 %3 : float64 [P, 4] row");
  CHECK(simpler([&](Page& p) { return neg(p.g, times(p, 5, p.x)); }) ==
        "%3 = constant -5 : float64 [] fixed\n%4 = mul %0 %3 : float64 [P, 4] row");
  CHECK(simpler([&](Page& p) { return times(p, 5, neg(p.g, p.x)); }) ==
        "%3 = constant -5 : float64 [] fixed\n%4 = mul %0 %3 : float64 [P, 4] row");
}

TEST_CASE("constant factors stay apart where their product is lost", "[autograd][graph]") {
  Page p;
  p.g.outputs = {mul(p.g, constant(p.g, 1e-200), mul(p.g, constant(p.g, 1e-200), p.x))};

  CHECK(same(rewritten(p.g, arithmetic_rewrites()), p.g));
}

TEST_CASE("a zero that is part of the program wins over whatever it meets", "[autograd][graph]") {
  const auto zero = [](Page& p, Shape shape) { return constant(p.g, 0, shape); };
  const std::string zeros = "%3 = constant 0 : float64 [P, 4] row";

  CHECK(simpler([&](Page& p) { return mul(p.g, p.x, zero(p, {P, 4})); }) == zeros);
  CHECK(simpler([&](Page& p) { return mul(p.g, zero(p, {}), p.x); }) == zeros);
  CHECK(simpler([&](Page& p) { return matmul(p.g, p.x, zero(p, {4, 4})); }) == zeros);
  CHECK(simpler([&](Page& p) {
          return pullback<op::Sin>(p.g, p.x, p.y, zero(p, {P, 4}));
        }) == zeros);
  CHECK(simpler([&](Page& p) { return pullback<op::Step>(p.g, p.x, p.y, p.x); }) == zeros);
  CHECK(simpler([&](Page& p) {
          return contract(p.g, p.x, zero(p, {P, 2}));
        }) == "%3 = constant 0 : float64 [4, 2] fixed");
}

TEST_CASE("a zero that is found while the program runs is multiplied as ever",
          "[autograd][graph]") {
  Graph g;
  const int x = input(g, "x", {P}), f = input(g, "f", {});
  g.outputs = {mul(g, x, f)};
  const double infinite = std::numeric_limits<double>::infinity();

  const std::vector<Tensor> y =
      outputs_of(optimized(g), {{"x", full({1}, infinite)}, {"f", full({}, 0)}}, 1);

  CHECK(std::isnan(y[0].item()));
}

TEST_CASE("a selection that is known is made", "[autograd][graph]") {
  CHECK(simpler([](Page& p) { return where(p.g, constant(p.g, 1), p.x, p.y); }) == "x");
  CHECK(simpler([](Page& p) { return where(p.g, constant(p.g, 0, {P, 4}), p.x, p.y); }) == "y");
  CHECK(simpler([](Page& p) { return where(p.g, p.y, p.x, p.x); }) == "x");
  CHECK(simpler([](Page& p) {
          return where(p.g, constant(p.g, 1, {P, 4}), p.f, p.y);
        }) == "%3 = expand %2 : float64 [P, 4] row");
}

TEST_CASE("what is repeated is computed before", "[autograd][graph]") {
  const auto rows = [](Page& p) { return expand(p.g, p.f, {P, 4}); };

  CHECK(simpler([&](Page& p) { return mul(p.g, p.x, rows(p)); }) ==
        "%3 = mul %0 %2 : float64 [P, 4] row");
  CHECK(simpler([&](Page& p) { return unary<op::Sin>(p.g, rows(p)); }) ==
        "%3 = sin %2 : float64 [4] fixed\n%4 = expand %3 : float64 [P, 4] row");
  CHECK(simpler([&](Page& p) { return mul(p.g, rows(p), rows(p)); }) ==
        "%3 = mul %2 %2 : float64 [4] fixed\n%4 = expand %3 : float64 [P, 4] row");
  CHECK(simpler([](Page& p) {
          return mul(p.g, p.x, constant(p.g, 3, {P, 4}));
        }) == "%3 = constant 3 : float64 [] fixed\n%4 = mul %0 %3 : float64 [P, 4] row");
}

TEST_CASE("changes of shape that change nothing vanish", "[autograd][graph]") {
  CHECK(simpler([](Page& p) { return reshape(p.g, p.x, {P, 4}); }) == "x");
  CHECK(simpler([](Page& p) { return expand(p.g, p.x, {P, 4}); }) == "x");
  CHECK(simpler([](Page& p) { return sum_to(p.g, p.x, {P, 4}); }) == "x");
  CHECK(simpler([](Page& p) { return cast(p.g, p.x, DType::float64); }) == "x");
  CHECK(simpler([](Page& p) { return slice(p.g, p.x, 1, 0, 4); }) == "x");
  CHECK(simpler([](Page& p) { return slice(p.g, p.x, 0, 0, P); }) == "x");
  CHECK(simpler([](Page& p) { return embed(p.g, p.x, {P, 4}, 1, 0); }) == "x");
  CHECK(simpler([](Page& p) { return transpose(p.g, p.x, 1, 1); }) == "x");
  CHECK(simpler([](Page& p) { return concat(p.g, {p.x}, 1); }) == "x");
  CHECK(simpler([](Page& p) { return gather(p.g, p.x, 1, {0, 1, 2, 3}); }) == "x");
}

TEST_CASE("of two changes of shape one is left, or none", "[autograd][graph]") {
  CHECK(simpler([](Page& p) {
          return reshape(p.g, reshape(p.g, p.x, {P, 2, 2}), {P, 4, 1});
        }) == "%3 = reshape %0 : float64 [P, 4, 1] row");
  CHECK(simpler([](Page& p) {
          return sum_to(p.g, sum_to(p.g, p.x, {P, 1}), {});
        }) == "%3 = sum_to %0 : float64 [] sum");
  CHECK(simpler([](Page& p) {
          return expand(p.g, expand(p.g, p.f, {1, 4}), {P, 4});
        }) == "%3 = expand %2 : float64 [P, 4] row");
  CHECK(simpler([](Page& p) {
          const int three = reshape(p.g, p.x, {P, 2, 2});
          return reshape(p.g, transpose(p.g, transpose(p.g, three, 1, 2), 2, 1), {P, 4});
        }) == "%3 = reshape %0 : float64 [P, 4] row");
  CHECK(simpler([](Page& p) { return slice(p.g, slice(p.g, p.x, 1, 1, 4), 1, 1, 2); }) ==
        "%3 = slice(axis 1, 2 to 3) %0 : float64 [P, 1] row");
  CHECK(simpler([](Page& p) {
          return embed(p.g, embed(p.g, p.x, {P, 6}, 1, 1), {P, 9}, 1, 2);
        }) == "%3 = embed(axis 1, from 3) %0 : float64 [P, 9] row");
}

TEST_CASE("transposes of other axes do not cancel", "[autograd][graph]") {
  Graph g;
  const int x = input(g, "x", {2, 2, 2});
  g.outputs = {transpose(g, transpose(g, x, 0, 1), 1, 2)};

  CHECK(same(rewritten(g, shape_rewrites()), g));
}

TEST_CASE("casts cancel only where nothing is lost on the way", "[autograd][graph]") {
  Graph g;
  const int single = input(g, "s", {P}, DType::float32), twice = input(g, "d", {P});
  const int there = cast(g, cast(g, single, DType::float64), DType::float32);
  const int lossy = cast(g, cast(g, twice, DType::float32), DType::float64);
  g.outputs = {there, lossy};

  const Graph after = rewritten(g, shape_rewrites());

  CHECK(after.outputs[0] == single);
  CHECK(after.values[after.outputs[1]].op == Primitive::cast);
}

TEST_CASE("a slice reaches through what was put together", "[autograd][graph]") {
  const auto both = [](Page& p) { return concat(p.g, {p.x, p.y}, 1); };
  const auto framed = [](Page& p) { return embed(p.g, p.x, {P, 9}, 1, 2); };

  CHECK(simpler([&](Page& p) { return slice(p.g, both(p), 1, 4, 8); }) == "y");
  CHECK(simpler([&](Page& p) { return slice(p.g, both(p), 1, 5, 7); }) ==
        "%3 = slice(axis 1, 1 to 3) %1 : float64 [P, 2] row");
  CHECK(simpler([&](Page& p) { return slice(p.g, framed(p), 1, 2, 6); }) == "x");
  CHECK(simpler([&](Page& p) { return slice(p.g, framed(p), 1, 3, 5); }) ==
        "%3 = slice(axis 1, 1 to 3) %0 : float64 [P, 2] row");
  CHECK(simpler([&](Page& p) { return slice(p.g, framed(p), 1, 6, 9); }) ==
        "%3 = constant 0 : float64 [P, 3] row");
  CHECK(simpler([&](Page& p) { return slice(p.g, framed(p), 1, 1, 4); }) ==
        "%3 = slice(axis 1, 0 to 2) %0 : float64 [P, 2] row\n"
        "%4 = embed(axis 1, from 1) %3 : float64 [P, 3] row");
}

TEST_CASE("what was taken apart is whole again", "[autograd][graph]") {
  CHECK(simpler([](Page& p) {
          const int a = slice(p.g, p.x, 1, 0, 1), b = slice(p.g, p.x, 1, 1, 3);
          return concat(p.g, {a, b, slice(p.g, p.x, 1, 3, 4)}, 1);
        }) == "x");
  CHECK(simpler([](Page& p) {
          return concat(p.g, {concat(p.g, {p.x, p.y}, 1), p.x}, 1);
        }) == "%3 = concat(axis 1) %0 %1 %0 : float64 [P, 12] row");
  CHECK(simpler([](Page& p) {
          return gather(p.g, p.x, 1, {1, 2});
        }) == "%3 = slice(axis 1, 1 to 3) %0 : float64 [P, 2] row");
}

TEST_CASE("arrays of zeros around values add up to a concat", "[autograd][graph]") {
  using At = std::pair<int, std::int64_t>;
  const auto sum = [](Page& p, std::vector<At> pieces) {
    int all = embed(p.g, pieces[0].first, {P, 12}, 1, pieces[0].second);
    for (std::size_t i = 1; i < pieces.size(); ++i)
      all = add(p.g, all, embed(p.g, pieces[i].first, {P, 12}, 1, pieces[i].second));
    return all;
  };

  CHECK(simpler([&](Page& p) {
          return sum(p, {{p.y, 4}, {p.x, 0}});
        }) ==
        "%3 = constant 0 : float64 [P, 4] row\n"
        "%4 = concat(axis 1) %0 %1 %3 : float64 [P, 12] row");
  CHECK(simpler([&](Page& p) {
          return sum(p, {{p.y, 8}, {p.x, 0}, {p.y, 4}});
        }) == "%3 = concat(axis 1) %0 %1 %1 : float64 [P, 12] row");
  CHECK(simpler([&](Page& p) {
          return sum(p, {{p.x, 1}, {p.y, 1}});
        }) ==
        "%3 = add %0 %1 : float64 [P, 4] row\n"
        "%4 = embed(axis 1, from 1) %3 : float64 [P, 12] row");
  CHECK(simpler([&](Page& p) {
          return sum(p, {{p.x, 1}, {p.y, 2}});
        }) ==  // they overlap
        "%3 = embed(axis 1, from 1) %0 : float64 [P, 12] row\n"
        "%4 = embed(axis 1, from 2) %1 : float64 [P, 12] row\n"
        "%5 = add %3 %4 : float64 [P, 12] row");
}

TEST_CASE("arrays put into zeros along different axes are added as ever", "[autograd][graph]") {
  Graph g;
  const int a = input(g, "a", {P, 1, 2}), b = input(g, "b", {P, 2, 1});
  const int x = embed(g, a, {P, 2, 2}, 1, 0), y = embed(g, b, {P, 2, 2}, 2, 1);
  g.outputs = {add(g, x, y)};

  CHECK(same(with_chains_put_together(g), g));
}

TEST_CASE("reshapes stand after slices and before what puts together", "[autograd][graph]") {
  CHECK(simpler([](Page& p) {
          return reshape(p.g, embed(p.g, p.x, {P, 6}, 1, 1), {P, 1, 6});
        }) ==
        "%3 = reshape %0 : float64 [P, 1, 4] row\n"
        "%4 = embed(axis 2, from 1) %3 : float64 [P, 1, 6] row");
  CHECK(simpler([](Page& p) {
          return reshape(p.g, concat(p.g, {p.x, p.y}, 1), {P, 8, 1});
        }) ==
        "%3 = reshape %0 : float64 [P, 4, 1] row\n"
        "%4 = reshape %1 : float64 [P, 4, 1] row\n"
        "%5 = concat(axis 1) %3 %4 : float64 [P, 8, 1] row");
  CHECK(simpler([](Page& p) {
          return slice(p.g, reshape(p.g, p.x, {P, 1, 4}), 2, 1, 2);
        }) ==
        "%3 = slice(axis 1, 1 to 2) %0 : float64 [P, 1] row\n"
        "%4 = reshape %3 : float64 [P, 1, 1] row");
}

TEST_CASE("reshapes that cut across an axis stay where they are", "[autograd][graph]") {
  CHECK(simpler([](Page& p) {
          return reshape(p.g, concat(p.g, {p.x, p.y}, 1), {P, 2, 4});
        }) ==
        "%3 = concat(axis 1) %0 %1 : float64 [P, 8] row\n"
        "%4 = reshape %3 : float64 [P, 2, 4] row");
  CHECK(simpler([](Page& p) {
          return slice(p.g, reshape(p.g, p.x, {P, 2, 2}), 2, 1, 2);
        }) ==
        "%3 = reshape %0 : float64 [P, 2, 2] row\n"
        "%4 = slice(axis 2, 1 to 2) %3 : float64 [P, 2, 1] row");
}

TEST_CASE("leading axes of size 1 are left to broadcasting", "[autograd][graph]") {
  CHECK(simpler([](Page& p) {
          return reshape(p.g, sum_to(p.g, p.x, {1, 4}), {4});
        }) == "%3 = sum_to %0 : float64 [4] sum");
  CHECK(simpler([](Page& p) {
          return expand(p.g, reshape(p.g, p.f, {1, 4}), {P, 4});
        }) == "%3 = expand %2 : float64 [P, 4] row");
  CHECK(simpler([](Page& p) {
          return expand(p.g, reshape(p.g, p.f, {4, 1}), {4, 2});
        }) == "%3 = reshape %2 : float64 [4, 1] fixed\n%4 = expand %3 : float64 [4, 2] fixed");
}

TEST_CASE("what is the same for all points is computed for one", "[autograd][graph]") {
  const auto rows = [](Page& p) { return expand(p.g, p.f, {P, 4}); };

  CHECK(simpler([&](Page& p) {
          return matmul(p.g, rows(p), input(p.g, "w", {4, 2}));
        }) ==
        "%3 = input 'w' : float64 [4, 2] fixed\n"
        "%4 = expand %2 : float64 [1, 4] fixed\n"
        "%5 = matmul %4 %3 : float64 [1, 2] fixed\n"
        "%6 = expand %5 : float64 [P, 2] row");
  CHECK(simpler([](Page& p) {
          return embed(p.g, constant(p.g, 1, {P, 1}), {P, 2}, 1, 1);
        }) ==
        "%3 = constant 1 : float64 [1, 1] fixed\n"
        "%4 = embed(axis 1, from 1) %3 : float64 [1, 2] fixed\n"
        "%5 = expand %4 : float64 [P, 2] row");
  CHECK(simpler([&](Page& p) { return contract(p.g, p.x, rows(p)); }) ==
        "%3 = expand %2 : float64 [1, 4] fixed\n"
        "%4 = sum_to %0 : float64 [1, 4] sum\n"
        "%5 = contract %4 %3 : float64 [4, 4] sum");
}

TEST_CASE("products leave out zeros and transposes", "[autograd][graph]") {
  const auto framed = [](Page& p) { return embed(p.g, p.x, {P, 9}, 1, 2); };

  CHECK(simpler([&](Page& p) {
          return matmul(p.g, framed(p), input(p.g, "w", {9, 2}));
        }) ==
        "%3 = input 'w' : float64 [9, 2] fixed\n"
        "%4 = slice(axis 0, 2 to 6) %3 : float64 [4, 2] fixed\n"
        "%5 = matmul %0 %4 : float64 [P, 2] row");
  CHECK(simpler([&](Page& p) { return contract(p.g, p.y, framed(p)); }) ==
        "%3 = contract %1 %0 : float64 [4, 4] sum\n"
        "%4 = embed(axis 1, from 2) %3 : float64 [4, 9] sum");
  CHECK(simpler([&](Page& p) { return contract(p.g, framed(p), p.y); }) ==
        "%3 = contract %0 %1 : float64 [4, 4] sum\n"
        "%4 = embed(axis 0, from 2) %3 : float64 [9, 4] sum");
  CHECK(simpler([](Page& p) { return transpose(p.g, contract(p.g, p.x, p.y), 0, 1); }) ==
        "%3 = contract %1 %0 : float64 [4, 4] sum");
}
