#include "data/geometry/shapes/frame.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "data/geometry/shapes/analytic.h"
#include "data/geometry/shapes/arcs.h"

namespace pinn::shapes {
namespace {

constexpr double full = 2 * std::numbers::pi;

bool on_axis(const Outline& outline, std::size_t edge) {
  return outline.corners()[edge].x == 0 && outline.next(edge).x == 0;
}

/// Inside, the nearest edge that does not lie on the axis decides, or the nearer end of the turn;
/// outside within the turn what is nearest lies at the same angle, beyond it on the nearer end.
class Turned : public SpatialShape {
 public:
  Turned(Outline outline, double angle)
      : outline_(std::make_shared<const Outline>(std::move(outline))), angle_(angle) {
    std::vector<std::size_t> edges;
    for (std::size_t k = 0; k < outline_->corners().size(); ++k)
      if (!on_axis(*outline_, k)) edges.push_back(k);
    swept_ = EdgeTree(outline_->corners(), edges);
  }

  int dimension() const override { return 3; }
  std::vector<Interval> bounds() const override {
    const auto flat = outline_->bounds();
    std::vector<double> angles{0, angle_};
    for (double k = 1; k * full / 4 < angle_; ++k) angles.push_back(k * full / 4);
    std::vector<Interval> box{{flat[0].upper, flat[0].upper}, {0, 0}, flat[1]};
    for (double angle : angles)
      for (double r : {flat[0].lower, flat[0].upper}) {
        const double at[] = {r * std::cos(angle), r * std::sin(angle)};
        for (int c : {0, 1})
          box[c] = {std::min(box[c].lower, at[c]), std::max(box[c].upper, at[c])};
      }
    return box;
  }
  DistanceKind distance_kind() const override { return DistanceKind::exact; }
  double distance(std::span<const double> x) const override { return answer(x).distance; }
  void normal(std::span<const double> x, std::span<double> n) const override {
    const Answer a = answer(x);
    std::copy(a.normal, a.normal + 3, n.begin());
    normalize(n);
  }
  SamplerPtr interior() const override { return turned_interior(outline_, angle_); }
  Pieces surface() const override {
    Pieces pieces;
    Pieces lines;
    std::vector<double> sums;
    for (std::size_t k = 0; k < outline_->corners().size(); ++k) {
      if (on_axis(*outline_, k)) continue;
      lines.push_back(turned_line(outline_->corners()[k], outline_->next(k), angle_));
      sums.push_back(lines.back()->whole() + (sums.empty() ? 0 : sums.back()));
    }
    pieces.push_back(
        surface_map(3, sums.back(),
                    [=](std::span<const double> cube, std::span<double> x, std::span<double> n) {
                      const auto [k, share] = share_of(sums, cube[0]);
                      const double own[] = {share, cube[1]};
                      lines[k]->sample(own, x, n);
                    }));
    if (angle_ < full) {
      pieces.push_back(end(0, -1));
      pieces.push_back(end(angle_, 1));
    }
    return pieces;
  }

 private:
  struct Answer {
    double distance;
    double normal[3];
  };

  /// Answer for a place in the half-plane at its own angle: c and s are that angle's.
  Answer at_angle(Corner flat, double c, double s) const {
    const double side = outline_->distance(flat);
    if (side > 0) {
      const Corner n = outline_->normal(flat);
      return {side, {n.x * c, n.x * s, n.y}};
    }
    const NearestEdge nearest = swept_.nearest(flat);
    const double size = std::sqrt(nearest.square);
    const Corner from =
        nearest.at == 1 ? outline_->next(nearest.edge) : outline_->corners()[nearest.edge];
    Corner n = outline_->normal_of(nearest.edge);
    if ((nearest.at == 0 || nearest.at == 1) &&
        size > 1e-12 * (std::fabs(from.x) + std::fabs(from.y)))
      n = {(from.x - flat.x) / size, (from.y - flat.y) / size};
    return {-size, {n.x * c, n.x * s, n.y}};
  }

  /// Answer for the flat end at an angle, as a piece of a plane: the distance, and the way from it.
  Answer from_end(std::span<const double> x, double angle) const {
    const double c = std::cos(angle), s = std::sin(angle);
    const Corner flat{x[0] * c + x[1] * s, x[2]};
    const double off = x[1] * c - x[0] * s, side = std::max(outline_->distance(flat), 0.0);
    const Corner n = side > 0 ? outline_->normal(flat) : Corner{0, 0};
    return {std::hypot(off, side),
            {side * n.x * c - off * s, side * n.x * s + off * c, side * n.y}};
  }

  Answer answer(std::span<const double> x) const {
    const double r = std::hypot(x[0], x[1]);
    double angle = std::atan2(x[1], x[0]);
    if (angle < 0) angle += full;
    const bool within = angle_ >= full || angle <= angle_;
    const double c = r > 0 ? x[0] / r : 1, s = r > 0 ? x[1] / r : 0;
    Answer own{std::numeric_limits<double>::infinity(), {1, 0, 0}};
    if (within) own = at_angle({r, x[2]}, c, s);
    if (angle_ >= full || (within && own.distance > 0)) return own;
    for (double end : {0.0, angle_}) {
      Answer other = from_end(x, end);
      if (!(other.distance < std::fabs(own.distance))) continue;
      const double size = other.distance, turn = within ? -1 : 1;
      if (size > 1e-12 * (r + std::fabs(x[2])))
        for (double& k : other.normal) k *= turn / size;
      else  // on the end itself
        other = {size, {end == 0 ? 0 : -std::sin(end), end == 0 ? -1 : std::cos(end), 0}};
      other.distance *= turn;
      own = other;
    }
    return own;
  }

  SamplerPtr end(double angle, double side) const {
    const double c = std::cos(angle), s = std::sin(angle);
    return surface_map(3, outline_->area(),
                       [outline = outline_, c, s, side](std::span<const double> cube,
                                                        std::span<double> x, std::span<double> n) {
                         const Corner at = outline->inner(cube[0], cube[1]);
                         x[0] = at.x * c;
                         x[1] = at.x * s;
                         x[2] = at.y;
                         if (n.empty()) return;
                         n[0] = -side * s;
                         n[1] = side * c;
                         n[2] = 0;
                       });
  }

  const std::shared_ptr<const Outline> outline_;
  EdgeTree swept_;
  const double angle_;
};

}  // namespace

ShapePtr make_turned(Outline outline, double angle) {
  return std::make_shared<Turned>(std::move(outline), angle);
}

}  // namespace pinn::shapes
