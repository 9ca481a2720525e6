#include "data/reference/cavity.h"

#include <cmath>
#include <numbers>
#include <string>

#include "autograd/core/error.h"
#include "data/reference/line.h"
#include "data/reference/reference.h"
#include "tests/catch.h"
#include "tests/larger.h"

using namespace pinn;

namespace {

const std::vector<double> grid = {0, 0.03, 0.2, 0.37, 0.5, 0.63, 0.8, 0.97, 1};

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = test::larger(largest, std::abs(a[i] - b[i]));
  return largest;
}

/// The extreme of values at equidistant points about the largest or the least of them: of the
/// polynomial of fourth degree through five.
double extreme(const std::vector<double>& values, double sign) {
  std::size_t at = 2;
  for (std::size_t i = 2; i + 2 < values.size(); ++i)
    if (sign * values[i] > sign * values[at]) at = i;
  const auto polynomial = [&](double s) {
    double sum = 0;
    for (int i = -2; i <= 2; ++i) {
      double weight = 1;
      for (int j = -2; j <= 2; ++j)
        if (j != i) weight *= (s - j) / (i - j);
      sum += weight * values[at + i];
    }
    return sum;
  };
  double best = values[at];
  for (double s = -1; s <= 1; s += 1e-3)
    if (sign * polynomial(s) > sign * best) best = polynomial(s);
  return best;
}

struct CenterLines {
  std::vector<double> u, v;  // u on x = 1/2, v on y = 1/2
};

CenterLines center_lines(const std::string& name) {
  const Reference r = load_reference(PINN_SOURCE_DIR "/data/reference/" + name + ".h5");
  CenterLines lines;
  const std::size_t n = r.axes[1].size(), middle = n / 2;
  REQUIRE(r.coordinates == std::vector<std::string>{"x", "y"});
  REQUIRE(r.axes[0][middle] == 0.5);
  for (std::size_t i = 0; i < n; ++i) {
    lines.u.push_back(r.fields.at("u")[middle * n + i]);
    lines.v.push_back(r.fields.at("v")[i * n + middle]);
  }
  return lines;
}

}  // namespace

TEST_CASE("the stored cavities have the center lines of Botella and Peyret", "[data][reference]") {
  // Their seven digits; polynomials between points of the grid keep 6.
  const CenterLines fast = center_lines("cavity"), slow = center_lines("cavity_100");

  CHECK(extreme(fast.u, -1) == Approx(-0.3885698).margin(2e-6));
  CHECK(extreme(fast.v, 1) == Approx(0.3769447).margin(2e-6));
  CHECK(extreme(fast.v, -1) == Approx(-0.5270771).margin(2e-6));
  CHECK(extreme(slow.u, -1) == Approx(-0.2140424).margin(2e-6));
  CHECK(extreme(slow.v, 1) == Approx(0.1795728).margin(2e-6));
  CHECK(extreme(slow.v, -1) == Approx(-0.2538030).margin(2e-6));
}

TEST_CASE("the walls of a cavity are at rest and its lid moves", "[data][reference]") {
  const Velocity flow = solve_cavity(100, uniform_lid(), 3, grid, grid);

  const std::size_t n = grid.size();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      const bool side = i == 0 || i == n - 1, wall = side || j == 0 || j == n - 1;
      INFO("x = " << grid[i] << ", y = " << grid[j]);
      if (wall) CHECK(std::abs(flow.v[i * n + j]) < 1e-12);
      if (wall) CHECK(flow.u[i * n + j] == Approx(j == n - 1 && !side ? 1 : 0).margin(1e-9));
    }
}

TEST_CASE("a lid moves as it says, but at its ends, where the walls hold it", "[data][reference]") {
  const Lid lid = GENERATE(uniform_lid(), parabolic_lid());

  const Velocity flow = solve_cavity(100, lid, 3, grid, grid);

  const std::size_t n = grid.size();
  for (std::size_t i = 0; i < n; ++i)
    CHECK(flow.u[i * n + n - 1] ==
          Approx(i == 0 || i == n - 1 ? 0 : lid.speed(grid[i])).margin(1e-9));
}

TEST_CASE("a flow without inertia is as fast as its lid", "[data][reference]") {
  // At Re = 1e-6 the equations are linear: the flow under the sum of two lids is the sum of both.
  const Lid one = uniform_lid(), two = parabolic_lid();
  const Lid both = {[&](double x) { return one.speed(x) + 2 * two.speed(x); },
                    [&](double x) { return one.slope(x) + 2 * two.slope(x); }};
  const auto flow = [](const Lid& lid) { return solve_cavity(1e-6, lid, 3, grid, grid).u; };

  const std::vector<double> u = flow(one), v = flow(two);
  std::vector<double> sum;
  for (std::size_t i = 0; i < u.size(); ++i) sum.push_back(u[i] + 2 * v[i]);

  CHECK(distance(flow(both), sum) < 1e-6);
}

TEST_CASE("the cavity under a parabolic lid is that of finite differences", "[data][reference]") {
  // The least u on x = 1/2 and the extremes of v on y = 1/2 at Re = 100, by the biharmonic equation
  // on 256, 384 and 512 intervals, extrapolated (another program).
  const CenterLines lines = center_lines("cavity_parabolic");

  CHECK(extreme(lines.u, -1) == Approx(-0.1818893).margin(2e-6));
  CHECK(extreme(lines.v, 1) == Approx(0.1539299).margin(2e-6));
  CHECK(extreme(lines.v, -1) == Approx(-0.2182598).margin(2e-6));
}

TEST_CASE("a degree more cuts the error of a cavity to a third", "[data][reference]") {
  const Velocity fine = solve_cavity(100, uniform_lid(), 6, grid, grid);

  const double few = distance(solve_cavity(100, uniform_lid(), 3, grid, grid).u, fine.u),
               more = distance(solve_cavity(100, uniform_lid(), 4, grid, grid).u, fine.u);

  CHECK(few < 3e-3);
  CHECK(more < few / 3);
}

TEST_CASE("a cavity with the opposite Reynolds number is the mirrored one", "[data][reference]") {
  // Mirrored in x, the lid moves back; with all velocities turned round it moves on, and inertia,
  // which is even in them, has changed sides.
  const Velocity flow = solve_cavity(50, uniform_lid(), 3, grid, grid),
                 other = solve_cavity(-50, uniform_lid(), 3, grid, grid);

  const std::size_t n = grid.size();
  Velocity mirrored = other;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      mirrored.u[i * n + j] = other.u[(n - 1 - i) * n + j];
      mirrored.v[i * n + j] = -other.v[(n - 1 - i) * n + j];
    }
  CHECK(distance(mirrored.u, flow.u) < 1e-9);
  CHECK(distance(mirrored.v, flow.v) < 1e-9);
  CHECK(distance(other.u, flow.u) > 0.01);
}

TEST_CASE("a flow that Newton's method does not find is an error", "[data][reference][errors]") {
  CHECK_THROWS_WITH(solve_cavity(std::nan(""), uniform_lid(), 3, grid, grid),
                    Catch::Contains("Newton's method does not converge at Re = nan"));
}

TEST_CASE("a line has every polynomial of its degree, and its derivatives", "[data][reference]") {
  const Line line({0, 1e-3, 0.4, 1}, 4);
  const auto power = [](double x, int order) {  // of x^6
    double c = 1;
    for (int k = 0; k < order; ++k) c *= 6 - k;
    return c * std::pow(x, 6 - order);
  };
  Eigen::VectorXd numbers(line.count());
  for (int piece = 0; piece < line.pieces(); ++piece) {
    const auto of_piece = line.numbers(piece);
    for (int k = 0; k <= 4; ++k) {
      const double place =
          line.begin(piece) + line.length(piece) * (1 - std::cos(std::numbers::pi * k / 4)) / 2;
      numbers[of_piece[k + 1]] = power(place, 0);
      if (k == 0) numbers[of_piece[0]] = power(place, 1);
      if (k == 4) numbers[of_piece[6]] = power(place, 1);
    }
  }

  const Eigen::Vector3d points(0.0005, 0.3, 1);
  for (int order = 0; order < 3; ++order) {
    const Eigen::VectorXd values = line.derivative(points, order) * numbers;
    for (int i = 0; i < 3; ++i) CHECK(values[i] == Approx(power(points[i], order)).margin(1e-9));
  }
}

TEST_CASE("a line takes values and slopes from another", "[data][reference]") {
  const Line few({0, 0.3, 1}, 3), many({0, 0.1, 0.3, 0.8, 1}, 5);
  const Eigen::VectorXd numbers = Eigen::VectorXd::LinSpaced(few.count(), -1, 2);
  const Eigen::VectorXd points = Eigen::VectorXd::LinSpaced(11, 0, 1);

  const Eigen::VectorXd there = many.derivative(points, 1) * (many.from(few) * numbers);

  CHECK((there - few.derivative(points, 1) * numbers).norm() < 1e-10);
}

TEST_CASE("Gauss' rule integrates what n nodes can", "[data][reference]") {
  const int n = GENERATE(1, 2, 5, 14);
  const Rule rule = gauss(n);

  for (int power = 0; power < 2 * n; ++power)
    CHECK(rule.weights.dot(rule.nodes.array().pow(power).matrix()) ==
          Approx(1.0 / (power + 1)).epsilon(1e-13));
}
