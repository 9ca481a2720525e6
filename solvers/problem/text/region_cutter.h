#pragma once
#include <string_view>

#include "solvers/problem/text/region_pieces.h"

namespace pinn {

/// A part of a surface: that of a body, or a patch of it.
struct SurfaceName {
  Body body;
  std::string patch;  ///< "": all of it
};

/// Cuts the domain down to a region, part by part. What there is no meaning for throws ConfigError
/// without a place.
class RegionCutter {
 public:
  using Condition = std::function<bool(std::span<const double> x)>;

  explicit RegionCutter(const Problem& problem)
      : problem_(problem), space_(space_coordinates(problem)), pieces_{whole_domain(problem)} {}

  const RegionPieces& pieces() const { return pieces_; }
  bool is_on_surface() const { return !pieces_.empty() && pieces_[0].surface.has_value(); }
  /// True if it has fewer dimensions than the domain.
  bool is_thin() const;
  /// Edges that are left of faces beside other faces add nothing.
  void keep_largest() { pinn::keep_largest(pieces_); }

  /// Takes the pieces of another one of the same problem.
  void take(const RegionCutter& other) { pieces_ = other.pieces_; }

  /// Keeps what meets a condition.
  void keep(const Condition& condition);
  /// Keeps what lies in a body, or outside of it.
  void inside(const Body& body);
  void outside(const Body& body);
  /// Keeps what is within an interval of a coordinate.
  void within(const NamedRegion::Slab& slab);
  /// COORDINATE sign value, sign being = or an inequality.
  void compare(std::size_t coordinate, std::string_view sign, double value);
  /// Keeps the part of a surface not at a value of a coordinate; of an interior that would be all.
  void beside(std::size_t coordinate, double value);
  /// Keeps what lies at the beginning of time.
  void at_start();
  /// Takes the boundary of the domain.
  void on_boundary();
  /// Keeps the part of the boundary on a surface, or not on it; takes the boundary first if need
  /// be.
  void on_boundary_of(const SurfaceName& name, bool inverse);
  /// Takes a surface within the domain.
  void on_surface(const SurfaceName& name);
  /// Takes the part of the surface of a that touches b.
  void on_interface(const SurfaceName& a, const Body& b);
  /// Takes the points of a cloud.
  void on_cloud(const Body& cloud) { take_surface(cloud); }

 private:
  int dimension_in_space(const RegionPiece& piece) const;
  Condition is_nearly_inside(const Body& body) const;
  Condition lies_on(const SurfaceName& name, bool inverse) const;
  void take_surface(const Body& body);
  void on_boundary_of_shapes();
  void on_boundary_of_box();

  const Problem& problem_;
  const std::vector<int> space_;
  RegionPieces pieces_;
};

/// The box of the coordinates in space.
Body box_of_space(const Problem& problem);

}  // namespace pinn
