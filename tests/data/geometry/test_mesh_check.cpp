#include <cmath>
#include <map>

#include "autograd/core/error.h"
#include "tests/catch.h"
#include "tests/data/geometry/meshes.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Matchers::Contains;

namespace {

/// Message of make_mesh, and its warnings.
std::string said_of(SurfaceMesh mesh) {
  std::string text;
  const WarningSink sink([&](const std::string& warning) { text += "warning: " + warning + "\n"; });
  try {
    make_mesh(std::move(mesh));
  } catch (const ConfigError& e) {
    for (const Report& r : e.reports) CHECK_FALSE(r.fix.empty());
    text += e.what();
  }
  return text;
}

void remove_triangle(SurfaceMesh& mesh, std::size_t t) {
  mesh.triangles.erase(mesh.triangles.begin() + std::ptrdiff_t(t));
  mesh.patch.erase(mesh.patch.begin() + std::ptrdiff_t(t));
}

void turn(SurfaceMesh& mesh, std::size_t t) {
  std::swap(mesh.triangles[t][1], mesh.triangles[t][2]);
}

void add(SurfaceMesh& mesh, int a, int b, int c) {
  mesh.triangles.push_back({a, b, c});
  mesh.patch.push_back(0);
}

SurfaceMesh shifted(const SurfaceMesh& mesh, const Point3& shift, double size = 1) {
  return moved(mesh, size, 0, 0, shift);
}

}  // namespace

TEST_CASE("a body's surface is taken without a word", "[data][geometry][mesh]") {
  CHECK(said_of(box_mesh()) == "");
  CHECK(said_of(sphere_mesh(3)) == "");
  CHECK(said_of(torus_mesh(40, 20)) == "");
  CHECK(said_of(together(box_mesh(), shifted(sphere_mesh(1), {3, 0, 0}))) == "");
  CHECK(said_of(together(shifted(sphere_mesh(2), {0, 0, 0}, 2), inside_out(box_mesh()))) == "");
}

TEST_CASE("a hole is told with its length and its place", "[data][geometry][mesh][errors]") {
  SurfaceMesh mesh = box_mesh();
  remove_triangle(mesh, 10);
  remove_triangle(mesh, 10);  // the face z = 1
  CHECK_THAT(said_of(mesh),
             Contains("the surface is not closed, it has a hole: one of 4 edges, 4 long, "
                      "about (0.5, 0.5, 1)") &&
                 Contains("Fill Holes") && Contains("where: box, triangle"));
  remove_triangle(mesh, 0);
  CHECK_THAT(said_of(shifted(mesh, {2, 0, 0})),
             Contains("it has a hole: one of 5 edges") || Contains("2 holes"));
}

TEST_CASE("holes apart from each other are counted, the longest first",
          "[data][geometry][mesh][errors]") {
  SurfaceMesh mesh = sphere_mesh(3);
  remove_triangle(mesh, 700);
  remove_triangle(mesh, 300);
  CHECK_THAT(said_of(mesh), Contains("it has 2 holes: one of 3 edges") && !Contains("turned"));
}

TEST_CASE("points that nearly coincide are told apart from holes",
          "[data][geometry][mesh][errors]") {
  SurfaceMesh mesh = sphere_mesh(2);
  SurfaceMesh soup{.name = "soup", .points = {}, .triangles = {}, .patch = {}};
  Dice dice(1);
  for (const auto& t : mesh.triangles) {
    for (const int i : t) {
      Point3 p = mesh.points[i];
      for (double& c : p) c += 1e-7 * dice.uniform();
      soup.points.push_back(p);
    }
    const int n = int(soup.points.size());
    add(soup, n - 3, n - 2, n - 1);
  }
  CHECK_THAT(said_of(soup), Contains("Its points lie in pairs up to ") &&
                                Contains("e-08 apart that ought to be one") &&
                                Contains("merge points closer than"));
}

TEST_CASE("triangles turned the wrong way round are told apart from holes",
          "[data][geometry][mesh][errors]") {
  SurfaceMesh mesh = sphere_mesh(2);
  turn(mesh, 17);
  CHECK_THAT(said_of(mesh),
             Contains("1 triangle is turned the other way round than the others, though the "
                      "surface is closed there") &&
                 Contains("sphere, triangle 18") && !Contains("hole"));
  turn(mesh, 200);
  CHECK_THAT(said_of(mesh), Contains("2 triangles are turned"));
  SurfaceMesh most = inside_out(sphere_mesh(2));  // whichever the first one is: the fewer are wrong
  turn(most, 0);
  CHECK_THAT(said_of(most), Contains("1 triangle is turned") && Contains("triangle 1, at"));
}

TEST_CASE("a surface that is inside out is turned with a warning", "[data][geometry][mesh]") {
  CHECK(said_of(inside_out(box_mesh())) ==
        "warning: box: the surface was inside out and is turned\n");
  const SurfaceMesh shell = together(shifted(sphere_mesh(2), {0, 0, 0}, 2),
                                     inside_out(shifted(box_mesh(), {0, 0, 0}, 0.5)));
  CHECK_THAT(said_of(inside_out(shell)), Contains("was inside out and is turned"));
  const WarningSink quiet([](const std::string&) {});
  const ShapePtr shape = make_mesh(inside_out(shell));
  CHECK(shape->inside(std::array{1.0, 0.0, 0.0}));
  CHECK_FALSE(shape->inside(std::array{0.2, 0.2, 0.2}));
}

TEST_CASE("a shell within another one must bound a cavity", "[data][geometry][mesh][errors]") {
  const SurfaceMesh outer = shifted(sphere_mesh(2), {0, 0, 0}, 2);
  CHECK_THAT(
      said_of(together(outer, box_mesh())),
      Contains(
          "one of the 2 shells of the surface is turned the wrong way: it is turned outward and "
          "lies in another one") &&
          Contains("triangle 321"));
  CHECK_THAT(said_of(together(outer, inside_out(shifted(box_mesh(), {4, 0, 0})))),
             Contains("it is turned inward and lies in no other one"));
}

TEST_CASE("the charts of Gmsh are turned outward, cavities inward, whatever their order",
          "[data][geometry][mesh]") {
  SurfaceMesh mesh = together(together(shifted(sphere_mesh(2), {0, 0, 0}, 4), sphere_mesh(2)),
                              shifted(box_mesh(), {-0.1, -0.1, -0.1}, 0.2));
  const double volume =
      64 * moments(sphere_mesh(2)).volume - moments(sphere_mesh(2)).volume + 0.008;
  Dice dice(3);
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
    if (dice.uniform() < 0.5) turn(mesh, t);
  mesh.oriented = false;
  CHECK(said_of(mesh) == "");
  const ShapePtr shape = make_mesh(mesh);
  double x_n = 0;
  for (const auto& piece : shape->surface()) {
    constexpr int n = 20000;
    double sum = 0;
    for (int i = 0; i < n; ++i) {
      Point3 x, normal;
      piece->sample(std::array{dice.uniform(), dice.uniform()}, x, normal);
      for (int k = 0; k < 3; ++k) sum += x[k] * normal[k];
    }
    x_n += piece->whole() * sum / n / 3;
  }
  CHECK(x_n == Approx(volume).epsilon(0.02));
}

TEST_CASE("edges of three triangles are refused", "[data][geometry][mesh][errors]") {
  SurfaceMesh mesh = box_mesh();
  add(mesh, 0, 7, 3);
  CHECK_THAT(said_of(mesh), Contains("more than two triangles meet"));
  const SurfaceMesh two = together(box_mesh(), shifted(box_mesh(), {1, 1, 0}));
  SurfaceMesh merged = two;  // two boxes that touch along an edge
  for (auto& t : merged.triangles)
    for (int& corner : t)
      for (int i = 0; i < corner; ++i)
        if (merged.points[i] == merged.points[corner]) corner = i;
  CHECK_THAT(said_of(merged),
             Contains("at 1 edge more than two triangles meet; at the first one 4"));
}

TEST_CASE("triangles without area are refused, those with a corner twice left out",
          "[data][geometry][mesh][errors]") {
  SurfaceMesh mesh = box_mesh();
  add(mesh, 3, 3, 5);
  add(mesh, 2, 6, 2);
  CHECK(said_of(mesh) == "warning: box: 2 triangles with a corner twice left out\n");
  SurfaceMesh needle = box_mesh();
  needle.points.push_back({0.5, 0, 0});
  add(needle, 0, 8, 1);
  CHECK_THAT(said_of(needle), Contains("1 triangle has no area: its corners lie on a line") &&
                                  Contains("box, triangle 13, at (0.5, 0, 0)"));
  SurfaceMesh nothing = box_mesh();
  for (auto& t : nothing.triangles) t[1] = t[0];
  CHECK_THAT(said_of(nothing), Contains("has no triangle with three corners"));
}

TEST_CASE("triangles that occur twice are refused", "[data][geometry][mesh][errors]") {
  SurfaceMesh mesh = box_mesh();
  add(mesh, mesh.triangles[4][1], mesh.triangles[4][2], mesh.triangles[4][0]);
  add(mesh, mesh.triangles[7][1], mesh.triangles[7][0], mesh.triangles[7][2]);
  CHECK_THAT(
      said_of(mesh),
      Contains(
          "2 triangles have the corners of another one; the first is triangle 13, as triangle 5"));
}

TEST_CASE("surfaces that cross themselves are refused", "[data][geometry][mesh][errors]") {
  CHECK_THAT(said_of(together(box_mesh(), shifted(box_mesh(), {0.3, 0.4, 0.5}))),
             Contains("the surface crosses or touches itself") && Contains("Boolean, Union"));
  CHECK_THAT(said_of(together(sphere_mesh(3), shifted(sphere_mesh(3), {1.9, 0, 0}))),
             Contains("crosses or touches"));
  CHECK_THAT(
      said_of(together(torus_mesh(30, 15), moved(torus_mesh(30, 15), 1, 0.1, 1.2, {0.7, 0, 0}))),
      Contains("crosses or touches"));
  CHECK(said_of(together(torus_mesh(30, 15),
                         moved(torus_mesh(30, 15), 1, 0, M_PI / 2, {1, 0, 0}))) == "");  // linked
}

TEST_CASE("faces that lie on each other are found, in any position",
          "[data][geometry][mesh][errors]") {
  const SurfaceMesh faces[] = {
      together(box_mesh(), shifted(box_mesh(), {1, 0.25, 0.5})),        // overlap
      together(box_mesh(), shifted(box_mesh(), {1, 0.25, 0.25}, 0.5)),  // one within
      together(box_mesh(), shifted(box_mesh(), {1, 0, 0}, 2)),
      together(box_mesh(), shifted(box_mesh(), {1, 1, 1}))};  // a corner at a corner
  for (const SurfaceMesh& mesh : faces) CHECK_THAT(said_of(mesh), Contains("crosses or touches"));
}

TEST_CASE("a flap that lies flat on the surface is found", "[data][geometry][mesh][errors]") {
  // A tetrahedron whose top is pressed onto the middle of its base, with one corner left up.
  SurfaceMesh mesh{.name = "flap",
                   .points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.3, 0.3, 0}, {0, 0, 1}},
                   .triangles = {},
                   .patch = {}};
  add(mesh, 0, 2, 1);  // the base
  add(mesh, 0, 1, 3);  // on it
  add(mesh, 1, 2, 3);
  add(mesh, 0, 3, 4), add(mesh, 3, 2, 4), add(mesh, 2, 0, 4);
  CHECK_THAT(said_of(mesh), Contains("crosses or touches"));
}

TEST_CASE("a fine mesh of flat faces in a slanted position crosses itself nowhere",
          "[data][geometry][mesh]") {
  // Faces of many triangles whose corners are rounded: neighbors are flat to rounding.
  const int n = 12;
  SurfaceMesh mesh{.name = "plates", .points = {}, .triangles = {}, .patch = {}};
  std::map<std::array<int, 3>, int> number;
  const auto at = [&](int i, int j, int k) {
    const auto [place, is_new] = number.emplace(std::array{i, j, k}, int(mesh.points.size()));
    if (is_new) mesh.points.push_back({i / double(n), j / double(n), k / double(n)});
    return place->second;
  };
  for (int axis = 0; axis < 3; ++axis)
    for (const int side : {0, n})
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
          const auto p = [&](int u, int v) {
            std::array<int, 3> x;
            x[axis] = side, x[(axis + 1) % 3] = u, x[(axis + 2) % 3] = v;
            return at(x[0], x[1], x[2]);
          };
          const int a = p(i, j), b = p(i + 1, j), c = p(i + 1, j + 1), d = p(i, j + 1);
          side ? (add(mesh, a, b, c), add(mesh, a, c, d))
               : (add(mesh, a, c, b), add(mesh, a, d, c));
        }
  CHECK(said_of(mesh) == "");
  Dice dice(2);
  for (int i = 0; i < 5; ++i)
    CHECK(said_of(moved(mesh, 1 + dice.uniform(), 6 * dice.uniform(), 6 * dice.uniform(),
                        {dice.uniform(), 0.1, 0.2})) == "");
}

TEST_CASE("all kinds of mistakes are told at once", "[data][geometry][mesh][errors]") {
  SurfaceMesh mesh = box_mesh();
  turn(mesh, 3);
  remove_triangle(mesh, 8);
  CHECK_THAT(said_of(mesh), Contains("it has a hole") && Contains("1 triangle is turned"));
}
