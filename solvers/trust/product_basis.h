#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "solvers/problem/expression.h"
#include "solvers/problem/problem.h"

namespace pinn {

/// Functions of one coordinate: B-splines on equal intervals, or, where the coordinate is periodic,
/// a constant, cosines and sines.
class LineBasis {
 public:
  LineBasis(const Coordinate& coordinate, bool periodic, std::size_t functions, std::size_t degree);

  std::size_t size() const { return size_; }

  /// The functions that are not 0 at a place, which stand in a row, and their derivatives.
  struct Values {
    std::size_t first = 0, count = 0;
    std::vector<double> derivatives;  ///< [orders, count]
  };
  /// Derivatives of order 0 to `orders` - 1.
  Values at(double x, std::size_t orders) const;

 private:
  Values splines(double x, std::size_t orders) const;
  Values waves(double x, std::size_t orders) const;

  double lower_, upper_;
  bool periodic_;
  std::size_t size_, degree_;
};

/// Products of functions of single coordinates: all of them, or, of four coordinates and more,
/// those whose numbers add up to little: polynomials of a total degree.
class ProductBasis {
 public:
  /// About `most` functions of the coordinates `inputs` (none: a constant) with `smooth` continuous
  /// derivatives; `reach`, one per input, says how their numbers along each relate.
  ProductBasis(const Problem& problem, std::vector<int> inputs, const std::vector<double>& reach,
               std::size_t most, int smooth);

  std::size_t size() const { return inputs_.empty() ? 1 : numbers_.size() / inputs_.size(); }

  /// The functions that are not 0 at a point, and their derivatives.
  struct Values {
    std::vector<std::size_t> functions;
    std::vector<double> derivatives;  ///< [orders, functions]
  };
  /// At a point x [coordinates]; a derivative by a coordinate that is no input is 0.
  Values at(std::span<const double> x, std::span<const MultiIndex> orders) const;

 private:
  std::vector<std::size_t> functions_at(const std::vector<LineBasis::Values>& lines) const;

  std::vector<int> inputs_;
  std::vector<LineBasis> lines_;      ///< one per input
  std::vector<std::size_t> numbers_;  ///< [functions, inputs] of functions of lines
};

}  // namespace pinn
