#include "data/geometry/simplices.h"

#include <cmath>
#include <map>
#include <numbers>
#include <set>

#include "data/geometry/shape.h"
#include "tests/catch.h"
#include "tests/larger.h"
#include "tests/measure.h"

using namespace pinn;
using std::numbers::pi;

namespace {

ShapePtr shape(const std::string& kind, const std::map<std::string, std::vector<double>>& arguments,
               int dimension) {
  return make_shape({kind, arguments}, dimension);
}
ShapePtr disk(double radius) {
  return shape("disk", {{"center", {0, 0}}, {"radius", {radius}}}, 2);
}
ShapePtr ball(double radius) {
  return shape("ball", {{"center", {0, 0, 0}}, {"radius", {radius}}}, 3);
}

auto side_of(const ShapePtr& shape) {
  return [shape](std::span<const double> x) {
    const double distance = shape->distance(x);
    return distance < -1e-11 ? Side::inside : distance <= 1e-11 ? Side::on : Side::outside;
  };
}

Simplices filled(const ShapePtr& shape, int cells) {
  return filled(side_of(shape), shape->bounds(), std::vector<int>(3, cells));
}

/// How often each face of a simplex belongs to one.
std::map<std::set<std::int64_t>, int> faces(const Simplices& all) {
  std::map<std::set<std::int64_t>, int> found;
  for (std::size_t s = 0; s < all.count(); ++s)
    for (std::size_t out = 0; out < all.corners; ++out) {
      std::set<std::int64_t> face;
      for (std::size_t k = 0; k < all.corners; ++k)
        if (k != out) face.insert(all.cells[s * all.corners + k]);
      ++found[face];
    }
  return found;
}

/// How far the corners of a surface are from that of the shape, at most.
double farthest(const Simplices& surface, const ShapePtr& shape) {
  double most = 0;
  for (std::size_t n = 0; n < surface.point_count(); ++n)
    most = test::larger(
        most, std::fabs(shape->distance(
                  std::span(surface.points).subspan(n * surface.dimension, surface.dimension))));
  return most;
}

}  // namespace

TEST_CASE("a box is filled by all of its cells", "[geometry][simplices]") {
  for (const std::size_t d : {1u, 2u, 3u}) {
    INFO(d);
    const std::vector<Interval> box(d, {0, 2});
    const Simplices all =
        filled([](std::span<const double>) { return Side::inside; }, box, std::vector<int>(d, 4));
    CHECK(measure_of(all) == Approx(std::pow(2, d)).epsilon(1e-13));
    CHECK(all.count() == std::size_t(std::pow(4, d) * std::tgamma(double(d) + 1) + 0.5));
    CHECK(all.point_count() == std::size_t(std::pow(5, d) + 0.5));
  }
}

TEST_CASE("simplices meet in whole faces, and what lies open is the surface",
          "[geometry][simplices]") {
  const ShapePtr cut =
      subtracted(shape("cuboid", {{"lower", {-1, -1, -1}}, {"upper", {1, 1, 1}}}, 3), ball(0.8));
  const std::vector<std::pair<ShapePtr, int>> bodies = {
      {disk(1), 13}, {disk(1), 16}, {ball(1), 9}, {cut, 10}};
  for (const auto& [body, cells] : bodies) {
    const Simplices all = filled(body, cells);
    std::size_t open = 0;
    for (const auto& [face, count] : faces(all)) {
      CHECK(count <= 2);
      open += count == 1;
    }
    const Simplices surface = faces_of(all);
    CHECK(surface.count() == open);
    CHECK(farthest(surface, body) < 1e-10);
    for (const auto& [edge, count] : faces(surface)) CHECK(count == 2);  // it is closed
  }
}

TEST_CASE("area, volume and surface tend to those of the shape", "[geometry][simplices]") {
  const double coarse = std::fabs(measure_of(filled(disk(1), 20)) - pi);
  const double fine = std::fabs(measure_of(filled(disk(1), 40)) - pi);
  CHECK(fine < coarse / 3.5);  // as the square of the cells
  CHECK(fine < 3e-3);
  CHECK(measure_of(faces_of(filled(disk(1), 40))) == Approx(2 * pi).epsilon(1e-3));
  CHECK(measure_of(filled(ball(1), 24)) == Approx(4 * pi / 3).epsilon(1e-2));
  CHECK(measure_of(faces_of(filled(ball(1), 24))) == Approx(4 * pi).epsilon(1e-2));
}

TEST_CASE("simplices have the handedness of space, and faces look outward",
          "[geometry][simplices]") {
  const Simplices all = filled(disk(1), 9);
  for (std::size_t s = 0; s < all.count(); ++s) {
    const auto at = [&](int corner, int k) {
      return all.points[std::size_t(all.cells[s * 3 + std::size_t(corner)]) * 2 + std::size_t(k)];
    };
    CHECK((at(1, 0) - at(0, 0)) * (at(2, 1) - at(0, 1)) >
          (at(1, 1) - at(0, 1)) * (at(2, 0) - at(0, 0)));
  }
  const Simplices skin = faces_of(filled(ball(1), 8));
  for (std::size_t s = 0; s < skin.count(); ++s) {
    double p[3][3];
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k)
        p[i][k] = skin.points[std::size_t(skin.cells[s * 3 + std::size_t(i)]) * 3 + std::size_t(k)];
    double outward = 0;
    for (int k = 0; k < 3; ++k) {
      const int i = (k + 1) % 3, j = (k + 2) % 3;
      outward += p[0][k] * ((p[1][i] - p[0][i]) * (p[2][j] - p[0][j]) -
                            (p[1][j] - p[0][j]) * (p[2][i] - p[0][i]));
    }
    CHECK(outward > 0);
  }
}

TEST_CASE("of a surface only what is kept stays, with its points", "[geometry][simplices]") {
  const Simplices all = faces_of(filled(disk(1), 20));
  const Simplices upper = kept(all, [](std::span<const double> x) { return x[1] >= 0; });
  CHECK(measure_of(upper) == Approx(pi).epsilon(0.02));
  for (std::size_t n = 0; n < upper.point_count(); ++n) CHECK(upper.points[2 * n + 1] >= 0);
}
