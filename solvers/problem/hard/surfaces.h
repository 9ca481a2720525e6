#pragma once
#include <optional>
#include <string>
#include <vector>

#include "solvers/problem/problem.h"

namespace pinn::hard {

/// A function of the place that is 0 on a surface of the boundary and nowhere else on the domain,
/// above 0 inside, of order one and with all derivatives but where pieces of the surface meet.
struct SmoothSurface {
  std::string name;  ///< of a region, or "the domain"; of a side of one the same
  ExpressionPtr function;
  std::vector<bool> on;  ///< which of the boundary's points lie on it
};

/// The surfaces of a domain that is no box.
class Surfaces {
 public:
  explicit Surfaces(const Problem& problem);

  /// Which of all() a part of a region lies on, where the region has all that the boundary has of
  /// it.
  struct Found {
    std::optional<std::size_t> which;
    std::string why;  ///< why there is none
  };
  Found on(const Region& region, const Region& part) const;

  const std::vector<SmoothSurface>& all() const { return all_; }
  /// True if the part of the boundary on one of all(), `other`, or in a face, lies on another,
  /// `surface`, too.
  bool covers(std::size_t surface, std::size_t other) const;
  bool covers_face(std::size_t surface, int coordinate, bool upper) const;

 private:
  void add(const std::string& name, const SpelledDistance& smooth);
  void add_side(const std::string& name, const ExpressionPtr& function);

  const Problem& problem_;
  double size_ = 0;                                        ///< the longest side of the domain
  std::shared_ptr<const Region> boundary_;                 ///< null: of a box
  std::vector<std::vector<double>> inside_, on_boundary_;  ///< evenly spread points
  std::vector<SmoothSurface> all_;
};

/// min and max as R-functions, a + b -+ sqrt(a^2 + b^2).
ExpressionPtr with_r_functions(const ExpressionPtr& e);

}  // namespace pinn::hard
