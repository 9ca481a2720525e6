#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace pinn {

/// An interval; lower == upper fixes the coordinate.
struct Interval {
  double lower = 0, upper = 1;
  bool fixed() const { return lower == upper; }
};

class Sampler;  // data/geometry/shape.h
class Body;     // data/geometry/body.h

/// A set of points in coordinate space: the interior, a face, a plane, a piece of a curved surface,
/// a union. It answers inside, sample, normal and measure, and nothing else is asked of any
/// geometry.
class Region {
 public:
  virtual ~Region() = default;
  /// Number of coordinates of the space it lies in.
  virtual int coordinates() const = 0;
  /// Dimension of the region itself: 0 for a point.
  virtual int dimension() const = 0;
  /// Length, area, volume ... in its own dimension; 1 for a point.
  virtual double measure() const = 0;
  /// A box that holds it: an interval per coordinate.
  virtual std::vector<Interval> bounds() const = 0;
  /// Uniform points of it, with normals where it has one; fixed coordinates are exact, free ones of
  /// a box strictly between their bounds. InternalError for a union, which has parts().
  virtual const Sampler& sampler() const = 0;
  /// The same at other values of a coordinate that no shape speaks of: time, a parameter.
  virtual std::shared_ptr<const Region> with(int coordinate, const Interval& values) const = 0;
  /// True if x lies in the closed region, or beyond it by `tolerance` (a length) per coordinate.
  virtual bool inside(std::span<const double> x, double tolerance) const = 0;
  /// True if the region lies in the boundary and so has a normal.
  virtual bool has_normal() const = 0;
  /// Outward unit normal at x, zero in the coordinates that are not space; on the edge of two parts
  /// of a union the first one's. n [coordinates]. InternalError when there is none.
  virtual void normal(std::span<const double> x, std::span<double> n) const = 0;
  /// The body on whose surface it lies; none, where it is a plane or an interior.
  virtual Body surface_of() const;
  /// The parts of a union, in order; a plain region is its own only part.
  virtual std::vector<const Region*> parts() const { return {this}; }
};

/// A box [lower, upper] per coordinate; fixed coordinates make it a face, an edge, an inner plane,
/// a point. `normal` is empty or the constant outward normal: of unit length, along fixed
/// coordinates. ConfigError when no such box exists.
std::shared_ptr<const Region> make_box(std::vector<Interval> intervals,
                                       std::vector<double> normal = {});

/// The union of parts of one dimension; samples are split by measure, and where parts overlap both
/// count. One part alone is returned as it is; unions among the parts are taken apart. ConfigError
/// when the parts do not fit together.
std::shared_ptr<const Region> make_union(std::vector<std::shared_ptr<const Region>> parts);

}  // namespace pinn
