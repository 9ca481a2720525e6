#include "solvers/problem/text/region_cutter.h"

#include <algorithm>
#include <cmath>

#include "solvers/problem/parse.h"

namespace pinn {
namespace {

bool fix(Interval& i, double value) {
  if (value < i.lower || value > i.upper) return false;
  i.lower = i.upper = value;
  return true;
}

/// Cuts an interval down; false when nothing is left of it. What was free and is a point now is
/// nothing.
bool clip(Interval& i, std::string_view sign, double value) {
  if (sign == "=") return fix(i, value);
  if (i.fixed()) {
    const double x = i.lower;
    return sign == "<"    ? x < value
           : sign == "<=" ? x <= value
           : sign == ">"  ? x > value
                          : x >= value;
  }
  if (sign[0] == '<')
    i.upper = std::min(i.upper, value);
  else
    i.lower = std::max(i.lower, value);
  return i.lower < i.upper;
}

[[noreturn]] void refuse(std::string what, std::string fix) {
  throw ConfigError({std::move(what), "", std::move(fix)});
}

}  // namespace

Body box_of_space(const Problem& problem) { return box_region(problem).shape; }

void RegionCutter::keep(const Condition& condition) {
  for (RegionPiece& piece : pieces_) piece.conditions.push_back(condition);
}

void RegionCutter::inside(const Body& body) {
  for (RegionPiece& piece : pieces_) {
    if (!piece.body && body.example().bounded() && dimension_in_space(piece) == int(space_.size()))
      piece.body = body;
    else
      piece.conditions.push_back(is_nearly_inside(body));
  }
}

void RegionCutter::outside(const Body& body) {
  keep([body, space = space_](std::span<const double> x) {
    return !body.at(x)->inside(place_of(x, space));
  });
}

void RegionCutter::within(const NamedRegion::Slab& slab) {
  compare(std::size_t(slab.coordinate), ">=", slab.interval.lower);
  compare(std::size_t(slab.coordinate), "<=", slab.interval.upper);
}

void RegionCutter::compare(std::size_t coordinate, std::string_view sign, double value) {
  std::erase_if(pieces_,
                [&](RegionPiece& piece) { return !clip(piece.box[coordinate], sign, value); });
}

bool RegionCutter::is_thin() const {
  return is_on_surface() || std::ranges::any_of(pieces_, [&](const RegionPiece& piece) {
           return dimension(piece.box) < int(problem_.coordinates.size());
         });
}

void RegionCutter::beside(std::size_t coordinate, double value) {
  const Coordinate& c = problem_.coordinates[coordinate];
  const double near = snap * (c.upper - c.lower);
  std::erase_if(pieces_, [&](const RegionPiece& piece) {
    const Interval& i = piece.box[coordinate];
    return i.fixed() && std::fabs(i.lower - value) <= near;
  });
  for (RegionPiece& piece : pieces_)
    if (piece.surface)
      piece.conditions.push_back(
          [=](std::span<const double> x) { return std::fabs(x[coordinate] - value) > near; });
}

void RegionCutter::at_start() {
  const auto t = std::ranges::find(problem_.coordinates, Role::time, &Coordinate::role);
  if (t == problem_.coordinates.end())
    refuse("there is no initial time: no coordinate is time",
           "write COORDINATE = CONSTANT, or give a coordinate the role \"time\"");
  compare(std::size_t(t - problem_.coordinates.begin()), "=", t->lower);
}

void RegionCutter::on_boundary() {
  const bool shaped = problem_.domain ||
                      std::ranges::any_of(pieces_, [](const RegionPiece& p) { return !p.plain(); });
  return shaped ? on_boundary_of_shapes() : on_boundary_of_box();
}

void RegionCutter::on_boundary_of(const SurfaceName& name, bool inverse) {
  if (!is_on_surface()) on_boundary();
  keep(lies_on(name, inverse));
}

void RegionCutter::on_surface(const SurfaceName& name) {
  take_surface(name.body);
  if (!name.patch.empty()) keep(lies_on(name, false));
  if (problem_.domain) keep(is_nearly_inside(problem_.domain));
}

void RegionCutter::on_interface(const SurfaceName& a, const Body& b) {
  on_surface(a);
  keep([a = a.body, b, space = space_](std::span<const double> x) {
    return touch(*a.at(x), *b.at(x), place_of(x, space));
  });
}

int RegionCutter::dimension_in_space(const RegionPiece& piece) const {
  return int(
      std::ranges::count_if(space_, [&](int c) { return !piece.box[std::size_t(c)].fixed(); }));
}

RegionCutter::Condition RegionCutter::is_nearly_inside(const Body& body) const {
  return [body, space = space_](std::span<const double> x) {
    return nearly_inside(*body.at(x), place_of(x, space));
  };
}

RegionCutter::Condition RegionCutter::lies_on(const SurfaceName& name, bool inverse) const {
  return [name, inverse, space = space_](std::span<const double> x) {
    const ShapePtr shape = name.body.at(x);
    const std::vector<double> place = place_of(x, space);
    const bool lies = nearly_on_surface(*shape, place) &&
                      (name.patch.empty() || shape->patch_at(place) == name.patch);
    return lies != inverse;
  };
}

/// The pieces of a body's surface in place of those of the interior.
void RegionCutter::take_surface(const Body& body) {
  const std::vector<BodyPiece> surface =
      surface_pieces(body, box_of_space(problem_).example().bounds());
  RegionPieces all;
  for (const RegionPiece& piece : pieces_) {
    if (piece.surface || dimension_in_space(piece) < int(space_.size()))
      refuse("this is a part of a surface already", "name one surface");
    for (const BodyPiece& part : surface) {
      RegionPiece one = piece;
      if (one.body && one.body != body && one.body != problem_.domain)
        one.conditions.push_back(is_nearly_inside(one.body));
      one.body = body;
      one.surface = part;
      all.push_back(std::move(one));
    }
  }
  pieces_ = std::move(all);
}

/// Takes the surface of the domain, without faces across coordinates that are periodic by
/// embedding.
void RegionCutter::on_boundary_of_shapes() {
  take_surface(problem_.domain ? problem_.domain : box_of_space(problem_));
  for (const int c : space_) {
    if (!is_periodic(problem_, std::size_t(c))) continue;
    const Coordinate& coordinate = problem_.coordinates[std::size_t(c)];
    const double lower = coordinate.lower, upper = coordinate.upper, near = snap * (upper - lower);
    keep([=, at = std::size_t(c)](std::span<const double> x) {
      return std::fabs(x[at] - lower) > near && std::fabs(x[at] - upper) > near;
    });
  }
}

void RegionCutter::on_boundary_of_box() {
  RegionPieces faces;
  bool any = false;
  for (std::size_t c = 0; c < problem_.coordinates.size(); ++c) {
    if (problem_.coordinates[c].role != Role::space || is_periodic(problem_, c)) continue;
    any = true;
    for (const double end : {problem_.coordinates[c].lower, problem_.coordinates[c].upper})
      for (RegionPiece piece : pieces_)
        if (fix(piece.box[c], end)) faces.push_back(std::move(piece));
  }
  if (!any)
    refuse("there is no boundary: no coordinate is space, or all are periodic", "name a face");
  pieces_ = std::move(faces);
}

}  // namespace pinn
