#pragma once
#include "solvers/residual/products.h"
#include "solvers/residual/traced_points.h"

namespace pinn {

/// A product of a requirement as a graph, and what its outputs are. What is zero is no output.
struct TracedProduct {
  // The names of inputs besides points, parameters and weights of points.
  static constexpr const char* roots = "roots";       ///< row_roots
  static constexpr const char* tangent = "tangent:";  ///< of the parameter block named behind it
  static constexpr const char* seed = "seed:";        ///< w of the term numbered behind it

  /// Outputs for one row part of the Jacobian; g -1: x are the elements.
  struct Part {
    RowPart layout;
    int x = 0, g = -1;
  };

  Graph graph;
  std::vector<std::size_t> of;  ///< of each output: its term, or its parameter block
  std::vector<Part> parts;      ///< of the Jacobian
};

/// `term`: whose rows, of the Jacobian.
TracedProduct trace_product(const PartOptions& options, const PointWidths& widths,
                            ProductKind product, std::size_t term);

}  // namespace pinn
