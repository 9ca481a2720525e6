#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "autograd/core/error.h"
#include "tests/catch.h"
#include "tests/data/geometry/laws.h"
#include "tests/dice.h"

using namespace pinn;
using namespace pinn::test;

namespace {

ShapePtr polygon(const std::vector<double>& corners) {
  return make_shape({"polygon", {{"corners", corners}}}, 2);
}

std::string message_of(const std::vector<double>& corners) {
  try {
    polygon(corners);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

/// A star of random rays: simple, and as wild as one likes.
std::vector<double> star(int corners, Dice& dice) {
  std::vector<double> numbers;
  for (int k = 0; k < corners; ++k) {
    const double angle = 2 * std::numbers::pi * (k + 0.9 * dice.uniform()) / corners,
                 r = 0.2 + 0.8 * dice.uniform();
    numbers.push_back(r * std::cos(angle));
    numbers.push_back(r * std::sin(angle));
  }
  return numbers;
}

double turn_at(const double* a, const double* b, const double* c) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/// True if any two edges that are no neighbors cross, each with each.
bool crosses(const std::vector<double>& numbers) {
  const std::size_t n = numbers.size() / 2;
  const auto corner = [&](std::size_t k) { return &numbers[2 * (k % n)]; };
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 2; j < n; ++j) {
      if (i == 0 && j == n - 1) continue;
      const double *a = corner(i), *b = corner(i + 1), *c = corner(j), *d = corner(j + 1);
      const bool apart = std::max(a[0], b[0]) < std::min(c[0], d[0]) ||
                         std::max(c[0], d[0]) < std::min(a[0], b[0]) ||
                         std::max(a[1], b[1]) < std::min(c[1], d[1]) ||
                         std::max(c[1], d[1]) < std::min(a[1], b[1]);
      if (!apart && turn_at(a, b, c) * turn_at(a, b, d) <= 0 &&
          turn_at(c, d, a) * turn_at(c, d, b) <= 0)
        return true;
    }
  return false;
}

/// Signed distance over all edges, the sign by how often a ray crosses them.
double slow_distance(const std::vector<double>& numbers, const double* x) {
  const std::size_t n = numbers.size() / 2;
  double least = 1e300;
  bool inside = false;
  for (std::size_t k = 0; k < n; ++k) {
    const double *a = &numbers[2 * k], *b = &numbers[2 * ((k + 1) % n)];
    const double ux = b[0] - a[0], uy = b[1] - a[1], vx = x[0] - a[0], vy = x[1] - a[1];
    const double at = std::clamp((ux * vx + uy * vy) / (ux * ux + uy * uy), 0.0, 1.0);
    least = std::min(least, std::hypot(vx - at * ux, vy - at * uy));
    if ((a[1] > x[1]) != (b[1] > x[1]) && x[0] < a[0] + (x[1] - a[1]) / uy * ux) inside = !inside;
  }
  return inside ? -least : least;
}

}  // namespace

TEST_CASE("a polygon's distance is the least over its edges, with the sign of a ray",
          "[data][geometry]") {
  Dice dice(3);
  for (int corners : {3, 4, 5, 17, 300}) {
    const std::vector<double> numbers = star(corners, dice);
    const ShapePtr shape = polygon(numbers);
    for (const auto& x : points_around(*shape, 0.3, 500, dice.stream(corners)))
      CHECK(shape->distance(x) == Approx(slow_distance(numbers, x.data())).margin(1e-13));
  }
}

TEST_CASE("random polygons are refused where two edges cross, and only there", "[data][geometry]") {
  Dice dice(4);
  int refused = 0, taken = 0;
  for (int k = 0; k < 2000; ++k) {
    std::vector<double> numbers;
    const int corners = 3 + int(dice.below(6));
    const bool on_lattice = k % 2 == 0;  // many corners above one another, and on edges
    for (int c = 0; c < 2 * corners; ++c)
      numbers.push_back(on_lattice ? double(dice.below(7)) : dice.uniform());
    const std::string text = message_of(numbers);
    if (text.find("twice in a row") != text.npos || text.find("the way it came") != text.npos)
      continue;
    if (numbers[0] == numbers[2 * corners - 2] && numbers[1] == numbers[2 * corners - 1])
      continue;  // closed by hand
    INFO(text << ", corners " << fmt::format("{}", fmt::join(numbers, " ")));
    CHECK((text.find("crosses or touches itself") != text.npos) == crosses(numbers));
    (text == "no error" ? taken : refused) += 1;
    if (text != "no error") continue;
    const ShapePtr shape = polygon(numbers);
    double area = 0;
    for (int c = 0; c < corners; ++c) {
      const int next = (c + 1) % corners;
      area += numbers[2 * c] * numbers[2 * next + 1] - numbers[2 * c + 1] * numbers[2 * next];
    }
    CHECK(shape->interior()->whole() == Approx(std::fabs(area) / 2).epsilon(1e-12));
    CHECK(even_density(*shape, {.seed = 7}) == "");
  }
  CHECK(refused > 300);
  CHECK(taken > 300);
}

TEST_CASE("a polygon of 10 000 corners is checked and asked in n log n steps", "[data][geometry]") {
  Dice dice(5);
  std::vector<double> numbers = star(10'000, dice);
  const ShapePtr shape = polygon(numbers);
  for (const auto& x : points_around(*shape, 0.1, 20, dice.stream(1)))
    CHECK(shape->distance(x) == Approx(slow_distance(numbers, x.data())).margin(1e-13));
  CHECK(inner_moments(*shape, dice.stream(2)) == "");
  CHECK(divergence(*shape, dice.stream(3)) == "");
  std::swap(numbers[2000], numbers[12000]);
  CHECK(message_of(numbers).find("crosses or touches itself") != std::string::npos);
}

TEST_CASE("a polygon that crosses itself is told by its edges", "[data][geometry][errors]") {
  const std::string bow = message_of({0, 0, 1, 1, 1, 0, 0, 1});
  CHECK(bow ==
        "error: a polygon crosses or touches itself: the edge from corner 1 (0, 0) to corner 2 (1, "
        "1) meets the edge from corner 3 (1, 0) to corner 4 (0, 1)\n  where: corners\n  fix:   "
        "order the corners along the outline; make two polygons of one that touches itself");
  // the same two edges, the outline in the other direction
  const std::string tilted = message_of({0, 1, 1, 0, 1, 1.5, 0, 0});
  CHECK(tilted.find("from corner 1 (0, 1) to corner 2 (1, 0) meets the edge from corner 3") !=
        std::string::npos);
  CHECK(message_of({0, 0, 1, 0, 1, 0, 0, 1}).find("corner 2 (1, 0) stands twice in a row") !=
        std::string::npos);
  CHECK(message_of({0, 0, 2, 0, 1, 0}).find("goes back the way it came") != std::string::npos);
  CHECK(message_of({0, 0, 1, 0}).find("give at least 3 corners") != std::string::npos);
  // a corner on another edge
  CHECK(message_of({0, 0, 2, 0, 2, 2, 1, 0, 0, 2}).find("touches itself") != std::string::npos);
}

TEST_CASE("a polygon may come in either direction and end where it began", "[data][geometry]") {
  const ShapePtr there = polygon({0, 0, 1, 0, 0, 1}), back = polygon({0, 0, 0, 1, 1, 0, 0, 0});
  for (const auto& x : points_around(*there, 0.5, 100, {.seed = 6}))
    CHECK(there->distance(x) == Approx(back->distance(x)).margin(1e-15));
  CHECK(measure_of(*back->interior()) == 0.5);
}

TEST_CASE("at a corner the normal is that of the edge that comes first", "[data][geometry]") {
  const ShapePtr square = polygon({0, 0, 1, 0, 1, 1, 0, 1});
  std::vector<double> n(2);
  const double corner[] = {1, 0}, first[] = {0, 0};
  square->normal(corner, n);
  CHECK(n == std::vector<double>{0, -1});
  square->normal(first, n);
  CHECK(n == std::vector<double>{0, -1});
}
