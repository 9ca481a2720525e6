#include <functional>

#include "autograd/core/error.h"
#include "tests/autograd/graph/write.h"
#include "tests/catch.h"

using namespace pinn;
using namespace pinn::test;

namespace {

/// A graph with a row x [P, 3], a column y [P, 1], a fixed f [4, 3] and a sum s [].
struct Some {
  Graph g;
  int x = input(g, "x", {P, 3}), y = input(g, "y", {P, 1}), f = input(g, "f", {4, 3});
  int s = sum_to(g, x, {});
};

/// Report of an error of that type when `act` is done on such a graph.
template <class E> Report report(const std::function<void(Some&)>& act) {
  Some some;
  try {
    act(some);
  } catch (const E& e) {
    return e.report;
  }
  FAIL("no error");
  return {};
}

std::string refusal(const std::function<void(Some&)>& act) {
  const Report r = report<EngineError>(act);
  CHECK_FALSE(r.where.empty());
  CHECK_FALSE(r.fix.empty());
  return r.what;
}

std::string misfit(const std::function<void(Some&)>& act) {
  return report<InternalError>(act).what;
}

/// A value as it stands, without the shape that the builders find.
Value value(Primitive op, std::vector<int> inputs, Shape shape) {
  Value v;
  v.op = op;
  v.inputs = std::move(inputs);
  v.shape = shape;
  return v;
}

}  // namespace

TEST_CASE("an op that does not leave every point on its own is refused by name",
          "[autograd][graph][errors]") {
  const auto leaves_alone = [](const std::function<void(Some&)>& act, const std::string& what) {
    const Report r = report<EngineError>(act);
    CHECK(r.what == what);
    CHECK(r.fix == "leave the first axis of a row as it is, or run this step eagerly");
  };
  leaves_alone([](Some& s) { slice(s.g, s.x, 0, 2, 5); },
               "slice would take only some of the points");
  leaves_alone([](Some& s) { gather(s.g, s.x, 0, {1, 0}); }, "gather would pick among the points");
  leaves_alone(
      [](Some& s) {
        embed(s.g, s.x, {2 * P, 3}, 0, 1);
      },
      "embed would put rows among other points");
  leaves_alone(
      [](Some& s) {
        embed(s.g, s.f, {P, 3}, 0, 1);
      },
      "embed would put rows among other points");
  leaves_alone([](Some& s) { concat(s.g, {s.x, s.f}, 0); }, "concat would put points after points");
  leaves_alone([](Some& s) { concat(s.g, {s.x, s.x}, 0); }, "concat would put points after points");
  leaves_alone([](Some& s) { transpose(s.g, s.x, 0, 1); }, "transpose would move the points' axis");
  leaves_alone([](Some& s) { reshape(s.g, s.x, {3 * P}); },
               "reshape would change the points' axis");
  leaves_alone([](Some& s) { reshape(s.g, s.x, {3, P}); }, "reshape would change the points' axis");
  leaves_alone([](Some& s) { add(s.g, reshape(s.g, s.y, {P}), s.y); },
               "add would move the points' axis");
  leaves_alone([](Some& s) { expand(s.g, s.x, {2, P, 3}); }, "expand would move the points' axis");
}

TEST_CASE("a value that is refused is not there", "[autograd][graph][errors]") {
  Some s;
  Value v = value(Primitive::slice, {s.x}, {2, 3});
  const std::size_t before = s.g.values.size();

  CHECK_THROWS_AS(s.g.add(v), EngineError);

  CHECK(s.g.values.size() == before);
}

TEST_CASE("a refusal shows the shapes, with P for the points", "[autograd][graph][errors]") {
  const Report r = report<EngineError>([](Some& s) { slice(s.g, s.x, 0, 2, 5); });

  CHECK(r.where == "slice of float64 [P, 3] row");
}

TEST_CASE("a row that depends on a sum over the points is refused", "[autograd][graph][errors]") {
  const Report r = report<EngineError>([](Some& s) { mul(s.g, s.x, s.s); });

  CHECK(r.what == "mul makes a row that depends on a sum over the points");
  CHECK(r.where == "mul of float64 [P, 3] row and float64 [] sum");
  CHECK(r.fix == "sum over the points last, or run this step eagerly");
  CHECK(refusal([](Some& s) { expand(s.g, s.s, {P}); }) ==
        "expand makes a row that depends on a sum over the points");
}

TEST_CASE("a weight that differs from point to point is refused", "[autograd][graph][errors]") {
  const auto square_of_points = [](Some& s) { matmul(s.g, input(s.g, "many", {4, P}), s.x); };
  CHECK(refusal(square_of_points) == "input would move the points' axis");
  CHECK(refusal([](Some& s) {
          s.g.values[s.f].shape = {4, P};  // as if it were possible
          matmul(s.g, s.f, s.x);
        }) == "matmul has a weight that differs from point to point");
}

TEST_CASE("float types do not mix", "[autograd][graph][errors]") {
  const Report r =
      report<EngineError>([](Some& s) { add(s.g, s.x, cast(s.g, s.y, DType::float32)); });

  CHECK(r.what == "add: the tensors have different dtypes");
  CHECK(r.where == "add of float64 [P, 3] row and float32 [P, 1] row");
  CHECK(r.fix == "cast() one of them");
}

TEST_CASE("a value that does not fit its op is a bug, and the message names the op",
          "[autograd][graph][errors]") {
  using P_ = Primitive;
  const auto needs = [](Value v) { return misfit([&](Some& s) { s.g.add(v); }); };
  const int x = 0, y = 1, f = 2;

  CHECK(needs(value(P_::unary, {9}, {P, 3})) == "unary refers to value %9 of 4");
  CHECK(needs(value(P_::unary, {-1}, {P, 3})) == "unary needs all of its inputs");
  CHECK(needs(value(P_::binary, {x}, {P, 3})) == "binary needs another number of inputs");
  CHECK(needs(value(P_::unary, {x}, {P, 2})) == "unary gives [P, 3], not [P, 2]");
  CHECK(needs(value(P_::binary, {x, f}, {P, 3})) == "binary needs shapes that broadcast");
  CHECK(needs(value(P_::ternary, {x, f, f}, {4, 3})) == "ternary needs shapes that broadcast");
  CHECK(needs(value(P_::constant, {}, {3})) == "constant needs one number, or one per element");
  CHECK(needs(value(P_::unary_pullback, {x, x, y}, {P, 1})) ==
        "unary_pullback needs inputs of one shape");
  CHECK(needs(value(P_::sum_to, {x}, {P, 2})) ==
        "sum_to needs a shape that broadcasts to its input's");
  CHECK(needs(value(P_::reshape, {f}, {5, 2})) == "reshape needs a shape of as many elements");
  CHECK(needs(value(P_::slice, {f}, {5, 3})) == "slice needs a window of its input");
  CHECK(needs(value(P_::embed, {f}, {3, 3})) == "embed needs a window for its input");
  CHECK(needs(value(P_::expand, {f}, {3})) ==
        "expand needs a shape that its input's broadcasts to");
  CHECK(needs(value(P_::concat, {}, {3})) == "concat needs at least one part");
  CHECK(needs(value(P_::concat, {x, y}, {P, 3})) ==
        "concat needs parts that differ along its axis only");
  CHECK(needs(value(P_::matmul, {x, f}, {P, 3})) == "matmul needs x [..., k] and w [k, n]");
  CHECK(needs(value(P_::contract, {x, f}, {3, 3})) == "contract needs x [..., k] and g [..., n]");
  CHECK(needs(value(P_::linear, {x, f, f}, {P, 3})) ==
        "linear needs x [points, channels, k], w [k, n] and b [n]");
  CHECK(needs(value(P_::jet, {x}, {P, 3})) == "jet needs a table of products");
}

TEST_CASE("what an op needs to know besides is checked too", "[autograd][graph][errors]") {
  const auto needs = [](Primitive op, std::vector<int> inputs, Shape shape,
                        const std::function<void(Value&)>& with) {
    Value v = value(op, std::move(inputs), shape);
    with(v);
    return misfit([&](Some& s) { s.g.add(v); });
  };
  const auto table = jet_table({{0}, {1}});

  CHECK(needs(Primitive::unary, {0}, {P, 3}, [](Value& v) { v.function = 1000; }) ==
        "unary needs an op of the list of unary ops");
  CHECK(needs(Primitive::binary, {0, 0}, {P, 3}, [](Value& v) { v.function = -1; }) ==
        "binary needs an op of the list of binary ops");
  CHECK(needs(Primitive::round, {0}, {P, 3}, [](Value& v) { v.format = 4; }) ==
        "round needs a format of the list of formats");
  CHECK(needs(Primitive::unary_pullback, {-1, -1, 0}, {P, 3}, [](Value& v) {
          v.function = unary_id<op::Exp>;
        }) == "unary_pullback needs what the op's slope reads");
  CHECK(needs(Primitive::transpose, {0}, {P, 3}, [](Value& v) { v.axis = 2; }) ==
        "transpose needs two axes that are there");
  CHECK(needs(Primitive::gather, {2}, {1, 3}, [](Value& v) { v.indices = {4}; }) ==
        "gather needs indices that are there");
  CHECK(needs(Primitive::gather, {2}, {0, 3}, [](Value& v) { v.axis = 2; }) ==
        "gather needs an axis that is there");
  CHECK(needs(Primitive::jet, {0}, {P, 3}, [&](Value& v) { v.table = table; }) ==
        "jet needs jets of its table's channels");
  CHECK(needs(Primitive::cast, {0}, {P, 1}, [](Value& v) { v.dtype = DType::float32; }) ==
        "cast gives [P, 3], not [P, 1]");
  CHECK(needs(Primitive::reshape, {0}, {P, 3}, [](Value& v) { v.dtype = DType::int32; }) ==
        "reshape would change the dtype");
}

TEST_CASE("the extent of a value follows from its op and inputs", "[autograd][graph]") {
  Some some;
  Graph& g = some.g;
  const auto extent = [&](int i) { return std::string(name_of(g.values[i].extent)); };

  CHECK(extent(some.x) == "row");
  CHECK(extent(some.f) == "fixed");
  CHECK(extent(some.s) == "sum");
  CHECK(extent(mul(g, some.x, constant(g, 2))) == "row");
  CHECK(extent(sum_to(g, some.x, {P, 1})) == "row");  // over the features
  CHECK(extent(sum_to(g, some.x, {1, 3})) == "sum");
  CHECK(extent(sum_to(g, some.f, {})) == "fixed");
  CHECK(extent(contract(g, some.x, some.y)) == "sum");
  CHECK(extent(mul(g, some.s, some.f)) == "sum");
  CHECK(extent(expand(g, constant(g, 1), {P, 2})) == "row");
  CHECK(extent(slice(g, some.x, 0, 0, P)) == "row");  // all of the points
  CHECK(extent(transpose(g, some.f, 0, 1)) == "fixed");
}
