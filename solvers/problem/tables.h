#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "solvers/problem/evaluate.h"
#include "solvers/problem/mistakes.h"
#include "solvers/problem/problem.h"

namespace pinn {

/// Error of an argument beyond the range of a table, and its fix.
std::string beyond_text(const TableFunction& table, std::size_t input, double x);
inline constexpr const char* beyond_fix =
    "give the table a wider range, or write outside = \"clamp\" or \"periodic\"";

/// The tables with outside = "error" that a formula asks at places which the coordinates alone
/// decide.
class TableRequests {
 public:
  explicit TableRequests(const Expression& formula);
  bool empty() const { return requests_.empty(); }
  /// Error at a point [coordinates]; nothing if all tables know the place.
  std::optional<std::string> beyond(std::span<const double> x) const;

 private:
  struct Request {
    TablePtr table;
    std::vector<Evaluator> arguments;
  };
  std::vector<Request> requests_;
};

/// Throws ConfigError, with the formula's place in the file and the point, where a formula of a
/// region - at evenly spread points and the corners of its box - or of these points
/// [count, coordinates] asks a table for what it does not know.
void require_known(const Text& text, const Expression& formula, const Region& region,
                   const Problem& problem);
void require_known(const Text& text, const Expression& formula, std::span<const double> points,
                   const Problem& problem);

}  // namespace pinn
