#pragma once
#include <functional>
#include <vector>

#include "solvers/problem/problem.h"

namespace pinn::smoothness {

using Point = std::vector<double>;
using Function = std::function<double(const Point&)>;

/// The places near which a function that is not negative is least, each found from one of the best
/// of `points` by steps along the coordinates.
std::vector<Point> lowest(const Problem& problem, const Function& f, std::vector<Point> points);

/// Places in the domain, not on its rim, where a function is 0 to rounding: some of all there are.
std::vector<Point> zeros(const Problem& problem, const Function& f,
                         const std::vector<Point>& inside);

/// A place where a formula may be rough.
struct Candidate {
  const Expression* node = nullptr;  ///< the part that makes it so
  Point at;
  std::vector<int> of = {};  ///< the coordinates that decide where it is
  double reach = 1e-3;       ///< so near, in shares of the domain, the part has no other such place
};

/// All places where some part of a formula of the coordinates may be rough.
///
///   inside   evenly spread points of the domain
///   orders   how often the formula is differentiated by each coordinate
std::vector<Candidate> candidates(const Problem& problem, const ExpressionPtr& formula,
                                  const std::vector<int>& orders, const std::vector<Point>& inside);

/// True of a formula with parts that may be rough anywhere.
bool may_be_rough(const Expression& formula);

/// The coordinates that a formula depends on.
std::vector<int> coordinates_in(const Expression& e);

/// The number of continuous derivatives that a table has everywhere in its range; -1: it jumps.
int smooth_derivatives(const TableFunction& table);

/// The places of a table on a grid: knots where it is not as smooth as asked, and the ends of its
/// range.
void add_knots(const Problem& problem, const Expression& lookup, int asked,
               const std::vector<Point>& inside, std::vector<Candidate>& all);

}  // namespace pinn::smoothness
