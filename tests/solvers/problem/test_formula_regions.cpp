#include <cmath>
#include <numbers>

#include "data/geometry/implicit.h"
#include "data/geometry/lifted.h"
#include "data/geometry/mesh.h"
#include "data/sampling/points.h"
#include "solvers/problem/parse.h"
#include "tests/catch.h"
#include "tests/solvers/problem/texts.h"

using namespace pinn;
using Catch::Matchers::Contains;

namespace {

using std::numbers::pi;

/// x, y and z in [-1, 1], t in [0, 2].
Problem cube() {
  Problem p;
  p.coordinates = {{"x", -1, 1, Role::space, ""},
                   {"y", -1, 1, Role::space, ""},
                   {"z", -1, 1, Role::space, ""},
                   {"t", 0, 2, Role::time, ""}};
  p.fields = {{"u", "", 1}};
  return p;
}

Problem square_of_cube() {
  Problem p = cube();
  p.coordinates.pop_back();
  p.coordinates.pop_back();
  return p;
}

RegionDefinition defined(const NamedRegion& region) { return {text(region.name), {}, region}; }

}  // namespace

TEST_CASE("a region is where its conditions hold, at every time", "[problem][geometry]") {
  Problem p = cube();
  p.regions = {where_region("corner", text("x > 0 and y < x^2"), p),
               where_region("wave", text("x < t - 1"), p)};
  CHECK(region("corner", p)->measure() == Approx(2 * 2 * (1 + 1.0 / 3)).epsilon(1e-3));
  CHECK(region("wave", p)->measure() == Approx(8).epsilon(2e-3));
  const Points in = points(*region("corner and wave", p), 500);
  REQUIRE(in.count == 500);
  for (std::size_t i = 0; i < in.count; ++i) {
    const double* x = &in.x[4 * i];
    CHECK((x[0] > 0 && x[1] < x[0] * x[0] && x[0] < x[3] - 1));
  }
  CHECK_THAT(message([&] { region("surface(corner)", p); }), Contains("is not known"));
}

TEST_CASE("a shape over some coordinates is the same at all others", "[problem][geometry]") {
  Problem p = cube();
  const auto number = [](double value) { return ShapeNumber{value}; };
  const NamedRegion pillar = make_region(
      "pillar",
      {"disk", {{"center", {number(0.25), number(-0.25)}}, {"radius", {number(0.5)}}}, {0, 2}}, p);
  declare_regions({defined(pillar), {text("block"), text("box - pillar")}}, p);
  declare_domain(text("block"), p);
  CHECK(interior(p)->measure() == Approx(2 * (8 - 2 * pi / 4)).epsilon(1e-3));
  const auto wall = region("boundary(pillar)", p);
  CHECK(wall->measure() == Approx(2 * 2 * pi).epsilon(1e-3));
  const Points on = points(*wall, 300);
  for (std::size_t i = 0; i < on.count; ++i) {
    const double *x = &on.x[4 * i], *n = &on.normals[4 * i];
    CHECK(std::hypot(x[0] - 0.25, x[2] + 0.25) == Approx(0.5));
    CHECK(n[0] == Approx((0.25 - x[0]) / 0.5).margin(1e-12));
    CHECK(n[1] == 0);
    CHECK(n[2] == Approx((-0.25 - x[2]) / 0.5).margin(1e-12));
  }
  Warnings none;
  CHECK(print(*parse_expression(text("distance(pillar)"), {p, Scope::Use::formula}, none), {p})
            .find('y') == std::string::npos);
}

TEST_CASE("an interval of time is a region", "[problem][geometry]") {
  Problem p = cube();
  p.regions = {make_region("early", {"interval", {{"range", {{0.5}, {1.0}}}}, {3}}, p)};
  const auto early = region("early", p);
  CHECK(early->measure() == Approx(4));
  const Points in = points(*early, 200);
  for (std::size_t i = 0; i < in.count; ++i)
    CHECK((in.x[4 * i + 3] >= 0.5 && in.x[4 * i + 3] <= 1));
  CHECK(region("early and x = 1", p)->measure() == Approx(2).epsilon(1e-2));
}

TEST_CASE("a body by a formula is one like others", "[problem][geometry]") {
  Problem p = square_of_cube();
  declare_regions(
      {defined(implicit_region("bean", text("(2*x)^2 + (3*y)^2 - 1"), {-0.6, -0.6}, {0.6, 0.6}, p)),
       {text("rest"), text("box - bean")}},
      p);
  declare_domain(text("rest"), p);
  CHECK(interior(p)->measure() == Approx(4 - pi / 6).epsilon(1e-3));
  const Points on = points(*region("boundary(bean)", p), 200);
  for (std::size_t i = 0; i < on.count; ++i) {
    const double *x = &on.x[2 * i], *n = &on.normals[2 * i];
    CHECK(std::pow(2 * x[0], 2) + std::pow(3 * x[1], 2) == Approx(1));
    const double gx = 8 * x[0], gy = 18 * x[1], size = std::hypot(gx, gy);
    CHECK(n[0] == Approx(-gx / size).margin(1e-6));
    CHECK(n[1] == Approx(-gy / size).margin(1e-6));
  }
}

TEST_CASE("points of a cloud are a boundary with their normals", "[problem][geometry]") {
  Problem p = square_of_cube();
  Cloud cloud{2, {0, 0, 0.5, 0.5, 0, 0.5}, {0, -1, 1, 0, 0, 1}};
  p.regions = {{"rim", make_cloud(cloud)}};
  const auto rim = region("boundary(rim)", p);
  CHECK(rim->has_normal());
  CHECK(rim->inside(std::vector<double>{0.5, 0.5}, 0));
  CHECK_FALSE(rim->inside(std::vector<double>{0.25, 0.5}, 0));
  const Points on = points(*rim, 30);
  REQUIRE(on.count == 30);
  for (std::size_t i = 0; i < on.count; ++i) {
    const double *x = &on.x[2 * i], *n = &on.normals[2 * i];
    CHECK((x[0] == 0.5 ? n[0] == 1 : n[1] == (x[1] == 0 ? -1 : 1)));
  }
}

TEST_CASE("a cloud that reaches beyond the box is refused", "[problem][geometry][errors]") {
  Problem p = square_of_cube();
  const NamedRegion rim{"rim", make_cloud({2, {0, 0, 1.5, 0.5}, {0, -1, 1, 0}})};
  CHECK_THAT(message([&] { declare_regions({defined(rim)}, p); }),
             Contains("its points reach from x = 0 to 1.5, and x runs from -1 to 1") &&
                 Contains("widen x"));
}

TEST_CASE("a patch is what its formula says, and less than it what is left",
          "[problem][geometry]") {
  Problem p = square_of_cube();
  const NamedRegion hole =
      make_region("hole", {"disk", {{"center", {{0}, {0}}}, {"radius", {{0.5}}}}}, p);
  declare_regions({defined(hole)}, p);
  declare_domain(text("box - hole"), p);
  p.patches = {{"arch", text("boundary(hole) and y > 0")},
               {"floor", text("y = -1")},
               {"right", text("arch and x > 0")}};
  CHECK(region("arch", p)->measure() == Approx(pi / 2).epsilon(1e-3));
  CHECK(region("right", p)->measure() == Approx(pi / 4).epsilon(1e-3));
  CHECK(region("not arch", p)->measure() == Approx(8 + pi / 2).epsilon(1e-3));
  CHECK(region("not floor", p)->measure() == Approx(6 + pi).epsilon(1e-3));
  CHECK(region("not floor and not arch", p)->measure() == Approx(6 + pi / 2).epsilon(1e-3));
  CHECK(region("floor and x > 0", p)->measure() == Approx(1));
}

TEST_CASE("patches of a mesh are parts of the boundary", "[problem][geometry]") {
  Problem p = cube();
  p.coordinates.pop_back();
  const SurfaceMesh mesh{.name = "tetrahedron",
                         .points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                         .triangles = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}},
                         .patch = {1, 1, 1, 2},
                         .patches = {"", "walls", "lid"}};
  NamedRegion part{"part", make_mesh(mesh)};
  move_region(part, {"move", {{"by", {{-0.5}, {0}, {0}}}}}, p);
  declare_regions({defined(part)}, p);
  declare_domain(text("part"), p);
  CHECK(region("boundary(part.lid)", p)->measure() == Approx(std::sqrt(3.0) / 2).epsilon(1e-3));
  CHECK(region("boundary(part.walls)", p)->measure() == Approx(1.5).epsilon(1e-3));
  CHECK(region("not boundary(part.lid)", p)->measure() == Approx(1.5).epsilon(1e-3));
  CHECK(region("surface(part.lid)", p)->measure() == Approx(std::sqrt(3.0) / 2).epsilon(1e-3));
  CHECK_THAT(message([&] { region("boundary(part.lod)", p); }),
             Contains("patches are: walls, lid"));
}

TEST_CASE("a surface is cut by the regions named before it", "[problem][geometry]") {
  Problem p = square_of_cube();
  const auto disk = [&](const std::string& name, double x, double radius) {
    return defined(
        make_region(name, {"disk", {{"center", {{x}, {0}}}, {"radius", {{radius}}}}}, p));
  };
  declare_regions({disk("left", -0.5, 0.5), disk("middle", 0, 0.5)}, p);
  const double third = 2 * pi * 0.5 / 3;  // two circles through each other's centers
  CHECK(region("left and surface(middle)", p)->measure() == Approx(third).epsilon(1e-3));
  CHECK(region("surface(middle) and left", p)->measure() == Approx(third).epsilon(1e-3));
}
