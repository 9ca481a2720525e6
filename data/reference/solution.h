#pragma once
#include <span>
#include <string>
#include <vector>

namespace pinn {

/// Reference that a solution is compared with: its values at points.
struct Solution {
  std::size_t count = 0;
  std::vector<double> x;                    ///< [count, coordinates], row-major
  std::vector<std::vector<double>> values;  ///< [column][count]
  std::size_t outside = 0;                  ///< points of the file that were left out
  /// Columns of whose axes only the lengths are known, and two are equal: read as in the problem.
  std::vector<std::string> guessed;
};

/// Which columns to read, and where the points may lie.
struct SolutionColumns {
  std::vector<std::string> coordinates, values;  ///< as the file names them
  std::vector<double> lower, upper;              ///< per coordinate
};

/// Reads a solution from CSV, with a column per coordinate and value, or from HDF5, where each is
/// an array:
///
///   columns  all of one shape: a value per point
///   a grid   coordinates are axes [n] each, and values have a dimension for each. Which is which
///            say the attribute `order` of the file ("x t"), dimension scales, or lengths.
///
/// Points outside of the domain, by more than 1e-9 of its length, are left out.
///
///   errors   ConfigError for whatever is wrong with the file
Solution read_solution(const std::string& path, const SolutionColumns& columns);

/// The share of the domain that each of some points [count, coordinates] stands for; their sum is
/// 1. Nodes of a grid, in any order: along an evenly spaced axis all count the same, along others
/// by the trapezoidal rule. Other points all count the same.
std::vector<double> shares_of(std::span<const double> x, std::size_t coordinates);

}  // namespace pinn
