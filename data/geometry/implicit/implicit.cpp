#include "data/geometry/implicit.h"

#include <mutex>

#include "autograd/core/parallel.h"
#include "data/geometry/cells.h"
#include "data/geometry/implicit/level.h"
#include "data/geometry/mesh/bvh.h"

namespace pinn {
namespace implicit {
namespace {

using mesh::dot;
using mesh::length;
using mesh::vector_of;

mesh::Bvh tree_of(const Polyhedron& polyhedron) {
  std::vector<mesh::Corners> corners;
  for (const Facet& f : polyhedron.facets)
    corners.push_back({polyhedron.points[f[0]], polyhedron.points[f[1]], polyhedron.points[f[2]]});
  ThreadPool alone(1);
  return mesh::Bvh(corners, alone);
}

class ImplicitShape : public SpatialShape {
 public:
  explicit ImplicitShape(std::shared_ptr<const Level> level)
      : level_(std::move(level)),
        polyhedron_(std::make_shared<const Polyhedron>(march(*level_))),
        tree_(tree_of(*polyhedron_)) {
    for (const Vector& x : polyhedron_->points) extent_.add(x);
  }

  int dimension() const override { return level_->dimension(); }
  std::vector<Interval> bounds() const override {
    std::vector<Interval> box;
    const double margin = level_->cell() / 2;  // by which the surface may bulge
    for (int k = 0; k < dimension(); ++k)
      box.push_back({std::max(extent_.lower[k] - margin, level_->set().lower[k]),
                     std::min(extent_.upper[k] + margin, level_->set().upper[k])});
    return box;
  }
  bool inside(std::span<const double> x) const override { return inside(*level_, vector_of(x)); }
  DistanceKind distance_kind() const override { return DistanceKind::exact; }
  double distance(std::span<const double> x) const override {
    const Vector at = vector_of(x);
    const double size = length(at - foot(at));
    return inside(x) ? -size : size;
  }
  void normal(std::span<const double> x, std::span<double> n) const override {
    const Vector normal = level_->normal(foot(vector_of(x)));
    std::copy_n(normal.begin(), n.size(), n.begin());
  }
  std::shared_ptr<const Sampler> interior() const override {
    std::call_once(made_interior_, [this] {
      interior_ = make_cell_sampler(
          bounds(), [this](auto center, double radius) { return cover(vector_of(center), radius); },
          [level = level_](std::span<const double> x) { return inside(*level, vector_of(x)); });
    });
    return interior_;
  }
  std::vector<std::shared_ptr<const Sampler>> surface() const override {
    std::call_once(made_surface_, [this] { surface_ = facet_sampler(level_, polyhedron_); });
    return {surface_};
  }

 private:
  static bool inside(const Level& level, const Vector& x) {
    return level.in_box(x) && level.value(x) <= 0;
  }

  Cover cover(const Vector& center, double radius) const {
    if (tree_.nearest(center, radius + level_->cell() / 2).triangle >= 0) return Cover::part;
    return inside(*level_, center) ? Cover::whole : Cover::none;
  }

  /// The nearest point of the surface: from the one of the polyhedron along the surface, as far as
  /// the distance falls, by steps of the length that the last one taught (Barzilai and Borwein
  /// 1988, IMA Journal of Numerical Analysis 8, 141-148).
  Vector foot(const Vector& x) const {
    Vector at = tree_.nearest(x).point;
    if (dimension() == 1 || !level_->retract(at)) return at;
    Vector last{}, last_slope{};
    double step = 1;
    for (int i = 0; i < 60; ++i) {
      const Vector away = x - at, n = level_->normal(at), slope = away - dot(away, n) * n;
      if (length(slope) <= 1e-13 * (length(away) + level_->size())) break;
      if (i > 0) {
        const Vector moved = at - last;
        const double bend = -dot(moved, slope - last_slope);
        if (bend > 0) step = dot(moved, moved) / bend;
      }
      last = at, last_slope = slope;
      if (!descend(x, slope, step, at)) break;
    }
    return at;
  }

  /// Moves along the surface to where x is nearer; false where it cannot.
  bool descend(const Vector& x, const Vector& slope, double& step, Vector& at) const {
    const double before = length(x - at);
    step = std::min(step, level_->cell() / length(slope));
    for (int halvings = 0; halvings < 12; ++halvings, step /= 4) {
      Vector next = at + step * slope;
      if (!level_->retract(next) || length(x - next) >= before) continue;
      at = next;
      return true;
    }
    return false;
  }

  const std::shared_ptr<const Level> level_;
  const std::shared_ptr<const Polyhedron> polyhedron_;
  const mesh::Bvh tree_;
  mesh::Extent extent_;
  mutable std::once_flag made_surface_, made_interior_;
  mutable std::shared_ptr<const Sampler> surface_, interior_;
};

}  // namespace
}  // namespace implicit

ShapePtr make_implicit(LevelSet level_set) {
  return std::make_shared<implicit::ImplicitShape>(
      std::make_shared<const implicit::Level>(std::move(level_set)));
}

}  // namespace pinn
