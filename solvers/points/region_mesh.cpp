#include "solvers/points/point_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/geometry/body.h"
#include "data/geometry/shape.h"

namespace pinn {
namespace {

constexpr double on_surface = 1e-10, near_surface = 1e-8;  ///< of the size of the box

/// A region of space at fixed values of all other coordinates.
class Mesher {
 public:
  Mesher(const Problem& problem, const Region& region, const std::vector<GridAxis>& grid)
      : region_(region), space_(space_coordinates(problem)) {
    for (const int c : space_) {
      const Coordinate& x = problem.coordinates[std::size_t(c)];
      size_ = std::max(size_, x.upper - x.lower);
    }
    for (const GridAxis& axis : grid) cells_.push_back(std::max(1, axis.count - 1));
    for (const int c : space_) {
      const Coordinate& x = problem.coordinates[std::size_t(c)];
      step_ += (x.upper - x.lower) / cells_[std::size_t(c)] / double(space_.size());
    }
  }

  RegionMesh result() {
    found_.corners = std::size_t(region_.dimension()) + 1;
    std::vector<Body> done;
    for (const Region* part : region_.parts()) {
      const Body body = part->surface_of();
      if (!body)
        add_filled(*part);
      else if (const auto curves = space_.size() == 2 ? part->sampler().panels() : std::nullopt)
        add_curves(part->sampler(), (*curves)[0]);
      else if (std::ranges::find(done, body) == done.end()) {
        add_surface(*body.at(place_of_bounds(*part)), *part);
        done.push_back(body);
      }
    }
    if (region_.has_normal() && found_.points.normals.empty()) add_normals();
    return std::move(found_);
  }

 private:
  static std::vector<double> place_of_bounds(const Region& part) {
    std::vector<double> x;
    for (const Interval& i : part.bounds()) x.push_back(i.lower);
    return x;
  }

  /// Adds a part that has as many dimensions as the coordinates that its box leaves free.
  void add_filled(const Region& part) {
    const std::vector<Interval> box = part.bounds();
    add(filled(
        [&](std::span<const double> x) {
          if (!part.inside(x, on_surface * size_)) return Side::outside;
          return part.inside(x, -on_surface * size_) ? Side::inside : Side::on;
        },
        box, cells_));
  }

  /// At constant speed, so that points are even.
  void add_curves(const Sampler& curve, const std::vector<Interval>& panels) {
    for (const auto& [lower, upper] : panels) {
      const int pieces = std::max(1, int(std::ceil(curve.whole() * (upper - lower) / step_)));
      for (int k = 0; k <= pieces; ++k) {
        const double cube[] = {
            std::clamp(std::lerp(lower, upper, double(k) / pieces), lower + 1e-13, upper - 1e-13)};
        std::vector<double> x(std::size_t(curve.dimension())), n(x.size());
        curve.sample(cube, x, n);
        if (k > 0)
          for (const std::size_t corner : {found_.points.count - 1, found_.points.count})
            found_.cells.push_back(std::int64_t(corner));
        found_.points.x.insert(found_.points.x.end(), x.begin(), x.end());
        found_.points.normals.insert(found_.points.normals.end(), n.begin(), n.end());
        ++found_.points.count;
      }
    }
  }

  /// The surface of a shape, as far as it is of the region.
  void add_surface(const SpatialShape& shape, const Region& part) {
    std::vector<Interval> box = part.bounds();
    const std::vector<Interval> own = shape.bounds();
    for (std::size_t k = 0; k < space_.size(); ++k)
      if (std::isfinite(own[k].lower) && std::isfinite(own[k].upper))
        box[std::size_t(space_[k])] = own[k];
    const double near = on_surface * size_;
    const auto side = [&](std::span<const double> x) {
      std::vector<double> place;
      for (const int c : space_) place.push_back(x[std::size_t(c)]);
      if (shape.distance_kind() == DistanceKind::none)
        return shape.inside(place) ? Side::inside : Side::outside;
      const double distance = shape.distance(place);
      return distance < -near ? Side::inside : distance <= near ? Side::on : Side::outside;
    };
    add(kept(faces_of(filled(side, box, cells_)),
             [&](std::span<const double> x) { return region_.inside(x, near_surface * size_); }));
  }

  void add(const Simplices& some) {
    for (const std::int64_t corner : some.cells)
      found_.cells.push_back(corner + std::int64_t(found_.points.count));
    found_.points.x.insert(found_.points.x.end(), some.points.begin(), some.points.end());
    found_.points.count += some.point_count();
  }

  void add_normals() {
    const std::size_t d = std::size_t(region_.coordinates());
    found_.points.normals.resize(found_.points.x.size());
    for (std::size_t n = 0; n < found_.points.count; ++n)
      for (const Region* part : region_.parts()) {
        const std::span<const double> x = std::span(found_.points.x).subspan(n * d, d);
        if (!part->inside(x, near_surface * size_)) continue;
        part->normal(x, std::span(found_.points.normals).subspan(n * d, d));
        break;
      }
  }

  const Region& region_;
  const std::vector<int> space_;
  std::vector<int> cells_;
  double size_ = 0, step_ = 0;
  RegionMesh found_;
};

/// A place on an axis of space cuts through what has an inside.
void require_interior(const Region& region, const Coordinate& x) {
  if (std::ranges::none_of(region.parts(),
                           [](const Region* part) { return bool(part->surface_of()); }))
    return;
  throw ConfigError(
      {fmt::format("a surface is shown whole: the grid holds {} at one place", x.name), "--on",
       fmt::format("give {} a number of points in the grid", x.name)});
}

/// The times at which a region is shown: those of the grid that it has.
std::vector<double> moments(const Interval& of_region, const std::vector<double>& of_grid) {
  if (of_region.fixed()) return {of_region.lower};
  std::vector<double> all;
  for (const double t : of_grid)
    if (t >= of_region.lower && t <= of_region.upper) all.push_back(t);
  return all;
}

}  // namespace

std::vector<RegionMesh> region_meshes(const Problem& problem, const Region& region,
                                      const std::vector<GridAxis>& grid) {
  const std::vector<std::vector<double>> axes = grid_axes(problem, grid);
  const std::vector<Interval> bounds = region.bounds();
  std::vector<double> times{0};
  int time = -1;
  std::shared_ptr<const Region> fixed;
  const auto fix = [&](const Region& of, int c, double x) { fixed = of.with(c, {x, x}); };
  for (std::size_t c = 0; c < bounds.size(); ++c) {
    const Coordinate& x = problem.coordinates[c];
    if (x.role == Role::time) {
      time = int(c);
      times = moments(bounds[c], axes[c]);
    }
    if (x.role == Role::space && grid[c].place && !bounds[c].fixed()) {
      require_interior(region, x);
      fix(fixed ? *fixed : region, int(c), *grid[c].place);
    }
    if (x.role != Role::parameter || bounds[c].fixed()) continue;
    if (axes[c].size() > 1)
      throw ConfigError({fmt::format("a mesh shows one value of the parameter {}", x.name), "--on",
                         fmt::format("fix it, as in --grid {}={}", x.name, x.lower)});
    fix(fixed ? *fixed : region, int(c), axes[c][0]);
  }
  const auto before = fixed;
  std::vector<RegionMesh> all;
  for (const double t : times) {
    fixed = before;
    if (time >= 0) fix(before ? *before : region, time, t);
    RegionMesh mesh = Mesher(problem, fixed ? *fixed : region, grid).result();
    mesh.time = t;
    if (mesh.points.count > 0) all.push_back(std::move(mesh));
  }
  if (all.empty())
    throw ConfigError({"nothing of the region is left on this grid", "--on",
                       "take more points along each coordinate, as in --grid x=401"});
  return all;
}

}  // namespace pinn
