#pragma once
#include <functional>
#include <string>

#include "autograd/core/random.h"
#include "data/geometry/shape.h"

/// Laws that hold for every shape, and what it takes to state them.
namespace pinn::test {

/// A shape, what is known of it, and its distance in other words, where there are some.
struct Example {
  std::string name;
  ShapePtr shape;
  double volume = 0, surface = 0;
  std::function<double(const double*)> distance = {};
};

using Arguments = std::map<std::string, std::vector<double>>;
inline ShapePtr make(const std::string& kind, int dimension, const Arguments& arguments) {
  return make_shape({kind, arguments}, dimension);
}
inline ShapePtr disk(double x, double y, double radius) {
  return make("disk", 2, {{"center", {x, y}}, {"radius", {radius}}});
}

/// The shapes of the table, one or more of each, by hand.
const std::vector<Example>& examples();
/// Those of them that turn about an axis, are swept, or have several radii.
std::vector<Example> examples_of_space();

/// Some numbers of a place and a normal.
using Function = std::function<void(std::span<const double> x, std::span<const double> n,
                                    std::span<double> values)>;

/// Integrals by random candidates, with their standard deviations.
struct Estimate {
  double value = 0, sigma = 0;
};
using Estimates = std::vector<Estimate>;
Estimates integrals(const Sampler& sampler, std::size_t values, const Function& f, int count,
                    const Random& random);

/// By candidates uniform in the shape's box, of which its distance, or inside(), decides.
Estimates box_integrals(const SpatialShape& shape, std::size_t values, const Function& f, int count,
                        const Random& random);

/// Random points of a box that is larger than the shape's by a share of its size.
std::vector<std::vector<double>> points_around(const SpatialShape& shape, double share, int count,
                                               const Random& random);

/// A random point that is kept, with its normal; empty where none of 1000 candidates is.
struct SurfacePoint {
  std::vector<double> x, n;
};
SurfacePoint draw_point(const Sampler& sampler, const Random& random);

/// The largest side of the box.
double size_of(const SpatialShape& shape);

/// A law: states what is wrong with a shape at the first place found, or nothing.
using Law = std::string (*)(const SpatialShape& shape, const Random& random);

/// The volume, its center and its second moments are those that the distance says.
std::string inner_moments(const SpatialShape& shape, const Random& random);
/// The flow of a random polynomial field through the surface is its divergence within.
std::string divergence(const SpatialShape& shape, const Random& random);
/// Candidates are as dense everywhere as `whole` says: the map's element of volume or area.
std::string even_density(const SpatialShape& shape, const Random& random);
/// Points of the surface have the distance 0 and normals of length 1 along which it grows.
std::string surface_points(const SpatialShape& shape, const Random& random);
/// normal() is the difference quotient of the distance, and leads back to the surface where that is
/// exact; its size is at most that to any point of the surface, and nearly that to one.
std::string distances(const SpatialShape& shape, const Random& random);
/// Points of the interior are inside, within the bounds, and as many in each part of space as the
/// distance says (chi-square).
std::string inner_points(const SpatialShape& shape, const Random& random);

}  // namespace pinn::test
