#pragma once
#include <map>

#include "autograd/core/least_squares.h"
#include "autograd/cpu/block/row_factors.h"

namespace pinn {

/// Adds up the Kronecker factors of rows that come as factors (KroneckerFactors), in float64, in
/// the order in which they come.
class KroneckerSums {
 public:
  /// `columns`: of the matrix at each offset, for what comes as elements.
  explicit KroneckerSums(const std::map<std::size_t, std::size_t>& columns) : columns_(columns) {}

  /// Takes the first `rows` rows of factors of a step in `step`.
  ///
  ///   cost  2 channels (m^2 + n^2) flops a row and matrix
  void add(DType step, std::span<const RowFactor> factors, std::size_t rows);
  void add(const KroneckerSums& others);
  /// By offset.
  std::vector<KroneckerFactors> factors() const;

 private:
  struct Sum {
    std::size_t m = 0, n = 0;
    double count = 0;          ///< of what was added to a
    std::vector<double> a, g;  ///< lower triangles, by columns
  };

  Sum& sum(std::size_t offset, std::size_t m, std::size_t n);

  const std::map<std::size_t, std::size_t>& columns_;
  std::map<std::size_t, Sum> sums_;
};

/// Operations that this takes for one row.
double kronecker_flops(std::span<const RowFactor> factors);

}  // namespace pinn
