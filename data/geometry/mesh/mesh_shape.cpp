#include <mutex>

#include "autograd/core/parallel.h"
#include "data/geometry/cells.h"
#include "data/geometry/mesh/check.h"
#include "data/geometry/samplers.h"

namespace pinn {
namespace mesh {
namespace {

using SurfacePtr = std::shared_ptr<const Surface>;

/// The triangles of one patch, each with its share of the area, in an order in space.
class PatchSampler : public Sampler {
 public:
  PatchSampler(SurfacePtr surface, int patch) : surface_(std::move(surface)), patch_(patch) {
    const Bvh& bvh = surface_->bvh();
    double area = 0;
    for (int place = 0; place < int(bvh.order().size()); ++place) {
      if (surface_->mesh().patch[std::size_t(bvh.order()[std::size_t(place)])] != patch) continue;
      places_.push_back(place);
      area += length(area_normal(bvh.corners()[std::size_t(place)])) / 2;
      ends_.push_back(area);
    }
  }

  bool empty() const { return places_.empty(); }
  int dimension() const override { return 3; }
  int numbers() const override { return 2; }
  double whole() const override { return ends_.back(); }
  bool keeps_all() const override { return true; }
  /// The first number chooses the triangle, too.
  bool sample(std::span<const double> cube, std::span<double> x,
              std::span<double> n) const override {
    const auto [at, first] = shapes::share_of(ends_, cube[0]);
    const Corners& t = surface_->bvh().corners()[std::size_t(places_[at])];
    const double root = std::sqrt(first);
    const Vector point = t[0] + root * ((1 - cube[1]) * (t[1] - t[0]) + cube[1] * (t[2] - t[0]));
    const Vector normal = unit(area_normal(t));
    std::copy(point.begin(), point.end(), x.begin());
    std::copy_n(normal.begin(), n.size(), n.begin());
    return true;
  }
  std::string patch() const override { return surface_->mesh().patches[std::size_t(patch_)]; }

 private:
  const SurfacePtr surface_;
  const int patch_;
  std::vector<int> places_;   ///< in the order of the tree
  std::vector<double> ends_;  ///< of the triangles, in the sum of their areas
};

class MeshShape : public SpatialShape {
 public:
  explicit MeshShape(SurfacePtr surface) : surface_(std::move(surface)) {}

  int dimension() const override { return 3; }
  std::vector<Interval> bounds() const override {
    std::vector<Interval> box;
    for (int k = 0; k < 3; ++k)
      box.push_back({surface_->extent().lower[k], surface_->extent().upper[k]});
    return box;
  }
  bool inside(std::span<const double> x) const override { return surface_->inside(vector_of(x)); }
  DistanceKind distance_kind() const override { return DistanceKind::exact; }
  double distance(std::span<const double> x) const override {
    return surface_->distance(vector_of(x));
  }
  void normal(std::span<const double> x, std::span<double> n) const override {
    const Vector normal = surface_->normal(vector_of(x));
    std::copy(normal.begin(), normal.end(), n.begin());
  }
  std::shared_ptr<const Sampler> interior() const override {
    std::call_once(made_, [this] {
      const SurfacePtr surface = surface_;
      const auto cover = [&](std::span<const double> center, double radius) {
        const Vector x = vector_of(center);
        if (surface->bvh().nearest(x, radius).triangle >= 0) return Cover::part;
        return surface->inside(x) ? Cover::whole : Cover::none;
      };
      interior_ = make_cell_sampler(
          bounds(), cover,
          [surface](std::span<const double> x) { return surface->inside(vector_of(x)); },
          volume_of(surface->mesh()));
    });
    return interior_;
  }
  std::string patch_at(std::span<const double> x) const override {
    const Bvh& bvh = surface_->bvh();
    const int triangle = bvh.order()[std::size_t(bvh.nearest(vector_of(x)).triangle)];
    return surface_->mesh().patches[std::size_t(surface_->mesh().patch[std::size_t(triangle)])];
  }
  std::vector<std::shared_ptr<const Sampler>> surface() const override {
    std::vector<std::shared_ptr<const Sampler>> pieces;
    for (int patch = 0; patch < int(surface_->mesh().patches.size()); ++patch) {
      auto piece = std::make_shared<PatchSampler>(surface_, patch);
      if (!piece->empty()) pieces.push_back(std::move(piece));
    }
    return pieces;
  }

 private:
  const SurfacePtr surface_;
  mutable std::once_flag made_;
  mutable std::shared_ptr<const Sampler> interior_;
};

}  // namespace
}  // namespace mesh

ShapePtr make_mesh(SurfaceMesh mesh) {
  ThreadPool pool(available_threads());
  return std::make_shared<mesh::MeshShape>(
      std::make_shared<const mesh::Surface>(mesh::checked(std::move(mesh), pool)));
}

}  // namespace pinn
