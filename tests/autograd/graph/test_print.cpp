#include "autograd/graph/passes.h"
#include "tests/autograd/graph/write.h"
#include "tests/catch.h"

using namespace pinn;
using namespace pinn::test;

TEST_CASE("a graph prints one value per line, and its outputs", "[autograd][graph]") {
  Graph g;
  const int x = input(g, "x", {P, 3}), w = input(g, "w", {3, 2});
  const int y = unary<op::Tanh>(g, matmul(g, x, w));
  g.outputs = {sum_to(g, mul(g, y, constant(g, 0.5)), {}), y};

  CHECK(to_text(g) ==
        "%0 = input 'x' : float64 [P, 3] row\n"
        "%1 = input 'w' : float64 [3, 2] fixed\n"
        "%2 = matmul %0 %1 : float64 [P, 2] row\n"
        "%3 = tanh %2 : float64 [P, 2] row\n"
        "%4 = constant 0.5 : float64 [] fixed\n"
        "%5 = mul %3 %4 : float64 [P, 2] row\n"
        "%6 = sum_to %5 : float64 [] sum\n"
        "outputs %6 %3\n");
}

TEST_CASE("a line says all that its op needs to know", "[autograd][graph]") {
  Graph g;
  const int h = input(g, "h", {P, 2, 4}, DType::float32);
  const auto table = jet_table({{0}, {1}});
  slice(g, h, 2, 1, 3);
  embed(g, h, {P, 6, 4}, 1, 3);
  concat(g, {h, h}, 1);
  gather(g, h, 2, {3, 0, 3});
  transpose(g, h, 1, 2);
  cast(g, h, DType::float64);
  make(g, Primitive::jet, {h}, on_jets(table, unary_id<op::Sin>, 2));
  Value cube = on_jets(table, unary_id<op::Power>);
  cube.parameter = 3;
  make(g, Primitive::jet_pullback, {h, h}, cube);
  pullback<op::Exp>(g, -1, h, h);
  constants(g, {1, 2, 3, 4, 5, 6, 7, 8, 9}, {9});
  constants(g, {1, 0.5}, {2});

  CHECK(to_text(g) ==
        "%0 = input 'h' : float32 [P, 2, 4] row\n"
        "%1 = slice(axis 2, 1 to 3) %0 : float32 [P, 2, 2] row\n"
        "%2 = embed(axis 1, from 3) %0 : float32 [P, 6, 4] row\n"
        "%3 = concat(axis 1) %0 %0 : float32 [P, 4, 4] row\n"
        "%4 = gather(axis 2, 3 0 3) %0 : float32 [P, 2, 3] row\n"
        "%5 = transpose(axes 1 and 2) %0 : float32 [P, 4, 2] row\n"
        "%6 = cast %0 : float64 [P, 2, 4] row\n"
        "%7 = jet(sin'') %0 : float32 [P, 2, 4] row\n"
        "%8 = jet_pullback(power(3)) %0 %0 : float32 [P, 2, 4] row\n"
        "%9 = pullback of exp - %0 %0 : float32 [P, 2, 4] row\n"
        "%10 = constant [1, 2, 3, 4, 5, 6, 7, 8, ... 9 numbers] : float64 [9] fixed\n"
        "%11 = constant [1, 0.5] : float64 [2] fixed\n"
        "outputs\n");
}

TEST_CASE("a graph can be drawn", "[autograd][graph]") {
  Graph g;
  const int x = input(g, "a \"name\"", {P});
  g.outputs = {sum_to(g, x, {})};

  CHECK(to_dot(g) ==
        "digraph step {\n"
        "  node [shape=box, style=filled];\n"
        "  v0 [label=\"%0 input 'a \\\"name\\\"'\\nfloat64 [P]\", fillcolor=lightblue];\n"
        "  v1 [label=\"%1 sum_to\\nfloat64 []\", fillcolor=lightsalmon];\n"
        "  v0 -> v1;\n"
        "  out0 [label=\"output 0\", shape=plain, style=\"\"];\n"
        "  v1 -> out0;\n"
        "}\n");
}
