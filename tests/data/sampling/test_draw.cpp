#include "data/sampling/draw.h"

#include <algorithm>
#include <cmath>

#include "autograd/core/error.h"
#include "data/geometry/motion.h"
#include "tests/catch.h"
#include "tests/larger.h"

using namespace pinn;
using pinn::test::larger;

namespace {

ShapePtr disk(double radius) {
  return make_shape({"disk", {{"center", {0, 0}}, {"radius", {radius}}}}, 2);
}

ShapePtr square(double lower, double upper) {
  return make_shape({"rectangle", {{"lower", {lower, lower}}, {"upper", {upper, upper}}}}, 2);
}

/// Sets whose candidates are all kept, and sets that refuse some.
std::vector<std::pair<std::string, ShapePtr>> shapes() {
  return {
      {"disk", disk(1)},
      {"L", make_shape({"polygon", {{"corners", {-1, -1, 1, -1, 1, 0, 0, 0, 0, 1, -1, 1}}}}, 2)},
      {"L by difference", subtracted(square(-1, 1), square(0, 2))},
      {"half disk", intersected(disk(1), square(0, 2))},
      {"two disks", repeated(disk(0.5), 2, {1.5, 0})}};
}

/// How far shares of points below corners of a lattice are from shares of the area, at most.
double discrepancy(const SpatialShape& shape, const Drawn& drawn) {
  const auto box = shape.bounds();
  const int cells = 400, step = 20;
  const auto along = [&](int c, double k) {
    return box[c].lower + k / cells * (box[c].upper - box[c].lower);
  };
  // Sums of a lattice of places up to each of its lines, in both ways.
  std::vector<std::vector<double>> below(cells + 1, std::vector<double>(cells + 1));
  for (int i = 0; i < cells; ++i)
    for (int j = 0; j < cells; ++j) {
      const double x[] = {along(0, i + 0.5), along(1, j + 0.5)};
      below[i + 1][j + 1] =
          below[i][j + 1] + below[i + 1][j] - below[i][j] + double(shape.inside(x));
    }
  double most = 0;
  for (int i = step; i <= cells; i += step)
    for (int j = step; j <= cells; j += step) {
      double count = 0;
      for (std::size_t p = 0; p < drawn.count; ++p)
        count += drawn.x[2 * p] <= along(0, i) && drawn.x[2 * p + 1] <= along(1, j);
      most =
          larger(most, std::fabs(count / double(drawn.count) - below[i][j] / below[cells][cells]));
    }
  return most;
}

}  // namespace

TEST_CASE("every method draws as many points as were asked for, all in the set",
          "[data][sampling]") {
  for (const auto& [name, shape] : shapes())
    for (const std::string& method : sampling_methods())
      for (int count : {1, 7, 1000}) {
        INFO(name << ", " << method << ", " << count);
        const Drawn drawn = draw(*shape->interior(), method, count, {.seed = 1}, false);
        CHECK(drawn.x.size() == 2 * drawn.count);
        CHECK(drawn.normals.empty());
        if (method == "grid")
          CHECK((drawn.count >= 1 && drawn.count <= std::size_t(count) &&
                 (count < 100 || drawn.count > 0.9 * count)));
        else
          CHECK(drawn.count == std::size_t(count));
        bool all = true;
        for (std::size_t p = 0; p < drawn.count; ++p)
          all = all && shape->distance(std::span(drawn.x).subspan(2 * p, 2)) <= 1e-15;
        CHECK(all);
      }
}

TEST_CASE("spread points stay spread where candidates are refused", "[data][sampling]") {
  for (const auto& [name, shape] : shapes()) {
    INFO(name);
    const auto interior = shape->interior();
    for (const char* method : {"sobol", "halton", "hammersley"}) {
      double spread = 0, random = 0;
      for (std::uint64_t seed = 0; seed < 8; ++seed) {
        spread += discrepancy(*shape, draw(*interior, method, 1024, {.seed = seed}, false));
        random += discrepancy(*shape, draw(*interior, "uniform", 1024, {.seed = seed}, false));
      }
      INFO(method << ": " << spread / 8 << ", uniform: " << random / 8);
      CHECK(spread < 0.5 * random);
    }
  }
}

TEST_CASE("points of a surface come with normals, and spread along it", "[data][sampling]") {
  const auto piece = disk(2)->surface()[0];
  const Drawn drawn = draw(*piece, "sobol", 64, {.seed = 3}, true);
  REQUIRE(drawn.normals.size() == 128);
  std::vector<double> angles;
  for (std::size_t p = 0; p < 64; ++p) {
    CHECK(drawn.x[2 * p] == Approx(2 * drawn.normals[2 * p]));
    angles.push_back(std::atan2(drawn.x[2 * p + 1], drawn.x[2 * p]));
  }
  std::sort(angles.begin(), angles.end());
  double widest = 0;  // one in each of 64 equal parts: at most two parts between neighbors
  for (std::size_t p = 1; p < 64; ++p) widest = larger(widest, angles[p] - angles[p - 1]);
  CHECK(widest < 2 * 2 * 3.1416 / 64);
}

TEST_CASE("a set of which hardly anything is kept is refused in words",
          "[data][sampling][errors]") {
  class Rare : public Sampler {
   public:
    int dimension() const override { return 2; }
    int numbers() const override { return 2; }
    double whole() const override { return 1; }
    bool keeps_all() const override { return false; }
    bool sample(std::span<const double> cube, std::span<double> x,
                std::span<double>) const override {
      std::copy(cube.begin(), cube.end(), x.begin());
      return cube[0] < 1e-6;
    }
  };
  for (const std::string& method : sampling_methods())
    CHECK_THROWS_WITH(draw(Rare(), method, 100, {.seed = 1}, false),
                      Catch::Contains("lie in the region") && Catch::Contains("more closely"));
  CHECK_THROWS_WITH(draw(*disk(1)->interior(), "sobel", 10, {}, false),
                    Catch::Contains("there is no sampling method 'sobel'"));
}
