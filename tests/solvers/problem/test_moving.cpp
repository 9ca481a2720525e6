#include <cmath>
#include <numbers>

#include "data/sampling/points.h"
#include "solvers/problem/evaluate.h"
#include "solvers/problem/parse.h"
#include "tests/catch.h"
#include "tests/solvers/problem/texts.h"

using namespace pinn;
using Catch::Matchers::Contains;

namespace {

using std::numbers::pi;

/// x and y in [-1, 1], t in [0, 2], and a parameter.
Problem square() {
  Problem p;
  p.coordinates = {{"x", -1, 1, Role::space, ""},
                   {"y", -1, 1, Role::space, ""},
                   {"t", 0, 2, Role::time, ""},
                   {"s", 0.5, 1.5, Role::parameter, ""}};
  p.fields = {{"u", "", 1}};
  declare_constants({{text("reach"), text("0.4")}}, p);
  return p;
}

std::vector<ShapeNumber> numbers(const std::vector<std::string>& texts, const Problem& p) {
  std::vector<ShapeNumber> all;
  for (const std::string& one : texts) all.push_back(parse_shape_number(text(one), p));
  return all;
}

NamedRegion disk(const Problem& p, const std::string& x, const std::string& y,
                 const std::string& radius) {
  return make_region(
      "rotor", {"disk", {{"center", numbers({x, y}, p)}, {"radius", numbers({radius}, p)}}}, p);
}

RegionDefinition defined(const std::string& name, const NamedRegion& region) {
  return {text(name), {}, region};
}

/// The square less a disk that goes round and grows, radius 0.2 to 0.4 times s.
Problem stirred() {
  Problem p = square();
  declare_regions(
      {defined("rotor", disk(p, "reach*cos(pi*t)", "reach*sin(pi*t)", "(0.2 + 0.1*t)*s/2")),
       {text("fluid"), text("box - rotor")}},
      p);
  declare_domain(text("fluid"), p);
  return p;
}

/// The same without a domain.
Problem plain() {
  Problem p = stirred();
  p.domain = {};
  return p;
}

double radius(std::span<const double> x) { return (0.2 + 0.1 * x[2]) * x[3] / 2; }

double gap(std::span<const double> x) {
  return std::hypot(x[0] - 0.4 * std::cos(pi * x[2]), x[1] - 0.4 * std::sin(pi * x[2])) - radius(x);
}

/// Integrals over t in [0, 2] and s in [0.5, 1.5] of the radius and of its square.
constexpr double of_radius = 0.5 * (0.2 * 2 + 0.1 * 2) * 1.0;
const double of_square = 0.25 * (0.04 * 2 + 0.04 * 2 + 0.01 * 8 / 3) * (13.0 / 12);

}  // namespace

TEST_CASE("a moving domain is measured over space, time and parameters", "[problem][geometry]") {
  const Problem p = stirred();
  CHECK(interior(p)->measure() == Approx(8 - pi * of_square).epsilon(1e-3));
  CHECK(region("rotor", plain())->measure() == Approx(pi * of_square).epsilon(1e-9));
  CHECK(region("boundary(rotor)", p)->measure() == Approx(2 * pi * of_radius).epsilon(1e-3));
  CHECK(region("boundary", p)->measure() == Approx(16 + 2 * pi * of_radius).epsilon(1e-3));
  CHECK(region("boundary(box)", p)->measure() == Approx(16).epsilon(1e-6));
}

TEST_CASE("points of a moving domain lie in it at their own time", "[problem][geometry]") {
  const Problem p = stirred();
  const Points in = points(*interior(p), 3000), wall = points(*region("boundary(rotor)", p), 1000),
               body = points(*region("rotor", plain()), 1000);
  REQUIRE(in.count == 3000);
  for (std::size_t i = 0; i < in.count; ++i) CHECK(gap(std::span(in.x).subspan(4 * i, 4)) >= 0);
  for (std::size_t i = 0; i < body.count; ++i) CHECK(gap(std::span(body.x).subspan(4 * i, 4)) <= 0);
  for (std::size_t i = 0; i < wall.count; ++i) {
    const std::span<const double> x = std::span(wall.x).subspan(4 * i, 4);
    CHECK(std::fabs(gap(x)) < 1e-12);
    CHECK(wall.normals[4 * i] ==
          Approx((0.4 * std::cos(pi * x[2]) - x[0]) / radius(x)).margin(1e-9));
    CHECK(wall.normals[4 * i + 2] == 0);
  }
}

TEST_CASE("points of what grows are uniform over space and time together", "[problem][geometry]") {
  const Problem p = stirred();
  const Points body = points(*region("rotor", plain()), 20000),
               wall = points(*region("boundary(rotor)", p), 20000);
  double of_body = 0, of_wall = 0, x2 = 0;
  for (std::size_t i = 0; i < body.count; ++i) {
    of_body += body.x[4 * i + 2] / double(body.count);
    of_wall += wall.x[4 * i + 2] / double(wall.count);
    x2 += std::pow(gap(std::span(body.x).subspan(4 * i, 4)) + radius({&body.x[4 * i], 4}), 2) /
          double(body.count);
  }
  // Mean time, weighted by area and by circumference; mean square of the distance to the center.
  CHECK(of_body ==
        Approx((0.04 * 2 + 0.04 * 8 / 3 + 0.01 * 4) / (0.04 * 2 + 0.04 * 2 + 0.01 * 8 / 3))
            .epsilon(5e-3));
  CHECK(of_wall == Approx((0.2 * 2 + 0.1 * 8 / 3) / 0.6).epsilon(5e-3));
  const double of_fourth = (std::pow(0.4, 5) - std::pow(0.2, 5)) / 0.5 / 16 *
                           ((std::pow(1.5, 5) - std::pow(0.5, 5)) / 5);
  CHECK(x2 == Approx(of_fourth / of_square / 2).epsilon(1e-2));
}

TEST_CASE("a moving domain at one time is a domain", "[problem][geometry]") {
  Problem p = square();
  p.coordinates.pop_back();
  declare_regions({defined("rotor", disk(p, "0.3*t", "0", "0.2 + 0.1*t"))}, p);
  declare_domain(text("box - rotor"), p);
  const auto start = region("initial", p);
  CHECK(start->measure() == Approx(4 - pi * 0.04).epsilon(1e-3));
  CHECK(region("t = 2 and boundary(rotor)", p)->measure() == Approx(2 * pi * 0.4).epsilon(1e-4));
  CHECK(interior(p)->with(2, {1.0, 1.0})->measure() == Approx(4 - pi * 0.09).epsilon(1e-3));
  CHECK(interior(p)->with(2, {0.0, 1.0})->measure() ==
        Approx(4 - pi * (0.04 + 0.02 + 0.01 / 3)).epsilon(1e-3));
  CHECK(in_domain(p, std::vector<double>{0.55, 0, 2}) == false);
  CHECK(in_domain(p, std::vector<double>{0.55, 0, 0}));
}

TEST_CASE("a distance to what moves is that of its shape then", "[problem][geometry]") {
  Problem p = stirred();
  NamedRegion bar = make_region(
      "bar",
      {"rectangle", {{"center", numbers({"0.3", "0"}, p)}, {"size", numbers({"0.4", "0.1"}, p)}}},
      p);
  move_region(
      bar, {"rotate", {{"angle", numbers({"pi*t/2"}, p)}, {"about", numbers({"0.1", "s"}, p)}}}, p);
  move_region(bar, {"scale", {{"factor", numbers({"2/(1 + s)"}, p)}}}, p);
  move_region(bar, {"move", {{"by", numbers({"0.1", "-0.2"}, p)}}}, p);
  p.regions.push_back(bar);
  Warnings warnings;
  for (const NamedRegion& region : p.regions) {
    const Evaluator value(*parse_expression(text("distance(" + region.name + ")"),
                                            {p, Scope::Use::formula}, warnings));
    for (const std::vector<double>& x : std::vector<std::vector<double>>{
             {0, 0, 0.3, 1}, {0.9, 0.3, 1.7, 0.6}, {-0.8, -0.95, 2, 1.4}, {0.25, 0.5, 0, 0.5}})
      CHECK(value({.coordinates = x}) ==
            Approx(region.shape.at(x)->distance({x.data(), 2})).margin(1e-11));
  }
  CHECK(warnings.empty());
}

TEST_CASE("what a shape cannot be at some time is refused with the time",
          "[problem][geometry][errors]") {
  Problem p = square();
  CHECK_THAT(message([&] { disk(p, "0", "0", "0.1*t"); }), Contains("at t = 0: "));
  declare_regions({defined("rotor", disk(p, "t", "0", "0.2"))}, p);
  CHECK_THAT(message([&] { declare_domain(text("rotor"), p); }),
             Contains("at t = ") && Contains("x runs from -1 to 1"));
  CHECK_THAT(message([&] { parse_shape_number(text("0.1*x"), p); }),
             Contains("does not change with the place"));
}
