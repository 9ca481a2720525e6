#include <cmath>

#include "data/reference/equations.h"
#include "tests/catch.h"

using namespace pinn;

namespace {

Vector3 slope(const Vector3& s) {
  return {10 * (s[1] - s[0]), s[0] * (28 - s[2]) - s[1], s[0] * s[1] - 8.0L / 3 * s[2]};
}

Vector3 along(const Vector3& s, const Vector3& v, long double h) {
  return {s[0] + h * v[0], s[1] + h * v[1], s[2] + h * v[2]};
}

/// Gragg's modified midpoint rule with n substeps; its error has even powers of 1/n only.
Vector3 midpoint(const Vector3& s, long double length, int n) {
  const long double h = length / n;
  Vector3 before = s, now = along(s, slope(s), h);
  for (int i = 1; i < n; ++i) {
    const Vector3 next = along(before, slope(now), 2 * h);
    before = now;
    now = next;
  }
  const Vector3 end = along(before, slope(now), h);
  return {(now[0] + end[0]) / 2, (now[1] + end[1]) / 2, (now[2] + end[2]) / 2};
}

/// Extrapolated to n = infinity (Bulirsch and Stoer): order 2 * levels.
Vector3 extrapolated(const Vector3& s, long double length, int levels) {
  std::vector<Vector3> row;
  for (int i = 0; i < levels; ++i) {
    Vector3 entry = midpoint(s, length, 2 * (i + 1));
    for (int j = 0; j < i; ++j) {
      const long double ratio = (i + 1.0L) / (i - j);
      const Vector3 before = row[j];
      row[j] = entry;
      for (int k = 0; k < 3; ++k) entry[k] += (entry[k] - before[k]) / (ratio * ratio - 1);
    }
    row.push_back(entry);
  }
  return row.back();
}

long double distance_of(const Vector3& a, const Vector3& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

}  // namespace

TEST_CASE("the Taylor series of Lorenz' equations agree with Bulirsch and Stoer's extrapolation",
          "[data][reference]") {
  const auto path = solve_lorenz({}, {1, 1, 1}, {0, 1.5, 3}, 20, 300);

  Vector3 state = {1, 1, 1};
  for (int step = 0; step < 600; ++step) state = extrapolated(state, 3.0L / 600, 6);

  CHECK(distance_of(state, path.back()) < 1e-15L);
}

TEST_CASE("a Taylor series of order p has an error of order p", "[data][reference]") {
  const Vector3 exact = solve_lorenz({}, {1, 1, 1}, {0, 1}, 20, 800).back();
  const auto error = [&](int steps) {
    return distance_of(solve_lorenz({}, {1, 1, 1}, {0, 1}, 6, steps).back(), exact);
  };

  CHECK(double(std::log2(error(800) / error(1600))) == Approx(6).margin(0.3));
}

TEST_CASE("a fixed point of Lorenz' equations stays where it is", "[data][reference]") {
  const long double r = std::sqrt(72.0L);

  const auto path = solve_lorenz({}, {r, r, 27}, {0, 1}, 20, 100);

  CHECK(distance_of(path.back(), {r, r, 27}) < 1e-16L);
}
