#pragma once
#include <cstddef>
#include <span>
#include <vector>

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

}  // namespace pinn
