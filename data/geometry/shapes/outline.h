#pragma once
#include "data/geometry/samplers.h"

/// Polygons of the plane, of up to a million corners.
namespace pinn::shapes {

struct Corner {
  double x = 0, y = 0;
};
using Corners = std::vector<Corner>;

/// A part of a polygon between two vertical lines and two of its edges.
struct Trapezoid {
  double left, right;
  std::size_t bottom, top;  ///< edges; edge k goes from corner k to the next
};

/// Findings of a line that sweeps over a polygon in n log n steps: two edges that meet and should
/// not, or, of a polygon that runs counter-clockwise, the trapezoids it is made of, from left to
/// right.
///
///   source  Shamos & Hoey (1976), 17th Symposium on Foundations of Computer Science, 208-215
struct Sweep {
  bool crosses = false;
  std::size_t first = 0, second = 0;  ///< the edges
  std::vector<Trapezoid> trapezoids;
};
Sweep sweep(const Corners& corners);

/// The edge that is nearest to a place, and where on it: 0 and 1 are its corners.
struct NearestEdge {
  std::size_t edge = 0;
  double at = 0, square = 0;  ///< of the distance
};

/// Finds the nearest of some edges in log n steps, by boxes in boxes.
class EdgeTree {
 public:
  EdgeTree() = default;
  EdgeTree(const Corners& corners, std::vector<std::size_t> edges);
  NearestEdge nearest(Corner x) const;

 private:
  struct Box {
    Corner lower, upper;
    std::size_t first = 0, last = 0;  ///< its edges
    std::size_t left = 0;             ///< boxes in it: left and left + 1; 0: none
  };
  void fill(std::size_t box, std::size_t first, std::size_t last);
  NearestEdge on(std::size_t edge, Corner x) const;

  Corners corners_;
  std::vector<std::size_t> edges_;
  std::vector<Box> boxes_;
};

/// A simple polygon, counter-clockwise.
class Outline {
 public:
  /// Corners as the argument of that name has them, x and y of each, in either direction; the first
  /// may be repeated at the end.
  ///
  ///   errors   ConfigError: fewer than three, one twice in a row, edges that cross or touch
  Outline(const std::vector<double>& numbers, const std::string& argument);

  const Corners& corners() const { return corners_; }
  Corner next(std::size_t edge) const { return corners_[(edge + 1) % corners_.size()]; }
  const std::vector<Trapezoid>& trapezoids() const { return trapezoids_; }
  std::vector<Interval> bounds() const;
  double area() const { return area_sums_.back(); }
  double length() const { return length_sums_.back(); }
  double distance(Corner x) const;
  /// The gradient of the distance; on a corner the normal of the edge that comes first.
  Corner normal(Corner x) const;
  /// Outward.
  Corner normal_of(std::size_t edge) const;
  /// Maps two numbers to the interior, and one to the outline with its edge, both evenly.
  Corner inner(double u, double v) const;
  Corner along(double u, std::size_t& edge) const;
  /// From where to where along the outline each edge runs, of its length.
  std::vector<Interval> edges() const;

 private:
  bool beyond(const NearestEdge& nearest, Corner x) const;

  Corners corners_;
  EdgeTree tree_;
  std::vector<Trapezoid> trapezoids_;
  std::vector<double> area_sums_, length_sums_;
};

}  // namespace pinn::shapes
