#include <cmath>
#include <numbers>

#include "data/sampling/points.h"
#include "solvers/problem/checks.h"
#include "solvers/problem/evaluate.h"
#include "solvers/problem/parse.h"
#include "tests/catch.h"
#include "tests/solvers/problem/texts.h"

using namespace pinn;
using Catch::Matchers::Contains;

namespace {

using std::numbers::pi;

RegionDefinition disk(const std::string& name, double x, double y, double radius) {
  return {
      text(name), {}, {name, make_shape({"disk", {{"center", {x, y}}, {"radius", {radius}}}}, 2)}};
}

/// x and y in [-1, 1], and perhaps t in [0, 2].
Problem square(bool has_time) {
  Problem p;
  p.coordinates = {{"x", -1, 1, Role::space, ""}, {"y", -1, 1, Role::space, ""}};
  if (has_time) p.coordinates.push_back({"t", 0, 2, Role::time, ""});
  p.fields = {{"u", "", 1}};
  return p;
}

/// The box (-1, 1) x (-1, 1) with two holes that do not touch, of radius 0.25 and 0.5, and a time.
Problem holed() {
  Problem p = square(true);
  declare_regions({disk("small", -0.5, 0.5, 0.25),
                   disk("large", 0.25, -0.25, 0.5),
                   {text("holes"), text("small + large")}},
                  p);
  declare_domain(text("box - holes"), p);
  return p;
}

double length(const Problem& p) { return p.coordinates[2].upper - p.coordinates[2].lower; }

}  // namespace

TEST_CASE("a domain is what its formula leaves", "[problem][geometry]") {
  const Problem p = holed();
  const auto inside = interior(p);
  CHECK(inside->measure() / length(p) == Approx(4 - pi * (0.0625 + 0.25)).epsilon(1e-3));
  CHECK(inside->dimension() == 3);
  CHECK_FALSE(inside->has_normal());
  const Points drawn = points(*inside);
  REQUIRE(drawn.count == 2000);
  for (std::size_t i = 0; i < drawn.count; ++i) {
    const double x = drawn.x[3 * i], y = drawn.x[3 * i + 1];
    CHECK(std::hypot(x + 0.5, y - 0.5) >= 0.25);
    CHECK(std::hypot(x - 0.25, y + 0.25) >= 0.5);
  }
}

TEST_CASE("the boundary is that of the domain, and its normals point out of it",
          "[problem][geometry]") {
  const Problem p = holed();
  CHECK(region("boundary", p)->measure() / length(p) == Approx(8 + 2 * pi * 0.75));
  const auto hole = region("boundary(large)", p);
  CHECK(hole->measure() / length(p) == Approx(pi));
  const Points drawn = points(*hole, 300);
  REQUIRE(drawn.normals.size() == 900);
  for (std::size_t i = 0; i < drawn.count; ++i) {
    const double* x = &drawn.x[3 * i];
    const double* n = &drawn.normals[3 * i];
    CHECK(n[0] == Approx((0.25 - x[0]) / 0.5).margin(1e-12));
    CHECK(n[1] == Approx((-0.25 - x[1]) / 0.5).margin(1e-12));
    CHECK(n[2] == 0);
    std::vector<double> again(3);
    hole->normal({x, 3}, again);
    CHECK(again[0] == Approx(n[0]).margin(1e-12));
  }
}

TEST_CASE("parts of the boundary are named by regions, and by what they are not",
          "[problem][geometry]") {
  const Problem p = holed();
  const auto measure = [&](const std::string& on) { return region(on, p)->measure() / length(p); };
  CHECK(measure("boundary(holes)") == Approx(2 * pi * 0.75));
  CHECK(measure("boundary(box)") == Approx(8));
  CHECK(measure("not boundary(holes)") == Approx(8));
  CHECK(measure("boundary(box) and not x > 0") == Approx(4).epsilon(1e-3));
  CHECK(measure("boundary and x = 1") == Approx(2));
  CHECK(measure("boundary(box) and not x = 1") == Approx(6));
  CHECK(measure("boundary(box) and not x = 1 and not y = -1") == Approx(4));
  CHECK(measure("boundary(small) and y > 0.5") == Approx(pi * 0.25).epsilon(1e-3));
}

TEST_CASE("planes and faces are cut by the domain", "[problem][geometry]") {
  const Problem p = holed();
  const auto plane = region("x = 0.25", p);
  CHECK(plane->measure() / length(p) == Approx(1).epsilon(1e-3));
  CHECK_FALSE(plane->has_normal());
  const auto start = region("initial", p);
  CHECK(start->measure() == Approx(4 - pi * 0.3125).epsilon(1e-3));
  for (std::size_t i = 0; const double x : points(*start, 100).x)
    if (i++ % 3 == 2) CHECK(x == p.coordinates[2].lower);
  const auto wall = region("x = 1", p);
  CHECK(wall->has_normal());
  CHECK(points(*wall, 10).normals[0] == 1);
}

TEST_CASE("a surface has its own shape's normals, an interface those of the first",
          "[problem][geometry]") {
  Problem p = square(false);
  declare_regions(
      {disk("core", 0, 0, 0.5), disk("all", 0, 0, 0.9), {text("coat"), text("all - core")}}, p);
  for (const std::string on : {"surface(core)", "interface(core, coat)"}) {
    const auto surface = region(on, p);
    CHECK(surface->measure() == Approx(pi));
    const Points drawn = points(*surface, 50);
    for (std::size_t i = 0; i < drawn.count; ++i)
      CHECK(drawn.normals[2 * i] == Approx(drawn.x[2 * i] / 0.5).margin(1e-12));
  }
  const auto inward = region("interface(coat, core)", p);
  const Points drawn = points(*inward, 50);
  CHECK(drawn.normals[0] == Approx(-drawn.x[0] / 0.5).margin(1e-12));
  CHECK(region("core", p)->measure() == Approx(pi / 4));
  CHECK(region("not all", p)->measure() == Approx(4 - pi * 0.81).epsilon(1e-3));
}

TEST_CASE("a region without an end is cut by the box", "[problem][geometry]") {
  Problem p = square(false);
  const ShapePtr half = make_shape({"halfspace", {{"point", {0.5, 0}}, {"normal", {1, 0}}}}, 2);
  declare_regions({{text("half"), {}, {"half", half}}}, p);
  CHECK(region("half", p)->measure() == Approx(3).epsilon(1e-3));
  CHECK(region("surface(half)", p)->measure() == Approx(2));
}

TEST_CASE("regions may be declared in any order, but not by themselves", "[problem][geometry]") {
  Problem p = square(false);
  declare_regions(
      {{text("b"), text("a - c")}, disk("c", 0.5, 0, 0.1), {text("a"), text("box * (box)")}}, p);
  CHECK(p.regions[0].shape->inside(std::vector<double>{0, 0}));
  CHECK_FALSE(p.regions[0].shape->inside(std::vector<double>{0.5, 0}));
  CHECK_THAT(message([&] {
               declare_regions({{text("d"), text("e + box")}, {text("e"), text("d")}}, p);
             }),
             Contains("is made of itself"));
}

TEST_CASE("formulas of regions that make no sense are refused with their place",
          "[problem][geometry][errors]") {
  const Problem p = holed();
  const auto refusal = [&](const std::string& formula) {
    return message([&] {
      Problem other;
      other.coordinates = p.coordinates;
      other.regions = p.regions;
      declare_domain(text(formula), other);
    });
  };
  CHECK_THAT(refusal("box - hole"), Contains("there is no region 'hole'") && Contains("holes"));
  CHECK_THAT(refusal("box -"), Contains("the name of a region is missing"));
  CHECK_THAT(refusal("box small"), Contains("no sign between regions"));
  CHECK_THAT(refusal("(box - small"), Contains("not closed"));
  CHECK_THAT(refusal("box - small)"), Contains("a parenthesis too many"));
  CHECK_THAT(refusal("small - box"), Contains("nothing"));
  CHECK_THAT(message([&] {
               Problem other = p;
               declare_regions({disk("far", 0.5, 0.5, 1)}, other);
               declare_domain(text("far"), other);
             }),
             Contains("reaches from x = -0.5 to 1.5") && Contains("box * (far)"));
}

TEST_CASE("an `on` that shapes leave nothing of is refused", "[problem][geometry][errors]") {
  const Problem p = holed();
  CHECK_THAT(message([&] { region("small", p); }), Contains("this region is empty"));
  CHECK_THAT(message([&] { region("surface(smal)", p); }), Contains("there is no region 'smal'"));
  CHECK_THAT(message([&] { region("interface(small)", p); }), Contains("takes 2"));
  CHECK_THAT(message([&] { region("boundary and boundary", p); }), Contains("name one surface"));
  CHECK_THAT(message([&] { region("volume(small)", p); }), Contains("there is no volume(...)"));
  CHECK_THAT(message([&] { region("not initial", p); }), Contains("there is no 'not initial'"));
  CHECK_THAT(message([&] { region("not small and not x = 1", p); }),
             Contains("all but a face is no region") && Contains("boundary and not x = 1"));
}

TEST_CASE("surfaces and shapes of one list that share a piece are refused",
          "[problem][geometry][errors]") {
  const Problem p = holed();
  const auto list = [&](const std::string& a, const std::string& b) {
    return message([&] { parse_region({text(a), text(b)}, p); });
  };
  const std::string overlaps = "this region overlaps another of the list";
  CHECK_THAT(list("boundary(small)", "boundary and x < 0.7"), Contains(overlaps));
  CHECK_THAT(list("x = 1", "x = 1"), Contains(overlaps));
  CHECK_THAT(list("x > 0", "y > 0"), Contains(overlaps));
  CHECK(list("boundary(small)", "boundary(box)") == "no error");
  CHECK(list("boundary(box) and x = 1", "boundary and y = 1") == "no error");
  CHECK(list("x > 0", "x < 0") == "no error");
}

TEST_CASE("a shape beyond the box is told", "[problem][geometry]") {
  Problem p = holed();
  CHECK(regions_beyond(p).empty());
  NamedRegion far = make_region("far", {"disk", {{"center", {{0}, {-3}}}, {"radius", {{0.5}}}}}, p);
  p.regions.push_back(far);
  REQUIRE(regions_beyond(p).size() == 1);
  CHECK(
      regions_beyond(p)[0].what ==
      "the region 'far' lies beyond the box: it reaches from y = -3.5 to -2.5, and y runs from -1 "
      "to 1");
}

TEST_CASE("no region but the box of the coordinates is called box", "[problem][geometry][errors]") {
  Problem p = holed();
  CHECK_THAT(message([&] {
               declare_regions({{text("box"), text("holes")}}, p);
             }),
             Contains("'box' is the box of the coordinates"));
}

TEST_CASE("a part of the boundary without a condition is told", "[problem][geometry]") {
  Problem p = holed();
  Warnings warnings;
  Requirement equation;
  equation.region = interior(p);
  equation.residuals.push_back(
      {"heat", parse_residual(text("u_t = laplacian(u)"), Scope{p}, warnings), 1, text("")});
  Requirement walls;
  walls.kind = Requirement::Kind::condition;
  walls.region = region("boundary(box)", p);
  p.requirements = {equation, walls};
  REQUIRE(uncovered_boundary(p).size() == 1);
  CHECK_THAT(uncovered_boundary(p)[0].what, Contains("37 % of the boundary"));
  walls.region = region("boundary", p);
  p.requirements[1] = walls;
  CHECK(uncovered_boundary(p).empty());
}

TEST_CASE("a distance in a formula is that of the shape", "[problem][geometry]") {
  Problem p = square(false);
  RegionDefinition hole = disk("hole", 0.25, 0, 0.5);
  hole.made.distance =
      make_region("hole", {"disk", {{"center", {{0.25}, {0}}}, {"radius", {{0.5}}}}}, p).distance;
  declare_regions({hole, {text("rest"), text("box - hole")}}, p);
  Warnings warnings;
  const Scope scope{p, Scope::Use::formula};
  for (const NamedRegion& region : p.regions) {
    const Evaluator value(
        *parse_expression(text("distance(" + region.name + ")"), scope, warnings));
    for (const std::vector<double>& x :
         std::vector<std::vector<double>>{{0, 0}, {0.9, 0.3}, {-0.8, -0.95}, {0.25, 0.5}})
      CHECK(value({.coordinates = x}) == Approx(region.shape->distance(x)).margin(1e-11));
  }
  CHECK(warnings.empty());
  const auto slope = parse_expression(text("distance(hole)^2 + 0*x"), scope, warnings);
  CHECK(Evaluator(*slope)({.coordinates = std::vector<double>{0.25, 0}}) == Approx(0.25));
  parse_expression(text("laplacian(distance(rest)*u)"), {p}, warnings);
  REQUIRE(!warnings.empty());
  CHECK_THAT(warnings[0].what, Contains("a distance has a kink, and its second derivative"));
}

TEST_CASE("distances that cannot be had are refused", "[problem][geometry][errors]") {
  Problem p = square(false);
  declare_regions({disk("mute", 0.25, 0, 0.5)}, p);  // of a mesh, say
  CHECK_THAT(message([&] { expression("distance(mute)", {p}); }), Contains("has no formula"));
  CHECK_THAT(message([&] { expression("distance(muted)", {p}); }), Contains("is no region"));
  CHECK_THAT(message([&] { expression("distance(mute, box)", {p}); }), Contains("to one region"));
  CHECK_THAT(message([&] { parse_constant(text("distance(box)"), p); }),
             Contains("depends on where it is taken"));
}
