#pragma once
#include "data/geometry/cut.h"
#include "solvers/problem/problem.h"

namespace pinn {

using Intervals = std::vector<Interval>;

/// Share of an interval's length: a value nearer to an end is at the end.
inline constexpr double snap = 1e-12;

/// A piece of a region in the making: a box, what body it lies in, the surface it lies on.
struct RegionPiece {
  Intervals box;
  Body body = {};                         ///< null: none yet
  std::optional<BodyPiece> surface = {};  ///< a piece of the body's
  std::vector<std::function<bool(std::span<const double> x)>> conditions = {};
  bool plain() const { return !body && conditions.empty(); }
};
using RegionPieces = std::vector<RegionPiece>;

/// The domain, every coordinate free.
RegionPiece whole_domain(const Problem& problem);

int dimension(const Intervals& box);
bool is_periodic(const Problem& problem, std::size_t coordinate);

/// The boxes that share points of full dimension; faces that only meet in an edge do not.
bool overlap(const Intervals& a, const Intervals& b);

/// The boxes of the largest dimension, each once: an edge that is left of a face beside another
/// face adds nothing.
void keep_largest(RegionPieces& pieces);

/// True if two shapes lie on both sides of a place on the surface of the first.
bool touch(const SpatialShape& a, const SpatialShape& b, std::span<const double> place);

/// The pieces of the region that one text of an `on` names.
///
///   errors   ConfigError with the place in the text
RegionPieces read_region(const Text& text, const Problem& problem);

/// Regions of the pieces that are not empty; a plane through a shape is the part that lies in it.
std::vector<std::shared_ptr<const Region>> regions_of(const RegionPieces& pieces,
                                                      const Problem& problem);

}  // namespace pinn
