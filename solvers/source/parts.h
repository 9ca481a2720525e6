#pragma once
#include <optional>
#include <vector>

#include "autograd/compile.h"
#include "solvers/records/fields/output.h"
#include "solvers/state/windows.h"

namespace pinn {

/// A program, and its fixed memory as points read it.
struct SourcePart {
  Program program;
  std::vector<double> fixed;
};

/// Formulas of a run as programs of points alone: one for every window of time that has a network
/// and, where what the formulas mean is another in every region, for every piece.
struct SourceParts {
  /// Ends of windows along coordinate `time`; a point is in that of number k if k of them lie
  /// before it.
  std::vector<double> edges = {};
  int time = -1;
  std::size_t windows = 1;  ///< that have a network
  /// Regions of each partition; a piece is a choice of one of each, the last fastest.
  std::vector<std::size_t> regions = {};
  /// The distance to every region of every partition, negative inside; absent where `regions` is
  /// empty.
  std::optional<SourcePart> distances = {};
  std::vector<SourcePart> parts = {};  ///< [windows][pieces]
};

/// Errors: ConfigError for formulas that a run cannot evaluate, and regions whose distance has no
/// formula.
SourceParts source_parts(const Run& run, const std::vector<TrainedNetwork>& networks,
                         const std::vector<NamedFormula>& formulas);

}  // namespace pinn
