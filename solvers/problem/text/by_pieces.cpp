// Formulas that are read once for every region on which their meaning depends.
#include <fmt/format.h>

#include "solvers/problem/pieces.h"

namespace pinn {
namespace {

bool is_chosen(const Problem& problem, int partition) {
  return std::size_t(partition) < problem.chosen.size() &&
         problem.chosen[std::size_t(partition)] >= 0;
}

/// A mistake that only one region makes says which.
[[noreturn]] void fail_in(const std::string& region, const ConfigError& error) {
  std::vector<Report> reports = error.reports;
  for (Report& r : reports) r.what = fmt::format("in '{}': {}", region, r.what);
  throw ConfigError(reports);
}

}  // namespace

ExpressionPtr by_pieces(const Text& text, const Scope& scope, Warnings& warnings,
                        const std::function<ExpressionPtr(const Scope&, Warnings&)>& read) {
  const Problem& problem = scope.problem;
  if (!problem.pieces) return read(scope, warnings);
  const PieceNames& pieces = *problem.pieces;
  for (const int p : pieces.mentioned_here(text)) {
    const bool between =
        std::size_t(p) < scope.sides.size() && scope.sides[std::size_t(p)].from >= 0;
    if (between || is_chosen(problem, p)) continue;
    std::vector<int> chosen = problem.chosen;
    chosen.resize(pieces.partitions.size(), -1);
    std::vector<ExpressionPtr> all;
    const PartitionPtr& partition = pieces.partitions[std::size_t(p)];
    for (std::size_t r = 0; r < partition->size(); ++r) {
      chosen[std::size_t(p)] = int(r);
      Warnings told_before;
      Warnings& to = r == 0 ? warnings : told_before;
      try {
        const Scope inside{pieces.dialect(problem, chosen, to),
                           scope.use,
                           scope.has_normal,
                           scope.columns,
                           scope.sides,
                           scope.whole,
                           scope.quadrature,
                           scope.places};
        all.push_back(by_pieces(text, inside, to, read));
      } catch (const ConfigError& error) {
        if (r == 0) throw;
        fail_in(partition->name(r), error);
      }
    }
    return make_by_region(partition, std::move(all));
  }
  return read(scope, warnings);
}

}  // namespace pinn
