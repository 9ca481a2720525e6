#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "data/tables/table_function.h"

namespace pinn {

/// Points in a k-d tree: each half of a span of them lies on one side of the middle one, along one
/// input after the other. J. L. Bentley, Communications of the ACM 18 (1975).
class PointTree {
 public:
  /// points [count, inputs], at least one.
  PointTree(const std::vector<double>& points, std::size_t inputs);

  struct Near {
    double distance = 0;  ///< squared
    std::size_t point = 0;
  };
  /// The nearest ones, so many or all there are, the nearest first; at one distance the one that
  /// was given first.
  std::vector<Near> nearest(std::span<const double> x, std::size_t count) const;

 private:
  void arrange(const std::vector<double>& points, std::size_t begin, std::size_t end,
               std::size_t input);
  void search(std::span<const double> x, std::size_t begin, std::size_t end, std::size_t input,
              std::size_t count, std::vector<Near>& found) const;

  std::size_t inputs_;
  std::vector<std::size_t> order_;  ///< which point stands where
  std::vector<double> points_;      ///< [count, inputs], as the tree has them
};

/// A linear table of points [count, inputs] that fill no grid, 2 inputs or more: Shepard's method
/// with a plane through each point, as R. J. Renka has it (ACM Transactions on Mathematical
/// Software 14 (1988) 139-148). Planes are fitted to the points around and blended by inverse
/// distances, in units of the ranges, over the nearest points. It takes the values of the points,
/// and is exact for linear functions; its derivatives, up to the third, are those of what is
/// evaluated, and jump where the nearest points change.
///
///   errors   ConfigError for too few points
TablePtr planes_table(const TableOptions& options, const std::vector<double>& points,
                      const std::vector<double>& values);

/// A cubic table of such points, 2 inputs or more, twice continuously differentiable: a sum of
/// |x - point|^3 over all of them and a polynomial of degree 3, in units of the ranges (a
/// polyharmonic spline). It takes the values of the points, and is exact for polynomials of degree
/// 3, with all derivatives. A value costs as much as there are points.
///
///   errors   ConfigError for too few points, too many (the system is dense), for points that leave
///            a polynomial open, and for points too close to each other
///   source   J. Duchon, Splines minimizing rotation-invariant semi-norms (1977); H. Wendland,
///            Scattered Data Approximation (2005), chapters 8 and 10
TablePtr polyharmonic_table(const TableOptions& options, const std::vector<double>& points,
                            const std::vector<double>& values);
constexpr std::size_t most_of_polyharmonic = 4000;  ///< points

/// True if a table is one of points that fill no grid.
bool is_scattered(const TableFunction& table);

}  // namespace pinn
