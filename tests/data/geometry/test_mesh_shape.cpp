#include <cmath>

#include "autograd/core/error.h"
#include "tests/catch.h"
#include "tests/data/geometry/meshes.h"

using namespace pinn;
using namespace pinn::test;

namespace {

Point3 random_point(Dice& dice, const std::vector<Interval>& box, double beyond) {
  Point3 x;
  for (int k = 0; k < 3; ++k) {
    const double size = box[k].upper - box[k].lower;
    x[k] = box[k].lower - beyond * size + (1 + 2 * beyond) * size * dice.uniform();
  }
  return x;
}

std::vector<SurfaceMesh> bodies() {
  return {moved(box_mesh(), 1.2, 0.3, 0.5, {0.1, 0.2, 0.3}), sphere_mesh(2), torus_mesh(24, 12),
          together(moved(sphere_mesh(1), 2, 0.1, 0.2, {0, 0, 0}), inside_out(box_mesh())),
          box_mesh({0, 0, 0}, {1, 2, 1e-3})};
}

/// A spike, a notch as sharp, and a saddle: where the normal of one face tells the wrong side.
SurfaceMesh spiky() {
  SurfaceMesh mesh = sphere_mesh(2);
  mesh.name = "spiky";
  for (std::size_t i = 0; i < mesh.points.size(); ++i) {
    const double r = i % 5 == 0 ? 3 : i % 7 == 0 ? 0.2 : 1;
    for (double& c : mesh.points[i]) c *= r;
  }
  return mesh;
}

double length_of(const Point3& a) { return std::sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]); }

}  // namespace

TEST_CASE("the distance to a mesh is that to the nearest of all its triangles",
          "[data][geometry][mesh]") {
  Dice dice(1);
  std::vector<SurfaceMesh> all = bodies();
  all.push_back(spiky());
  for (const SurfaceMesh& mesh : all) {
    const ShapePtr shape = make_mesh(mesh);
    CHECK(shape->distance_kind() == DistanceKind::exact);
    for (int i = 0; i < 300; ++i) {
      const Point3 x = random_point(dice, shape->bounds(), 0.3);
      INFO(mesh.name << " at " << x[0] << ", " << x[1] << ", " << x[2]);
      const double d = shape->distance(x);
      CHECK(std::fabs(std::fabs(d) - plain_distance(mesh, x)) < 1e-12);
      CHECK((d < 0) == (plain_winding(mesh, x) > 0.5));
      CHECK(shape->inside(x) == (d <= 0));
    }
  }
}

TEST_CASE("inside is right for points that see corners and edges along the axes",
          "[data][geometry][mesh]") {
  // Rays along coordinates from these points pass through corners, edges and along faces.
  const SurfaceMesh box = box_mesh();
  const ShapePtr shape = make_mesh(box), ball = make_mesh(sphere_mesh(1));
  for (int i = -2; i <= 6; ++i)
    for (int j = -2; j <= 6; ++j)
      for (int k = -2; k <= 6; ++k) {
        const Point3 x = {i / 4.0, j / 4.0, k / 4.0};
        const auto within = [](int c) { return 0 <= c && c <= 4; };
        INFO(x[0] << ", " << x[1] << ", " << x[2]);
        CHECK(shape->inside(x) == (within(i) && within(j) && within(k)));
        CHECK((shape->distance(x) <= 0) == shape->inside(x));
      }
  const SurfaceMesh sphere = sphere_mesh(1);
  for (const Point3& corner : sphere.points)  // from the middle through a corner, and an edge
    for (const Point3& other : sphere.points)
      for (const double r : {0.5, 0.9, 1.1, 2.0}) {
        const Point3 x = {r * (corner[0] + other[0]) / 2, r * (corner[1] + other[1]) / 2,
                          r * (corner[2] + other[2]) / 2};
        const double winding = plain_winding(sphere, x);
        if (std::fabs(winding - std::round(winding)) > 1e-6) continue;  // on the surface
        CHECK(ball->inside(x) == (winding > 0.5));
      }
}

TEST_CASE("the sign is right nearest to sharp corners and edges", "[data][geometry][mesh]") {
  const SurfaceMesh mesh = spiky();
  const ShapePtr shape = make_mesh(mesh);
  Dice dice(2);
  int inside = 0;
  for (const auto& t : mesh.triangles)
    for (int k = 0; k < 3; ++k) {
      const Point3 &a = mesh.points[t[k]], &b = mesh.points[t[(k + 1) % 3]];
      const double s = dice.uniform() < 0.3 ? 0 : dice.uniform();
      Point3 x;
      for (int c = 0; c < 3; ++c) x[c] = a[c] + s * (b[c] - a[c]) + 1e-3 * (dice.uniform() - 0.5);
      const bool expected = plain_winding(mesh, x) > 0.5;
      inside += expected;
      CHECK((shape->distance(x) < 0) == expected);
      CHECK(shape->inside(x) == expected);
    }
  CHECK(inside > 100);
  CHECK(inside < 800);
}

TEST_CASE("two tips that touch in one point have the right sides", "[data][geometry][mesh]") {
  // They lean to one side, so that on the other side the tip is the nearest point.
  SurfaceMesh mesh{
      .name = "tips",
      .points = {{0, 0, 0},
                 {1, 0, 0.5},
                 {1, -0.5, 1.5},
                 {1, 0.5, 1.5},
                 {1, 0, -0.2},
                 {1, 0.6, -2},
                 {1, -0.6, -2}},
      .triangles =
          {{0, 2, 1}, {0, 3, 2}, {0, 1, 3}, {1, 2, 3}, {0, 5, 4}, {0, 6, 5}, {0, 4, 6}, {4, 5, 6}},
      .patch = std::vector<int>(8, 0)};
  mesh = inside_out(mesh);
  const ShapePtr shape = make_mesh(mesh);
  Dice dice(4);
  int nearest_to_tip = 0;
  for (int i = 0; i < 2000; ++i) {
    const Point3 x = random_point(dice, std::vector<Interval>(3, {-0.3, 0.3}), 0);
    const double d = shape->distance(x);
    nearest_to_tip += std::fabs(d - length_of(x)) < 1e-12;
    CHECK((d < 0) == (plain_winding(mesh, x) > 0.5));
  }
  CHECK(nearest_to_tip > 100);
}

TEST_CASE("a point that is not finite is in no mesh", "[data][geometry][mesh]") {
  const ShapePtr shape = make_mesh(box_mesh());
  CHECK_FALSE(shape->inside(Point3{NAN, 0.5, 0.5}));
  CHECK_FALSE(shape->inside(Point3{0.5, HUGE_VAL, 0.5}));
}

TEST_CASE("the bounds of a mesh are those of its corners", "[data][geometry][mesh]") {
  const std::vector<Interval> bounds = make_mesh(box_mesh({-1, 2, 3}, {4, 5, 6}))->bounds();
  REQUIRE(bounds.size() == 3);
  CHECK(bounds[0].lower == -1);
  CHECK(bounds[1].lower == 2);
  CHECK(bounds[2].upper == 6);
}

TEST_CASE("the normal is the gradient of the distance", "[data][geometry][mesh]") {
  Dice dice(5);
  for (const SurfaceMesh& mesh : bodies()) {
    const ShapePtr shape = make_mesh(mesh);
    for (int i = 0; i < 50; ++i) {
      const Point3 x = random_point(dice, shape->bounds(), 0.2);
      constexpr double h = 1e-6;
      Point3 n, difference;
      shape->normal(x, n);
      bool kink = false;
      for (int k = 0; k < 3; ++k) {
        Point3 up = x, down = x;
        up[k] += h, down[k] -= h;
        const double right = (shape->distance(up) - shape->distance(x)) / h,
                     left = (shape->distance(x) - shape->distance(down)) / h;
        kink = kink || std::fabs(right - left) > 1e-3;
        difference[k] = (right + left) / 2;
      }
      if (kink) continue;
      CHECK(length_of(n) == Approx(1).epsilon(1e-12));
      for (int k = 0; k < 3; ++k) CHECK(n[k] == Approx(difference[k]).margin(1e-4));
    }
  }
}

TEST_CASE("at an edge and a corner the normal is that of the first patch",
          "[data][geometry][mesh]") {
  const ShapePtr shape = make_mesh(box_mesh());
  Point3 n;
  shape->normal(Point3{1, 1, 1}, n);
  CHECK(n == Point3{1, 0, 0});
  shape->normal(Point3{0.3, 0, 1}, n);
  CHECK(n == Point3{0, -1, 0});
  shape->normal(Point3{0.3, 0.4, 1}, n);
  CHECK(n == Point3{0, 0, 1});
}

TEST_CASE("the patches of a mesh are its pieces, each with its area and normal",
          "[data][geometry][mesh]") {
  const auto pieces = make_mesh(box_mesh({0, 0, 0}, {1, 2, 3}))->surface();
  REQUIRE(pieces.size() == 6);
  const double areas[] = {6, 6, 3, 3, 2, 2};
  Dice dice(6);
  for (int f = 0; f < 6; ++f) {
    CHECK(pieces[f]->patch() == std::array{"x0", "x1", "y0", "y1", "z0", "z1"}[f]);
    CHECK(pieces[f]->whole() == Approx(areas[f]).epsilon(1e-14));
    CHECK(pieces[f]->keeps_all());
    for (int i = 0; i < 50; ++i) {
      Point3 x, n;
      CHECK(pieces[f]->sample(std::array{dice.uniform(), dice.uniform()}, x, n));
      Point3 expected{};
      expected[f / 2] = f % 2 ? 1 : -1;
      CHECK(n == expected);
      CHECK(x[f / 2] == Approx(f % 2 ? std::array{1, 2, 3}[f / 2] : 0).margin(1e-15));
    }
  }
}

TEST_CASE("points of a surface are uniform: their means are the exact ones",
          "[data][geometry][mesh]") {
  // The mean of the square of the distance from a point over the surface, exactly by triangles:
  // area / 12 (|a|^2 + |b|^2 + |c|^2 + |a + b + c|^2) each.
  const SurfaceMesh mesh = moved(torus_mesh(12, 7), 1.5, 0.2, 0.3, {0.5, 0, 0});
  double exact = 0;
  for (const auto& t : mesh.triangles) {
    Point3 sum{};
    double squares = 0;
    for (const int i : t)
      for (int k = 0; k < 3; ++k)
        sum[k] += mesh.points[i][k], squares += mesh.points[i][k] * mesh.points[i][k];
    const SurfaceMesh one{.name = "", .points = mesh.points, .triangles = {t}, .patch = {0}};
    exact += moments(one).area / 12 * (squares + std::pow(length_of(sum), 2));
  }
  const auto piece = make_mesh(mesh)->surface().at(0);
  constexpr int n = 40000;
  Dice dice(7);
  double sum = 0, squares = 0;
  for (int i = 0; i < n; ++i) {
    Point3 x, normal;
    piece->sample(std::array{dice.uniform(), dice.uniform()}, x, normal);
    const double value = std::pow(length_of(x), 2);
    sum += value, squares += value * value;
  }
  const double mean = sum / n, error = std::sqrt((squares / n - mean * mean) / n);
  CHECK(std::fabs(mean - exact / piece->whole()) < 4 * error);
}

TEST_CASE("volume and center of a body come out of its interior points", "[data][geometry][mesh]") {
  Dice dice(8);
  for (const SurfaceMesh& mesh : bodies()) {
    const ShapePtr shape = make_mesh(mesh);
    const auto sampler = shape->interior();
    const Moments exact = moments(mesh);
    constexpr int n = 40000;
    std::vector<double> cube(sampler->numbers());
    Point3 sum{}, x, none;
    int kept = 0;
    for (int i = 0; i < n; ++i) {
      for (double& c : cube) c = dice.uniform();
      if (!sampler->sample(cube, x, none)) continue;
      ++kept;
      for (int k = 0; k < 3; ++k) sum[k] += x[k];
    }
    const double share = exact.volume / sampler->whole(),
                 error = std::sqrt(share * (1 - share) / n) + 1e-12;
    INFO(mesh.name << ", share " << share);
    CHECK(std::fabs(double(kept) / n - share) < 4 * error);
    CHECK(share > 0.5);
    const std::vector<Interval> box = shape->bounds();
    for (int k = 0; k < 3; ++k) {
      const double size = box[k].upper - box[k].lower;
      CHECK(std::fabs(sum[k] / kept - exact.center[k]) < 4 * size / std::sqrt(12.0 * kept));
    }
  }
}

TEST_CASE("a thin slanted body is sampled without many refusals", "[data][geometry][mesh]") {
  const SurfaceMesh plate = moved(box_mesh({0, 0, 0}, {1, 1, 0.02}), 1, 0.5, 0.6, {0, 0, 0});
  const auto sampler = make_mesh(plate)->interior();
  CHECK(moments(plate).volume / sampler->whole() > 0.3);  // 0.04 of its box
  CHECK(sampler->numbers() == 3);
  Dice dice(9);
  for (int i = 0; i < 1000; ++i) {
    Point3 x, none;
    const bool kept =
        sampler->sample(std::array{dice.uniform(), dice.uniform(), dice.uniform()}, x, none);
    CHECK(kept == (plain_winding(plate, x) > 0.5));
  }
}

TEST_CASE("the flux of a field through the surface is the integral of its divergence inside",
          "[data][geometry][mesh]") {
  // F = (x^2, x y, z x): div F = 4 x, whose integral is 4 volume times the center's x.
  for (const SurfaceMesh& mesh : bodies()) {
    const Moments exact = moments(mesh);
    const double expected = 4 * exact.volume * exact.center[0];
    Dice dice(10);
    double flux = 0, variance = 0;
    for (const auto& piece : make_mesh(mesh)->surface()) {
      constexpr int n = 20000;
      double sum = 0, squares = 0;
      for (int i = 0; i < n; ++i) {
        Point3 x, m;
        piece->sample(std::array{dice.uniform(), dice.uniform()}, x, m);
        const double value = x[0] * (x[0] * m[0] + x[1] * m[1] + x[2] * m[2]);
        sum += value, squares += value * value;
      }
      const double mean = sum / n;
      flux += piece->whole() * mean;
      variance += std::pow(piece->whole(), 2) * (squares / n - mean * mean) / n;
    }
    INFO(mesh.name);
    CHECK(std::fabs(flux - expected) < 4 * std::sqrt(variance) + 1e-12);
  }
}

TEST_CASE("the measures of meshes are those of their polyhedra", "[data][geometry][mesh]") {
  for (const SurfaceMesh& mesh : bodies()) {
    double area = 0;
    for (const auto& piece : make_mesh(mesh)->surface()) area += piece->whole();
    CHECK(area == Approx(moments(mesh).area).epsilon(1e-13));
    const ShapePtr shape = make_mesh(mesh);
    CHECK(measure_of(*shape->interior()) == Approx(moments(mesh).volume).epsilon(1e-12));
    const ShapePtr twice = moved(shape, {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {1, 2, 3}, 2});
    CHECK(measure_of(*twice->interior()) == Approx(8 * moments(mesh).volume).epsilon(1e-12));
  }
}

TEST_CASE("meshes take part in the algebra of shapes", "[data][geometry][mesh]") {
  const ShapePtr ball = make_shape({"ball", {{"center", {0.5, 0.5, 0.5}}, {"radius", {0.3}}}}, 3);
  const ShapePtr holed = subtracted(make_mesh(box_mesh()), ball);
  CHECK(measure_of(*holed->interior()) == Approx(1 - 4 * M_PI / 3 * 0.027).epsilon(2e-3));
  double area = 0;
  int patches = 0;
  for (const auto& piece : holed->surface()) {
    area += measure_of(*piece);
    patches += !piece->patch().empty();
  }
  CHECK(area == Approx(6 + 4 * M_PI * 0.09).epsilon(2e-3));
  CHECK(patches == 6);
  const ShapePtr cut =
      intersected(make_mesh(sphere_mesh(4)), make_mesh(box_mesh({0, 0, 0}, {2, 2, 2})));
  const Moments whole = moments(sphere_mesh(4));  // which three planes cut alike
  CHECK(measure_of(*cut->interior()) == Approx(whole.volume / 8).epsilon(3e-3));
}
