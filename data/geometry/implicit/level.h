#pragma once
#include "data/geometry/implicit.h"
#include "data/geometry/mesh/vector.h"

namespace pinn::implicit {

using mesh::Vector, mesh::operator+, mesh::operator-, mesh::operator*;

/// A level set with what is asked of it again and again. Coordinates beyond its dimension are 0.
class Level {
 public:
  explicit Level(LevelSet set);

  int dimension() const { return int(set_.lower.size()); }
  const LevelSet& set() const { return set_; }
  double size() const { return size_; }  ///< the longest side of its box
  double cell() const { return size_ / set_.cells; }

  double value(const Vector& x) const { return set_.value({x.data(), set_.lower.size()}); }
  Vector gradient(const Vector& x) const;
  Vector normal(const Vector& x) const { return mesh::unit(gradient(x)); }
  /// True if a point is at most so far beyond its box.
  bool in_box(const Vector& x, double beyond = 0) const;

  /// The point of the surface on the way from a to b, where the value has another sign, if it has.
  Vector root(Vector a, Vector b) const;
  /// The point of the surface that the gradient leads to; false where it leads to none near by.
  bool retract(Vector& x) const;

 private:
  LevelSet set_;
  double size_ = 0;
};

/// "(0.1, 0.2)", of as many coordinates as there are.
std::string place(const Vector& x, int dimension);

/// A piece of a polyhedron near the surface: a point, a segment or a triangle, whose corners lie on
/// the surface.
using Facet = std::array<int, 3>;  ///< the last corner stands again where there are fewer

/// The polyhedron where the value is 0, linear on the simplices that the cells are cut into.
struct Polyhedron {
  std::vector<Vector> points, normals;
  std::vector<Facet> facets;
};

/// Errors: ConfigError, as make_implicit
Polyhedron march(const Level& level);

/// Uniform points of the surface, out of those of its facets.
std::shared_ptr<const Sampler> facet_sampler(std::shared_ptr<const Level> level,
                                             std::shared_ptr<const Polyhedron> polyhedron);

}  // namespace pinn::implicit
