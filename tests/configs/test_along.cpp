// The choice for one coordinate along which fields make very many waves or have fronts.
#include <cmath>

#include "configs/choice/course.h"
#include "configs/read.h"
#include "solvers/state/windows.h"
#include "solvers/train/train.h"
#include "tests/catch.h"
#include "tests/configs/promises.h"

using namespace pinn;
using Catch::Matchers::Contains;

namespace {

Run read_along(const std::string& coordinate, const std::string& fields,
               const std::string& equations, const std::string& place, const std::string& values,
               const std::string& more = "") {
  return read_run_text("[problem]\ncoordinates = { " + coordinate + " }\nfields = " + fields +
                           "\n[[equation]]\nresidual = " + equations + "\n[[condition]]\non = \"" +
                           place + "\"\nresidual = " + values + "\n" + more,
                       "along.toml");
}

/// 1.5 radians for one of x: 150 over half of the interval.
Run read_swing(const std::string& place, const std::string& more = "") {
  return read_along("x = [-100, 100]", "[\"y\"]", "\"y_xx + 2.25*y = 0\"", place,
                    "[\"y = 3\", \"y_x = 0\"]", more);
}

/// The relaxation of van der Pol.
Run read_relaxation(const std::string& more = "") {
  return read_along("t = [0, 40]", "[\"y\"]", "\"y_tt = 6*(1 - y^2)*y_t - y\"", "t = 0",
                    "[\"y = 2\", \"y_t = 0\"]", more);
}

}  // namespace

TEST_CASE("very many waves along one coordinate give features of their frequency", "[configs]") {
  for (const std::string place : {"x = -100", "x = 0", "x = 37.5", "x = 100"}) {
    INFO(place);
    const Run run = read_swing(place);
    REQUIRE(run.networks[0].fourier.center.size() == 1);
    CHECK(run.networks[0].fourier.center[0] == Approx(150).margin(3));
    CHECK(run.networks[0].fourier.features == 12);
    CHECK(run.networks[0].activation == std::vector<std::string>{"tanh"});
    CHECK(run.sampling[0].count == Approx(1500).epsilon(0.05));
    CHECK(run.problem.requirements.size() == 2);
    CHECK(run.effective.count("network.hard") == 0);
    CHECK_THAT(run.chosen, Contains("y = \"3*N\""));
    CHECK(run.windows.edges.empty());
  }
}

TEST_CASE("several frequencies have features each, in systems of first order, too", "[configs]") {
  const Run run =
      read_along("x = [0, 400]", "[\"y\", \"v\"]", "[\"y_x = v\", \"v_x = sin(x) - 4*y\"]",
                 "x = 250", "[\"y = 0\", \"v = 1\"]");
  REQUIRE(run.networks[0].fourier.center.size() == 2);
  CHECK(run.networks[0].fourier.center[0] == Approx(200).margin(4));
  CHECK(run.networks[0].fourier.center[1] == Approx(400).margin(4));
}

TEST_CASE("fronts in time are cut into windows, with fields of order one", "[configs]") {
  const Run run = read_relaxation();
  CHECK(run.windows.edges.size() > 5);
  CHECK(run.windows.carry == false);
  CHECK(run.options.stop_below == 1e-10);
  CHECK(run.networks[0].fourier.features == 0);
  REQUIRE(run.problem.requirements.size() == 2);
  const auto& start = run.problem.requirements[1].residuals;
  CHECK(start[0].weight != start[1].weight);
  CHECK_THAT(run.chosen, Contains("y = \"2*N\""));
}

TEST_CASE("a file that says a form, windows or unknowns is chosen for as before", "[configs]") {
  for (const std::string more : {"[network]\nhard = \"auto\"\n", "[network.output]\ny = \"2*N\"\n",
                                 "[windows]\ncount = 3\n"}) {
    INFO(more);
    const Run run = read_relaxation(more);
    CHECK_THAT(run.chosen, !Contains("followed roughly"));
  }
  const Run few = read_along("x = [-5, 5]", "[\"y\"]", "\"y_xx + 2.25*y = 0\"", "x = 0",
                             "[\"y = 3\", \"y_x = 0\"]");
  CHECK_THAT(few.chosen, !Contains("followed roughly"));
  const Run ends =
      read_along("x = [-100, 100]", "[\"y\"]", "\"y_xx + 2.25*y = 0\"", "boundary", "\"y = 3\"");
  CHECK_THAT(ends.chosen, !Contains("followed roughly"));
}

TEST_CASE("the course of fields is followed from where they are told", "[configs]") {
  const Run run = read_swing("x = 37.5");
  const auto course = config::course_of(run.problem);
  CHECK(!course);  // with a form of the fields there is nothing to follow
  Problem plain = run.problem;
  plain.outputs.assign(1, nullptr);
  const auto along = config::course_of(plain);
  REQUIRE(along);
  CHECK(along->from == 37.5);
  CHECK(along->linear);
  CHECK(along->x.front() == -100);
  CHECK(along->x.back() == 100);
  CHECK(along->waves() == Approx(150).epsilon(0.01));
  CHECK(along->highest(0) == Approx(3).epsilon(0.05));
  CHECK(along->unevenness() < 1.6);
  const std::vector<double> spectrum = along->spectrum();
  CHECK(spectrum.at(150) == Approx(1).margin(0.1));
  CHECK(spectrum.at(100) < 1e-3);
}

TEST_CASE("a stiff equation is followed in few steps", "[configs]") {
  const Run run =
      read_along("t = [0, 10]", "[\"y\"]", "\"y_t = -1000*(y - cos(t))\"", "t = 0", "\"y = 0\"");
  Problem plain = run.problem;
  plain.outputs.assign(1, nullptr);
  const auto course = config::course_of(plain);
  REQUIRE(course);
  CHECK(course->x.size() < 2000);
  for (std::size_t i = 0; i < course->x.size(); ++i) {
    const double t = course->x[i];
    const double exact =
        (1e6 * std::cos(t) + 1e3 * std::sin(t) - 1e6 * std::exp(-1000 * t)) / (1e6 + 1);
    CHECK(std::fabs(course->fields[0][0][i] - exact) < 2e-3);
  }
}

TEST_CASE("what cannot be followed leaves the choice as it was", "[configs]") {
  // Without a highest derivative that it can be solved for, or beyond a pole.
  for (const std::string law : {"\"y_x^2 + 1e9*y^2 = -1\"", "\"y_x = 1000*(1 + y^2)\""}) {
    INFO(law);
    const Run run = read_along("x = [0, 10]", "[\"y\"]", law, "x = 0", "\"y = 0\"");
    CHECK_THAT(run.chosen, Contains("ssbroyden") && !Contains("followed roughly"));
  }
}

TEST_CASE("an oscillation told in the middle of 48 periods is solved", "[configs][slow]") {
  const Run run = read_swing("x = 0", "[reference]\nexact = { y = \"3*cos(1.5*x)\" }\n");
  CHECK(pinn::test::error_of(pinn::test::trained(run), "y") < 1e-4);
}
