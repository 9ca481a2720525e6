#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace pinn {

/// Behavior of a table between its points.
enum class Interpolation { nearest, linear, cubic };
/// Behavior of a table beyond its range.
enum class Outside { error, clamp, periodic };

const char* name_of(Interpolation interpolation);
const char* name_of(Outside outside);

/// The knots of a table along one input, at least one, ascending and all different.
class TableAxis {
 public:
  /// Place of a number: in cell `cell`, from knot `cell` to the next one, `share` of the way.
  struct Place {
    std::size_t cell = 0;
    double share = 0;
    double length = 1;    ///< of the cell
    bool beyond = false;  ///< it was outside, and this is the nearest place
  };

  TableAxis() = default;
  TableAxis(std::vector<double> knots, Outside outside);

  /// Numbers up to a rounding of float32 beyond an end count as that end.
  Place find(double x) const;
  /// True if a number is within the range; all are where the axis is periodic.
  bool contains(double x) const;

  const std::vector<double>& knots() const { return knots_; }
  std::size_t size() const { return knots_.size(); }
  double lower() const { return knots_.front(); }
  double upper() const { return knots_.back(); }
  /// Distance beyond an end that counts as that end.
  double slack() const { return slack_; }

 private:
  std::vector<double> knots_;
  Outside outside_ = Outside::error;
  double slack_ = 0;
};

/// The slopes at the knots of the cubic spline through values there: not-a-knot ends, or a period
/// that is the range, whose last value is its first. Through three points goes a parabola, through
/// two a line. C. de Boor, A Practical Guide to Splines, chapter IV.
std::vector<double> spline_slopes(const std::vector<double>& knots,
                                  const std::vector<double>& values, bool periodic);

}  // namespace pinn
