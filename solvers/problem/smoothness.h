#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "solvers/problem/expression.h"
#include "solvers/problem/problem.h"

namespace pinn {

/// A place within the domain where a formula is not as smooth as it has to be.
struct RoughPlace {
  enum class Kind {
    jump,     ///< its values on both sides differ in the limit
    no_value  ///< it grows beyond all bounds, or has no value on one side
  };
  Kind kind = Kind::jump;
  std::vector<double> at;
  int coordinate = 0;             ///< along which
  int order = 0;                  ///< of the derivative; 0: the value itself
  std::string part;               ///< of the formula, which makes it so: "abs(x - 0.5)"
  std::vector<int> part_of = {};  ///< the coordinates that decide where it is
  TablePtr table = nullptr;       ///< that the part is; null: it is none
};

/// How often a field is differentiated by each coordinate, at most, in all that is asked of it.
std::vector<int> asked_orders(const Problem& problem, const FieldUses& uses, int field);

/// Looks for places where derivatives of formulas jump. Where a part of a formula may be rough - an
/// argument of abs at 0, a knot of a table, a border of regions - derivatives of the whole are held
/// against one another on both sides, ever nearer.
class Smoothness {
 public:
  using Where = std::function<bool(const std::vector<double>&)>;
  using Counts = std::function<bool(const RoughPlace&)>;

  /// `where`: the part of the domain in which the formulas count; null: all of it.
  explicit Smoothness(const Problem& problem, Where where = nullptr);

  /// The first place found where a formula of the coordinates, or its derivative by one of them up
  /// to these orders, is not continuous; along a coordinate of order -1 nothing is looked at. The
  /// rim of the domain is no such place. Unknowns are where they start. `counts`: whether a place
  /// is one to look for; null: all are.
  std::optional<RoughPlace> operator()(const ExpressionPtr& formula, const std::vector<int>& orders,
                                       const Counts& counts = nullptr) const;

 private:
  const std::vector<std::vector<double>>& inside() const;

  const Problem& problem_;
  Where where_;
  mutable std::vector<std::vector<double>> inside_;  ///< evenly spread points, once they are needed
};

/// "its derivative of order 1 along x jumps at x = 0.5, y = 0.2, by abs(x - 0.5)"
std::string rough_text(const Problem& problem, const RoughPlace& rough);

/// A report for each hard constraint that is not as smooth as what is asked of its field, within
/// the domain or where the network's output takes some value, and what to write instead.
std::vector<Report> rough_forms(const Problem& problem);

}  // namespace pinn
