#pragma once
#include <memory>
#include <vector>

#include "autograd/compile.h"
#include "autograd/core/parallel.h"
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
KnownRows take_known_rows(Graph& graph, std::vector<Given>& given, bool starts);

/// The arrays of some points, [arrays][points * elements]; made ready once for all that follow.
class KnownArrays {
 public:
  void compute(const KnownRows& known, const std::vector<Given>& given, const Model& model,
               const PointSet& points, ThreadPool* threads);
  const std::vector<std::vector<double>>& values() const { return values_; }

 private:
  std::vector<std::vector<double>> values_;
  std::unique_ptr<Executor> executor_;
};

}  // namespace pinn
