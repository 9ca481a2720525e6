#include "solvers/problem/text/region_pieces.h"

#include <algorithm>
#include <cmath>

#include "solvers/problem/parse.h"

namespace pinn {
namespace {

Intervals domain(const Problem& problem) {
  Intervals all;
  for (const Coordinate& c : problem.coordinates) all.push_back({c.lower, c.upper});
  return all;
}

/// The outward normal of a box that lies in exactly one face of space; empty for any other.
std::vector<double> normal_of(const Intervals& box, const Problem& problem) {
  std::vector<double> normal(box.size(), 0.0);
  int faces = 0;
  for (std::size_t c = 0; c < box.size(); ++c) {
    const Coordinate& x = problem.coordinates[c];
    if (x.role != Role::space || is_periodic(problem, c) || !box[c].fixed()) continue;
    if (box[c].lower != x.lower && box[c].lower != x.upper) continue;
    normal[c] = box[c].lower == x.lower ? -1 : 1;
    ++faces;
  }
  return faces == 1 ? normal : std::vector<double>{};
}

}  // namespace

RegionPiece whole_domain(const Problem& problem) {
  return {.box = domain(problem), .body = problem.domain};
}

int dimension(const Intervals& box) {
  return int(std::count_if(box.begin(), box.end(), [](const Interval& i) { return !i.fixed(); }));
}

bool is_periodic(const Problem& problem, std::size_t coordinate) {
  return coordinate < problem.periodic.size() && problem.periodic[coordinate];
}

bool overlap(const Intervals& a, const Intervals& b) {
  for (std::size_t c = 0; c < a.size(); ++c) {
    const double lower = std::max(a[c].lower, b[c].lower), upper = std::min(a[c].upper, b[c].upper);
    if (lower > upper || (lower == upper && !(a[c].fixed() && b[c].fixed()))) return false;
  }
  return true;
}

void keep_largest(RegionPieces& pieces) {
  int largest = 0;
  for (const RegionPiece& piece : pieces) largest = std::max(largest, dimension(piece.box));
  RegionPieces kept;
  for (const RegionPiece& piece : pieces)
    if (piece.surface || (dimension(piece.box) == largest &&
                          std::none_of(kept.begin(), kept.end(), [&](const RegionPiece& other) {
                            return overlap(piece.box, other.box);
                          })))
      kept.push_back(piece);
  pieces = std::move(kept);
}

namespace {

/// The longest side of the smaller of two bodies; 1 where both reach to infinity.
double smaller_size(const SpatialShape& a, const SpatialShape& b) {
  double smaller = INFINITY;
  for (const SpatialShape* one : {&a, &b}) {
    double size = 0;
    for (const Interval& i : one->bounds()) size = std::max(size, i.upper - i.lower);
    smaller = std::min(smaller, size);
  }
  return std::isfinite(smaller) ? smaller : 1;
}

}  // namespace

bool touch(const SpatialShape& a, const SpatialShape& b, std::span<const double> place) {
  constexpr double step = 1e-6;
  if (!nearly_on_surface(b, place)) return false;
  std::vector<double> n(place.size()), beyond(place.begin(), place.end());
  a.normal(place, n);
  const double size = smaller_size(a, b);
  for (std::size_t k = 0; k < n.size(); ++k) beyond[k] += step * size * n[k];
  return b.inside(beyond) && !a.inside(beyond);
}

std::vector<std::shared_ptr<const Region>> regions_of(const RegionPieces& pieces,
                                                      const Problem& problem) {
  std::vector<std::shared_ptr<const Region>> regions;
  for (const RegionPiece& piece : pieces) {
    const std::vector<double> normal = normal_of(piece.box, problem);
    if (piece.plain()) {
      regions.push_back(make_box(piece.box, normal));
      continue;
    }
    Cut cut{.box = piece.box,
            .space = space_coordinates(problem),
            .body = piece.body,
            .piece = piece.surface,
            .normal = piece.surface ? std::vector<double>() : normal,
            .conditions = piece.conditions};
    const bool plane =
        std::ranges::any_of(cut.space, [&](int c) { return piece.box[std::size_t(c)].fixed(); });
    if (plane && piece.body && !piece.surface) {
      cut.body = {};
      cut.conditions.push_back([body = piece.body, space = cut.space](std::span<const double> x) {
        return nearly_inside(*body.at(x), place_of(x, space));
      });
    }
    if (auto region = make_cut(std::move(cut))) regions.push_back(std::move(region));
  }
  return regions;
}

std::shared_ptr<const Region> interior(const Problem& problem) {
  return regions_of({whole_domain(problem)}, problem).at(0);
}

std::shared_ptr<const Region> face(const Problem& problem, int coordinate, bool upper) {
  Intervals box = whole_domain(problem).box;
  Interval& i = box[std::size_t(coordinate)];
  i.lower = i.upper = upper ? i.upper : i.lower;
  return make_box(box, normal_of(box, problem));
}

}  // namespace pinn
