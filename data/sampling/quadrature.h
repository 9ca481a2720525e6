#pragma once
#include <span>
#include <vector>

#include "data/geometry/region.h"

namespace pinn {

/// What an integral over a region is made of: nodes, with the weights of a rule and those of a
/// coarser one of some of them. What the two differ by is more than the finer one is off by, but
/// for luck.
struct Quadrature {
  /// The nodes of a part of the region, as points of its sampler's cube.
  struct Part {
    const Region* region = nullptr;
    std::size_t first = 0;     ///< node
    std::vector<double> cube;  ///< [nodes, numbers]
  };
  std::size_t count = 0;
  std::vector<double> x;                ///< [count, coordinates]
  std::vector<double> normals;          ///< [count, coordinates], or empty where there are none
  std::vector<double> weights, coarse;  ///< [count]
  std::vector<Part> parts;

  double sum(std::span<const double> values, const std::vector<double>& of) const;
};

/// Some `nodes` nodes, but up to 4096 for each part. Where the region is made of
/// smooth panels, in up to four dimensions - boxes, faces, curves - those of Gauss and Kronrod, 15
/// of them of which 7 make the coarser rule; elsewhere a scrambled Sobol sequence and its first
/// half. The region outlives it.
///
///   source  Kronrod (1965), Nodes and Weights of Quadrature Formulas; digits of QUADPACK
Quadrature quadrature(const Region& region, std::size_t nodes);

}  // namespace pinn
