#pragma once
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/geometry/region.h"

namespace pinn {

/// Uniform points of a set, out of numbers in the unit cube: the interior of a shape, or a smooth
/// piece of its surface. Candidates are uniform over a set of known measure that holds the set;
/// those beyond it are refused.
class Sampler {
 public:
  /// Intervals of (0, 1), ascending, for each number.
  using Panels = std::vector<std::vector<Interval>>;

  virtual ~Sampler() = default;
  /// Coordinates of a point.
  virtual int dimension() const = 0;
  /// Numbers that a candidate takes: the dimension of the cube.
  virtual int numbers() const = 0;
  /// Measure of what candidates are uniform over: length, area, volume; 1 for a point.
  virtual double whole() const = 0;
  /// True if no candidate is ever refused, so that `whole` is the measure of the set.
  virtual bool keeps_all() const = 0;
  /// Measure of the set where it is known, refusals or not; 0 where it is not.
  virtual double measure() const { return keeps_all() ? whole() : 0; }
  /// The panels of whose combinations all is kept, and outside of them nothing, and within which
  /// points are smooth functions of the numbers, so that rules of high order integrate over the
  /// set. Nothing where there are none, or it is not known.
  virtual std::optional<Panels> panels() const {
    if (!keeps_all() || numbers() > 1) return {};
    return Panels(std::size_t(numbers()), {{0, 1}});
  }
  /// The candidate of a point of the open unit cube, and whether it lies in the set. On a surface n
  /// is the outward unit normal; in the interior n is left alone (it may be empty). cube [numbers],
  /// x [dimension], n [dimension].
  virtual bool sample(std::span<const double> cube, std::span<double> x,
                      std::span<double> n) const = 0;
  /// Patch that a piece of a surface belongs to, or "".
  virtual std::string patch() const { return {}; }
};

/// How far from a surface a signed distance may be taken at its word.
enum class DistanceKind {
  exact,  ///< the Euclidean distance
  bound,  ///< the right sign, zero on the surface, and nowhere larger in size than the distance
  none    ///< of a shape that knows inside from outside and no more
};

/// A closed bounded set of points of space with a surface that is smooth by pieces, at fixed
/// numbers: a disk, a polygon, a formula of others. Coordinates are those of space alone, in the
/// order of the problem, dimension 1 to 3 (some shapes: any).
class SpatialShape {
 public:
  virtual ~SpatialShape() = default;
  virtual int dimension() const = 0;
  /// A box that holds it; the least one for a shape of the table.
  virtual std::vector<Interval> bounds() const = 0;
  /// True if x lies in the closed set. x [dimension].
  virtual bool inside(std::span<const double> x) const { return distance(x) <= 0; }
  virtual DistanceKind distance_kind() const = 0;
  /// Signed distance to the surface, negative inside. InternalError where there is none.
  virtual double distance(std::span<const double> x) const = 0;
  /// The unit vector along which the distance grows; on the surface the outward normal. At a corner
  /// or an edge, where several are right, that of the piece of the surface that comes first.
  virtual void normal(std::span<const double> x, std::span<double> n) const = 0;
  virtual std::shared_ptr<const Sampler> interior() const = 0;
  /// The pieces of its surface, each uniform by itself; they overlap in no set of positive measure.
  /// Those of one number that keep all run along their curve at constant speed.
  virtual std::vector<std::shared_ptr<const Sampler>> surface() const = 0;
  /// True if the set is bounded. Else it may be a part of others only: its bounds are infinite,
  /// interior() and surface() are errors, and its surface has a part within a box.
  virtual bool bounded() const { return true; }
  /// True if all of its surface is known: not of what is a condition on places.
  virtual bool has_surface() const { return true; }
  /// The patch of the surface that a place on it belongs to, or "".
  virtual std::string patch_at(std::span<const double> x) const {
    (void)x;
    return {};
  }
  /// Pieces that hold the surface as far as it lies in a box, and may go beyond it.
  virtual std::vector<std::shared_ptr<const Sampler>> surface_within(
      const std::vector<Interval>& box) const {
    (void)box;
    return surface();
  }
};

using ShapePtr = std::shared_ptr<const SpatialShape>;

/// A shape as a file has it, its numbers computed: { disk = { center = [0.3, 0.3], radius = 0.1 } }
/// is kind "disk" with center {0.3, 0.3} and radius {0.1}; corners stand one after the other.
struct ShapeNumbers {
  std::string kind;
  std::map<std::string, std::vector<double>> arguments;
};

/// Argument of a shape, for the check of a file and for its manual.
struct ShapeArgument {
  /// A number for each coordinate is a point; corners are points of the plane in every dimension.
  enum class Form { number, numbers, point, points, corners };
  std::string name;
  Form form = Form::number;
  int least = 1, most = 1;  ///< how many; most = 0: one more than the dimension
  bool optional = false;
};

struct ShapeKind {
  std::string name;
  int least_dimension = 1, most_dimension = 3;
  std::vector<ShapeArgument> arguments;
  DistanceKind spelled =
      DistanceKind::exact;  ///< what spelled_distance is; none: it has no formula
  std::string what;         ///< one line for the manual
};

/// The shapes that make_shape knows.
const std::vector<ShapeKind>& shape_kinds();

/// The shape of a description in so many dimensions.
///
///   errors   ConfigError whose `where` is the argument's name: not finite, of no size, crossing
///            itself, of the wrong count
ShapePtr make_shape(const ShapeNumbers& numbers, int dimension);

/// The signed distance of a shape as a formula of the problem language. Arguments and coordinates
/// are formulas themselves: numbers, or what moves with time, "0.3 + 0.1*sin(t)". It holds no
/// comparison of a place, so it may be differentiated; roots of 0 are 3e-13.
///
///   errors   ConfigError whose `where` is the argument's name: counts; a kind without a formula
std::string spelled_distance(const std::string& kind,
                             const std::map<std::string, std::vector<std::string>>& arguments,
                             const std::vector<std::string>& coordinates);

/// a + b, a * b and a - b as closed sets without loose faces: where surfaces coincide, a face stays
/// once if one side of it is inside, and falls away otherwise.
///
///   errors   ConfigError: they differ in dimension; more than 10 000 shapes in all. Of interior():
///            nothing is left
ShapePtr united(ShapePtr a, ShapePtr b);
ShapePtr intersected(ShapePtr a, ShapePtr b);
ShapePtr subtracted(ShapePtr a, ShapePtr b);
/// All of them together, at least one.
ShapePtr united(const std::vector<ShapePtr>& all);

/// x -> scale * rotation x + shift; rotation [d, d], row-major, orthogonal (a mirror is one).
struct Motion {
  std::vector<double> rotation, shift;
  double scale = 1;
};
ShapePtr moved(ShapePtr shape, const Motion& motion);

/// The measure of what a sampler keeps; where it is not known, by the share of 2^18 evenly spread
/// candidates (a relative error of some 1e-4): `whole` where 2^14 are all kept, 0 where none is.
double measure_of(const Sampler& sampler);

}  // namespace pinn
