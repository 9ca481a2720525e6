#pragma once
#include <functional>

#include "data/geometry/shape.h"

/// Samplers out of maps: what the shapes of the table are made of.
namespace pinn::shapes {

using SamplerPtr = std::shared_ptr<const Sampler>;
using Pieces = std::vector<SamplerPtr>;

/// Every point of the cube is taken to one of the set; n is empty in an interior. `panels` where
/// they are not those of a smooth curve.
using Map =
    std::function<void(std::span<const double> cube, std::span<double> x, std::span<double> n)>;
SamplerPtr interior_map(int dimension, double whole, Map map, Sampler::Panels panels = {});
SamplerPtr surface_map(int dimension, double whole, Map map, Sampler::Panels panels = {});

/// As a map, but what it says false of lies beyond the set.
using Trial =
    std::function<bool(std::span<const double> cube, std::span<double> x, std::span<double> n)>;
/// `measure` is that of the set, where it is known; else 0.
SamplerPtr interior_trial(int dimension, double whole, double measure, Trial trial);

/// A point with a normal, as a piece of a surface on a line.
SamplerPtr point_piece(double x, double n);

/// The interior of a box.
SamplerPtr box_interior(std::vector<Interval> bounds);

/// A part of a plane, a line, ...: origin + cube[k] * edges[k], with one normal.
SamplerPtr flat_piece(std::vector<double> origin, std::vector<std::vector<double>> edges,
                      std::vector<double> n);

/// The point of the unit sphere in n.size() >= 2 dimensions that n.size() - 1 numbers stand for.
///
///   source  Fang & Wang (1994), Number-theoretic Methods in Statistics, section 4.3: squares of
///           pairs of coordinates have a distribution that is inverted by a root
void sphere_direction(std::span<const double> cube, std::span<double> n);

/// Measure of the unit sphere's surface in so many dimensions: 2, 2 pi, 4 pi, ...
double sphere_measure(int dimension);

/// The place of u in (0, 1) among shares that add up to the last of `sums`: which one, and where in
/// it, in (0, 1).
std::pair<std::size_t, double> share_of(const std::vector<double>& sums, double u);

/// |a - b|
double gap(std::span<const double> a, std::span<const double> b);

}  // namespace pinn::shapes
