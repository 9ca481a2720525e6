#pragma once
#include <array>
#include <span>
#include <vector>

#include "data/geometry/region.h"

namespace pinn {

/// Nodes of an integral over a region, with the weights of a rule and those of coarser ones of some
/// of them. The difference from the furthest of these is more than the error.
struct Quadrature {
  /// The nodes of a part of the region, as points of its sampler's cube.
  struct Part {
    const Region* region = nullptr;
    std::size_t first = 0;     ///< node
    std::vector<double> cube;  ///< [nodes, numbers]
  };
  std::size_t count = 0;
  std::vector<double> x;        ///< [count, coordinates]
  std::vector<double> normals;  ///< [count, coordinates], or empty where there are none
  std::vector<double> weights;  ///< [count]
  std::array<std::vector<double>, 4> coarser;  ///< [count] each
  std::vector<Part> parts;

  double sum(std::span<const double> values, const std::vector<double>& of) const;
};

/// Some `nodes` nodes, but up to 4096 for each part. Where the region is made of
/// smooth panels, in up to four dimensions - boxes, faces, curves - those of Gauss and Kronrod, 15
/// of them of which 7 make the coarser rules; elsewhere a scrambled Sobol sequence and its
/// quarters. The region outlives it.
///
///   source  Kronrod (1965), Nodes and Weights of Quadrature Formulas; digits of QUADPACK
Quadrature quadrature(const Region& region, std::size_t nodes);

/// True if a region is made of smooth panels: boxes, faces, curves.
bool has_panels(const Region& region);
/// How many nodes Gauss and Legendre's rule has there with so many along each number of a panel.
double gauss_nodes(const Region& region, int points);
/// These nodes: exact for polynomials up to degree 2 points - 1 in each coordinate of a box. The
/// coarser rule is the same.
Quadrature gauss_quadrature(const Region& region, int points);

}  // namespace pinn
