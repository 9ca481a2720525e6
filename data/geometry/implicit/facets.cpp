#include "data/geometry/implicit/level.h"
#include "data/geometry/samplers.h"

namespace pinn::implicit {
namespace {

using mesh::cross;
using mesh::dot;
using mesh::length;

/// The map of a facet to the surface: from y, uniform on the facet, along m, which goes over
/// from the normal of one corner to those of the others, as y does,
///
///   X(b) = y(b) + t(b) m(b),   f(X) = 0.
///
/// Facets that share a side lead from it to the same points, so the maps of all of them cover the
/// surface once. With n the normal at X, t_b = -n . (y_b + t m_b) / (n . m), and the ratio of the
/// areas is |X_1 x X_2| / |y_1 x y_2|; of lengths, |X_1| / |y_1|.
class FacetMap {
 public:
  FacetMap(const Level& level, const Polyhedron& polyhedron, const Facet& facet) : level_(level) {
    y_ = polyhedron.points[facet[0]];
    m_ = polyhedron.normals[facet[0]];
    for (int k = 0; k < 2; ++k) {
      y_b_[k] = polyhedron.points[facet[k + 1]] - y_;
      m_b_[k] = polyhedron.normals[facet[k + 1]] - m_;
    }
  }

  /// Measure of the facet: 1, a length or an area.
  double measure() const {
    const int d = level_.dimension();
    return d == 1 ? 1 : d == 2 ? length(y_b_[0]) : length(cross(y_b_[0], y_b_[1])) / 2;
  }

  /// The point of the surface, its normal, and the ratio; false where no point is near.
  bool operator()(double b, double c, Vector& x, Vector& n, double& ratio) const {
    const Vector y = y_ + b * y_b_[0] + c * y_b_[1], m = m_ + b * m_b_[0] + c * m_b_[1];
    if (!follow(y, m, x)) return false;
    n = level_.normal(x);
    ratio = ratio_at(n, m, dot(x - y, m) / dot(m, m));
    return ratio > 0;
  }

  /// The largest ratio, as seen from the corners and, one step of Newton's away, from the middle;
  /// and a little more. At a crease it may be larger, which then counts for less.
  double largest_ratio() const {
    const int d = level_.dimension();
    if (d == 1) return 1;
    double largest = 0;
    for (const Vector& m : {m_, m_ + m_b_[0], m_ + m_b_[1]})
      largest = std::max(largest, ratio_at(m, m, 0));
    const double b = 1.0 / d, c = d == 2 ? 0 : b;
    const Vector y = y_ + b * y_b_[0] + c * y_b_[1], m = m_ + b * m_b_[0] + c * m_b_[1];
    const Vector g = level_.gradient(y);
    const double t = -level_.value(y) / dot(g, m);
    if (std::fabs(t) < level_.cell()) largest = std::max(largest, ratio_at(mesh::unit(g), m, t));
    return 1.03 * largest;
  }

 private:
  double ratio_at(const Vector& n, const Vector& m, double t) const {
    const double along = dot(n, m);
    if (!(along > 0.1 * length(m))) return 0;
    Vector x_b[2];
    for (int k = 0; k < 2; ++k) {
      const Vector moved = y_b_[k] + t * m_b_[k];
      x_b[k] = moved - (dot(n, moved) / along) * m;
    }
    switch (level_.dimension()) {
      case 1:
        return 1;
      case 2:
        return length(x_b[0]) / length(y_b_[0]);
      default:
        return length(cross(x_b[0], x_b[1])) / length(cross(y_b_[0], y_b_[1]));
    }
  }

  /// The point of the surface on the line through y along m, at most a cell away.
  bool follow(const Vector& y, const Vector& m, Vector& x) const {
    const double value = level_.value(y), size = length(m);
    x = y;
    if (value == 0) return true;
    if (!(size > 0.1)) return false;
    const double sign = value > 0 ? -1 : 1;
    for (double step = level_.cell() / 64; step <= 2 * level_.cell(); step *= 2) {
      const Vector far = y + (sign * step / size) * m;
      const double beyond = level_.in_box(far, level_.cell()) ? level_.value(far) : NAN;
      if (!std::isfinite(beyond)) return false;
      if ((beyond > 0) == (value > 0)) continue;
      x = level_.root(y, far);
      return true;
    }
    return false;
  }

  const Level& level_;
  Vector y_, m_, y_b_[2], m_b_[2];
};

class FacetSampler : public Sampler {
 public:
  FacetSampler(std::shared_ptr<const Level> level, std::shared_ptr<const Polyhedron> polyhedron)
      : level_(std::move(level)), polyhedron_(std::move(polyhedron)) {
    double sum = 0;
    for (const Facet& facet : polyhedron_->facets) {
      const FacetMap map(*level_, *polyhedron_, facet);
      largest_.push_back(map.measure() > 0 ? map.largest_ratio() : 0);
      sums_.push_back(sum += map.measure() * largest_.back());
    }
  }

  int dimension() const override { return level_->dimension(); }
  /// One to choose the facet, and the place along it; the last one to refuse by the ratio.
  int numbers() const override { return dimension() == 1 ? 1 : dimension(); }
  double whole() const override { return sums_.back(); }
  bool keeps_all() const override { return dimension() == 1; }
  bool sample(std::span<const double> cube, std::span<double> x,
              std::span<double> n) const override {
    const auto [k, first] = shapes::share_of(sums_, cube[0]);
    const FacetMap map(*level_, *polyhedron_, polyhedron_->facets[k]);
    const double root = dimension() == 3 ? std::sqrt(first) : first;
    const double c = dimension() == 3 ? root * cube[1] : 0;
    Vector at, normal;
    double ratio = 0;
    const bool found = map(dimension() == 1 ? 0 : root - c, c, at, normal, ratio);
    std::copy_n(at.begin(), x.size(), x.begin());
    if (found) std::copy_n(normal.begin(), n.size(), n.begin());
    return found && (dimension() == 1 || cube.back() * largest_[k] < ratio);
  }

 private:
  const std::shared_ptr<const Level> level_;
  const std::shared_ptr<const Polyhedron> polyhedron_;
  std::vector<double> largest_, sums_;
};

}  // namespace

std::shared_ptr<const Sampler> facet_sampler(std::shared_ptr<const Level> level,
                                             std::shared_ptr<const Polyhedron> polyhedron) {
  return std::make_shared<FacetSampler>(std::move(level), std::move(polyhedron));
}

}  // namespace pinn::implicit
