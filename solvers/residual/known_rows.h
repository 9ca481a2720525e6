#pragma once
#include <memory>
#include <vector>

#include "autograd/compile.h"
#include "autograd/core/parallel.h"
#include "solvers/residual/traced_points.h"

namespace pinn {

/// What a step takes of its points alone and is dear - tables of coordinates, and where its window
/// of time starts, by the networks of the windows before - is taken out of its graph: it is
/// computed once for the points that are there, and the step is given it as rows of their own.
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
