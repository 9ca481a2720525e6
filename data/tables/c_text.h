#pragma once
#include <vector>

#include "data/tables/table_function.h"

namespace pinn {

/// A table as C, `static double NAME(const int* order, const double* x)`, and the functions of C's
/// mathematics library that it calls.
struct TableText {
  std::string text;
  std::vector<std::string> libm = {};
};

/// A table that can be written as C.
class WritesC {
 public:
  virtual ~WritesC() = default;
  virtual TableText c_text(const std::string& name) const = 0;
};

/// On a grid; `values` as evaluation reads them, of a cubic with the slopes by every set of inputs
/// behind each value.
TableText grid_text(const std::string& name, const TableOptions& options,
                    const std::vector<TableAxis>& axes, const std::vector<double>& values);

/// The value of the nearest point; `points` [count, inputs] in units of the ranges.
TableText nearest_text(const std::string& name, const std::vector<TableAxis>& ranges,
                       const std::vector<double>& points, const std::vector<double>& values);

}  // namespace pinn
