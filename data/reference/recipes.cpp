#include "data/reference/reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

#include "autograd/core/error.h"
#include "data/reference/cavity.h"
#include "data/reference/equations.h"
#include "data/reference/l_shape.h"

namespace pinn {
namespace {

using std::numbers::pi;

/// The first `count` of intervals + 1 equidistant points, each rounded once: 0.455, not
/// 0.45500000000000007.
std::vector<double> equidistant(double from, double to, int intervals, int count) {
  std::vector<double> axis(count);
  for (int i = 0; i < count; ++i) axis[i] = (from * (intervals - i) + to * i) / intervals;
  return axis;
}

template <class F> std::vector<double> values(const F& f, const std::vector<double>& axis) {
  std::vector<double> v;
  for (const double x : axis) v.push_back(f(x));
  return v;
}

/// A periodic solution on [from, to), with `count` of its points left.
Reference thinned(const std::vector<double>& times, const std::vector<std::vector<double>>& u,
                  int count, double from = -1, double to = 1) {
  Reference r{{"t", "x"}, {times, equidistant(from, to, count, count)}, {}, 0, {}};
  for (const auto& row : u)
    for (int i = 0; i < count; ++i) r.fields["u"].push_back(row[row.size() / count * i]);
  return r;
}

Reference burgers(int resolution) {
  Reference r{{"t", "x"}, {equidistant(0, 1, 100, 101), equidistant(-1, 1, 400, 401)}, {}, 0, {}};
  for (const double t : r.axes[0])
    for (const double x : r.axes[1])
      r.fields["u"].push_back(cole_hopf(x, t, 0.01 / pi, 100 * resolution));
  return r;
}

double kinked(double x) { return x * x * std::cos(pi * x); }

/// The Fourier series of `kinked` as far as n points of [-1, 1) carry it, at these. The polynomial
/// through its values there would have other low modes, by 1/n^2: at x = 1 the start has a kink.
std::vector<double> series_of_kinked(int n) {
  const auto integral = [](int k) {  // of x^2 cos(k pi x) over a period
    return k == 0 ? 2. / 3 : (k % 2 == 0 ? 4 : -4) / (pi * pi * k * k);
  };
  std::vector<double> u(n);
  for (int k = 0; k < n / 2; ++k) {
    const double mode = (integral(k + 1) + integral(k - 1)) / (k == 0 ? 4 : 2);
    for (int j = 0; j < n; ++j)
      u[j] += mode * std::cos(pi * (std::int64_t(k) * (2 * j - n) % (2 * n)) / n);
  }
  return u;
}

/// The growth 5 u belongs to the linear part: its time scale is then no concern of the steps.
Reference allen_cahn(int resolution) {
  const PeriodicEquation equation{
      2, [](double k) { return 5 - 1e-4 * k * k; }, [](double u) { return -5 * u * u * u; }, {}};
  const auto times = equidistant(0, 1, 100, 101);
  const int n = 2048 * resolution;
  Reference r =
      thinned(times, solve_periodic(equation, series_of_kinked(n), times, 20 * resolution), 512);
  std::ranges::copy(values(kinked, r.axes[1]), r.fields["u"].begin());  // all of its modes
  return r;
}

Reference kdv(int resolution) {
  const PeriodicEquation equation{
      2,
      [](double k) { return std::complex<double>(0, 0.022 * 0.022 * k * k * k); },
      {},
      [](double u) { return -u * u / 2; }};
  const int n = std::max(512, 256 * resolution);
  const auto start = values([](double x) { return std::cos(pi * x); }, equidistant(-1, 1, n, n));
  const auto times = equidistant(0, 1, 100, 101);
  return thinned(times, solve_periodic(equation, start, times, 200 * resolution), 256);
}

/// Until `end`, at `count` equidistant times after the start.
Reference kuramoto_sivashinsky(double end, int count, int resolution) {
  const double a = 100. / 16, b = a / 16, g = b / 256;
  const PeriodicEquation equation{2 * pi,
                                  [=](double k) { return b * k * k - g * k * k * k * k; },
                                  {},
                                  [=](double u) { return -a * u * u / 2; }};
  const int n = std::max(512, 256 * resolution);
  const auto start = values([](double x) { return std::cos(x) * (1 + std::sin(x)); },
                            equidistant(0, 2 * pi, n, n));
  const auto times = equidistant(0, end, count, count + 1);
  return thinned(times, solve_periodic(equation, start, times, 200 * resolution), 128, 0, 2 * pi);
}

Reference lorenz(int resolution) {
  Reference r{{"t"}, {equidistant(0, 3, 600, 601)}, {}, 0, {}};
  for (const Vector3& state : solve_lorenz({}, {1, 1, 1}, r.axes[0], 20, resolution)) {
    r.fields["x"].push_back(double(state[0]));
    r.fields["y"].push_back(double(state[1]));
    r.fields["z"].push_back(double(state[2]));
  }
  return r;
}

std::function<Reference(int)> cavity(double reynolds, const Lid& lid = uniform_lid()) {
  return [=](int resolution) {
    const auto axis = equidistant(0, 1, 100, 101);
    const Velocity flow = solve_cavity(reynolds, lid, 6 + resolution, axis, axis);
    return Reference{{"x", "y"}, {axis, axis}, {{"u", flow.u}, {"v", flow.v}}, 0, {}};
  };
}

std::string cavity_equation(int reynolds, const std::string& lid = "1") {
  return fmt::format(
      "u u_x + v u_y = -p_x + laplacian(u)/Re, u v_x + v v_y = -p_y + laplacian(v)/Re, u_x + v_y = "
      "0, Re = {}; u = {} on y = 1, u = 0 on the other walls of the unit square, v = 0 on all",
      reynolds, lid);
}

Reference l_shape(int resolution) {
  const LShape u(24 + 2 * resolution);
  const auto axis = equidistant(-1, 1, 100, 101);
  Reference r{{"x", "y"}, {axis, axis}, {}, 0, {}};
  for (const double x : axis)
    for (const double y : axis) r.fields["u"].push_back(x > 0 && y > 0 ? 0 : u(x, y));
  return r;
}

const std::string kuramoto_sivashinsky_equation =
    "u_t + a u u_x + b u_xx + g u_xxxx = 0, a = 100/16, b = 100/16^2, g = 100/16^4, u(x, 0) = "
    "cos(x) (1 + sin(x)), period 2 pi";
const std::string cavity_method =
    "Finite elements of degree 12 for the stream function, down to 1e-6 at the two corners of the "
    "lid; bound: degree 10";
const std::string cavity_note = "At the two corners of the lid u is 0, as on the walls";

}  // namespace

const std::vector<Recipe>& recipes() {
  static const std::vector<Recipe> all = {
      {"burgers",
       "u_t + u u_x = nu u_xx, nu = 0.01/pi, u(x, 0) = -sin(pi x), u(-1, t) = u(1, t) = 0",
       "Cole-Hopf integral, trapezoid rule with 400 nodes, long doubles; bound: 200 nodes", "",
       burgers},
      {"allen_cahn", "u_t = 1e-4 u_xx + 5 (u - u^3), u(x, 0) = x^2 cos(pi x), period 2",
       "Fourier, 8192 points, ETDRK4 with 8000 steps; bound: half of both",
       "u(x, 0) has a kink at x = 1. The solution from the trigonometric polynomial through its "
       "values at x = -1 + 2 j/511, which others compare with, is 1.1e-5 away on these points "
       "(relative L2)",
       allen_cahn},
      {"kdv", "u_t + u u_x + 0.022^2 u_xxx = 0, u(x, 0) = cos(pi x), period 2",
       "Fourier, 1024 points, ETDRK4 with 80000 steps; bound: half of both", "", kdv},
      {"kuramoto_sivashinsky", kuramoto_sivashinsky_equation,
       "Fourier, 1024 points, ETDRK4 with 56000 steps; bound: half of both", "",
       [](int resolution) { return kuramoto_sivashinsky(0.35, 70, resolution); }},
      {"kuramoto_sivashinsky_1", kuramoto_sivashinsky_equation,
       "Fourier, 1024 points, ETDRK4 with 160000 steps; bound: half of both",
       "Chaos: what is wrong at first grows like exp(12 t), by five decades until t = 1",
       [](int resolution) { return kuramoto_sivashinsky(1, 200, resolution); }},
      {"lorenz", "x' = 10 (y - x), y' = x (28 - z) - y, z' = x y - 8/3 z, (x, y, z)(0) = (1, 1, 1)",
       "Taylor series of order 20, 2400 steps, long doubles; bound: half of the steps",
       "Up to t = 3 a small change of the start does not grow; later, on the attractor, it grows "
       "like exp(0.9 t)",
       lorenz},
      {"cavity", cavity_equation(1000), cavity_method, cavity_note, cavity(1000)},
      {"cavity_100", cavity_equation(100), cavity_method, cavity_note, cavity(100)},
      {"cavity_parabolic", cavity_equation(100, "4 x (1 - x)"), cavity_method, "",
       cavity(100, parabolic_lid())},
      {"l_shape", "laplacian(u) = -1 in the square [-1, 1]^2 less [0, 1]^2, u = 0 on its boundary",
       "Particular solutions: 32 singular powers at the corner, polynomials up to degree 32, "
       "z^2 log z at all corners; bound: 28 and 28",
       "On the boundary u is below 1e-13 instead of 0, and by the maximum principle it is off "
       "nowhere by more. It is 0 in x > 0 and y > 0, outside of the domain",
       l_shape},
  };
  return all;
}

const Recipe& recipe(const std::string& name) {
  std::vector<std::string> names;
  for (const Recipe& r : recipes()) {
    if (r.name == name) return r;
    names.push_back(r.name);
  }
  throw ConfigError({fmt::format("there is no reference '{}'", name), "pinn-reference",
                     fmt::format("take one of {}", fmt::join(names, ", "))});
}

Reference make_reference(const Recipe& recipe) {
  Reference fine = recipe.solve(4);
  const Reference coarse = recipe.solve(2);
  fine.bound = std::numeric_limits<double>::epsilon() / 2;
  for (const auto& [name, values] : fine.fields)
    fine.bound = std::max(fine.bound, relative_l2(coarse.fields.at(name), values));
  fine.about = {{"equation", recipe.equation}, {"method", recipe.method}};
  if (!recipe.note.empty()) fine.about["note"] = recipe.note;
  return fine;
}

}  // namespace pinn
