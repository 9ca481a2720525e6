// Hard constraints on surfaces of shapes.
#include <cmath>
#include <map>
#include <tuple>

#include "data/geometry/measure.h"
#include "solvers/problem/checks.h"
#include "solvers/problem/differentiate.h"
#include "solvers/problem/evaluate.h"
#include "solvers/problem/hard.h"
#include "solvers/problem/hard/surfaces.h"
#include "solvers/problem/rewritten.h"
#include "tests/catch.h"
#include "tests/larger.h"
#include "tests/solvers/problem/asked.h"

using namespace pinn;
using Catch::Matchers::Contains;
using pinn::test::larger;
using Point = std::vector<double>;
using Names = std::vector<std::string>;

namespace {

NamedRegion shape(const Problem& p, const std::string& name, const std::string& kind,
                  const std::map<std::string, Point>& arguments) {
  ShapeText text{kind, {}};
  for (const auto& [argument, values] : arguments)
    for (const double v : values) text.arguments[argument].push_back({v});
  return make_region(name, text, p);
}

/// The box [-1, 1]^d less or with what `regions` makes of it.
Problem domain(
    int d, const std::string& formula,
    const std::vector<std::tuple<std::string, std::string, std::map<std::string, Point>>>& regions,
    bool has_time = false) {
  Problem p;
  const char* names[] = {"x", "y", "z"};
  for (int c = 0; c < d; ++c) p.coordinates.push_back({names[c], -1, 1, Role::space, ""});
  if (has_time) p.coordinates.push_back({"t", 0, 1, Role::time, ""});
  p.fields = {{"u", "", 1}};
  p.periodic.assign(p.coordinates.size(), false);
  std::vector<RegionDefinition> all;
  for (const auto& [name, kind, arguments] : regions) {
    all.push_back({text(name), {}, shape(p, name, kind, arguments)});
  }
  declare_regions(all, p);
  declare_domain(text(formula), p);
  equation(p, "heat", has_time ? "u_t = laplacian(u)" : "laplacian(u) = 1");
  return p;
}

Problem annulus() {
  Problem p = domain(2, "outer - inner",
                     {{"outer", "disk", {{"center", {0, 0}}, {"radius", {1}}}},
                      {"inner", "disk", {{"center", {0.1, 0}}, {"radius", {0.3}}}}});
  condition(p, "in", "boundary(inner)", "u = 1 + x");
  condition(p, "out", "boundary(outer)", "2*u = y");
  return p;
}

Problem three_holes() {
  Problem p = domain(2, "box - a - b - c",
                     {{"a", "disk", {{"center", {-0.5, -0.5}}, {"radius", {0.2}}}},
                      {"b", "ellipse", {{"center", {0.5, -0.4}}, {"radii", {0.3, 0.1}}}},
                      {"c", "rectangle", {{"center", {0, 0.5}}, {"size", {0.6, 0.2}}}}});
  condition(p, "walls", "boundary(box)", "u = 0");
  condition(p, "holes", "not boundary(box)", "u = sin(x) + y");
  return p;
}

/// A polygon with a corner that turns in, and a triangle cut out of it.
Problem polygons() {
  Problem p =
      domain(2, "ell - hole",
             {{"ell", "polygon", {{"corners", {-1, -1, 1, -1, 1, 0.2, 0.1, 0.2, 0.1, 1, -1, 1}}}},
              {"hole", "triangle", {{"corners", {-0.6, -0.6, -0.2, -0.6, -0.4, -0.2}}}}});
  condition(p, "rim", "boundary(ell)", "u = x*y");
  condition(p, "hole", "boundary(hole)", "u = 2");
  return p;
}

Problem solid() {
  Problem p = domain(
      3, "ball - ring - rod",
      {{"ball", "ball", {{"center", {0, 0, 0}}, {"radius", {1}}}},
       {"ring", "torus", {{"center", {0, 0, 0}}, {"axis", {0, 0, 1}}, {"radii", {0.6, 0.15}}}},
       {"rod", "cylinder", {{"from", {0, 0, -0.3}}, {"to", {0, 0.1, 0.3}}, {"radius", {0.1}}}}});
  condition(p, "all", "boundary", "u = x + y*z");
  return p;
}

Problem heat() {
  Problem p =
      domain(2, "box - hole", {{"hole", "disk", {{"center", {0, 0}}, {"radius", {0.5}}}}}, true);
  condition(p, "start", "t = 0", "u = x");
  condition(p, "walls", "boundary(box)", "u = x*exp(-t)");
  condition(p, "rim", "boundary(hole)", "u = x + t*y");
  return p;
}

/// Sides of one shape with values of their own: the circles of a ring, the edges of a triangle.
Problem ring() {
  Problem p = domain(2, "ring",
                     {{"ring", "annulus", {{"center", {0, 0}}, {"inner", {0.3}}, {"outer", {1}}}},
                      {"hole", "disk", {{"center", {0, 0}}, {"radius", {0.3}}}}});
  condition(p, "in", "boundary(hole)", "u = 1");
  condition(p, "out", "not boundary(hole)", "u = x*y");
  return p;
}
Problem triangle() {
  Problem p = domain(2, "tri",
                     {{"tri", "triangle", {{"corners", {-1, -1, 1, -1, 0, 1}}}},
                      {"floor", "halfspace", {{"point", {0, -1}}, {"normal", {0, 1}}}}});
  condition(p, "low", "boundary(floor)", "u = 1 + x");
  condition(p, "roof", "not boundary(floor)", "u = y + 2 + x");
  return p;
}

/// A lens, of which no circle is a surface of the domain, in a box: one function has all of it.
Problem lens() {
  Problem p = domain(2, "a * b",
                     {{"a", "disk", {{"center", {-0.4, 0}}, {"radius", {0.6}}}},
                      {"b", "disk", {{"center", {0.4, 0}}, {"radius", {0.6}}}}});
  condition(p, "rim", "boundary", "u = x");
  return p;
}
Problem hollow() {
  Problem p = domain(2, "box - a * b",
                     {{"a", "disk", {{"center", {-0.4, 0}}, {"radius", {0.6}}}},
                      {"b", "disk", {{"center", {0.4, 0}}, {"radius", {0.6}}}}});
  condition(p, "all", "boundary", "u = x");
  return p;
}

/// A disk that runs through the box and grows.
Problem moving() {
  Problem p = domain(2, "box", {}, true);
  p.requirements.clear();
  const auto number = [&](const std::string& formula) {
    return parse_shape_number(text(formula), p);
  };
  const ShapeText disk{
      "disk", {{"center", {number("0.6*t - 0.3"), {0.1}}}, {"radius", {number("0.2 + 0.1*t")}}}};
  declare_regions({{text("hole"), {}, make_region("hole", disk, p)}}, p);
  declare_domain(text("box - hole"), p);
  condition(p, "rim", "boundary(hole)", "u = 1 + x*t");
  condition(p, "walls", "boundary(box)", "u = 0");
  return p;
}

/// How far the conditions are from 0 at many points, whatever the network gives.
double furthest_off_shapes(Problem p) {
  p.outputs = hard_conditions(p).outputs;
  double far = 0;
  for (const Requirement& r : p.requirements)
    for (const Residual& residual : r.residuals)
      if (r.kind == Requirement::Kind::condition)
        for (int variant = 0; variant < 2; ++variant) {
          const auto e = with_fields(residual.expression, possible_fields(p, variant));
          const Evaluator value(*e);
          for (const Region* part : r.region->parts())
            for (const Point& x : spread_points(*part, 2000, 200 * 2000))
              far = larger(far, std::fabs(value({.coordinates = x})));
        }
  return far;
}

}  // namespace

TEST_CASE("values on surfaces of shapes become the form of a field", "[problem][hard]") {
  const auto [make, exact] = GENERATE(table<Problem (*)(), Names>({
      {annulus, {"in", "out"}},
      {three_holes, {"walls", "holes"}},
      {polygons, {"rim", "hole"}},
      {solid, {"all"}},
      {heat, {"start", "walls", "rim"}},
      {ring, {"in", "out"}},
      {triangle, {"low", "roof"}},
      {lens, {"rim"}},
      {hollow, {"all"}},
      {moving, {"rim", "walls"}},
  }));
  const Problem p = make();
  const HardConditions found = hard_conditions(p);
  INFO((found.soft.empty() ? "" : found.soft[0].name + ": " + found.soft[0].why));
  CHECK(found.exact == exact);
  CHECK(furthest_off_shapes(p) <= 1e-12);
}

TEST_CASE("one value for faces and surfaces needs no weights", "[problem][hard]") {
  const Problem p =
      domain(2, "box - hole", {{"hole", "disk", {{"center", {0, 0}}, {"radius", {0.5}}}}});
  Problem one = p;
  condition(one, "all", "boundary", "u = x*y");
  const std::string text = print(*hard_conditions(one).outputs[0], {one, Scope::Use::output});
  CHECK(text.starts_with("x*y + "));
  CHECK(text.find("/(") == std::string::npos);
}

TEST_CASE("the form on shapes is read back from its text", "[problem][hard]") {
  Problem p = three_holes();
  const ExpressionPtr form = hard_conditions(p).outputs[0];
  const Scope scope{p, Scope::Use::output};
  const Evaluator a(*form), b(*expression(print(*form, scope), scope));
  for (const Point& x : spread_points(*interior(p), 100, 200 * 100))
    CHECK(a({.coordinates = x, .raw_output = 0.7}) ==
          Approx(b({.coordinates = x, .raw_output = 0.7})).epsilon(1e-12));
}

// Off the corners the form has second derivatives everywhere: at the centers of circles, and along
// the lines where the nearest piece changes, a distance has none.
TEST_CASE("forms on shapes have second derivatives on middle axes, too", "[problem][hard]") {
  const auto [make, corners] = GENERATE(table<Problem (*)(), std::vector<Point>>({
      {annulus, {}},
      {three_holes,
       {{-0.3, 0.4}, {0.3, 0.4}, {-0.3, 0.6}, {0.3, 0.6}, {-1, -1}, {-1, 1}, {1, -1}, {1, 1}}},
      {polygons,
       {{-1, -1},
        {1, -1},
        {1, 0.2},
        {0.1, 0.2},
        {0.1, 1},
        {-1, 1},
        {-0.6, -0.6},
        {-0.2, -0.6},
        {-0.4, -0.2}}},
  }));
  const Problem p = make();
  const Formula any(arbitrary(p, 0, 0));
  const ExpressionPtr u = substitute_fields(hard_conditions(p).outputs[0], {}, any.e);
  const Evaluator value(*u), laplacian(*(Formula(differentiate(differentiate(u, 0), 0)) +
                                         Formula(differentiate(differentiate(u, 1), 1)))
                                            .e);
  std::vector<Point> points = spread_points(*interior(p), 10'000, 200 * 10'000);
  CHECK(points.size() == 10'000);
  for (int k = -9; k < 10; ++k)  // axes of symmetry, and diagonals from corners
    for (const Point& x : {Point{0.1 * k, 0}, Point{0, 0.1 * k}, Point{0.1 * k, 0.1 * k},
                           Point{0.1 * k, -0.1 * k}, Point{0.05 * k + 0.5, -0.4}})
      if (in_domain(p, x)) points.push_back(x);
  double most = 0, apart = 0;
  for (const Point& x : points) {
    double nearest = 1;
    for (const Point& c : corners)
      nearest = std::min(nearest, std::hypot(x[0] - c[0], x[1] - c[1]));
    const double exact = laplacian({.coordinates = x});
    REQUIRE(std::isfinite(exact));
    if (nearest < 0.1) continue;
    most = larger(most, std::fabs(exact));
    constexpr double h = 1e-4;
    double sum = -4 * value({.coordinates = x});
    for (const double s : {-h, h})
      sum += value({.coordinates = Point{x[0] + s, x[1]}}) +
             value({.coordinates = Point{x[0], x[1] + s}});
    apart = larger(apart, std::fabs(sum / (h * h) - exact) / (1 + std::fabs(exact)));
  }
  CHECK(most < 2000);
  CHECK(apart < 1e-4);
}

TEST_CASE("the factor of the network grows from the surface and is of order one",
          "[problem][hard]") {
  const Problem p = three_holes();
  const Evaluator value(*hard_conditions(p).outputs[0]);
  double most = 0;
  for (const Point& x : spread_points(*interior(p), 2000, 200 * 2000)) {
    const double factor =
        value({.coordinates = x, .raw_output = 1}) - value({.coordinates = x, .raw_output = 0});
    CHECK(factor > 0);
    most = larger(most, factor);
  }
  CHECK(most > 0.05);
  CHECK(most < 2);
}

TEST_CASE("at corners of shapes forms have the values of the conditions", "[problem][hard]") {
  const auto at = [](const Problem& p, const Point& x) {
    return evaluate(*hard_conditions(p).outputs[0], {.coordinates = x, .raw_output = 0.7});
  };
  CHECK(at(triangle(), {-1, -1}) == Approx(0).margin(1e-12));
  CHECK(at(triangle(), {1, -1}) == Approx(2));
  CHECK(at(polygons(), {0.1, 0.2}) == Approx(0.02));
  const ExpressionPtr u =
      substitute_fields(hard_conditions(polygons()).outputs[0], {}, make_number(1));
  CHECK(std::isfinite(evaluate(*differentiate(u, 0), {.coordinates = Point{0.1, 0.2}})));
}

// Were a surface in two factors, the network could give no slope across it.
TEST_CASE("the network may give any slope across each surface", "[problem][hard]") {
  for (const auto make : {annulus, three_holes, polygons, ring, triangle, lens, hollow}) {
    const Problem p = make();
    const ExpressionPtr form = hard_conditions(p).outputs[0];
    const Evaluator zero(*substitute_fields(form, {}, make_number(0))),
        one(*substitute_fields(form, {}, make_number(1)));
    const auto boundary = parse_region({text("boundary")}, p);
    for (const Region* part : boundary->parts()) {
      double steepest = 0;
      for (const Point& x : spread_points(*part, 50, 200 * 50)) {
        Point n(2), inwards(2);
        boundary->normal(x, n);
        for (std::size_t c : {0u, 1u}) inwards[c] = x[c] - 1e-6 * n[c];
        steepest = larger(steepest,
                          (one({.coordinates = inwards}) - zero({.coordinates = inwards})) / 1e-6);
      }
      CHECK(steepest > 1e-3);
    }
  }
}

TEST_CASE("what cannot be exact on shapes stays soft and says why", "[problem][hard]") {
  Problem p = domain(
      2, "box - hole - pie",
      {{"hole", "disk", {{"center", {-0.5, 0}}, {"radius", {0.3}}}},
       {"pie", "sector", {{"center", {0.5, 0}}, {"radius", {0.3}}, {"angles", {0.2, 1.5}}}}});
  condition(p, "half", "boundary(hole) and y > 0", "u = 1");
  condition(p, "flux", "boundary(hole)", "u_x = 1");
  condition(p, "pie", "boundary(pie)", "u = 0");
  condition(p, "wall", "boundary(box)", "u = 0");
  const auto why = [&](const std::string& name) {
    for (const Soft& soft : hard_conditions(p).soft)
      if (soft.name == name) return soft.why;
    return std::string();
  };
  CHECK(hard_conditions(p).exact == Names{"wall"});
  CHECK(why("half") == "it asks on a part of the surface of hole");
  CHECK(why("flux") == "it asks for a derivative on a surface that is no face");
  CHECK(why("pie") == "its surface has no smooth function");
}

TEST_CASE("a value that is not smooth within the domain stays soft", "[problem][hard]") {
  const auto why = [](const std::string& value) {
    Problem p =
        domain(2, "box - hole", {{"hole", "disk", {{"center", {0, 0.1}}, {"radius", {0.3}}}}});
    condition(p, "rim", "boundary(hole)", "u = " + value);
    condition(p, "walls", "boundary(box)", "u = 0");
    const HardConditions found = hard_conditions(p);
    if (found.soft.empty()) return std::string();
    REQUIRE(found.soft[0].name == "rim");
    return found.soft[0].why;
  };
  for (const std::string value :
       {"1/(x - 0.7)", "abs(x)", "log(x^2 + (y + 0.5)^2)", "sqrt((x - 0.6)^2 + y^2)", "x^0.5",
        "max(x, y)", "where(x > 0, 1, y)", "atan2(y, x)", "tan(3*x)", "((x - y)^2)^0.5"}) {
    INFO(value);
    CHECK_THAT(why(value), Contains("its value is not as smooth as the equations ask: it"));
  }
  // the same in the hole, beyond the box, or nowhere
  for (const std::string value :
       {"1/(x^2 + (y - 0.1)^2)", "abs(x - 3)", "log(x^2 + y^2)", "sqrt(x^2 + y^2)", "x^3",
        "1/(2 + x)", "atan2(y, 2 + x)", "(2 - x)^0.5"}) {
    INFO(value);
    CHECK(why(value) == "");
  }
}

TEST_CASE("surfaces that meet and disagree there stay in the loss, and it is said where",
          "[problem][hard]") {
  const auto touching = [](const std::string& low, const std::string& roof) {
    Problem p = domain(2, "tri",
                       {{"tri", "triangle", {{"corners", {-1, -1, 1, -1, 0, 1}}}},
                        {"floor", "halfspace", {{"point", {0, -1}}, {"normal", {0, 1}}}}});
    condition(p, "low", "boundary(floor)", low);
    condition(p, "roof", "not boundary(floor)", roof);
    return hard_conditions(p);
  };
  const HardConditions found = touching("u = 1", "u = 0");
  CHECK(found.exact.empty());
  REQUIRE(found.soft.size() == 2);
  CHECK_THAT(found.soft[0].why,
             Contains("it disagrees with roof at x = ") && Contains("y = -1, by 1"));
  CHECK_THAT(found.soft[1].why, Contains("it disagrees with low at x = "));
  CHECK(touching("u = 1 - x^2", "u = 0").exact == Names{"low", "roof"});

  Problem p = domain(2, "box - hole", {{"hole", "disk", {{"center", {1, 0}}, {"radius", {0.5}}}}});
  condition(p, "rim", "boundary(hole)", "u = 1");
  condition(p, "walls", "boundary(box)", "u = 0");
  REQUIRE(hard_conditions(p).soft.size() == 2);
  CHECK_THAT(hard_conditions(p).soft[0].why,
             Contains("it disagrees with walls at x = 1, y = ") && Contains("0.5, by 1"));
}

TEST_CASE("a surface gives way where it disagrees with the start", "[problem][hard]") {
  Problem p =
      domain(2, "box - hole", {{"hole", "disk", {{"center", {0, 0}}, {"radius", {0.5}}}}}, true);
  condition(p, "start", "t = 0", "u = 0");
  condition(p, "rim", "boundary(hole)", "u = 1");
  const HardConditions found = hard_conditions(p);
  CHECK(found.exact == Names{"start"});
  REQUIRE(found.soft.size() == 1);
  CHECK_THAT(found.soft[0].why, Contains("it disagrees with the other conditions at "));
}

TEST_CASE("the whole of a start on shapes is what initial(u) means", "[problem][hard]") {
  Problem p = heat();
  const ExpressionPtr start = initial_value(p, 0);
  REQUIRE(start);
  CHECK(evaluate(*start, {.coordinates = Point{0.7, 0.2, 0}}) == 0.7);
  p.requirements[1].region = parse_region({text("t = 0 and x > 0")}, p);
  CHECK(initial_value(p, 0) == nullptr);
}
