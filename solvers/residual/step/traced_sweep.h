#pragma once
#include <memory>
#include <vector>

#include "autograd/compile.h"
#include "autograd/core/parallel.h"
#include "solvers/residual/step/part_options.h"
#include "solvers/residual/step/traced_points.h"

namespace pinn {

/// Expensive part of a step that depends on its points alone: tables of coordinates, and the start
/// of its window of time by the networks of the windows before. It is taken out of the graph of the
/// step and computed once for the points that are there; the step is given it as rows of their own.
struct KnownRows {
  Graph graph;  ///< one output [points, ...] per array; empty where there is nothing of the kind
};

/// Takes them out of a graph; `given` gets an entry for each. Without `starts` only tables: what
/// runs once gains nothing by the rest.
KnownRows take_known_rows(Graph& graph, std::vector<InputSource>& given, bool starts);

/// The arrays of some points, [arrays][points * elements]; made ready once for all that follow.
class KnownArrays {
 public:
  void compute(const KnownRows& known, const std::vector<InputSource>& given, const Model& model,
               const PointSet& points, ThreadPool* threads);
  const std::vector<std::vector<double>>& values() const { return values_; }

 private:
  std::vector<std::vector<double>> values_;
  std::unique_ptr<Executor> executor_;
};

/// A sweep of a requirement (sweep.h) as a graph, and what its outputs are: squares, then rows,
/// then sums, or factors. What is zero is no output.
struct TracedSweep {
  /// Outputs for one factor of the rows of J; g -1: x are the elements.
  struct Factor {
    RowFactor layout;
    int x = 0, g = -1;
  };

  Graph graph;
  std::vector<InputSource> given;  ///< of each input
  KnownRows known;
  std::size_t squares = 0;        ///< how many outputs are squares, or integrals
  std::vector<std::size_t> rows;  ///< terms whose rows follow
  std::vector<std::size_t> sums;  ///< parameter blocks whose sums follow, those of copy 0 first
  std::vector<Factor> factors;
};

/// `term`: whose rows, of the Jacobian.
TracedSweep trace_sweep(const PartOptions& options, const PointWidths& widths, Sweep kind,
                        std::size_t term = 0);

/// Reads the sums of all points: writes the squares; adds to `result` [copies, parameters].
/// `scratch` may be used again.
void read_sums(const Executor& executor, const TracedSweep& traced, const Model& model,
               std::span<const double> sums, std::span<double> squares, std::span<double> result,
               std::vector<double>& scratch);

}  // namespace pinn
