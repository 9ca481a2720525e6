#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "tests/data/geometry/laws.h"

namespace pinn::test {

std::string surface_points(const SpatialShape& shape, const Random& random) {
  const auto surface = shape.surface();
  const double size = size_of(shape), step = 1e-6 * size;
  for (std::size_t k = 0; k < surface.size(); ++k)
    for (int t = 0; t < 30; ++t) {
      const auto [x, n] = draw_point(*surface[k], random.child(100 * k + t));
      if (x.empty()) continue;
      double square = 0, reach = size;
      for (std::size_t c = 0; c < x.size(); ++c) {
        square += n[c] * n[c];
        reach += std::fabs(x[c]);
      }
      std::vector<double> below = x, above = x;
      for (std::size_t c = 0; c < x.size(); ++c) {
        below[c] -= step * n[c];
        above[c] += step * n[c];
      }
      const std::string at =
          fmt::format("piece {}, x = {}, n = {}", k, fmt::join(x, " "), fmt::join(n, " "));
      if (std::fabs(square - 1) > 1e-12) return "a normal is not of length 1: " + at;
      if (!shape.inside(below)) return "what lies behind the surface is outside: " + at;
      if (shape.inside(above)) return "what lies before the surface is inside: " + at;
      if (shape.distance_kind() == DistanceKind::none) continue;
      if (std::fabs(shape.distance(x)) > 1e-12 * reach)
        return fmt::format("the distance is {}: {}", shape.distance(x), at);
      std::vector<double> again(x.size());
      shape.normal(x, again);
      double cosine = 0;
      for (std::size_t c = 0; c < x.size(); ++c) cosine += n[c] * again[c];
      if (shape.distance_kind() == DistanceKind::exact && cosine < 1 - 1e-9)
        return fmt::format("normal() is {}: {}", fmt::join(again, " "), at);
    }
  return "";
}

std::string distances(const SpatialShape& shape, const Random& random) {
  if (shape.distance_kind() == DistanceKind::none) return "";
  const bool exact = shape.distance_kind() == DistanceKind::exact;
  const auto surface = shape.surface();
  std::vector<std::vector<double>> dense;
  double total = 0;
  for (const auto& piece : surface) total += piece->whole();
  for (std::size_t k = 0; k < surface.size(); ++k)
    for (int t = 0; t < 4000 * surface[k]->whole() / total + 1; ++t) {
      auto point = draw_point(*surface[k], random.child(10'000 * k + t)).x;
      if (!point.empty()) dense.push_back(std::move(point));
    }
  const std::size_t d = std::size_t(shape.dimension());
  const double size = size_of(shape);
  const double spacing = d == 1 ? 1e-12 * size : size * (d == 2 ? 0.05 : d == 3 ? 0.25 : 1);
  int rough = 0;
  for (const auto& x : points_around(shape, 0.3, 300, random.child(1))) {
    const double distance = shape.distance(x);
    double least = 1e300;
    for (const auto& point : dense) {
      double square = 0;
      for (std::size_t c = 0; c < d; ++c) square += (x[c] - point[c]) * (x[c] - point[c]);
      least = std::min(least, square);
    }
    least = std::sqrt(least);
    const std::string at = fmt::format("x = {}, distance {}", fmt::join(x, " "), distance);
    if (std::fabs(distance) > least + 1e-12 * size)
      return fmt::format("a point of the surface lies {} away: {}", least, at);
    if ((distance < 0) != shape.inside(x)) return "inside() and the distance disagree: " + at;
    if (!exact) continue;
    if (least > std::fabs(distance) + spacing)
      return fmt::format("the nearest point of the surface lies {} away: {}", least, at);
    std::vector<double> n(d), foot = x;
    shape.normal(x, n);
    for (std::size_t c = 0; c < d; ++c) {
      std::vector<double> low = x, high = x;
      low[c] -= 1e-5 * size;
      high[c] += 1e-5 * size;
      const double slope = (shape.distance(high) - shape.distance(low)) / (2e-5 * size);
      if (std::fabs(slope - n[c]) > 1e-4) {  // a place with two nearest points is near
        ++rough;
        break;
      }
    }
    for (std::size_t c = 0; c < d; ++c) foot[c] -= distance * n[c];
    if (std::fabs(shape.distance(foot)) > 1e-12 * (size + std::fabs(distance)))
      return fmt::format("its foot has the distance {}: {}", shape.distance(foot), at);
  }
  return rough > 15 ? fmt::format("normal() is no slope of the distance at {} places", rough) : "";
}

std::string inner_points(const SpatialShape& shape, const Random& random) {
  const auto interior = shape.interior();
  const auto box = shape.bounds();
  const double size = size_of(shape);
  const auto cell = [&](std::span<const double> x) {
    long number = 0;
    for (std::size_t c = 0; c < std::min<std::size_t>(x.size(), 3); ++c)
      number = 6 * number + long(6 * (x[c] - box[c].lower) / (box[c].upper - box[c].lower));
    return number;
  };
  std::map<long, double> drawn, expected;
  double draws = 0, expectations = 0;
  std::vector<double> cube(interior->numbers()), x(box.size());
  for (int k = 0; k < 40'000; ++k) {
    for (std::size_t c = 0; c < cube.size(); ++c)
      cube[c] = random.uniform(std::uint64_t(k) * cube.size() + c);
    if (!interior->sample(cube, x, {})) continue;
    for (std::size_t c = 0; c < x.size(); ++c)
      if (!(x[c] >= box[c].lower - 1e-12 * size && x[c] <= box[c].upper + 1e-12 * size))
        return fmt::format("a point is out of bounds: {}", fmt::join(x, " "));
    if (!shape.inside(x) &&
        (shape.distance_kind() == DistanceKind::none || shape.distance(x) > 1e-12 * size))
      return fmt::format("a point is outside: {}", fmt::join(x, " "));
    ++drawn[cell(x)];
    ++draws;
  }
  for (const auto& point : points_around(shape, 0, 200'000, random.child(3)))
    if (shape.inside(point)) ++expected[cell(point)], ++expectations;
  // Two samples of one distribution: Pearson's statistic of both together.
  double statistic = 0, cells = 0;
  for (const auto& [number, count] : expected) {
    const double here = drawn[number], sum = here + count;
    const double share = sum / (draws + expectations);
    if (share * draws < 10) continue;
    const double a = here - share * draws, b = count - share * expectations;
    statistic += a * a / (share * draws) + b * b / (share * expectations);
    ++cells;
  }
  if (draws < 100) return "hardly a point was drawn";
  if (statistic > cells + 5 * std::sqrt(2 * cells))
    return fmt::format("chi-square is {} for {} cells", statistic, cells);
  return "";
}

}  // namespace pinn::test
